// A model as one C99 file: its numbers as tables, and the same few functions for all models.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "io/export/literals.hpp"
#include "io/export/writers.hpp"
#include "xofm/error.hpp"

namespace xofm::detail {

namespace {

using Texts = std::vector<std::string>;

// In the templates NAME_ and name_ stand for what all names begin with.
constexpr const char* interface_template = R"(#ifndef NAME_INTERFACE
#define NAME_INTERFACE

#ifdef __cplusplus
extern "C" {
#endif

enum {
  NAME_NUMBERS = @numbers@, /* columns of numbers, in the order of name_number_names */
  NAME_TEXTS = @texts@, /* columns of texts, in the order of name_text_names */
  NAME_CLASSES = @classes@,
  NAME_PARTS = @parts@, /* of the score: curves and pairs, in the order of name_part_names */
  NAME_REASONS = 3
};

typedef struct {
  double score;
  int class_index; /* 0: the lowest */
  double probabilities[NAME_CLASSES];
  double parts[NAME_PARTS + 1]; /* base and these add up to the score; the last stays 0 */
  int reasons[NAME_REASONS]; /* parts with the @order@ contributions, first the @order@; -1: there is no such part */
} name_result;

extern const char* const name_number_names[];
extern const char* const name_text_names[];
extern const char* const name_class_names[];
extern const char* const name_part_names[];

/* NAN is a missing number, NULL a missing text, as is what meant "no value" in training; texts are UTF-8. No heap, no state: any thread may call it. */
void name_score(const double* numbers, const char* const* texts, name_result* result);

/* How many of the rows in this file get another answer than xofm gave: 0 if all is well. */
int name_test(void);

#ifdef __cplusplus
}
#endif
#endif

#ifndef NAME_INTERFACE_ONLY

#include <math.h>
#include <stddef.h>
#include <string.h>

)";

constexpr const char* place_template = R"(
/* Where a value lies: a stop, and the share of the way to the next. */
typedef struct {
  int stop;
  double fraction;
} name_place;

/* Counts in the tables below. */
typedef struct {
  int kind; /* 0: a number; 1: a text; 2: columns of 0 and 1, of which the one that is 1 is the level */
  int column;
  int first_knot, knot_count;  /* kind 2: levels */
  int first_text, text_count;
  int first_special, special_count;
  int first_gap, gap_count; /* numbers that mean missing */
  int missing_stop;
  double missing_fraction;
  int other_stop;
} name_attribute;

)";

constexpr const char* number_template = R"(
/* low .. high of ascending numbers as a share; halves, since the difference may be too large. */
static double name_share(double low, double high, double value) {
  return (value / 2 - low / 2) / (high / 2 - low / 2);
}

static name_place name_place_of_number(const name_attribute* a, double value) {
  name_place place = {0, 0};
  const double* const knots = name_knots + a->first_knot;
  int i, low, high;
  int is_missing = value != value;
  for (i = 0; i < a->gap_count; ++i) is_missing = is_missing || value == name_gaps[a->first_gap + i];
  if (is_missing) {
    place.stop = a->missing_stop;
    place.fraction = a->missing_fraction;
    return place;
  }
  for (i = 0; i < a->special_count; ++i) {
    if (value != name_special[a->first_special + i]) continue;
    place.stop = a->knot_count + i;
    return place;
  }
  low = 0;
  high = a->knot_count - 1;
  if (!(value > knots[low])) return place;
  place.stop = high;
  if (!(value < knots[high])) return place;
  while (high - low > 1) {
    const int middle = low + (high - low) / 2;
    if (knots[middle] <= value) low = middle;
    else high = middle;
  }
  place.stop = low;
  place.fraction = name_share(knots[low], knots[high], value);
  return place;
}
)";

constexpr const char* text_template = R"(
static name_place name_place_of_text(const name_attribute* a, const char* text) {
  name_place place = {0, 0};
  int low = 0;
  int high = a->text_count;
  int is_missing = text == NULL;
  place.stop = a->other_stop;
  while (!is_missing && low < high) {
    const int middle = low + (high - low) / 2;
    const int order = strcmp(text, name_level_texts[a->first_text + middle]);
    if (order < 0) high = middle;
    if (order > 0) low = middle + 1;
    if (order != 0) continue;
    place.stop = name_level_stops[a->first_text + middle];
    is_missing = place.stop < 0;
    break;
  }
  if (is_missing) {
    place.stop = a->missing_stop;
    place.fraction = a->missing_fraction;
  }
  return place;
}
)";

