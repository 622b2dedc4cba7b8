#include "core/explain/change_trial.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace xofm::detail {

TargetScores::TargetScores(const std::vector<ScorePiece>& pieces, ClassInterval target) {
  for (const ScorePiece& piece : pieces) {
    if (piece.label < target.lowest || piece.label > target.highest) continue;
    pieces_.push_back(piece);
  }
}

bool TargetScores::contains(double score) const {
  const auto at = std::partition_point(pieces_.begin(), pieces_.end(),
                                       [&](const ScorePiece& piece) { return piece.highest < score; });
  return at != pieces_.end() && at->lowest <= score;
}

std::pair<double, double> TargetScores::distances(double score) const {
  double up = HUGE_VAL;
  double down = HUGE_VAL;
  for (const ScorePiece& piece : pieces_) {
    if (piece.highest >= score) up = std::min(up, std::max(piece.lowest - score, 0.0));
    if (piece.lowest <= score) down = std::min(down, std::max(score - piece.highest, 0.0));
  }
  return {up, down};
}

std::vector<double> TargetScores::entries(double from, double to) const {
  // Scores along a path are estimated by a sum in another order than the model's.
  const double slack = 1e-12 * (1 + std::abs(from) + std::abs(to));
  std::vector<double> scores;
  if (contains(from)) scores.push_back(from);
  if (to >= from) {
    auto at = std::partition_point(pieces_.begin(), pieces_.end(),
                                   [&](const ScorePiece& piece) { return piece.lowest <= from; });
    for (; at != pieces_.end() && at->lowest <= to + slack; ++at) scores.push_back(at->lowest);
  } else {
    auto at = std::partition_point(pieces_.begin(), pieces_.end(),
                                   [&](const ScorePiece& piece) { return piece.highest < from; });
    while (at != pieces_.begin() && (--at)->highest >= to - slack) scores.push_back(at->highest);
  }
  return scores;
}

ChangeTrial::ChangeTrial(const Model& model, const Dataset& object, ClassInterval target)
    : model_(&model),
      object_(&object),
      target_(target),
      assigner_(model.assignment),
      scorer_(model),
      row_(encode(model.encoder, object)),
      support_(model.assignment.reference.classes.size()),
      probabilities_(support_.size()) {}

double ChangeTrial::cost(const Setting& setting) const {
  const double from = value(setting.attribute);
  if (setting.value == from) return 0;
  const AttributeEncoder& encoder = model_->encoder.attributes[setting.attribute];
  if (encoder.kind == AttributeKind::categorical) return 1;
  return std::abs(setting.value - from) / (encoder.knots.back() - encoder.knots.front());
}

std::optional<Counterfactual> ChangeTrial::attempt(const std::vector<Setting>& settings) {
  EncodedRows changed = row_;
  Counterfactual result;
  for (const Setting& setting : settings) {
    ValueNote note{};
    const AttributeEncoder& encoder = model_->encoder.attributes[setting.attribute];
    const auto is_among = [&](const std::vector<double>& special) {
      return std::binary_search(special.begin(), special.end(), setting.value);
    };
    // Nobody can become what a special value stands for.
    const bool is_special = is_among(encoder.special) || is_among(encoder.absent_special);
    if (is_special && setting.value != value(setting.attribute)) return std::nullopt;
    const Position position = encoder.locate(setting.value, note);
    changed.coordinates[setting.attribute] = static_cast<std::uint16_t>(position.coordinate);
    changed.fractions.set(setting.attribute, position.fraction);
    const double from = value(setting.attribute);
    if (setting.value != from) result.changes.push_back({setting.attribute, from, setting.value});
    result.cost += cost(setting);
  }
  scorer_.score(changed, {0, 1}, {&result.score, 1});
  result.label = assigner_.assign(result.score, support_, probabilities_).label;
  if (result.label < target_.lowest || result.label > target_.highest || result.changes.empty()) return std::nullopt;
  std::sort(result.changes.begin(), result.changes.end(),
            [](const ValueChange& a, const ValueChange& b) { return a.attribute < b.attribute; });
  return result;
}

std::optional<Counterfactual> ChangeTrial::attempt_near(const std::vector<Setting>& settings,
                                                        const std::vector<double>& limits) {
  std::optional<Counterfactual> best = attempt(settings);
  if (best) return best;
  for (std::size_t i = 0; i < settings.size(); ++i) {
    const double start = settings[i].value;
    const double room = std::abs(limits[i] - start);
    const double sign = limits[i] < start ? -1 : 1;
    const auto moved = [&](double step) {
      std::vector<Setting> trial = settings;
      trial[i].value = step < room ? start + sign * step : limits[i];
      return attempt(trial);
    };
    // Doubled steps until one succeeds, then halved back.
    double fails = 0;
    double step = std::max((std::abs(start) + room) * 0x1p-53, std::numeric_limits<double>::min());
    std::optional<Counterfactual> found;
    while (room > 0 && !(found = moved(step)) && step < room) {
      fails = step;
      step *= 2;
    }
    if (!found) continue;
    for (int halving = 0; halving < 60; ++halving) {
      const double middle = fails + (step - fails) / 2;
      if (middle == fails || middle == step) break;
      auto nearer = moved(middle);
      (nearer ? step : fails) = middle;
      if (nearer) found = std::move(nearer);
    }
    if (!best || found->cost < best->cost) best = std::move(found);
  }
  return best;
}

}  // namespace xofm::detail
