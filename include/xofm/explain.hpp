// Stage 8, explain: what the model has learned, and why one object gets its class.
//
// Two views of the same scores (paper, Section 3.4):
//   raw       U = sum_j u_j + sum_j self_j + sum_{j < j'} <S_j, S_j'>           S_j = sum of Phi_n v_n over attribute j
//   purified  U = base + sum_j curve_j + sum_{j < j'} <S_j - E S_j, S_j' - E S_j'>
// where E is the mean over the training rows. Every purified curve has mean zero under its attribute's training values,
// every purified surface along either axis under the product of the two; what that takes from the surfaces is in the
// curves and the base. Only one decomposition does this. A model of curves and surfaces has the second view alone, and
// has it as it is: its curves have mean zero over the training rows, and its surfaces say nothing, over the training
// rows, that a function of either attribute could say.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "xofm/model.hpp"

namespace xofm {

// Global: curves.

// A part of the score as a function of one attribute; linear between knots.
struct AttributeCurve {
  std::vector<double> values;        // at each knot, by ascending knots; or of each level
  std::optional<double> missing;     // of a missing value, on the same scale
  std::vector<double> special = {};  // of each special value that training has seen, ascending

  double range() const;  // greatest minus least of `values`: the paper's importance
};

// The paper's view (its Figure 1), of models with u and V: u_j alone, zero at the first knot in the attribute's
// direction; products apart.
AttributeCurve raw_curve(const Model& model, std::size_t attribute);

// The products inside one attribute: what raw_curve leaves out of what the attribute does alone.
AttributeCurve self_curve(const Model& model, std::size_t attribute);

// The attribute's purified curve: u_j, its products with itself and with the mean of all others; training mean zero.
AttributeCurve purified_curve(const Model& model, std::size_t attribute);

// All of them for every attribute, by attribute, in the time of a few. Of a model of curves and surfaces only
// `purified`.
struct AttributeCurves {
  std::vector<AttributeCurve> raw;
  std::vector<AttributeCurve> self;
  std::vector<AttributeCurve> purified;
};
AttributeCurves attribute_curves(const Model& model);

// Whether the attribute has any part in the score: a curve that is not zero, or a pair.
bool is_used(const Model& model, std::size_t attribute);

// The mean of the score if the attributes kept their training values but were independent: what the curves start from.
double base_score(const Model& model);

// Global: pairs.

// A part of the score as a function of two attributes.
struct PairGrid {
  std::size_t first = 0;
  std::size_t second = 0;
  std::vector<std::vector<double>> values;  // [of the first][of the second]; special and missing values come last
};

// The paper's heat-map: <v_n1, v_n2> for the segments (by ascending knots), levels and missing values of the two. With
// itself an attribute gives the products behind self_curve; their diagonal is zero, as Equation 4 has no squares.
PairGrid segment_products(const Model& model, std::size_t first, std::size_t second);

// The purified surface at the knots and levels of both; bilinear between.
PairGrid purified_surface(const Model& model, std::size_t first, std::size_t second);
// Of many pairs, in the time of one model and its surfaces.
std::vector<PairGrid> purified_surfaces(const Model& model,
                                        const std::vector<std::pair<std::size_t, std::size_t>>& pairs);

struct PairStrength {
  std::size_t first = 0;
  std::size_t second = 0;
  double range = 0;  // of the purified surface, missing values included
};

// Where many attributes make millions of pairs, the strongest can be asked for alone.
inline constexpr std::size_t all_pairs = static_cast<std::size_t>(-1);

// How many pairs have a part in the score: all pairs of attributes, or those with a surface.
std::size_t pair_count(const Model& model);

// The strongest pairs of attributes, strongest first. O(coordinates^2 * factors) for all of them; for few, pairs whose
// deviations are too short to be among them are passed over.
std::vector<PairStrength> pair_strengths(const Model& model, std::size_t count = all_pairs);

// Global: importance.

struct AttributeImportance {
  std::size_t attribute = 0;
  double raw_range = 0;      // of raw_curve: the paper's importance
  double range = 0;          // of purified_curve
  double mean_absolute = 0;  // of its purified contributions to the rows
};

struct PairImportance {
  std::size_t first = 0;
  std::size_t second = 0;
  double range = 0;          // of purified_surface
  double mean_absolute = 0;  // of its purified contributions to the rows
};

struct Importance {
  std::vector<AttributeImportance> attributes;  // by attribute
  // (0, 1), (0, 2), ..., (1, 2), ...; or those with a surface; or the strongest, if there are more than asked for.
  std::vector<PairImportance> pairs;
};

// Means over the given rows, by their weights if they have any; zero without rows. O(rows * pairs * factors).
Importance importance(const Model& model, const Dataset& rows, std::size_t most_pairs = all_pairs);

// The same for the training rows, from what the model keeps of them: the rows of a segment are taken at their mean
// position, and pairs as if their attributes were independent. Of an attribute it is exact but for segments in which
// the curve changes its sign. O(coordinates^2 * factors).
Importance training_importance(const Model& model, std::size_t most_pairs = all_pairs);

// Local: one object.

struct PairContribution {
  std::size_t first = 0;
  std::size_t second = 0;
  double value = 0;
};

// A training object that others are compared with, and its class.
struct ReferenceObject {
  double score = 0;
  double weight = 1;    // of all that it stands for
  std::size_t row = 0;  // data row of the object, from 1
  int label = 0;
  std::string id = {};  // its name, where the training rows have names
};

struct LocalOptions {
  int nearest_count = 5;               // training objects nearest in score to name; at least 0
  std::size_t most_pairs = all_pairs;  // of more pairs those with the greatest contributions are listed
};

struct LocalExplanation {
  double score = 0;  // = base + all contributions
  int label = 0;
  ClassInterval interval;
  std::vector<double> support;        // per class
  std::vector<double> probabilities;  // per class
  std::vector<RowNote> notes;         // unusual values of this row

