#include "core/student/design.hpp"

#include <algorithm>
#include <limits>

#include "core/base/parallel.hpp"

namespace xofm::detail {

namespace {

constexpr std::size_t block_rows = 4096;

}  // namespace

Design::Design(const Skeleton& skeleton, const EncodedRows& rows) : skeleton_(&skeleton), row_count_(rows.row_count) {
  const Encoder& encoder = skeleton.encoder;
  for (std::size_t j = 0; j < encoder.attributes.size(); ++j) {
    if (skeleton.has_curve[j] == 0) continue;
    const bool has_all = skeleton.curve_knots.empty();
    add_term(has_all ? NodeAxis(encoder, j) : NodeAxis(encoder, j, skeleton.curve_knots[j]), NodeAxis(), false);
  }
  for (const Surface& surface : skeleton.surfaces) {
    add_term(NodeAxis(encoder, surface.first, surface.first_knots),
             NodeAxis(encoder, surface.second, surface.second_knots), true);
  }
  add_rows(rows);
}

void Design::add_term(NodeAxis first, NodeAxis second, bool is_surface) {
  const std::size_t offset = weight_count_;
  const std::size_t count = first.count * second.count;
  for (std::size_t y = 0; y < second.count && first.plain > 0; ++y) {
    lines_.push_back({offset + y, second.count, first.plain, first.direction, is_surface});
  }
  for (std::size_t x = 0; x < first.count && second.plain > 0; ++x) {
    lines_.push_back({offset + x * second.count, 1, second.plain, second.direction, is_surface});
  }
  for (std::size_t k = is_surface ? 0 : first.plain; k < count; ++k) sized_.push_back(offset + k);
  weight_count_ += count;
  terms_.push_back({offset, std::move(first), std::move(second), is_surface});
}

void Design::add_rows(const EncodedRows& rows) {
  begin_.push_back(0);
  for (std::size_t i = 0; i < row_count_; ++i) {
    for (const Term& term : terms_) {
      const AxisPosition a = term.first.at(rows, i);
      const AxisPosition b = term.is_surface ? term.second.at(rows, i) : AxisPosition();
      const auto add = [&](std::size_t x, std::size_t y, double entry) {
        if (entry == 0) return;
        nodes_.push_back(static_cast<std::uint32_t>(term.offset + x * term.second.count + y));
        entries_.push_back(entry);
      };
      add(a.node, b.node, (1 - a.fraction) * (1 - b.fraction));
      add(a.node, b.next, (1 - a.fraction) * b.fraction);
      add(a.next, b.node, a.fraction * (1 - b.fraction));
      add(a.next, b.next, a.fraction * b.fraction);
    }
    begin_.push_back(nodes_.size());
  }
}

void Design::to_nodes(std::span<double> values) const {
  for (const Line& line : lines_) {
    double* const v = values.data() + line.start;
    for (std::size_t k = 1; k < line.count && line.direction != Direction::none; ++k) {
      const bool rises = line.direction == Direction::increasing;
      const std::size_t to = rises ? k : line.count - 1 - k;
      v[to * line.stride] += v[(rises ? to - 1 : to + 1) * line.stride];
    }
  }
}

void Design::to_steps(std::span<double> gradient) const {
  for (const Line& line : lines_) {
    double* const g = gradient.data() + line.start;
    for (std::size_t k = line.count - 1; k > 0 && line.direction != Direction::none; --k) {
      const bool rises = line.direction == Direction::increasing;
      const std::size_t from = rises ? k : line.count - 1 - k;
      g[(rises ? from - 1 : from + 1) * line.stride] += g[from * line.stride];
    }
  }
}

std::vector<double> Design::lower_bounds() const {
  constexpr double none = -std::numeric_limits<double>::infinity();
  std::vector<double> bounds(weight_count_, none);
  for (const Line& line : lines_) {
    const std::size_t first = line.direction == Direction::increasing ? 0 : line.count - 1;
    for (std::size_t k = 0; k < line.count && line.direction != Direction::none; ++k) {
      if (k != first) bounds[line.start + k * line.stride] = 0;
    }
  }
  const bool has_any = std::any_of(bounds.begin(), bounds.end(), [](double bound) { return bound != none; });
  return has_any ? bounds : std::vector<double>();
}

void Design::apply(std::span<const double> weights, std::span<double> scores) const {
  std::vector<double> values(weights.begin(), weights.end());
  to_nodes(values);
  const std::size_t block_count = block_count_for(row_count_, block_rows, 64);
  parallel_for(block_count, [&](std::size_t block) {
    const auto [begin, end] = block_range(row_count_, block_count, block);
    for (std::size_t i = begin; i < end; ++i) {
      double score = 0;
      for (std::size_t e = begin_[i]; e < begin_[i + 1]; ++e) score += entries_[e] * values[nodes_[e]];
      scores[i] = score;
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
    for (std::size_t i = begin; i < end; ++i) {
      for (std::size_t e = begin_[i]; e < begin_[i + 1]; ++e) sum[nodes_[e]] += entries_[e] * row_weights[i];
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
  std::vector<double> values(weights.begin(), weights.end());
  to_nodes(values);
  std::vector<double> own(weight_count_, 0.0);
  double sum = 0;
  for (const Line& line : lines_) {
    const double bend = line.is_surface ? roughness.surface : roughness.curve;
    for (std::size_t k = 1; k + 1 < line.count; ++k) {
      const std::size_t n = line.start + k * line.stride;
      const double second = values[n + line.stride] - 2 * values[n] + values[n - line.stride];
      sum += bend * second * second;
      own[n + line.stride] += 2 * bend * second;
      own[n - line.stride] += 2 * bend * second;
      own[n] -= 4 * bend * second;
    }
  }
  for (const std::size_t n : sized_) {
    sum += roughness.size * values[n] * values[n];
    own[n] += 2 * roughness.size * values[n];
  }
  to_steps(own);
  for (std::size_t n = 0; n < weight_count_; ++n) gradient[n] += own[n];
  return sum;
}

Design::Block Design::block_of(const Term& term) {
  const std::size_t first = term.first.attribute;
  return {first, term.is_surface ? term.second.attribute : first, term.first.count * term.second.count};
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
  std::vector<double> values(weights.begin(), weights.end());
  to_nodes(values);
  Terms terms;
  terms.surfaces = skeleton_->surfaces;
  for (const AttributeEncoder& attribute : skeleton_->encoder.attributes) {
    terms.curves.emplace_back(stop_count(attribute));
  }
  auto surface = terms.surfaces.begin();
  for (const Term& term : terms_) {
    const auto begin = values.begin() + static_cast<std::ptrdiff_t>(term.offset);
    std::vector<double>& own = term.is_surface ? (surface++)->values : terms.curves[term.first.attribute];
    own.assign(begin, begin + static_cast<std::ptrdiff_t>(term.first.count * term.second.count));
  }
  return terms;
}

}  // namespace xofm::detail
