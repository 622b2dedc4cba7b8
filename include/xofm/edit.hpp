// After explaining, edit: an expert looks at curves and pairs, disagrees, and changes the model of curves and surfaces.
// Every edit is a value; edit_file.hpp has them as JSON and keeps the record of them inside the model file.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "xofm/compare.hpp"
#include "xofm/dataset.hpp"
#include "xofm/encoder.hpp"
#include "xofm/metrics.hpp"
#include "xofm/model.hpp"

namespace xofm {

// A place where a curve or a surface has a value of its own: a knot or a special value, a level, missing, or a level
// that training has not seen.
struct EditPlace {
  enum class Kind { number, level, missing, other };
  Kind kind = Kind::missing;
  double number = 0;
  std::string level = {};
};

// The curve's value at one place.
struct SetValue {
  std::string attribute;
  EditPlace at;
  double value = 0;
};

// The knots from the first point to the last move onto the line through the points.
struct DrawCurve {
  std::string attribute;
  std::vector<std::pair<double, double>> points;  // value of the attribute, value of the curve; at least two
};

// The knots in between get their mean over the training rows.
struct FlattenCurve {
  std::string attribute;
  double from = 0;
  double to = 0;
};

// The nearest curve, by least squares over the training rows, with which the score never falls (rises) as the attribute
// rises, whatever the others are: the curve makes up for what surfaces take away. The model asks for this direction
// from then on, and its certificate proves it.
struct MakeMonotone {
  std::string attribute;
  Direction direction = Direction::increasing;
};

// Every inner knot goes this share of the way to the line between its neighbours.
struct SmoothCurve {
  std::string attribute;
  double strength = 0.5;  // above 0, at most 1
};

// The levels get one value, their mean over the training rows, in the curve and in every surface.
struct MergeLevels {
  std::string attribute;
  std::vector<std::string> levels;  // at least two
};

// A surface that is zero until its cells are set, on at most `grid` of the knots of each numeric attribute.
struct AddPair {
  std::string first;
  std::string second;
  int grid = 5;  // 2 .. 100
};

struct SetCell {
  std::string first;
  std::string second;
  EditPlace at_first;  // a number: the nearest node
  EditPlace at_second;
  double value = 0;
};

struct RemovePair {
  std::string first;
  std::string second;
};

using Edit = std::variant<SetValue, DrawCurve, FlattenCurve, MakeMonotone, SmoothCurve, MergeLevels, AddPair, SetCell,
                          RemovePair>;

// The model after the edits, one after the other. Its certificate is proved anew. Cuts and probabilities stay where
// they are on the scale of the score, so that an edit moves objects across them. What was measured of the model before
// (validation, rows kept out, bands, covering intervals) is not true of this one and left out. `rows`: if they are the
// training rows, the scores that objects are compared with follow, and new surfaces know where rows are. An edited
// curve keeps the values that it was given; its mean need not be zero any more. Throws Error{invalid_option} that names
// the edit by its number, from 1, and says what is allowed; Error{invalid_model} if the model has no curves and
// surfaces of its own.
Model apply_edits(const Model& model, std::span<const Edit> edits, const Dataset* rows = nullptr);

// What an edit does to rows: who changes class, and metrics before and after if the rows are labelled.
struct EditEffect {
  std::size_t row_count = 0;
  std::vector<ClassChange> changes;
  std::optional<Metrics> before;
  std::optional<Metrics> after;
};
EditEffect edit_effect(const Model& before, const Model& after, const Dataset& rows);

}  // namespace xofm
