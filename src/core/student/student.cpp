#include "core/student/student.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/parallel.hpp"
#include "core/data/mix_rows.hpp"
#include "core/terms/purify.hpp"
#include "core/terms/tidy.hpp"
#include "core/train/directions.hpp"

namespace xofm::detail {

namespace {

constexpr std::size_t bin_count = 8;

// `count` of the attribute's knots, evenly spread over them, both ends among them.
std::vector<std::size_t> grid_knots(const AttributeEncoder& attribute, std::size_t count) {
  std::vector<std::size_t> knots;
  if (attribute.kind == AttributeKind::categorical) return knots;
  const std::size_t last = attribute.knots.size() - 1;
  const std::size_t steps = std::min(std::max<std::size_t>(count, 2) - 1, last);
  for (std::size_t k = 0; k <= steps; ++k) knots.push_back(steps == 0 ? 0 : (2 * k * last + steps) / (2 * steps));
  return knots;
}

std::size_t bin_of(const AttributeEncoder& attribute, Position position) {
  const StopPosition stop = stop_position(attribute, position);
  if (attribute.kind == AttributeKind::categorical) return std::min<std::size_t>(stop.low, 200);
  const std::size_t last = attribute.knots.size() - 1;
  if (stop.low > last) return bin_count;
  const double at =
      static_cast<double>(stop.low) + stop.fraction * (static_cast<double>(stop.high) - static_cast<double>(stop.low));
  if (last == 0) return 0;
  return std::min(static_cast<std::size_t>(at / static_cast<double>(last) * bin_count), bin_count - 1);
}

}  // namespace

Encoder student_encoder(const Dataset& data, const TrainOptions& options, const StudentSettings& settings) {
  const EncoderOptions own{KnotPlacement::quantile, settings.segment_count, settings.spike_share,
                           directed_attributes(data, options)};
  Encoder encoder = fit_encoder(data, own);
  round_knots(encoder, own);
  return encoder;
}

Distiller::Distiller(const Dataset& data, const Teacher& teacher, const TrainOptions& options, std::uint64_t seed,
                     const std::optional<std::vector<Pair>>& listed, const StudentSettings& settings)
    : Distiller(data, teacher, options, seed, student_encoder(data, options, settings), listed, settings) {}

Distiller::Distiller(const Dataset& data, const Teacher& teacher, const TrainOptions& options, std::uint64_t seed,
                     Encoder encoder, const std::optional<std::vector<Pair>>& listed, const StudentSettings& settings)
    : data_(&data),
      settings_(settings),
      encoder_(std::move(encoder)),
      loss_(data.labels, data.schema.class_count(), data.weights, options.margin, options.recipe().pair_weighting),
      teacher_pull_(options.terms.teacher_pull),
      listed_(listed) {
  collect_targets(teacher, seed);
}

// What the teacher says of the rows and of rows mixed from them, about its mean.
void Distiller::collect_targets(const Teacher& teacher, std::uint64_t seed) {
  const Dataset& data = *data_;
  const StudentSettings& settings = settings_;
  rows_ = encode(encoder_, data);
  const std::size_t count = data.row_count();
  const std::size_t mixed_count = settings.enough_rows > count ? settings.enough_rows - count : 0;
  Dataset all = subset(data, std::vector<std::size_t>());
  const Dataset mixed = mix_rows(data, settings.mixed_weight > 0 ? mixed_count : 0, seed);
  for (std::size_t j = 0; j < all.columns.size(); ++j) {
    all.columns[j] = data.columns[j];
    all.columns[j].append(mixed.columns[j]);
  }
  all.weights.clear();
  all.labels.clear();
  targets_.rows = encode(encoder_, all);
  targets_.scores = teacher(all);
  const std::size_t total = targets_.scores.size();
  double own_weight = 0;
  for (std::size_t i = 0; i < count; ++i) own_weight += data.weights.empty() ? 1.0 : data.weights[i];
  const double mixed_share = total > count ? settings.mixed_weight / (1 + settings.mixed_weight) : 0.0;
  for (std::size_t i = 0; i < total; ++i) {
    targets_.weights.push_back(i < count
                                   ? (1 - mixed_share) * (data.weights.empty() ? 1.0 : data.weights[i]) / own_weight
                                   : mixed_share / static_cast<double>(total - count));
  }
  double mean = 0;
  for (std::size_t i = 0; i < total; ++i) mean += targets_.weights[i] * targets_.scores[i];
  for (double& score : targets_.scores) score -= mean;
  bins_.resize(encoder_.attributes.size());
  for (std::size_t j = 0; j < bins_.size(); ++j) {
    for (std::size_t i = 0; i < total; ++i) {
      const std::size_t cell = i * targets_.rows.attribute_count + j;
      bins_[j].push_back(static_cast<std::uint8_t>(
          bin_of(encoder_.attributes[j], {targets_.rows.coordinates[cell], targets_.rows.fractions[cell]})));
    }
    bin_counts_.push_back(std::size_t{1} + *std::max_element(bins_[j].begin(), bins_[j].end()));
  }
}

// By what an attribute's curve says, and the strongest pair that it is in.
void Distiller::rank_attributes() {
  const std::size_t m = encoder_.attributes.size();
  const Skeleton curves{encoder_, std::vector<char>(m, 1), {}};
  const Design design(curves, targets_.rows);
  const Terms terms = design.terms(solve(design, nullptr, settings_.project));
  std::vector<double> rest = targets_.scores;
  std::vector<double> worth(m);
  for (std::size_t j = 0; j < m; ++j) {
    const NodeAxis axis(encoder_, j);
    double sum = 0;
    double squares = 0;
    for (std::size_t i = 0; i < targets_.weights.size(); ++i) {
      const AxisPosition at = axis.at(targets_.rows, i);
      const double low = terms.curves[j][at.node];
      const double value = low + at.fraction * (terms.curves[j][at.next] - low);
      rest[i] -= value;
      sum += targets_.weights[i] * value;
      squares += targets_.weights[i] * value * value;
    }
    worth[j] = squares - sum * sum;
    order_.push_back(j);
  }
  std::vector<Pair> pairs;
  for (std::size_t a = 0; a < m; ++a) {
    for (std::size_t b = a + 1; b < m; ++b) pairs.emplace_back(a, b);
  }
  const std::vector<double> gained = gains(pairs, rest);
  std::vector<double> best(m);
  for (std::size_t c = 0; c < pairs.size(); ++c) {
    for (const std::size_t j : {pairs[c].first, pairs[c].second}) best[j] = std::max(best[j], gained[c]);
  }
  for (std::size_t j = 0; j < m; ++j) worth[j] += best[j];
  const auto& attributes = data_->schema.attributes;
  std::sort(order_.begin(), order_.end(), [&](std::size_t a, std::size_t b) {
    return worth[a] != worth[b] ? worth[a] > worth[b] : attributes[a].name < attributes[b].name;
  });
}

std::vector<char> Distiller::kept(std::size_t curve_count) {
  const std::size_t m = encoder_.attributes.size();
  if (curve_count >= m) return std::vector<char>(m, 1);
  if (order_.empty()) rank_attributes();
  std::vector<char> kept(m);
  for (std::size_t k = 0; k < curve_count; ++k) kept[order_[k]] = 1;
  return kept;
}

Skeleton Distiller::skeleton(std::size_t curve_count, const std::vector<Pair>& pairs, std::size_t grid) {
  Skeleton skeleton{encoder_, kept(curve_count), {}};
  for (const auto& [a, b] : pairs) {
    skeleton.has_curve[a] = skeleton.has_curve[b] = 1;
    skeleton.surfaces.push_back(
        {a, b, grid_knots(encoder_.attributes[a], grid), grid_knots(encoder_.attributes[b], grid)});
  }
  return skeleton;
}

std::vector<double> Distiller::solve(const Design& design, const PairLoss* loss, const ProjectOptions& options) {
  std::vector<double> weights = project(design, targets_, loss, options, design.recall(memory_));
  design.remember(weights, memory_);
  return weights;
}

// What curves and surfaces leave of the teacher's scores.
std::vector<double> Distiller::residuals(const Skeleton& skeleton) {
  constexpr int few_passes = 40;
  ProjectOptions rough = settings_.project;
  rough.max_passes = few_passes;
  const Design design(skeleton, targets_.rows);
  std::vector<double> residuals(design.row_count());
  design.apply(solve(design, nullptr, rough), residuals);
  for (std::size_t i = 0; i < residuals.size(); ++i) residuals[i] = targets_.scores[i] - residuals[i];
  return residuals;
}

std::vector<double> Distiller::gains(const std::vector<Pair>& pairs, const std::vector<double>& residuals) const {
  const double shrink = 5.0 / static_cast<double>(data_->row_count());
  std::vector<double> gains(pairs.size());
  const std::size_t block_count = block_count_for(pairs.size(), 16, 64);
  parallel_for(block_count, [&](std::size_t block) {
    const auto [begin, end] = block_range(pairs.size(), block_count, block);
    std::vector<double> sums;
    std::vector<double> weights;
    for (std::size_t c = begin; c < end; ++c) {
      const auto [a, b] = pairs[c];
      const std::size_t columns = bin_counts_[b];
      sums.assign(bin_counts_[a] * columns, 0.0);
      weights.assign(sums.size(), 0.0);
      for (std::size_t i = 0; i < residuals.size(); ++i) {
        const std::size_t cell = columns * bins_[a][i] + bins_[b][i];
        sums[cell] += targets_.weights[i] * residuals[i];
        weights[cell] += targets_.weights[i];
      }
      for (std::size_t cell = 0; cell < sums.size(); ++cell) {
        if (weights[cell] > 0) gains[c] += sums[cell] * sums[cell] / (weights[cell] + shrink);
      }
    }
  });
  return gains;
}

// By name, so that ties do not depend on the order of the attributes.
bool Distiller::is_before(const Pair& a, const Pair& b) const {
  const auto& attributes = data_->schema.attributes;
  const auto names = [&](const Pair& pair) {
    return std::minmax(attributes[pair.first].name, attributes[pair.second].name);
  };
  return names(a) < names(b);
}

std::vector<Pair> Distiller::pairs(std::size_t curve_count, std::size_t count) {
  constexpr std::size_t coarse_grid = 6;
  if (listed_) return *listed_;
  curve_count = std::min(curve_count, encoder_.attributes.size());
  std::vector<Pair>& found = found_[curve_count];
  const std::vector<char> is_kept = kept(curve_count);
  while (found.size() < count) {
    std::vector<Pair> others;
    for (std::size_t a = 0; a < is_kept.size(); ++a) {
      for (std::size_t b = a + 1; b < is_kept.size(); ++b) {
        const bool is_known = std::find(found.begin(), found.end(), Pair{a, b}) != found.end();
        if (is_kept[a] != 0 && is_kept[b] != 0 && !is_known) others.emplace_back(a, b);
      }
    }
    if (others.empty()) break;
    const std::vector<double> gained = gains(others, residuals(skeleton(curve_count, found, coarse_grid)));
    std::vector<std::size_t> order(others.size());
    for (std::size_t c = 0; c < order.size(); ++c) order[c] = c;
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return gained[a] != gained[b] ? gained[a] > gained[b] : is_before(others[a], others[b]);
    });
    // One by one at first, then several at a time: what the first ones leave is looked at anew.
    const std::size_t more = std::min(1 + found.size() / 3, order.size());
    for (std::size_t c = 0; c < more; ++c) found.push_back(others[order[c]]);
  }
  return {found.begin(), found.begin() + static_cast<std::ptrdiff_t>(std::min(count, found.size()))};
}

void Distiller::take_pairs(std::vector<Pair> pairs) { listed_ = std::move(pairs); }

Terms Distiller::fit_values(const Skeleton& skeleton, const Shape& shape) {
  const Design design(skeleton, targets_.rows);
  ProjectOptions options = settings_.project;
  options.pull = shape.pull * teacher_pull_;
  options.roughness.curve *= shape.smoothness;
  return design.terms(solve(design, &loss_, options));
}

Student Distiller::fit(const Shape& shape) {
  const Skeleton own = skeleton(shape.curve_count, pairs(shape.curve_count, shape.pair_count), shape.grid);
  Student student{encoder_, fit_values(own, shape)};
  purify(encoder_, rows_, data_->weights, student.terms);
  drop_knots(student.encoder, student.terms, rows_);
  return student;
}

}  // namespace xofm::detail
