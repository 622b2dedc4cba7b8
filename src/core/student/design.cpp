#include "core/student/design.hpp"

#include <algorithm>
#include <limits>

#include "core/base/parallel.hpp"

namespace xofm::detail {

namespace {

constexpr std::size_t block_rows = 4096;

}  // namespace

Design::Axis Design::axis_of(std::size_t attribute, const std::vector<std::size_t>* knots) const {
  const AttributeEncoder& encoder = skeleton_->encoder.attributes[attribute];
  Axis axis;
  axis.attribute = attribute;
  axis.count = knots != nullptr ? node_count(encoder, *knots) : stop_count(encoder);
  const bool is_numeric = encoder.kind == AttributeKind::numeric;
  axis.plain = !is_numeric ? 0 : knots != nullptr ? knots->size() : encoder.knots.size();
  axis.direction = encoder.direction;
  return axis;
}

Design::Design(const Skeleton& skeleton, const EncodedRows& rows) : skeleton_(&skeleton), row_count_(rows.row_count) {
  const Encoder& encoder = skeleton.encoder;
  const std::size_t m = rows.attribute_count;
  const auto add_cells = [&](std::size_t j, const std::vector<std::size_t>* knots) {
    const AttributeEncoder& attribute = encoder.attributes[j];
    const std::vector<double> places = knots != nullptr ? places_on_axis(attribute, *knots) : std::vector<double>();
    const std::size_t count = axis_of(j, knots).count;
    auto& cells = cells_.emplace_back(row_count_);
    for (std::size_t i = 0; i < row_count_; ++i) {
      const StopPosition stop = stop_position(attribute, {rows.coordinates[i * m + j], rows.fractions[i * m + j]});
      if (knots == nullptr) {
        cells[i] = {static_cast<std::uint32_t>(stop.low), static_cast<std::uint32_t>(stop.high), stop.fraction};
        continue;
      }
      const double place = places[stop.low] + stop.fraction * (places[stop.high] - places[stop.low]);
      const AxisPosition at = axis_position(place, count);
      cells[i] = {static_cast<std::uint32_t>(at.node), static_cast<std::uint32_t>(at.next), at.fraction};
    }
    return cells_.size() - 1;
  };
  for (std::size_t j = 0; j < encoder.attributes.size(); ++j) {
    if (skeleton.has_curve[j] == 0) continue;
    terms_.push_back({weight_count_, axis_of(j, nullptr), {}, false});
    weight_count_ += terms_.back().first.count;
    first_cells_.push_back(add_cells(j, nullptr));
    second_cells_.push_back(0);
  }
  for (const Surface& surface : skeleton.surfaces) {
    const Axis first = axis_of(surface.first, &surface.first_knots);
    const Axis second = axis_of(surface.second, &surface.second_knots);
    terms_.push_back({weight_count_, first, second, true});
    weight_count_ += first.count * second.count;
    first_cells_.push_back(add_cells(surface.first, &surface.first_knots));
    second_cells_.push_back(add_cells(surface.second, &surface.second_knots));
  }
  for (const Term& term : terms_) {
    has_steps_ = has_steps_ || term.first.direction != Direction::none || term.second.direction != Direction::none;
  }
}

// The ordered nodes of a term along one axis, from the first in its direction on: start, distance, how many.
template <class Visit>
void Design::for_each_line(const Term& term, bool along_first, Visit visit) const {
  const Axis& axis = along_first ? term.first : term.second;
  const Axis& across = along_first ? term.second : term.first;
  if (axis.plain == 0) return;
  const std::size_t stride = along_first ? term.second.count : 1;
  const std::size_t across_stride = along_first ? 1 : term.second.count;
  for (std::size_t line = 0; line < across.count; ++line) {
    visit(term.offset + line * across_stride, stride, axis);
  }
}

void Design::accumulate(std::span<double> values, bool is_transpose) const {
  if (!has_steps_) return;
  for (const Term& term : terms_) {
    for (const bool along_first : {true, false}) {
      for_each_line(term, along_first, [&](std::size_t start, std::size_t stride, const Axis& axis) {
        if (axis.direction == Direction::none) return;
        const auto at = [&](std::size_t k) -> double& {
          const std::size_t node = axis.direction == Direction::increasing ? k : axis.plain - 1 - k;
          return values[start + node * stride];
        };
        if (is_transpose) {
          for (std::size_t k = axis.plain - 1; k > 0; --k) at(k - 1) += at(k);
        } else {
          for (std::size_t k = 1; k < axis.plain; ++k) at(k) += at(k - 1);
        }
      });
    }
  }
}

void Design::to_nodes(std::span<double> values) const { accumulate(values, false); }
void Design::to_steps(std::span<double> gradient) const { accumulate(gradient, true); }

std::vector<double> Design::lower_bounds() const {
  if (!has_steps_) return {};
  std::vector<double> bounds(weight_count_, -std::numeric_limits<double>::infinity());
  for (const Term& term : terms_) {
    for (const bool along_first : {true, false}) {
      for_each_line(term, along_first, [&](std::size_t start, std::size_t stride, const Axis& axis) {
        if (axis.direction == Direction::none) return;
        const std::size_t free = axis.direction == Direction::increasing ? 0 : axis.plain - 1;
        for (std::size_t k = 0; k < axis.plain; ++k) {
          if (k != free) bounds[start + k * stride] = 0;
        }
      });
    }
  }
  return bounds;
}

void Design::apply(std::span<const double> weights, std::span<double> scores) const {
  std::vector<double> nodes(weights.begin(), weights.end());
  to_nodes(nodes);
  const std::size_t block_count = block_count_for(row_count_, block_rows, 64);
  parallel_for(block_count, [&](std::size_t block) {
    const auto [begin, end] = block_range(row_count_, block_count, block);
    for (std::size_t i = begin; i < end; ++i) scores[i] = 0;
    for (std::size_t t = 0; t < terms_.size(); ++t) {
      const Term& term = terms_[t];
      const Cell* const first = cells_[first_cells_[t]].data();
      const double* const v = nodes.data() + term.offset;
      if (!term.is_surface) {
        for (std::size_t i = begin; i < end; ++i) {
          scores[i] += v[first[i].node] + first[i].fraction * (v[first[i].next] - v[first[i].node]);
        }
        continue;
      }
      const Cell* const second = cells_[second_cells_[t]].data();
      for (std::size_t i = begin; i < end; ++i) {
        const double* const near = v + first[i].node * term.second.count;
        const double* const far = v + first[i].next * term.second.count;
        const Cell& b = second[i];
        const double at_near = near[b.node] + b.fraction * (near[b.next] - near[b.node]);
        const double at_far = far[b.node] + b.fraction * (far[b.next] - far[b.node]);
        scores[i] += at_near + first[i].fraction * (at_far - at_near);
      }
    }
  });
}

void Design::transpose(std::span<const double> row_weights, std::span<double> gradient) const {
  const std::size_t block_count = block_count_for(row_count_, block_rows, 16);
  std::vector<std::vector<double>> sums(block_count);
  parallel_for(block_count, [&](std::size_t block) {
    const auto [begin, end] = block_range(row_count_, block_count, block);
    std::vector<double>& sum = sums[block];
    sum.assign(weight_count_, 0.0);
    for (std::size_t t = 0; t < terms_.size(); ++t) {
      const Term& term = terms_[t];
      const Cell* const first = cells_[first_cells_[t]].data();
      double* const g = sum.data() + term.offset;
      if (!term.is_surface) {
        for (std::size_t i = begin; i < end; ++i) {
          const double far = row_weights[i] * first[i].fraction;
          g[first[i].node] += row_weights[i] - far;
          g[first[i].next] += far;
        }
        continue;
      }
      const Cell* const second = cells_[second_cells_[t]].data();
      for (std::size_t i = begin; i < end; ++i) {
        double* const near = g + first[i].node * term.second.count;
        double* const far = g + first[i].next * term.second.count;
        const Cell& b = second[i];
        const double on_far = row_weights[i] * first[i].fraction;
        const double on_near = row_weights[i] - on_far;
        near[b.node] += on_near * (1 - b.fraction);
        near[b.next] += on_near * b.fraction;
        far[b.node] += on_far * (1 - b.fraction);
        far[b.next] += on_far * b.fraction;
      }
    }
  });
  std::fill(gradient.begin(), gradient.end(), 0.0);
  for (const auto& sum : sums) {
    for (std::size_t n = 0; n < weight_count_; ++n) gradient[n] += sum[n];
  }
  to_steps(gradient);
}

std::vector<double> Design::masses(std::span<const double> row_weights) const {
  std::vector<double> masses(weight_count_);
  transpose(row_weights, masses);
  return masses;
}

double Design::add_roughness(const Roughness& roughness, std::span<const double> weights,
                             std::span<double> gradient) const {
  std::vector<double> nodes(weights.begin(), weights.end());
  to_nodes(nodes);
  std::vector<double> own(weight_count_, 0.0);
  double value = 0;
  for (const Term& term : terms_) {
    const double bend = term.is_surface ? roughness.surface : roughness.curve;
    for (const bool along_first : {true, false}) {
      for_each_line(term, along_first, [&](std::size_t start, std::size_t stride, const Axis& axis) {
        for (std::size_t k = 1; k + 1 < axis.plain; ++k) {
          const std::size_t n = start + k * stride;
          const double second = nodes[n + stride] - 2 * nodes[n] + nodes[n - stride];
          value += bend * second * second;
          own[n + stride] += 2 * bend * second;
          own[n - stride] += 2 * bend * second;
          own[n] -= 4 * bend * second;
        }
      });
    }
    const std::size_t count = term.first.count * term.second.count;
    for (std::size_t k = term.is_surface ? 0 : term.first.plain; k < count; ++k) {
      const std::size_t n = term.offset + k;
      value += roughness.size * nodes[n] * nodes[n];
      own[n] += 2 * roughness.size * nodes[n];
    }
  }
  to_steps(own);
  for (std::size_t n = 0; n < weight_count_; ++n) gradient[n] += own[n];
  return value;
}

std::vector<double> Design::recall(const Memory& memory) const {
  std::vector<double> weights(weight_count_, 0.0);
  for (const Term& term : terms_) {
    const auto known = memory.find(block_of(term));
    if (known == memory.end()) continue;
    std::copy(known->second.begin(), known->second.end(), weights.begin() + static_cast<std::ptrdiff_t>(term.offset));
  }
  return weights;
}

void Design::remember(std::span<const double> weights, Memory& memory) const {
  for (const Term& term : terms_) {
    const std::span<const double> own = weights.subspan(term.offset, term.first.count * term.second.count);
    memory[block_of(term)].assign(own.begin(), own.end());
  }
}

Terms Design::terms(std::span<const double> weights) const {
  std::vector<double> nodes(weights.begin(), weights.end());
  to_nodes(nodes);
  Terms terms;
  const Encoder& encoder = skeleton_->encoder;
  std::size_t t = 0;
  const auto values_of = [&](const Term& term) {
    const auto begin = nodes.begin() + static_cast<std::ptrdiff_t>(term.offset);
    return std::vector<double>(begin, begin + static_cast<std::ptrdiff_t>(term.first.count * term.second.count));
  };
  for (std::size_t j = 0; j < encoder.attributes.size(); ++j) {
    const bool has_curve = skeleton_->has_curve[j] != 0;
    terms.curves.push_back(has_curve ? values_of(terms_[t]) : std::vector<double>(stop_count(encoder.attributes[j])));
    if (has_curve) ++t;
  }
  for (const Surface& surface : skeleton_->surfaces) {
    terms.surfaces.push_back(surface);
    terms.surfaces.back().values = values_of(terms_[t++]);
  }
  return terms;
}

}  // namespace xofm::detail