constexpr const char* indicator_template = R"(
static name_place name_place_of_indicators(const name_attribute* a, const double* numbers) {
  name_place place = {0, 0};
  int missing_count = 0, is_clear = 1, level = -1, k, i;
  for (k = 0; k < a->knot_count; ++k) {
    double value = numbers[a->column + k];
    for (i = 0; i < a->gap_count; ++i) {
      if (value == name_gaps[a->first_gap + i]) value = NAN;
    }
    if (value != value) ++missing_count;
    if (!(value == 0 || (value == 1 && level < 0))) is_clear = 0;
    if (value == 1) level = k;
  }
  place.stop = is_clear && level >= 0 ? level : a->other_stop;
  if (missing_count < a->knot_count) return place;
  place.stop = a->missing_stop;
  place.fraction = a->missing_fraction;
  return place;
}
)";

constexpr const char* curve_template = R"(
static double name_at(const double* values, name_place place) {
  if (place.fraction == 0) return values[place.stop];
  return values[place.stop] + place.fraction * (values[place.stop + 1] - values[place.stop]);
}
)";

constexpr const char* surface_template = R"(
/* Bilinear between the nodes; `first` and `second` say where each stop lies among the nodes. */
static double name_surface(const double* values, const double* first, int first_count, name_place a,
                           const double* second, int second_count, name_place b) {
  const double u = name_at(first, a);
  const double v = name_at(second, b);
  const int i = (int)u < first_count - 1 ? (int)u : first_count - 1;
  const int j = (int)v < second_count - 1 ? (int)v : second_count - 1;
  const int next = j + 1 < second_count ? j + 1 : j;
  const double* const near_row = values + (ptrdiff_t)i * second_count;
  const double* const far_row = i + 1 < first_count ? near_row + second_count : near_row;
  const double near_value = near_row[j] + (v - j) * (near_row[next] - near_row[j]);
  const double far_value = far_row[j] + (v - j) * (far_row[next] - far_row[j]);
  return near_value + (u - i) * (far_value - near_value);
}
)";

constexpr const char* product_template = R"(
static double name_product(const double* a, const double* b) {
  double sum = 0;
  int f;
  for (f = 0; f < NAME_FACTORS; ++f) sum += a[f] * b[f];
  return sum;
}

static void name_factors_at(const double* values, name_place place, double* result) {
  const double* const low = values + (ptrdiff_t)place.stop * NAME_FACTORS;
  int f;
  for (f = 0; f < NAME_FACTORS; ++f) {
    result[f] = low[f];
    if (place.fraction != 0) result[f] += place.fraction * (low[f + NAME_FACTORS] - low[f]);
  }
}
)";

constexpr const char* score_template = R"(
/* 1 / (1 + exp(-x)) without loss of digits in its tails. */
static double name_logistic(double x) {
  double e;
  if (x >= 0) return 1 / (1 + exp(-x));
  e = exp(x);
  return e / (1 + e);
}

static void name_classify(double score, name_result* result) {
  int i, h;
  double above = 0, below = 0; /* the thresholds on either side of a class; none: its side is certain */
  for (i = 0; i < NAME_STEPS && score >= name_starts[i]; ++i) {}
  result->class_index = name_step_classes[i];
  for (h = 0; h < NAME_CLASSES; ++h) {
    const int is_first = h == 0, is_last = h == NAME_CLASSES - 1;
    double share;
    if (!is_last) below = @slope@ * score - name_thresholds[h];
    if (is_first && is_last) share = 1;
    else if (is_first) share = name_logistic(-below);
    else if (is_last) share = name_logistic(above);
    else if (above + below > 0) share = name_logistic(-below) - name_logistic(-above);
    else share = name_logistic(above) - name_logistic(below);
    result->probabilities[h] = @logistic_share@ * share + name_floor[h];
    above = below;
  }
}

static void name_give_reasons(name_result* result) {
  int r, p, q;
  for (r = 0; r < NAME_REASONS; ++r) {
    int best = -1;
    for (p = 0; p < NAME_PARTS; ++p) {
      int is_given = 0;
      for (q = 0; q < r; ++q) is_given = is_given || result->reasons[q] == p;
      if (!is_given && (best < 0 || result->parts[p] @before@ result->parts[best])) best = p;
    }
    result->reasons[r] = best;
  }
}

