// A model as one Python file: its numbers as literals, and the same few functions for all models.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "io/export/literals.hpp"
#include "io/export/writers.hpp"

namespace xofm::detail {

namespace {

using Texts = std::vector<std::string>;

constexpr const char* head =
    R"("""Score, class, probabilities and reasons of a row, by a model of xofm. Needs nothing but Python 3.

    import this_file
    this_file.score({"column": 1.5, "another": "text"})

A value that is None, NaN or not there is missing. A date is a date, a text such as 2024-05-31, or a number of days
since 1970-01-01. Run on a CSV file it writes one line of results per row:

    python this_file.py rows.csv > scores.csv
"""

import bisect
import datetime
import math

)";

constexpr const char* functions = R"(

def _is_missing(value):
    return value is None or (isinstance(value, float) and math.isnan(value))


def _days(value):
    """Days since 1970-01-01 of a date, of a time without a zone, or of either as a text: 2024-05-31 12:30."""
    if isinstance(value, str):
        value = datetime.datetime.fromisoformat(value.strip())
    if not isinstance(value, datetime.datetime):
        value = datetime.datetime(value.year, value.month, value.day)
    return (value - datetime.datetime(1970, 1, 1)).total_seconds() / 86400


def _number(value, attribute, column):
    if _is_missing(value) or (isinstance(value, str) and value.strip() in MISSING_TEXTS):
        return None
    try:
        number = float(value)
    except (TypeError, ValueError):
        try:
            number = _days(value) if attribute.get("is_date") else None
        except (AttributeError, TypeError, ValueError):
            number = None
        if number is None:
            date = " and no date such as 2024-05-31" if attribute.get("is_date") else ""
            raise ValueError(f"{value!r} in column {column!r} is no number{date}") from None
    return None if math.isnan(number) or number in attribute["gaps"] else number


def _place(attribute, row):
    """The stop that the value takes, and the share of the way to the next."""
    columns = attribute["columns"]
    if attribute["kind"] == "text":
        value = row.get(columns[0])
        if _is_missing(value):
            return attribute["missing"]
        return attribute["stops"].get(str(value), (attribute["other"], 0.0)) or attribute["missing"]
    values = [_number(row.get(column), attribute, column) for column in columns]
    if attribute["kind"] == "indicators":
        if all(value is None for value in values):
            return attribute["missing"]
        is_clear = values.count(1.0) == 1 and values.count(0.0) == len(values) - 1
        return (values.index(1.0) if is_clear else attribute["other"], 0.0)
    value = values[0]
    if value is None:
        return attribute["missing"]
    if value in attribute["special"]:
        return (len(attribute["knots"]) + attribute["special"].index(value), 0.0)
    knots = attribute["knots"]
    if not value > knots[0]:
        return (0, 0.0)
    if not value < knots[-1]:
        return (len(knots) - 1, 0.0)
    low = bisect.bisect_right(knots, value) - 1
    return (low, (value / 2 - knots[low] / 2) / (knots[low + 1] / 2 - knots[low] / 2))


def _at(values, place):
    stop, fraction = place
    return values[stop] + fraction * (values[stop + 1] - values[stop]) if fraction else values[stop]


def _contribution(part, places):
    first, second = places[part["first"]], places[part["second"]]
    if part["kind"] == "curve":
        return _at(part["values"], first)
    if part["kind"] == "product":
        a = [_at(values, first) for values in FACTORS[part["first"]]]
        b = [_at(values, second) for values in FACTORS[part["second"]]]
        return sum(x * y for x, y in zip(a, b))
    grid = part["values"]
    u, v = _at(part["first_places"], first), _at(part["second_places"], second)
    i, j = min(int(u), len(grid) - 1), min(int(v), len(grid[0]) - 1)
    near = _at(grid[i], (j, v - j))
    return near if u == i else near + (u - i) * (_at(grid[i + 1], (j, v - j)) - near)


def _logistic(x):
    if x >= 0:
        return 1 / (1 + math.exp(-x))
    e = math.exp(x)
    return e / (1 + e)


def _between(above, below):
    """The share of the logistic distribution between two places; None: no bound on that side."""
    if above is None:
        return 1.0 if below is None else _logistic(-below)
    if below is None:
        return _logistic(above)
    if above + below > 0:
        return _logistic(-below) - _logistic(-above)
    return _logistic(above) - _logistic(below)


def probabilities(score_value):
    """Of each class, by its name."""
    bounds = [None, *(SLOPE * score_value - threshold for threshold in THRESHOLDS), None]
    return {
        name: LOGISTIC_SHARE * _between(bounds[h], bounds[h + 1]) + FLOOR[h] for h, name in enumerate(CLASSES)
    }


def score(row):
    """The result for a row: a dict of its values by column name."""
    places = [_place(attribute, row) for attribute in ATTRIBUTES]
    values = [_contribution(part, places) for part in PARTS]
    total = BASE
    for value in values:
        total += value
    order = sorted(range(len(PARTS)), key=lambda p: (-values[p] if HIGHEST_REASONS else values[p], p))
    return {
        "score": total,
        "class": CLASSES[STEP_CLASSES[bisect.bisect_right(STARTS, total)]],
        "probabilities": probabilities(total),
        "reasons": [PARTS[p]["name"] for p in order[:3]],
        "contributions": {part["name"]: value for part, value in zip(PARTS, values)},
    }


def test():
    """How many of the rows in this file get another answer than xofm gave: 0 if all is well."""
    failures = 0
    for values, expected, name in TESTS:
        result = score(dict(zip(COLUMNS, values)))
        distance = abs(result["score"] - expected)
        # A score within rounding of a cut may fall on its other side.
        failures += not distance <= TOLERANCE or (result["class"] != name and distance != 0)
    return failures


def _write_scores(path):
    import csv
    import sys

    with open(path, newline="", encoding="utf-8-sig") as file:
        rows = csv.DictReader(file)
        absent = [column for column in COLUMNS if column not in (rows.fieldnames or [])]
        if absent:
            sys.exit(f"{path} has no column {absent[0]!r}; commas must separate its cells")
        out = csv.writer(sys.stdout)
        out.writerow(["score", "class", *("probability_" + name for name in CLASSES), "reason_1", "reason_2", "reason_3"])
        for row in rows:
            try:
                result = score(row)
            except ValueError as error:
                sys.exit(f"{path}, line {rows.line_num}: {error}")
            reasons = (result["reasons"] + [""] * 3)[:3]
            out.writerow([result["score"], result["class"], *result["probabilities"].values(), *reasons])


if __name__ == "__main__":
    import sys

    if len(sys.argv) != 2:
        sys.exit(f"{test()} of {len(TESTS)} rows get another answer than xofm gave")
    _write_scores(sys.argv[1])
)";

std::string list(const Texts& elements, const char* open = "[", const char* close = "]") {
  std::string text = open;
  for (std::size_t i = 0; i < elements.size(); ++i) text += (i > 0 ? ", " : "") + elements[i];
  return text + close;
}

std::string list(const std::vector<double>& values) {
  Texts texts;
  for (const double value : values) texts.push_back(number_literal(value));
  return list(texts);
}

std::string names_list(const std::vector<std::string>& names) {
  Texts texts;
  for (const std::string& name : names) texts.push_back(python_text(name));
  return list(texts);
}

std::string place_text(const StopPlace& place) {
  return fmt::format("({}, {})", place.low, number_literal(place.fraction));
}

std::string attribute_text(const ExportAttribute& attribute) {
  const char* const kind = attribute.is_numeric ? "number" : attribute.from_indicators ? "indicators" : "text";
  std::string text = fmt::format("    {{\"kind\": \"{}\", \"columns\": {}, \"missing\": {}", kind,
                                 names_list(attribute.columns), place_text(place_of(attribute, std::nan(""))));
  if (attribute.reads_numbers()) text += fmt::format(", \"gaps\": {}", list(attribute.missing_numbers));
  if (attribute.is_date) text += ", \"is_date\": True";
  if (attribute.is_numeric) {
    text += fmt::format(", \"special\": {}, \"knots\": {}", list(attribute.special), list(attribute.knots));
  } else {
    text += fmt::format(", \"other\": {}", attribute.other_stop());
  }
  if (!attribute.reads_numbers()) {
    Texts entries;
    for (std::size_t k = 0; k < attribute.levels.size(); ++k) {
      entries.push_back(fmt::format("{}: ({}, 0.0)", python_text(attribute.levels[k]), k));
    }
    for (const std::string& token : attribute.missing_texts) entries.push_back(python_text(token) + ": None");
    text += ", \"stops\": " + list(entries, "{", "}");
  }
  return text + "},\n";
}

std::string part_text(const ExportPart& part) {
  constexpr const char* kinds[] = {"curve", "surface", "product"};
  std::string text = fmt::format("    {{\"kind\": \"{}\", \"name\": {}, \"first\": {}, \"second\": {}",
                                 kinds[static_cast<int>(part.kind)], python_text(part.name), part.first, part.second);
  if (part.kind == PartKind::curve) text += ", \"values\": " + list(part.values);
  if (part.kind == PartKind::surface) {
    const std::size_t width = part.second_axis.stops.size();
    Texts rows;
    for (std::size_t i = 0; i < part.first_axis.stops.size(); ++i) {
      const auto begin = part.values.begin() + static_cast<std::ptrdiff_t>(i * width);
      rows.push_back(list(std::vector<double>(begin, begin + static_cast<std::ptrdiff_t>(width))));
    }
    text += fmt::format(", \"first_places\": {}, \"second_places\": {},\n     \"values\": {}",
                        list(part.first_axis.places), list(part.second_axis.places), list(rows));
  }
  return text + "},\n";
}

// [attribute][factor][stop]
std::string factors_text(const ExportModel& made) {
  std::string text;
  for (const auto& values : made.factors) {
    Texts by_factor;
    for (std::size_t f = 0; f < made.factor_count; ++f) {
      std::vector<double> at_stops;
      for (std::size_t at = f; at < values.size(); at += made.factor_count) at_stops.push_back(values[at]);
      by_factor.push_back(list(at_stops));
    }
    text += "    " + list(by_factor) + ",\n";
  }
  return text;
}

}  // namespace

std::string python_source(const Model& model, const ExportModel& made) {
  std::string text = head;
  Texts columns;
  text += "ATTRIBUTES = [\n";
  for (const ExportAttribute& attribute : made.attributes) {
    text += attribute_text(attribute);
    columns.insert(columns.end(), attribute.columns.begin(), attribute.columns.end());
  }
  text += "]\nPARTS = [\n";
  for (const ExportPart& part : made.parts) text += part_text(part);
  text += "]\nFACTORS = [\n" + factors_text(made) + "]\n";
  text += fmt::format("COLUMNS = {}\nMISSING_TEXTS = {}\nBASE = {}\nCLASSES = {}\nSTARTS = {}\n", names_list(columns),
                      names_list(model.schema.missing_tokens), number_literal(made.base), names_list(made.class_names),
                      list(made.steps.starts));
  Texts step_classes;
  for (const int h : made.steps.classes) step_classes.push_back(fmt::format("{}", h));
  text += fmt::format("STEP_CLASSES = [{}]\nSLOPE = {}\nTHRESHOLDS = {}\nFLOOR = {}\nLOGISTIC_SHARE = {}\n",
                      fmt::join(step_classes, ", "), number_literal(made.calibration.slope),
                      list(made.calibration.thresholds), list(made.floor), number_literal(made.logistic_share));
  text += fmt::format("HIGHEST_REASONS = {}\n", made.highest_reasons ? "True" : "False");
  const ExportTests tests = export_tests(model, made);
  text += fmt::format("TOLERANCE = {}\nTESTS = [\n", number_literal(tests.tolerance));
  for (std::size_t i = 0; i < tests.scores.size(); ++i) {
    Texts cells;
    for (const ExportCell& cell : tests.rows[i]) {
      cells.push_back(cell.is_missing ? "None" : cell.is_text ? python_text(cell.text) : number_literal(cell.number));
    }
    text += fmt::format("    ({}, {}, {}),\n", list(cells), number_literal(tests.scores[i]),
                        python_text(made.class_names[static_cast<std::size_t>(tests.classes[i])]));
  }
  return text + "]\n" + functions;
}

}  // namespace xofm::detail
