// How commands put the things of a model into words; all texts are fit for a terminal.
#pragma once

#include <string>

#include "xofm/explain.hpp"

namespace xofm::app {

// "description [unit]" of an attribute; empty if it has neither.
std::string description_text(const Attribute& attribute);

// "88.4 in", "turbo", "missing", "not seen in training".
std::string value_text(const Attribute& attribute, double value);
// The same with all digits of a number: what is read back is the same number.
std::string exact_value_text(const Attribute& attribute, double value);

// What was unusual about a value.
const char* note_text(ValueNote note);

// A line per class without training rows, with the probability that it is given; mostly empty.
std::string absent_text(const Model& model);

// "none" where none is decided.
std::string class_text(const Schema& schema, int label);

// The interval that promises something, and the one of the training scores: why a class may lie outside is said too.
inline constexpr double usual_coverage = 0.9;
std::string covering_text(const Model& model, int label, const ClassInterval& interval, double coverage);
std::string possible_text(const Model& model, int label, const ClassInterval& interval);
// Why the latter is wide: two training rows that contradict each other. Empty if none do.
std::string contradiction_text(const Model& model, double score);

// The course of a numeric curve by its knots: "rises", "falls", "highest at 3, lowest at 17", "flat".
std::string course_text(const Attribute& attribute, const std::vector<double>& knots, const AttributeCurve& curve);

}  // namespace xofm::app