void name_score(const double* numbers, const char* const* texts, name_result* result) {
  name_place at[NAME_ATTRIBUTES + 1];
  double score = @base@;
  int j, p;
  (void)numbers;
  (void)texts;
  for (j = 0; j < NAME_ATTRIBUTES; ++j) {
    const name_attribute* const a = name_attributes + j;
@places@  }
@sums@  for (p = 0; p < NAME_PARTS; ++p) score += result->parts[p];
  result->parts[NAME_PARTS] = 0;
  result->score = score;
  name_classify(score, result);
  name_give_reasons(result);
}
)";

constexpr const char* test_template = R"(
int name_test(void) {
  int failures = 0, i;
  for (i = 0; i < NAME_TEST_ROWS; ++i) {
    name_result result;
    double distance;
    name_score(name_test_numbers + i * NAME_NUMBERS, name_test_texts + i * NAME_TEXTS, &result);
    distance = fabs(result.score - name_test_scores[i]);
    /* A score within rounding of a cut may fall on its other side. */
    if (!(distance <= @tolerance@) || (result.class_index != name_test_classes[i] && distance != 0)) ++failures;
  }
  return failures;
}

#ifdef NAME_MAIN
#include <stdio.h>
int main(void) {
  const int failures = name_test();
  printf("%d of %d rows get another answer than xofm gave\n", failures, NAME_TEST_ROWS);
  return failures != 0;
}
#endif

#endif /* NAME_INTERFACE_ONLY */
)";

std::string table(const std::string& type, const std::string& name, const Texts& elements) {
  return fmt::format("{} name_{}[] = {{\n{}\n}};\n", type, name, elements.empty() ? "  0" : joined(elements));
}

Texts numbers(const std::vector<double>& values) {
  Texts texts;
  for (const double value : values) {
    texts.push_back(std::isnan(value)   ? "NAN"
                    : std::isinf(value) ? (value > 0 ? "HUGE_VAL" : "-HUGE_VAL")
                                        : number_literal(value));
  }
  return texts;
}

void append(Texts& to, const Texts& more) { to.insert(to.end(), more.begin(), more.end()); }

// What stands for something in the templates must not be found in a model's own texts.
std::string quoted(const std::string& text) {
  return replaced(replaced(replaced(c_text(text), "name_", "name\\137"), "NAME_", "NAME\\137"), "@", "\\100");
}

Texts quoted(const std::vector<std::string>& names) {
  Texts texts;
  for (const std::string& name : names) texts.push_back(quoted(name));
  return texts;
}

std::string comment(const std::string& text) {
  return replaced(replaced(replaced(comment_text(text), "name_", "name "), "NAME_", "NAME "), "@", "_");
}

// Everything that differs from model to model.
struct Tables {
  Texts attributes, knots, special, gaps, level_texts, level_stops;
  std::vector<std::string> number_names, text_names;
  bool has_numbers = false, has_texts = false, has_indicators = false;

  void add(const ExportAttribute& attribute) {
    const int kind = attribute.is_numeric ? 0 : attribute.from_indicators ? 2 : 1;
    has_numbers = has_numbers || kind == 0;
    has_texts = has_texts || kind == 1;
    has_indicators = has_indicators || kind == 2;
    auto& names = kind == 1 ? text_names : number_names;
    // A missing value takes its stop, or the typical value's place.
    const StopPlace missing = place_of(attribute, std::nan(""));
    const std::size_t count = kind == 2 ? attribute.levels.size() : attribute.knots.size();
    const std::size_t text_count = kind == 1 ? attribute.levels.size() + attribute.missing_texts.size() : 0;
    attributes.push_back(fmt::format("{{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}}}", kind, names.size(),
                                     knots.size(), count, level_texts.size(), text_count, special.size(),
                                     attribute.special.size(), gaps.size(), attribute.missing_numbers.size(),
                                     missing.low, number_literal(missing.fraction),
                                     attribute.is_numeric ? -1 : static_cast<int>(attribute.other_stop())));
    names.insert(names.end(), attribute.columns.begin(), attribute.columns.end());
    append(knots, numbers(attribute.knots));
    append(special, numbers(attribute.special));
    append(gaps, numbers(attribute.missing_numbers));
    if (kind == 1) add_levels(attribute);
  }

  // In the order of strcmp; what means missing has no stop of its own.
  void add_levels(const ExportAttribute& attribute) {
    std::vector<std::pair<std::string, int>> entries;
    for (std::size_t k = 0; k < attribute.levels.size(); ++k) {
      entries.emplace_back(attribute.levels[k], static_cast<int>(k));
    }
    for (const std::string& text : attribute.missing_texts) entries.emplace_back(text, -1);
    std::sort(entries.begin(), entries.end());
    for (const auto& [text, stop] : entries) {
      level_texts.push_back(quoted(text));
      level_stops.push_back(fmt::format("{}", stop));
    }
  }
};

