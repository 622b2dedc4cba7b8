// Trying changes of one object: the model's own score and class decide, so what is found really changes the class.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "core/explain/effects.hpp"
#include "core/score/scorer.hpp"
#include "xofm/explain.hpp"

namespace xofm::detail {

// The scores of the target classes: disjoint closed pieces, ascending.
class TargetScores {
 public:
  TargetScores(const std::vector<ScorePiece>& pieces, ClassInterval target);

  bool contains(double score) const;
  // From the score up to the next piece and down to the next one; infinite if there is none.
  std::pair<double, double> distances(double score) const;
  // Where a path from one score to another first enters a piece, then the next piece, and so on, those included that
  // lie a rounding error beyond the end. A path that starts inside a piece meets it at once, at its own score.
  std::vector<double> entries(double from, double to) const;

 private:
  std::vector<ScorePiece> pieces_;
};

// An attribute and the value to give it.
struct Setting {
  std::size_t attribute;
  double value;
};

class ChangeTrial {
 public:
  ChangeTrial(const Model& model, const Dataset& object, ClassInterval target);

  // The change to these values, if it brings the object into a target class.
  std::optional<Counterfactual> attempt(const std::vector<Setting>& settings);

  // The same, or if rounding keeps it just outside, with one of the values moved on towards its limit as little as
  // will do.
  std::optional<Counterfactual> attempt_near(const std::vector<Setting>& settings, const std::vector<double>& limits);

  double cost(const Setting& setting) const;  // 0 for the object's own value
  double value(std::size_t attribute) const { return object_->columns[attribute].front(); }

 private:
  const Model* model_;
  const Dataset* object_;
  ClassInterval target_;
  Assigner assigner_;
  Scorer scorer_;
  EncodedRows row_;
  std::vector<double> support_;
  std::vector<double> probabilities_;
};

}  // namespace xofm::detail