  double base = 0;
  std::vector<double> attributes;  // purified contribution of each
  // (0, 1), (0, 2), ..., (1, 2), ...; or those with a surface; or the greatest, if there are more than asked for.
  std::vector<PairContribution> pairs;
  std::size_t other_pair_count = 0;  // not listed
  double other_pairs = 0;            // what they contribute together

  std::vector<double> share_below;  // per class: share of its training objects with a lower score; 0 without any
  // The objects that set the interval (Definition 4): of the best class with one at or below the score, the lowest
  // (L); of the worst class with one at or above it, the highest (R). None: the bound is the end of the scale.
  std::optional<ReferenceObject> sets_best;
  std::optional<ReferenceObject> sets_worst;
  std::vector<ReferenceObject> nearest;  // nearest first
};

// `row` counts from 0.
LocalExplanation explain(const Model& model, const Dataset& rows, std::size_t row, const LocalOptions& options = {});

// Local: reasons, of many objects.

// A part of an object's score: a curve (first == second), or what two attributes do together.
struct Reason {
  std::size_t first = 0;
  std::size_t second = 0;
  double value = 0;  // its contribution
};

enum class ReasonOrder { lowest, highest };

// The parts of each row's score with the lowest contributions, lowest first, or the highest, highest first; among
// equal ones the part of the earlier attribute, of two parts of one attribute its curve, then the pair with the earlier
// partner. Every curve that is not zero everywhere is a part, and every surface; of a model with u and V all purified
// curves and all pairs, as explain() gives them. A row has fewer than `count` reasons if the model has fewer parts.
std::vector<std::vector<Reason>> reasons(const Model& model, const Dataset& rows, std::size_t count,
                                         ReasonOrder order = ReasonOrder::lowest);

// "income", or "age x income".
std::string reason_text(const Schema& schema, const Reason& reason);

// Local: what would have to change.

// Scores from lowest to highest, both included, get this class. The next piece starts at the next number after.
struct ScorePiece {
  double lowest = 0;
  double highest = 0;
  int label = 0;
};

// The class as a function of the score under the rule in force, over all finite numbers, ascending; neighbours differ.
// By support a class may have several pieces, or none; by the other rules it has at most one. Exact to the last bit,
// but for the mode, where rounding blurs the crossing of two probabilities.
std::vector<ScorePiece> score_pieces(const Assignment& assignment);

struct CounterfactualOptions {
  std::vector<std::string> fixed = {};  // attributes, by name, that may not change
};

struct ValueChange {
  std::size_t attribute = 0;
  double from = 0;
  double to = 0;
};

struct Counterfactual {
  std::vector<ValueChange> changes;  // by attribute
  double cost = 0;                   // sum of |change| / (last knot - first knot); a change of level costs 1
  double score = 0;                  // after the changes, as the model gives it
  int label = 0;                     // likewise
};

// None: no such change exists.
struct Counterfactuals {
  std::optional<Counterfactual> one;  // the cheapest change of one attribute
  std::optional<Counterfactual> two;  // of at most two; the same as `one` unless a second attribute makes it cheaper
};

// The cheapest changes after which the object is in one of the target classes. Numbers stay inside the training range,
// levels are those of training; missing stays missing, and a special value what it is. Exact: on a piece between knots
// the score is linear in one attribute and bilinear in two, and the cost is linear, so each piece has its minimum in
// closed form.
Counterfactuals smallest_changes(const Model& model, const Dataset& rows, std::size_t row, ClassInterval target,
                                 const CounterfactualOptions& options = {});

// The same change in numbers that can be typed: each value is moved on, away from the object's own, to as few digits as
// still reach the class. That adds at most 1 % to a value's change, or 0.1 % of its training range if that is more.
Counterfactual round_outwards(const Model& model, const Dataset& rows, std::size_t row, const Counterfactual& change);

struct NextClasses {
  std::optional<int> better;  // the next class above the object's own that any score gets
  Counterfactuals to_better;
  std::optional<int> worse;
  Counterfactuals to_worse;
};

NextClasses next_classes(const Model& model, const Dataset& rows, std::size_t row,
                         const CounterfactualOptions& options = {});

}  // namespace xofm
