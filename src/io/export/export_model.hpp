// What every target is written from: a model as sums of looked-up numbers, with all that its rows may hold.
//
// score = base + sum of parts. A part is a curve, a surface, or, of a model with u and V, the product of what two
// attributes bring to all pairs. An attribute's value takes a place among its stops: the knots (numbers lie between two
// of them) or levels, then special values, then missing, then other: a level that training has not seen.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "io/export/class_steps.hpp"
#include "xofm/model.hpp"

namespace xofm::detail {

inline constexpr std::size_t export_reason_count = 3;
inline constexpr std::size_t no_stop = static_cast<std::size_t>(-1);

// low + fraction * (the next stop - low); fraction is 0 but between knots.
struct StopPlace {
  std::size_t low = 0;
  double fraction = 0;
};

struct ExportAttribute {
  std::size_t source = 0;  // among the model's attributes
  std::string name;
  bool is_numeric = true;
  std::vector<std::string> columns;  // in which its rows are given: one, or one of 0 and 1 per level
  std::vector<double> knots;         // ascending
  std::vector<std::string> levels;
  std::vector<double> special = {};
  std::vector<double> missing_numbers = {};     // that mean "no value"
  std::vector<std::string> missing_texts = {};  // likewise, of a column of texts
  bool has_missing = false;                     // a missing value has its own stop; else it takes `typical`
  StopPlace typical = {};

  bool is_date = false;  // numeric: days since 1970-01-01

  bool from_indicators = false;  // categorical: its columns are numbers, 1 for the level's own

  // Numbers are read, not texts.
  bool reads_numbers() const { return is_numeric || from_indicators; }
  std::size_t plain_count() const { return is_numeric ? knots.size() : levels.size(); }
  std::size_t special_stop(std::size_t which) const { return plain_count() + which; }
  std::size_t missing_stop() const { return has_missing ? plain_count() + special.size() : no_stop; }
  std::size_t other_stop() const {
    return is_numeric ? no_stop : plain_count() + special.size() + (has_missing ? 1 : 0);
  }
  std::size_t stop_count() const {
    return plain_count() + special.size() + (has_missing ? 1 : 0) + (is_numeric ? 0 : 1);
  }
  double typical_number() const;  // of a numeric attribute
};

// An axis of a surface: some of the attribute's stops. Of a numeric one the first `plain_count` are knots.
struct ExportAxis {
  std::size_t attribute = 0;
  std::vector<std::size_t> stops = {};
  std::size_t plain_count = 0;      // numeric; else 0
  std::vector<double> places = {};  // of each stop of the attribute among those of the axis
};

enum class PartKind { curve, surface, product };

struct ExportPart {
  PartKind kind = PartKind::curve;
  std::string name;
  std::size_t first = 0;
  std::size_t second = 0;  // of a curve the same
  ExportAxis first_axis = {};
  ExportAxis second_axis = {};
  std::vector<double> values = {};  // curve: of each stop; surface: [stop of the first axis][of the second]
};

struct ExportModel {
  std::string label_name;
  std::vector<std::string> class_names;
  std::vector<ExportAttribute> attributes;  // those that the score depends on
  double base = 0;
  std::vector<ExportPart> parts;  // by their attributes: the curve of the first before its pairs
  std::size_t factor_count = 0;
  std::vector<std::vector<double>> factors;  // [attribute][stop * factor_count + factor], if there are products
  ClassSteps steps;
  Calibration calibration;
  std::vector<double> floor;  // of each class; 0 if there are no strays
  double logistic_share = 1;
  bool highest_reasons = false;

  std::size_t class_count() const { return class_names.size(); }
  bool has_products() const { return !factors.empty(); }
};

// Throws Error{invalid_model} if a number is not finite or a name has a zero byte.
ExportModel make_export_model(const Model& model, bool highest_reasons);

// Throws Error{invalid_option} if the model has products of all pairs; `target`: what cannot list them.
void refuse_products(const ExportModel& made, const char* target);

// Where a value is: a number, or the code of a level; NaN is missing.
StopPlace place_of(const ExportAttribute& attribute, double value);

// A value as a caller would give it: a number or a text, or none.
struct ExportCell {
  double number = 0;
  std::string text = {};
  bool is_text = false;
  bool is_missing = false;
};

// Cells of the columns that the attribute is read from, in their order.
std::vector<ExportCell> cells_of(const ExportAttribute& attribute, double value);

// Rows that a file can test itself by, with the library's answers: knots and what lies between, out of range, missing,
// special, levels and others.
struct ExportTests {
  std::vector<std::vector<ExportCell>> rows;  // by the columns of all attributes
  std::vector<double> scores;
  std::vector<int> classes;
  double tolerance = 0;  // of scores
};
ExportTests export_tests(const Model& model, const ExportModel& made);

}  // namespace xofm::detail
