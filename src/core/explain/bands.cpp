#include "xofm/bands.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/random.hpp"
#include "core/explain/effects.hpp"
#include "core/student/train_terms.hpp"
#include "core/train/blend.hpp"
#include "core/train/distribution.hpp"
#include "xofm/error.hpp"

namespace xofm {

namespace {

void check(const BandOptions& options) {
  if (!(options.refit_count >= 2 && options.refit_count <= 1000)) {
    throw Error(ErrorCode::invalid_option, fmt::format("refit_count is {}; it must be 2 to 1000", options.refit_count));
  }
  if (!(options.lower_share >= 0 && options.lower_share < options.upper_share && options.upper_share <= 1)) {
    throw Error(ErrorCode::invalid_option,
                fmt::format("the band goes from {} to {} of the refits; both must be in 0 to 1, the first the lesser",
                            options.lower_share, options.upper_share));
  }
}

// The rows that training used.
Dataset training_rows(const Model& model, const Dataset& data) {
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < data.row_count(); ++i) {
    if (data.weights.empty() || data.weights[i] > 0) kept.push_back(i);
  }
  Dataset rows = subset(data, kept);
  if (detail::fingerprint(rows) != model.summary.data_fingerprint) {
    throw Error(ErrorCode::invalid_data,
                "bands need the rows that the model was trained on; these are others, or in another order");
  }
  return rows;
}

// Linear between the two nearest of the sorted values.
double quantile(const std::vector<double>& sorted, double share) {
  const double at = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (at - std::floor(at)) * (sorted[above] - sorted[below]);
}

// Those at the knots that the model has; levels and missing values, which come after the knots, all.
std::vector<detail::Effect> kept_stops(const std::vector<detail::Effect>& stops, const std::vector<double>& knots,
                                       const std::vector<double>& model_knots) {
  std::vector<detail::Effect> kept;
  for (std::size_t s = 0; s < stops.size(); ++s) {
    const bool is_kept = s >= knots.size() || std::binary_search(model_knots.begin(), model_knots.end(), knots[s]);
    if (is_kept) kept.push_back(stops[s]);
  }
  return kept;
}

// Options of a refit, of which only the curves are looked at. A boosted model is a single fit and asked for a bag would
// refit once per fold for scores of unseen rows; a bag has them for free.
void without_scores(TrainOptions& options) {
  options.assignment.reference_scores = ReferenceScores::training;
  if (options.optimizer.method == Optimizer::boost) options.bag_count = 1;
}

using StopValues = std::vector<std::vector<std::vector<double>>>;  // [attribute][stop][refit]

CurveBands bands_of(const Model& model, const BandOptions& options, StopValues& values) {
  CurveBands bands{options.refit_count, options.lower_share, options.upper_share, {}};
  for (std::size_t j = 0; j < values.size(); ++j) {
    CurveBand& band = bands.attributes.emplace_back();
    for (auto& of_stop : values[j]) {
      std::sort(of_stop.begin(), of_stop.end());
      band.lower.push_back(quantile(of_stop, options.lower_share));
      band.upper.push_back(quantile(of_stop, options.upper_share));
    }
    if (!model.encoder.attributes[j].has_missing) continue;
    band.missing_lower = band.lower.back();
    band.missing_upper = band.upper.back();
    band.lower.pop_back();
    band.upper.pop_back();
  }
  return bands;
}

// Teacher and values anew, on the model's own curves and surfaces.
std::optional<CurveBands> term_bands(const Model& model, const Dataset& rows, const BandOptions& options,
                                     const ProgressCallback& progress) {
  const std::uint64_t seed = detail::mix(model.options.optimizer.seed ^ 0xba2d);
  std::vector<std::optional<Terms>> refits(static_cast<std::size_t>(options.refit_count));
  detail::learn_repeatedly(options.refit_count, progress, [&](std::size_t b, const ProgressCallback& report) {
    const Dataset sample = subset(rows, detail::draw_rows(rows.labels, rows.schema.class_count(), seed, b));
    refits[b] = detail::refit_terms(model, rows, sample, seed + b, report);
    return detail::Learned{};
  });
  StopValues values(model.schema.attributes.size());
  for (const auto& refit : refits) {
    if (!refit) return std::nullopt;
    for (std::size_t j = 0; j < values.size(); ++j) {
      const bool has_other = model.encoder.attributes[j].kind == AttributeKind::categorical;
      values[j].resize(refit->curves[j].size() - (has_other ? 1 : 0));
      for (std::size_t s = 0; s < values[j].size(); ++s) values[j][s].push_back(refit->curves[j][s]);
    }
  }
  return bands_of(model, options, values);
}

}  // namespace

std::optional<CurveBands> fit_bands(const Model& model, const Dataset& data, const BandOptions& options,
                                    const ProgressCallback& progress) {
  check(options);
  const Dataset rows = training_rows(model, data);
  const int class_count = rows.schema.class_count();
  if (model.terms) return term_bands(model, rows, options, progress);
  const bool is_blend = !model.options.blend.empty();
  const detail::Blend blend = is_blend ? detail::plan_blend(rows, model.options) : detail::Blend{};
  const std::uint64_t seed = detail::mix(model.options.optimizer.seed ^ 0xba2d);
  // Each like the model, on the model's knots, from rows drawn anew: what is drawn twice is there twice.
  std::vector<Parameters> refits =
      detail::learn_repeatedly(options.refit_count, progress, [&](std::size_t b, const ProgressCallback& report) {
        const Dataset sample = subset(rows, detail::draw_rows(rows.labels, class_count, seed, b));
        TrainOptions own = model.options;
        own.optimizer.seed = detail::mix(model.options.optimizer.seed + b);
        without_scores(own);
        if (is_blend) {
          detail::Blend again = blend;
          for (auto& part : again.parts) {
            part.options.optimizer.seed += 1000 * (b + again.parts.size());
            without_scores(part.options);
          }
          return detail::learn_blend(again, sample, report).learned;
        }
        const EncodedRows encoded = encode(model.encoder, sample);
        return detail::learn_scores({model.encoder, encoded, sample.labels, class_count, sample.weights}, own, report)
            .learned;
      });
  if (refits.empty()) return std::nullopt;

  const std::size_t attribute_count = model.schema.attributes.size();
  StopValues values(attribute_count);
  Model refitted = model;
  if (is_blend) {
    // The refits have all knots of their parts; the model may have dropped some.
    refitted.encoder = blend.encoder;
    refitted.distribution = detail::describe(rows, blend.encoder, encode(blend.encoder, rows));
  }
  for (Parameters& parameters : refits) {
    refitted.parameters = std::move(parameters);
    const detail::Effects effects(refitted);
    for (std::size_t j = 0; j < attribute_count; ++j) {
      const std::vector<detail::Effect> stops =
          kept_stops(effects.stops(j), refitted.encoder.attributes[j].knots, model.encoder.attributes[j].knots);
      values[j].resize(stops.size());
      for (std::size_t s = 0; s < stops.size(); ++s) values[j][s].push_back(effects.curve(j, stops[s]));
    }
  }

  return bands_of(model, options, values);
}

}  // namespace xofm
