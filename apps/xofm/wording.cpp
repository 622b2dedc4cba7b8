#include "wording.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/data/calendar.hpp"
#include "terminal.hpp"

namespace xofm::app {

std::string description_text(const Attribute& attribute) {
  std::string text = printable(attribute.description);
  if (!attribute.unit.empty()) text += fmt::format("{}[{}]", text.empty() ? "" : " ", printable(attribute.unit));
  return text;
}

namespace {

std::string value_text(const Attribute& attribute, double value, const std::string& number) {
  if (std::isnan(value)) return "missing";
  if (attribute.time == TimePart::days) return detail::date_text(value);
  if (attribute.kind == AttributeKind::numeric) {
    return fmt::format("{}{}{}", number, attribute.unit.empty() ? "" : " ", printable(attribute.unit));
  }
  if (!(value >= 0 && value < static_cast<double>(attribute.levels.size()))) return "not seen in training";
  return printable(attribute.levels[static_cast<std::size_t>(value)]);
}

}  // namespace

// Six digits; an income of millions and the like without an exponent.
std::string value_text(const Attribute& attribute, double value) {
  const bool is_long = std::abs(value) >= 1e6 && std::abs(value) < 1e12;
  return value_text(attribute, value, is_long ? fmt::format("{:.12g}", value) : fmt::format("{:.6g}", value));
}

std::string exact_value_text(const Attribute& attribute, double value) {
  return value_text(attribute, value, fmt::format("{}", value));
}

const char* note_text(ValueNote note) {
  switch (note) {
    case ValueNote::below_range:
      return "below the training range";
    case ValueNote::above_range:
      return "above the training range";
    case ValueNote::new_level:
      return "not seen in training";
    case ValueNote::unexpected_missing:
      return "missing, never so in training";
    case ValueNote::none:
      break;
  }
  return "";
}

std::string absent_text(const Model& model) {
  std::string text;
  for (std::size_t h = 0; h < model.schema.class_names.size(); ++h) {
    const std::vector<double>& floor = model.assignment.calibration.floor;
    if (model.summary.class_weights[h] > 0 || floor.empty()) continue;
    text += fmt::format(
        "Class {} has no training rows: its probability is {:.2g} for every row, a prior of at most half "
        "a row.\n",
        class_text(model.schema, static_cast<int>(h)), floor[h]);
  }
  return text;
}

std::string class_text(const Schema& schema, int label) {
  if (label == no_class) return "none";
  return printable(schema.class_names[static_cast<std::size_t>(label)]);
}

namespace {

std::string range_text(const Schema& schema, const ClassInterval& interval) {
  const std::string lowest = class_text(schema, interval.lowest);
  return interval.lowest == interval.highest ? lowest
                                             : fmt::format("{} to {}", lowest, class_text(schema, interval.highest));
}

const char* rule_text(const AssignmentOptions& options) {
  switch (options.rule) {
    case AssignmentRule::support:
      return "the support of all training rows";
    case AssignmentRule::threshold:
      return "cuts on the score that err least over all training rows";
    case AssignmentRule::probability:
      break;
  }
  return options.aim == Aim::mae ? "the middle of the probabilities" : "the greatest probability";
}

// A class outside its own interval is not left without a word.
std::string outside_text(const Model& model, int label, const ClassInterval& interval, const char* basis) {
  if (label == no_class) return "";
  if (interval.lowest <= label && label <= interval.highest) return "";
  return fmt::format("; {} is not among them: it is chosen by {}, and these {}", class_text(model.schema, label),
                     rule_text(model.assignment.options), basis);
}

}  // namespace

std::string covering_text(const Model& model, int label, const ClassInterval& interval, double coverage) {
  return fmt::format("in {:g} % of such cases the truth is {}{}", 100 * coverage, range_text(model.schema, interval),
                     outside_text(model, label, interval, "come from how often such rows were of each class"));
}

std::string possible_text(const Model& model, int label, const ClassInterval& interval) {
  return fmt::format("possible by the training scores: {}{}", range_text(model.schema, interval),
                     outside_text(model, label, interval, "rest on single training rows"));
}

std::string contradiction_text(const Model& model, double score) {
  const Reference& reference = model.assignment.reference;
  std::optional<std::size_t> best;   // with an object at or below the score: its lowest
  std::optional<std::size_t> worst;  // with an object at or above it: its highest
  for (std::size_t h = 0; h < reference.classes.size(); ++h) {
    const auto& points = reference.classes[h];
    if (points.empty()) continue;
    if (points.front().score <= score) best = h;
    if (!worst && points.back().score >= score) worst = h;
  }
  if (!best || !worst || *best <= *worst) return "";
  const auto row = [&](std::size_t h, std::size_t i) {
    const std::string name =
        reference.ids.empty() ? fmt::format("row {}", reference.classes[h][i].row) : printable(reference.ids[h][i]);
    return fmt::format("{} of {}", name, class_text(model.schema, static_cast<int>(h)));
  };
  return fmt::format("so wide since training {} scores no more and {} no less", row(*best, 0),
                     row(*worst, reference.classes[*worst].size() - 1));
}

std::string course_text(const Attribute& attribute, const std::vector<double>& knots, const AttributeCurve& curve) {
  const auto& values = curve.values;
  const auto [least, greatest] = std::minmax_element(values.begin(), values.end());
  if (!(*greatest > *least)) return "flat";
  if (std::is_sorted(values.begin(), values.end())) return "rises";
  if (std::is_sorted(values.rbegin(), values.rend())) return "falls";
  const auto at = [&](auto place) {
    return value_text(attribute, knots[static_cast<std::size_t>(place - values.begin())]);
  };
  return fmt::format("highest at {}, lowest at {}", at(greatest), at(least));
}

}  // namespace xofm::app
