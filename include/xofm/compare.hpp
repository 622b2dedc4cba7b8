// Stage 8, explain: two models side by side, as the paper's Section 4.4 does with other penalties. Attributes are
// matched by name, levels by text; both models are read in the purified view, at the knots and levels of either.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "xofm/metrics.hpp"
#include "xofm/model.hpp"

namespace xofm {

// One attribute in both models. Curves are what each model gives: beyond its knots the end value, for a level that it
// has not seen what it adds then.
struct AttributeComparison {
  std::string name;
  AttributeKind kind = AttributeKind::numeric;  // of the first model that has it
  bool comparable = false;                      // both models have it, as the same kind; else no curves
  std::optional<double> first_range;            // of the purified curve; none if the model has no such attribute
  std::optional<double> second_range;
  std::vector<double> knots;            // numeric: of both, ascending
  std::vector<std::string> levels;      // categorical: of both, those of the first model first
  std::vector<double> first_curve;      // at each knot or level
  std::vector<double> second_curve;     // likewise
  std::optional<double> first_missing;  // of a missing value, if either model's training had any
  std::optional<double> second_missing;
  double greatest_difference = 0;           // of the curves at any value, missing included; exact
  double correlation = Metrics::undefined;  // of the curves over these knots or levels; NaN if one is constant
};

struct PairComparison {
  std::string first_name;  // of the two attributes
  std::string second_name;
  double first_range = 0;  // of the purified surface in each model
  double second_range = 0;
  double greatest_difference = 0;  // of the surfaces at any two values, missing included; exact
};

struct ModelComparison {
  std::vector<AttributeComparison> attributes;  // of the first model, then what only the second has
  std::vector<PairComparison> pairs;            // of the comparable attributes: (0, 1), (0, 2), ..., (1, 2), ...
};

ModelComparison compare(const Model& first, const Model& second);

struct ClassChange {
  std::size_t row = 0;  // from 0
  int first_label = 0;
  int second_label = 0;
  double first_score = 0;
  double second_score = 0;
};

struct ClassChanges {
  Confusion table;                // [class by the first model][class by the second]: rows
  std::vector<ClassChange> rows;  // whose class differs, ascending
};

// The same rows laid out by either model's schema. The models must have the same classes.
ClassChanges class_changes(const Model& first, const Dataset& first_rows, const Model& second,
                           const Dataset& second_rows);

}  // namespace xofm