std::string part_tables(const ExportModel& made, std::string& sums) {
  std::string text;
  for (std::size_t p = 0; p < made.parts.size(); ++p) {
    const ExportPart& part = made.parts[p];
    if (part.kind == PartKind::product) continue;
    text += fmt::format("/* {} */\n", comment(part.name));
    text += table("static const double", fmt::format("part_{}", p), numbers(part.values));
    if (part.kind == PartKind::curve) {
      sums += fmt::format("  result->parts[{}] = name_at(name_part_{}, at[{}]);\n", p, p, part.first);
      continue;
    }
    text += table("static const double", fmt::format("first_{}", p), numbers(part.first_axis.places));
    text += table("static const double", fmt::format("second_{}", p), numbers(part.second_axis.places));
    sums += fmt::format(
        "  result->parts[{0}] = name_surface(name_part_{0}, name_first_{0}, {1}, at[{2}],\n"
        "                                 name_second_{0}, {3}, at[{4}]);\n",
        p, part.first_axis.stops.size(), part.first, part.second_axis.stops.size(), part.second);
  }
  return text;
}

// Products of all pairs: a loop, in the order of the parts.
std::string product_tables(const ExportModel& made, std::string& sums) {
  if (!made.has_products()) return "";
  std::string text;
  Texts pointers;
  for (std::size_t j = 0; j < made.factors.size(); ++j) {
    text += table("static const double", fmt::format("factors_{}", j), numbers(made.factors[j]));
    pointers.push_back(fmt::format("name_factors_{}", j));
  }
  text += table("static const double* const", "factors", pointers);
  Texts pairs;
  for (std::size_t p = 0; p < made.parts.size(); ++p) {
    const ExportPart& part = made.parts[p];
    if (part.kind == PartKind::product) pairs.push_back(fmt::format("{{{}, {}, {}}}", p, part.first, part.second));
  }
  text += fmt::format("enum {{ NAME_PAIRS = {} }};\nstatic const int name_pairs[][3] = {{\n{}\n}};\n", pairs.size(),
                      joined(pairs));
  sums += R"(  for (j = 0; j < NAME_ATTRIBUTES; ++j) name_factors_at(name_factors[j], at[j], factors[j]);
  for (p = 0; p < NAME_PAIRS; ++p) {
    result->parts[name_pairs[p][0]] = name_product(factors[name_pairs[p][1]], factors[name_pairs[p][2]]);
  }
)";
  return text;
}

std::string test_tables(const ExportTests& tests) {
  Texts number_cells;
  Texts text_cells;
  Texts classes;
  for (const auto& row : tests.rows) {
    for (const ExportCell& cell : row) {
      if (cell.is_text) {
        text_cells.push_back(cell.is_missing ? "NULL" : quoted(cell.text));
      } else {
        append(number_cells, numbers({cell.number}));
      }
    }
  }
  for (const int h : tests.classes) classes.push_back(fmt::format("{}", h));
  return fmt::format("\nenum {{ NAME_TEST_ROWS = {} }};\n", tests.rows.size()) +
         table("static const double", "test_numbers", number_cells) +
         table("static const char* const", "test_texts", text_cells) +
         table("static const double", "test_scores", numbers(tests.scores)) +
         table("static const int", "test_classes", classes);
}

void check_prefix(const std::string& name) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  const auto is_allowed = [&](char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '_'; };
  if (!name.empty() && name.size() <= 40 && is_letter(name.front()) &&
      std::all_of(name.begin(), name.end(), is_allowed))
    return;
  throw Error(ErrorCode::invalid_option,
              fmt::format("--name is '{}'; it must be a C identifier of at most 40 letters, digits and _, beginning "
                          "with a letter",
                          name));
}

}  // namespace

