#include "core/train/blend.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/score/score_table.hpp"
#include "core/train/directions.hpp"

namespace xofm::detail {

namespace {

// The knots in the order in which the segments are filled.
std::vector<double> filling_order(const AttributeEncoder& attribute) {
  std::vector<double> knots = attribute.knots;
  if (attribute.direction == Direction::decreasing) std::reverse(knots.begin(), knots.end());
  return knots;
}

double value_at(const AttributeEncoder& attribute, const Position& position) {
  const std::vector<double> knots = filling_order(attribute);
  if (knots.size() < 2) return knots.front();
  const double from = knots[position.coordinate];
  return from + position.fraction * (knots[position.coordinate + 1] - from);
}

// What of which old coordinate a new one is.
struct Piece {
  std::size_t old_coordinate = 0;
  double share = 1;   // of the old one's width
  double before = 0;  // share of the pieces before it
};

std::vector<Piece> pieces_of(const AttributeEncoder& from, const AttributeEncoder& to) {
  std::vector<Piece> pieces;
  const auto count = static_cast<std::size_t>(to.coordinate_count());
  const bool is_cut = from.kind == AttributeKind::numeric && from.knots.size() > 1;
  const std::vector<double> old_knots = is_cut ? filling_order(from) : std::vector<double>();
  const std::vector<double> new_knots = is_cut ? filling_order(to) : std::vector<double>();
  const double sign = to.direction == Direction::decreasing ? -1 : 1;
  std::size_t old = 0;
  for (std::size_t n = 0; n < count; ++n) {
    if (!is_cut || !to.is_segment(static_cast<int>(n))) {
      // Levels and missing values: from the end, since there may be more segments before them.
      pieces.push_back({n + static_cast<std::size_t>(from.coordinate_count()) - count, 1, 0});
      continue;
    }
    while (old + 2 < old_knots.size() && sign * new_knots[n] >= sign * old_knots[old + 1]) ++old;
    const bool outside =
        sign * new_knots[n] < sign * old_knots.front() || sign * new_knots[n] >= sign * old_knots.back();
    const double width = old_knots[old + 1] - old_knots[old];
    const double share = outside ? 0 : (new_knots[n + 1] - new_knots[n]) / width;
    pieces.push_back({old, share, (new_knots[n] - old_knots[old]) / width});
  }
  return pieces;
}

// The share of all the work that one part's progress means.
ProgressCallback progress_of_part(const ProgressCallback& progress, std::size_t part, std::size_t part_count) {
  if (!progress) return {};
  return [&progress, part, part_count](Progress p) {
    p.share = (static_cast<double>(part) + p.share) / static_cast<double>(part_count);
    return progress(p);
  };
}

}  // namespace

void apply(const Recipe& recipe, TrainOptions& options) {
  options.optimizer.method = recipe.method;
  options.encoder.knots = recipe.knots;
  options.encoder.segment_count = recipe.segment_count;
  options.encoder.spike_share = recipe.spike_share;
  options.auto_direction = recipe.auto_direction;
  options.factor_count = recipe.factor_count;
  options.increment_penalty = recipe.increment_penalty;
  options.sparsity_penalty = recipe.sparsity_penalty;
  options.factor_penalty = recipe.factor_penalty;
  options.pair_weighting = recipe.pair_weighting;
  options.optimizer.init_stddev = recipe.init_stddev;
  options.optimizer.max_epochs = recipe.max_epochs;
}

Encoder unite(const std::vector<const Encoder*>& encoders) {
  Encoder united = *encoders.front();
  for (std::size_t j = 0; j < united.attributes.size(); ++j) {
    AttributeEncoder& attribute = united.attributes[j];
    if (attribute.kind != AttributeKind::numeric) continue;
    const double typical = value_at(attribute, attribute.typical);
    for (const Encoder* encoder : encoders) {
      const std::vector<double>& knots = encoder->attributes[j].knots;
      attribute.knots.insert(attribute.knots.end(), knots.begin(), knots.end());
    }
    std::sort(attribute.knots.begin(), attribute.knots.end());
    attribute.knots.erase(std::unique(attribute.knots.begin(), attribute.knots.end()), attribute.knots.end());
    ValueNote note = ValueNote::none;
    attribute.typical = attribute.locate(typical, note);
  }
  number_coordinates(united);
  return united;
}

Parameters transfer(const Parameters& parameters, const Encoder& from, const Encoder& to) {
  const auto k = static_cast<std::size_t>(parameters.factor_count);
  Parameters moved;
  moved.factor_count = parameters.factor_count;
  for (std::size_t j = 0; j < to.attributes.size(); ++j) {
    for (const Piece& piece : pieces_of(from.attributes[j], to.attributes[j])) {
      const std::size_t n = from.offsets[j] + piece.old_coordinate;
      double square = 0;
      for (std::size_t f = 0; f < k; ++f) {
        const double factor = parameters.factors[n * k + f];
        moved.factors.push_back(piece.share * factor);
        square += factor * factor;
      }
      moved.increments.push_back(piece.share * (parameters.increments[n] - piece.before * square));
    }
  }
  return moved;
}

void drop_idle_knots(Encoder& encoder, Parameters& parameters) {
  constexpr double rounding = 1e-9;  // of the size of what is compared
  const auto k = static_cast<std::size_t>(parameters.factor_count);
  Parameters merged;
  merged.factor_count = parameters.factor_count;
  for (std::size_t j = 0; j < encoder.attributes.size(); ++j) {
    AttributeEncoder& attribute = encoder.attributes[j];
    const std::size_t first = merged.increments.size();
    const auto count = static_cast<std::size_t>(attribute.coordinate_count());
    const double typical = attribute.kind == AttributeKind::numeric ? value_at(attribute, attribute.typical) : 0;
    std::vector<double> knots(attribute.knots.begin(), attribute.knots.begin() + (attribute.knots.empty() ? 0 : 1));
    for (std::size_t c = 0; c < count; ++c) {
      const std::size_t n = encoder.offsets[j] + c;
      const double* const factors = parameters.factors.data() + n * k;
      const bool is_segment = attribute.is_segment(static_cast<int>(c)) && attribute.knots.size() > 1;
      if (is_segment && c > 0) {
        // Two segments are one if slope and factors per width are the same; behind the first, which is full, the second
        // also adds their product.
        double* const before = merged.factors.data() + (merged.increments.size() - 1) * k;
        const double width = attribute.knots[c + 1] - attribute.knots[c];
        const double width_before = knots.back() - knots[knots.size() - 2];
        double product = 0;
        double size = 0;
        double difference = 0;
        for (std::size_t f = 0; f < k; ++f) {
          product += before[f] * factors[f];
          size = std::max({size, std::abs(before[f] * width), std::abs(factors[f] * width_before)});
          difference = std::max(difference, std::abs(before[f] * width - factors[f] * width_before));
        }
        const double rise = (parameters.increments[n] + product) * width_before;
        const double rise_before = merged.increments.back() * width;
        const double rise_size = std::max(std::abs(rise), std::abs(rise_before));
        if (difference <= rounding * size && std::abs(rise - rise_before) <= rounding * rise_size) {
          for (std::size_t f = 0; f < k; ++f) before[f] += factors[f];
          merged.increments.back() += parameters.increments[n] + product;
          knots.back() = attribute.knots[c + 1];
          continue;
        }
      }
      if (is_segment) knots.push_back(attribute.knots[c + 1]);
      merged.increments.push_back(parameters.increments[n]);
      merged.factors.insert(merged.factors.end(), factors, factors + k);
    }
    if (merged.increments.size() - first == count) continue;
    attribute.knots = std::move(knots);
    ValueNote note = ValueNote::none;
    attribute.typical = attribute.locate(typical, note);
  }
  parameters = std::move(merged);
  number_coordinates(encoder);
}

Blend plan_blend(const Dataset& data, const TrainOptions& options) {
  Blend blend;
  double total = 0;
  for (const BlendPart& part : options.blend) total += part.count;
  std::vector<const Encoder*> encoders;
  for (const BlendPart& part : options.blend) {
    TrainOptions own = options;
    own.blend.clear();
    apply(part.recipe, own);
    // Other rows left out, other starts.
    own.optimizer.seed = options.optimizer.seed + 1000 * blend.parts.size();
    own.encoder = directed_encoder(data, own);
    Encoder encoder = fit_encoder(data, own.encoder);
    blend.parts.push_back({std::move(own), std::move(encoder), part.count / total});
  }
  for (const Blend::Part& part : blend.parts) encoders.push_back(&part.encoder);
  blend.encoder_options = blend.parts.front().options.encoder;
  blend.encoder = unite(encoders);
  return blend;
}

LearnedScores learn_blend(const Blend& blend, const Dataset& rows, const ProgressCallback& progress) {
  LearnedScores result;
  result.refit_count = 0;
  std::vector<Parameters> models;
  std::vector<double> shares;
  std::vector<LearnedScores> learned;
  bool interrupted = false;
  for (std::size_t p = 0; p < blend.parts.size() && !interrupted; ++p) {
    const Blend::Part& part = blend.parts[p];
    const EncodedRows encoded = encode(part.encoder, rows);
    const LearningRows learning{part.encoder, encoded, rows.labels, rows.schema.class_count(), rows.weights};
    LearnedScores own = learn_scores(learning, part.options, progress_of_part(progress, p, blend.parts.size()));
    interrupted = own.learned.reason == StopReason::interrupted;
    if (interrupted && p > 0) break;  // those before it are whole
    models.push_back(transfer(own.learned.parameters, part.encoder, blend.encoder));
    shares.push_back(part.share);
    learned.push_back(std::move(own));
  }
  const double total = std::accumulate(shares.begin(), shares.end(), 0.0);
  double epochs = 0;
  for (std::size_t p = 0; p < learned.size(); ++p) {
    const double share = shares[p] / total;
    const LearnedScores& own = learned[p];
    result.learned.objective += share * own.learned.objective;
    result.learned.loss += share * own.learned.loss;
    result.learned.reason = std::max(result.learned.reason, own.learned.reason);
    epochs += share * own.learned.epochs;
    result.refit_count += own.refit_count;
    result.unseen_scores.resize(own.unseen_scores.size(), 0.0);
    for (std::size_t i = 0; i < own.unseen_scores.size(); ++i) {
      result.unseen_scores[i] += share * own.unseen_scores[i];
    }
  }
  if (interrupted) result.learned.reason = StopReason::interrupted;
  result.learned.epochs = static_cast<int>(std::lround(epochs));
  result.learned.parameters = average(models, shares);
  result.training_scores = score_rows(blend.encoder, result.learned.parameters, encode(blend.encoder, rows));
  return result;
}

}  // namespace xofm::detail
