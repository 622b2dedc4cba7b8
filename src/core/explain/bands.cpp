#include "xofm/bands.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/parallel.hpp"
#include "core/base/progress.hpp"
#include "core/base/random.hpp"
#include "core/data/class_weights.hpp"
#include "core/encode/distribution.hpp"
#include "core/explain/effects.hpp"
#include "core/student/student_model.hpp"
#include "core/train/average.hpp"
#include "core/train/directions.hpp"
#include "core/train/gibbs.hpp"
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
Dataset training_rows(const Model& model, const Dataset& given) {
  const auto& class_weights = model.options.class_weights;
  const Dataset data = class_weights.empty() ? given : detail::weight_classes(given, class_weights);
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

using StopValues = std::vector<std::vector<std::vector<double>>>;  // [attribute][stop][refit]

CurveBands bands_of(const Model& model, const BandOptions& options, StopValues& values) {
  const auto count = static_cast<int>(values.front().front().size());  // of draws there may be fewer than asked for
  CurveBands bands{count, options.lower_share, options.upper_share, {}};
  for (std::size_t j = 0; j < values.size(); ++j) {
    CurveBand& band = bands.attributes.emplace_back();
    for (auto& of_stop : values[j]) {
      std::sort(of_stop.begin(), of_stop.end());
      band.lower.push_back(quantile(of_stop, options.lower_share));
      band.upper.push_back(quantile(of_stop, options.upper_share));
    }
    if (model.encoder.attributes[j].has_missing) {
      band.missing_lower = band.lower.back();
      band.missing_upper = band.upper.back();
      band.lower.pop_back();
      band.upper.pop_back();
    }
    const std::size_t special_count = model.encoder.attributes[j].special.size();
    const auto take_special = [&](std::vector<double>& from, std::vector<double>& to) {
      to.assign(from.end() - static_cast<std::ptrdiff_t>(special_count), from.end());
      from.resize(from.size() - special_count);
    };
    take_special(band.lower, band.special_lower);
    take_special(band.upper, band.special_upper);
  }
  return bands;
}

// Refits at the same time, each of rows drawn anew: what is drawn twice is there twice. None if asked to stop.
template <class Refit>
std::optional<std::vector<Refit>> refit_all(
    const Model& model, const Dataset& rows, int count, const ProgressCallback& progress,
    const std::function<std::optional<Refit>(const Dataset&, std::uint64_t, const ProgressCallback&)>& refit) {
  const std::uint64_t seed = detail::mix(model.options.optimizer.seed ^ 0xba2d);
  std::vector<std::optional<Refit>> refits(static_cast<std::size_t>(count));
  detail::ParallelProgress parallel(refits.size(), progress);
  detail::parallel_for(refits.size(), [&](std::size_t b) {
    if (parallel.stopped()) return;
    const Dataset sample = subset(rows, detail::draw_rows(rows.labels, rows.schema.class_count(), seed, b));
    refits[b] = refit(sample, seed + b, parallel.of(b));
    parallel.finish(b);
  });
  std::vector<Refit> made;
  for (auto& one : refits) {
    if (!one) return std::nullopt;
    made.push_back(std::move(*one));
  }
  return made;
}

// Teacher and values anew, on the model's own curves and surfaces.
std::optional<StopValues> term_values(const Model& model, const Dataset& rows, int count,
                                      const ProgressCallback& progress) {
  const auto refits = refit_all<Terms>(model, rows, count, progress,
                                       [&](const Dataset& sample, std::uint64_t seed, const ProgressCallback& report) {
                                         return detail::refit_terms(model, rows, sample, seed, report);
                                       });
  if (!refits) return std::nullopt;
  StopValues values(model.schema.attributes.size());
  for (const Terms& refit : *refits) {
    for (std::size_t j = 0; j < values.size(); ++j) {
      const bool has_other = model.encoder.attributes[j].kind == AttributeKind::categorical;
      values[j].resize(refit.curves[j].size() - (has_other ? 1 : 0));
      for (std::size_t s = 0; s < values[j].size(); ++s) values[j][s].push_back(refit.curves[j][s]);
    }
  }
  return values;
}

// One fit of every part, on the model's knots.
std::optional<StopValues> average_values(const Model& model, const Dataset& rows, int count,
                                         const ProgressCallback& progress) {
  std::vector<std::shared_ptr<const Encoder>> encoders;
  for (const Recipe& part : model.options.parts) {
    // A single recipe has the model's own knots, which may come from a warm start.
    encoders.push_back(std::make_shared<const Encoder>(
        model.options.parts.size() == 1 ? model.encoder
                                        : fit_encoder(rows, detail::encoder_options(part, model.options.attributes))));
  }
  const auto refits = refit_all<detail::Average>(
      model, rows, count, progress,
      [&](const Dataset& sample, std::uint64_t seed, const ProgressCallback& report) -> std::optional<detail::Average> {
        const detail::Members members = detail::fit_parts(sample, model.options, seed, report, encoders);
        for (const detail::Member& member : members) {
          if (member.learned->reason == StopReason::interrupted) return std::nullopt;
        }
        return detail::average(members);
      });
  if (!refits) return std::nullopt;
  StopValues values(model.schema.attributes.size());
  Model refitted = model;
  refitted.encoder = refits->front().encoder;
  refitted.distribution = detail::describe(rows, refitted.encoder);
  for (const detail::Average& refit : *refits) {
    refitted.parameters = refit.parameters;
    const detail::Effects effects(refitted);
    for (std::size_t j = 0; j < values.size(); ++j) {
      const std::vector<detail::Effect> stops =
          kept_stops(effects.stops(j), refitted.encoder.attributes[j].knots, model.encoder.attributes[j].knots);
      values[j].resize(stops.size());
      for (std::size_t s = 0; s < stops.size(); ++s) values[j][s].push_back(effects.curve(j, stops[s]));
    }
  }
  return values;
}

// Of a model that is the mean of posterior draws: the draws themselves, as many as asked for, evenly spread. The chains
// are run again as they were, which gives the same draws.
std::optional<StopValues> drawn_values(const Model& model, const Dataset& rows, int count,
                                       const ProgressCallback& progress) {
  const EncodedRows encoded = encode(model.encoder, rows);
  const Recipe& recipe = model.options.recipe();
  detail::Gibbs gibbs({model.encoder, encoded, rows.labels, rows.schema.class_count(), rows.weights}, model.options,
                      recipe, detail::mix(model.options.optimizer.seed));
  gibbs.advance(recipe.max_epochs, progress);
  if (gibbs.is_interrupted()) return std::nullopt;
  const std::vector<Parameters> draws = gibbs.draws();
  const std::size_t taken = std::min(draws.size(), static_cast<std::size_t>(count));
  StopValues values(model.schema.attributes.size());
  Model drawn = model;
  for (std::size_t d = 0; d < taken; ++d) {
    drawn.parameters = draws[d * draws.size() / taken];
    const detail::Effects effects(drawn);
    for (std::size_t j = 0; j < values.size(); ++j) {
      const std::vector<detail::Effect> stops = effects.stops(j);
      values[j].resize(stops.size());
      for (std::size_t s = 0; s < stops.size(); ++s) values[j][s].push_back(effects.curve(j, stops[s]));
    }
  }
  return values;
}

// Whether the model is one fit by draws, as it was trained.
bool is_posterior_mean(const Model& model) {
  return !model.terms && model.options.parts.size() == 1 && model.options.bag_count == 1 &&
         model.options.recipe().method == Optimizer::gibbs;
}

}  // namespace

std::optional<CurveBands> fit_bands(const Model& model, const Dataset& data, const BandOptions& options,
                                    const ProgressCallback& progress) {
  check(options);
  const Dataset rows = training_rows(model, data);
  const auto values_of = model.terms ? term_values : is_posterior_mean(model) ? drawn_values : average_values;
  std::optional<StopValues> values = values_of(model, rows, options.refit_count, progress);
  if (!values) return std::nullopt;
  return bands_of(model, options, *values);
}

}  // namespace xofm