std::string c_source(const Model& model, const ExportModel& made, const std::string& name) {
  check_prefix(name);
  Tables tables;
  for (const ExportAttribute& attribute : made.attributes) tables.add(attribute);
  const bool has_surfaces = std::any_of(made.parts.begin(), made.parts.end(),
                                        [](const ExportPart& part) { return part.kind == PartKind::surface; });
  std::string sums;
  std::string text = fmt::format(
      "/* {} by xofm: score, class, probabilities and reasons of one row. C99, needs libm; do not use -ffast-math.\n"
      " * Another file includes it after #define NAME_INTERFACE_ONLY for the declarations. With -DNAME_MAIN it is a\n"
      " * program that tests itself. */\n",
      comment(made.label_name));
  text += interface_template;
  text += fmt::format("enum {{ NAME_ATTRIBUTES = {}, NAME_STEPS = {}, NAME_FACTORS = {} }};\n", made.attributes.size(),
                      made.steps.starts.size(), made.factor_count);
  text += table("const char* const", "number_names", quoted(tables.number_names));
  text += table("const char* const", "text_names", quoted(tables.text_names));
  text += table("const char* const", "class_names", quoted(made.class_names));
  Texts part_names;
  for (const ExportPart& part : made.parts) part_names.push_back(quoted(part.name));
  text += table("const char* const", "part_names", part_names);
  text += place_template;
  text +=
      fmt::format("static const name_attribute name_attributes[] = {{\n{}\n}};\n",
                  tables.attributes.empty() ? "  {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}" : joined(tables.attributes));
  if (tables.has_numbers) {
    text += table("static const double", "knots", tables.knots);
    text += table("static const double", "special", tables.special);
  }
  if (tables.has_numbers || tables.has_indicators) text += table("static const double", "gaps", tables.gaps);
  if (tables.has_texts) {
    text += table("static const char* const", "level_texts", tables.level_texts);
    text += table("static const int", "level_stops", tables.level_stops);
  }
  text += part_tables(made, sums) + product_tables(made, sums);
  text += table("static const double", "starts", numbers(made.steps.starts));
  Texts step_classes;
  for (const int h : made.steps.classes) step_classes.push_back(fmt::format("{}", h));
  text += table("static const int", "step_classes", step_classes);
  text += table("static const double", "thresholds", numbers(made.calibration.thresholds));
  text += table("static const double", "floor", numbers(made.floor));
  std::string places;
  const auto add_place = [&](bool is_wanted, int kind, const char* call) {
    if (!is_wanted) return;
    const bool is_only = tables.has_numbers + tables.has_texts + tables.has_indicators == 1;
    places += fmt::format("    {}at[j] = {};\n", is_only ? "" : fmt::format("if (a->kind == {}) ", kind), call);
  };
  if (made.attributes.empty()) places = "    (void)a;\n    at[j].stop = 0;\n";
  add_place(tables.has_numbers, 0, "name_place_of_number(a, numbers[a->column])");
  add_place(tables.has_texts, 1, "name_place_of_text(a, texts[a->column])");
  add_place(tables.has_indicators, 2, "name_place_of_indicators(a, numbers)");
  if (tables.has_numbers) text += number_template;
  if (tables.has_texts) text += text_template;
  if (tables.has_indicators) text += indicator_template;
  const bool has_curves = std::any_of(made.parts.begin(), made.parts.end(),
                                      [](const ExportPart& part) { return part.kind == PartKind::curve; });
  if (has_curves || has_surfaces) text += curve_template;
  if (has_surfaces) text += surface_template;
  if (made.has_products()) text += product_template;
  std::string score = score_template;
  score = replaced(score, "@places@", places);
  score = replaced(score, "@sums@", sums);
  if (made.has_products()) {
    score = replaced(score, "  int j, p;\n  (void)",
                     "  double factors[NAME_ATTRIBUTES][NAME_FACTORS];\n  int j, p;\n  (void)");
  }
  text += score;
  const ExportTests tests = export_tests(model, made);
  text += test_tables(tests) + test_template;
  const std::pair<const char*, std::string> fills[] = {{"@numbers@", fmt::format("{}", tables.number_names.size())},
                                                       {"@texts@", fmt::format("{}", tables.text_names.size())},
                                                       {"@classes@", fmt::format("{}", made.class_count())},
                                                       {"@parts@", fmt::format("{}", made.parts.size())},
                                                       {"@order@", made.highest_reasons ? "highest" : "lowest"},
                                                       {"@before@", made.highest_reasons ? ">" : "<"},
                                                       {"@base@", number_literal(made.base)},
                                                       {"@slope@", number_literal(made.calibration.slope)},
                                                       {"@logistic_share@", number_literal(made.logistic_share)},
                                                       {"@tolerance@", number_literal(tests.tolerance)}};
  for (const auto& [from, to] : fills) text = replaced(text, from, to);
  std::string upper = name;
  std::transform(upper.begin(), upper.end(), upper.begin(), [](char c) { return c >= 'a' && c <= 'z' ? c - 32 : c; });
  return replaced(replaced(text, "NAME_", upper + "_"), "name_", name + "_");
}

}  // namespace xofm::detail
