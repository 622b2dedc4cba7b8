#include "core/student/student.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/parallel.hpp"
#include "core/student/mix.hpp"
#include "core/student/purify.hpp"
#include "core/student/tidy.hpp"
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

Distiller::Distiller(const Dataset& data, const Teacher& teacher, const TrainOptions& options, std::uint64_t seed,
                     const std::optional<std::vector<Pair>>& listed, const StudentSettings& settings)
    : data_(&data),
      settings_(settings),
      loss_(data.labels, data.schema.class_count(), data.weights, options.margin, options.pair_weighting),
      is_listed_(listed.has_value()),
      pairs_(listed.value_or(std::vector<Pair>())) {
  EncoderOptions own = directed_encoder(data, options);
  own.knots = KnotPlacement::quantile;
  own.segment_count = settings.segment_count;
  own.spike_share = settings.spike_share;
  encoder_ = fit_encoder(data, own);
  round_knots(encoder_, own);
  collect_targets(teacher, seed);
}

Distiller::Distiller(const Dataset& data, const Teacher& teacher, const TrainOptions& options, std::uint64_t seed,
                     Encoder encoder)
    : data_(&data),
      encoder_(std::move(encoder)),
      loss_(data.labels, data.schema.class_count(), data.weights, options.margin, options.pair_weighting) {
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
    all.columns[j].insert(all.columns[j].end(), mixed.columns[j].begin(), mixed.columns[j].end());
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

Skeleton Distiller::skeleton(std::size_t pair_count, std::size_t grid) {
  Skeleton skeleton{encoder_, std::vector<char>(encoder_.attributes.size(), 1), {}};
  const std::vector<Pair>& found = pairs(pair_count);
  for (std::size_t p = 0; p < std::min(pair_count, found.size()); ++p) {
    const auto [a, b] = found[p];
    skeleton.surfaces.push_back(
        {a, b, grid_knots(encoder_.attributes[a], grid), grid_knots(encoder_.attributes[b], grid)});
  }
  return skeleton;
}

// The least weighty of those that no pair needs.
void Distiller::drop_curves(Skeleton& skeleton, std::size_t pair_count, std::size_t curve_count) {
  std::vector<std::size_t>& order = by_weight_[pair_count];
  if (order.empty()) {
    const Design design(skeleton, targets_.rows);
    const Terms terms = design.terms(project(design, targets_, nullptr, settings_.project));
    std::vector<double> variances;
    for (std::size_t j = 0; j < terms.curves.size(); ++j) {
      double sum = 0;
      double squares = 0;
      for (std::size_t i = 0; i < targets_.weights.size(); ++i) {
        const std::size_t cell = i * targets_.rows.attribute_count + j;
        const StopPosition at =
            stop_position(encoder_.attributes[j], {targets_.rows.coordinates[cell], targets_.rows.fractions[cell]});
        const double low = terms.curves[j][at.low];
        const double value = low + at.fraction * (terms.curves[j][at.high] - low);
        sum += targets_.weights[i] * value;
        squares += targets_.weights[i] * value * value;
      }
      variances.push_back(squares - sum * sum);
      order.push_back(j);
    }
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return variances[a] > variances[b]; });
  }
  std::vector<char> needed(skeleton.has_curve.size());
  for (const Surface& surface : skeleton.surfaces) needed[surface.first] = needed[surface.second] = 1;
  auto kept = static_cast<std::size_t>(std::count(needed.begin(), needed.end(), 1));
  for (const std::size_t j : order) {
    if (needed[j] != 0 || kept >= curve_count) continue;
    needed[j] = 1;
    ++kept;
  }
  skeleton.has_curve = std::move(needed);
}

// What curves and surfaces leave of the teacher's scores.
std::vector<double> Distiller::residuals(const Skeleton& skeleton) const {
  constexpr int few_passes = 40;
  ProjectOptions rough = settings_.project;
  rough.max_passes = few_passes;
  const Design design(skeleton, targets_.rows);
  std::vector<double> residuals(design.row_count());
  design.apply(project(design, targets_, nullptr, rough), residuals);
  for (std::size_t i = 0; i < residuals.size(); ++i) residuals[i] = targets_.scores[i] - residuals[i];
  return residuals;
}

// The squared residuals that a table of cells would explain, shrunk where rows are few.
std::optional<Pair> Distiller::strongest(const std::vector<double>& residuals) const {
  const std::size_t m = bins_.size();
  std::vector<Pair> candidates;
  for (std::size_t a = 0; a < m; ++a) {
    for (std::size_t b = a + 1; b < m; ++b) {
      if (std::find(pairs_.begin(), pairs_.end(), Pair{a, b}) == pairs_.end()) candidates.emplace_back(a, b);
    }
  }
  if (candidates.empty()) return std::nullopt;
  const double shrink = 5.0 / static_cast<double>(data_->row_count());
  std::vector<double> gains(candidates.size());
  const std::size_t block_count = block_count_for(candidates.size(), 16, 64);
  parallel_for(block_count, [&](std::size_t block) {
    const auto [begin, end] = block_range(candidates.size(), block_count, block);
    std::vector<double> sums;
    std::vector<double> weights;
    for (std::size_t c = begin; c < end; ++c) {
      const auto [a, b] = candidates[c];
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
  const auto& attributes = data_->schema.attributes;
  std::size_t best = 0;
  for (std::size_t c = 1; c < candidates.size(); ++c) {
    const auto names = [&](const Pair& pair) {
      return std::minmax(attributes[pair.first].name, attributes[pair.second].name);
    };
    const bool ties = gains[c] == gains[best];
    if (gains[c] > gains[best] || (ties && names(candidates[c]) < names(candidates[best]))) best = c;
  }
  return candidates[best];
}

const std::vector<Pair>& Distiller::pairs(std::size_t count) {
  constexpr std::size_t coarse_grid = 6;
  while (!is_listed_ && pairs_.size() < count) {
    const auto found = strongest(residuals(skeleton(pairs_.size(), coarse_grid)));
    if (!found) break;
    pairs_.push_back(*found);
  }
  return pairs_;
}

void Distiller::take_pairs(std::vector<Pair> pairs) {
  pairs_ = std::move(pairs);
  is_listed_ = true;
  by_weight_.clear();
}

Terms Distiller::fit_values(const Skeleton& skeleton, double pull) const {
  const Design design(skeleton, targets_.rows);
  ProjectOptions options = settings_.project;
  options.pull = pull;
  return design.terms(project(design, targets_, &loss_, options));
}

Student Distiller::fit(const Shape& shape) {
  Skeleton own = skeleton(shape.pair_count, shape.grid);
  if (shape.curve_count < own.has_curve.size()) drop_curves(own, shape.pair_count, shape.curve_count);
  Student student{encoder_, fit_values(own, shape.pull)};
  purify(encoder_, rows_, data_->weights, student.terms);
  drop_knots(student.encoder, student.terms, rows_);
  return student;
}

}  // namespace xofm::detail
