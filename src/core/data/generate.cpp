#include "xofm/generate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/base/parallel.hpp"
#include "core/base/random.hpp"
#include "core/data/generate_options.hpp"
#include "core/data/truth.hpp"

namespace xofm {

using detail::require;

namespace {

constexpr std::size_t pilot_count = 65'536;
constexpr std::uint64_t first_pilot_row = detail::row_limit;  // rows that no data set has
constexpr double share_tolerance = 0.1;  // by which equal scores may shift a cut, in shares of the smaller class
constexpr std::size_t least_block = 1024, most_blocks = 256;

std::size_t index(int attribute) { return static_cast<std::size_t>(attribute); }

Schema make_schema(const GenerateOptions& options, std::span<const Scale> scales) {
  Schema schema;
  schema.label_name = "class";
  for (int h = 1; h <= options.class_count; ++h) schema.class_names.push_back(std::to_string(h));
  for (std::size_t j = 0; j < scales.size(); ++j) {
    Attribute attribute;
    attribute.name = fmt::format("x{}", j + 1);
    if (scales[j] == Scale::levels) {
      attribute.kind = AttributeKind::categorical;
      attribute.levels = {"a", "b", "c", "d"};
    }
    schema.attributes.push_back(std::move(attribute));
  }
  return schema;
}

}  // namespace

Generator::Generator(GenerateOptions options) : options_(detail::completed(std::move(options))) {
  for (int j = 0; j < options_.attribute_count; ++j) {
    const Curve curve = options_.curves[index(j)];
    scales_.push_back(detail::scale_for(j, options_.attribute_count, options_.categorical_count));
    double mean = curve_mean(curve);
    if (scales_.back() == Scale::levels) {
      mean = 0;
      for (const double t : detail::level_shares) mean += curve_value(curve, t) / detail::level_count;
    }
    mean_effects_.push_back(options_.weights[index(j)] * mean);
  }
  schema_ = make_schema(options_, scales_);
  fix_cuts();
}

// Fills the values of a row, none missing, and its standard normal noise; returns its true score. The score is taken
// from the values shown, not from the t behind them, so that it is the same bits for whoever has only the data.
double Generator::make_row(std::uint64_t row, std::span<double> values, double& noise) const {
  detail::Random random(options_.seed, row);
  // The noise comes first: it stays the same when attributes are added.
  noise = random.normal();
  for (std::size_t j = 0; j < values.size(); ++j) values[j] = detail::draw_value(scales_[j], random);
  return true_score(values);
}

// The noise's unit and the cuts come from rows of their own, in number independent of row_count: a stream knows
// both before its first row.
void Generator::fix_cuts() {
  std::vector<double> scores(pilot_count), noises(pilot_count);
  const std::size_t block_count = detail::block_count_for(pilot_count, least_block, most_blocks);
  detail::parallel_for(block_count, [&](std::size_t block) {
    const detail::Range range = detail::block_range(pilot_count, block_count, block);
    std::vector<double> values(scales_.size());
    for (std::size_t i = range.begin; i < range.end; ++i) {
      scores[i] = make_row(first_pilot_row + i, values, noises[i]);
    }
  });
  const double mean = std::accumulate(scores.begin(), scores.end(), 0.0) / static_cast<double>(pilot_count);
  double variance = 0;
  for (const double score : scores) variance += (score - mean) * (score - mean) / static_cast<double>(pilot_count);
  require(std::isfinite(variance), "the true score overflows (variance {}); use smaller weights or strengths",
          variance);
  // Scores that are all equal still differ from their rounded mean.
  const bool constant = std::all_of(scores.begin(), scores.end(), [&](double score) { return score == scores[0]; });
  noise_stddev_ = options_.noise * (constant ? 1.0 : std::sqrt(variance));
  for (std::size_t i = 0; i < pilot_count; ++i) scores[i] += noise_stddev_ * noises[i];
  std::sort(scores.begin(), scores.end());

  double cumulative = 0;
  for (int h = 0; h + 1 < options_.class_count; ++h) {
    cumulative += options_.class_shares[index(h)];
    const auto rank = static_cast<std::size_t>(std::lround(cumulative * static_cast<double>(pilot_count)));
    // Equal scores stay together: the cut goes to the nearer end of their run.
    const double at_rank = scores[std::min(rank, pilot_count - 1)];
    const auto run = std::equal_range(scores.begin(), scores.end(), at_rank);
    const auto begin = static_cast<std::size_t>(run.first - scores.begin());
    const auto end = static_cast<std::size_t>(run.second - scores.begin());
    const std::size_t above = rank - begin <= end - rank ? begin : end;
    const double smaller_share = std::min(options_.class_shares[index(h)], options_.class_shares[index(h + 1)]);
    const double miss = std::abs(static_cast<double>(above) - static_cast<double>(rank));
    const bool apart = above > 0 && above < pilot_count && miss <= share_tolerance * smaller_share * pilot_count;
    double cut = apart ? std::midpoint(scores[above - 1], scores[above]) : 0;
    if (apart && !(cut > scores[above - 1])) cut = scores[above];  // neighbouring doubles
    require(
        apart && (cuts_.empty() || cuts_.back() < cut),
        "classes {} and {} cannot be told apart with shares {} and {}: the score takes too few values or a share is "
        "below 1/{}; add noise, or use fewer classes",
        h + 1, h + 2, options_.class_shares[index(h)], options_.class_shares[index(h + 1)], pilot_count);
    cuts_.push_back(cut);
  }
}

Dataset Generator::rows(std::size_t first, std::size_t count) const {
  require(first < first_pilot_row && count < first_pilot_row - first, "rows {} + {} do not exist; rows end at 2^63",
          first, count);
  Dataset data;
  data.schema = schema_;
  data.columns.assign(scales_.size(), std::vector<double>(count));
  data.labels.resize(count);
  const std::size_t block_count = detail::block_count_for(count, least_block, most_blocks);
  detail::parallel_for(block_count, [&](std::size_t block) {
    const detail::Range range = detail::block_range(count, block_count, block);
    std::vector<double> values(scales_.size());
    for (std::size_t i = range.begin; i < range.end; ++i) {
      double noise = 0;
      const double score = make_row(first + i, values, noise);
      data.labels[i] = class_of(score + noise_stddev_ * noise);
      for (std::size_t j = 0; j < values.size(); ++j) data.columns[j][i] = values[j];
      if (options_.missing_share == 0) continue;
      // A stream of its own: the cells that are not missing are those of the complete data.
      detail::Random holes(~options_.seed, first + i);
      for (auto& column : data.columns) {
        if (holes.uniform() < options_.missing_share) column[i] = std::numeric_limits<double>::quiet_NaN();
      }
    }
  });
  return data;
}

double Generator::true_score(std::span<const double> values) const {
  require(values.size() == scales_.size(), "a row of {} values; there are {} attributes", values.size(),
          scales_.size());
  double score = 0;
  for (int j = 0; j < options_.attribute_count; ++j) score += curve(j, values[index(j)]);
  for (const Product& product : *options_.products) {
    const double first = share_below(product.first, values[index(product.first)]) - 0.5;
    const double second = share_below(product.second, values[index(product.second)]) - 0.5;
    const double term = 4 * product.strength * first * second;
    if (!std::isnan(term)) score += term;
  }
  return score;
}

int Generator::class_of(double score) const {
  return static_cast<int>(std::upper_bound(cuts_.begin(), cuts_.end(), score) - cuts_.begin());
}

double Generator::curve(int attribute, double x) const {
  const double t = share_below(attribute, x);
  if (std::isnan(t)) return mean_effects_[index(attribute)];
  return options_.weights[index(attribute)] * curve_value(options_.curves[index(attribute)], t);
}

Scale Generator::scale(int attribute) const {
  require(attribute >= 0 && attribute < options_.attribute_count, "attribute {} does not exist; it must lie in 0..{}",
          attribute, options_.attribute_count - 1);
  return scales_[index(attribute)];
}

double Generator::share_below(int attribute, double x) const { return detail::share_below(scale(attribute), x); }

Dataset generate(const GenerateOptions& options) { return Generator(options).rows(0, options.row_count); }

}  // namespace xofm
