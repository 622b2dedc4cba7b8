// xofm compare: two models side by side.
#include "xofm/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "commands.hpp"
#include "heat_map.hpp"
#include "io/csv_read.hpp"
#include "io/csv_text.hpp"
#include "options.hpp"
#include "terminal.hpp"
#include "wording.hpp"
#include "xofm/metrics.hpp"
#include "xofm/model_file.hpp"

namespace xofm::app {

namespace {

using Json = nlohmann::ordered_json;

struct CompareArguments {
  std::string first;
  std::string second;
  std::string data;
  int top = 10;
  bool json = false;
  bool details = false;
  Dialect dialect;
  RuleOverride rule;
};

constexpr std::size_t name_width = 20;
constexpr std::size_t curve_width = 24;

std::string number_text(const std::optional<double>& value) {
  return value && !std::isnan(*value) ? fmt::format("{:7.3f}", *value) : fmt::format("{:>7}", "-");
}

std::string model_line(const char* letter, const std::string& path, const Model& model) {
  const Recipe& recipe = model.options.recipe();
  if (model.terms) {
    return fmt::format("{}  {}: {} rows, {} attributes, {} chosen pairs, pair loss {:.4g}\n", letter, printable(path),
                       model.summary.row_count, model.schema.attributes.size(), model.terms->surfaces.size(),
                       model.summary.loss);
  }
  return fmt::format(
      "{}  {}: {} rows, {} attributes, {} factors, increment_penalty {}, factor_penalty {}, pair loss {:.4g}\n", letter,
      printable(path), model.summary.row_count, model.schema.attributes.size(), model.parameters.factor_count,
      recipe.increment_penalty, recipe.factor_penalty, model.summary.loss);
}

// Both curves on one scale, or the level that differs most.
std::string curves_text(const AttributeComparison& attribute) {
  if (!attribute.comparable) {
    if (attribute.first_range && attribute.second_range) return "a number in one model, a category in the other\n";
    return fmt::format("only in {}\n", attribute.first_range ? "a" : "b");
  }
  const auto& a = attribute.first_curve;
  const auto& b = attribute.second_curve;
  if (attribute.kind == AttributeKind::categorical) {
    std::size_t most = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
      if (std::abs(a[i] - b[i]) > std::abs(a[most] - b[most])) most = i;
    }
    return fmt::format("level {}: a {:+.3f}, b {:+.3f}\n", printable(attribute.levels[most]), a[most], b[most]);
  }
  const auto [least_a, greatest_a] = std::minmax_element(a.begin(), a.end());
  const auto [least_b, greatest_b] = std::minmax_element(b.begin(), b.end());
  const double least = std::min(*least_a, *least_b);
  const double greatest = std::max(*greatest_a, *greatest_b);
  const std::string indent(name_width + 38, ' ');
  return fmt::format("a {:>9.5g} {} {:.5g}\n{}b {:>9} {}\n", attribute.knots.front(),
                     sparkline(a, curve_width, least, greatest), attribute.knots.back(), indent, "",
                     sparkline(b, curve_width, least, greatest));
}

void print_attributes(ModelComparison& comparison, std::size_t top) {
  auto& attributes = comparison.attributes;
  const auto importance = [](const AttributeComparison& attribute) {
    return std::max(attribute.first_range.value_or(0), attribute.second_range.value_or(0));
  };
  std::stable_sort(attributes.begin(), attributes.end(),
                   [&](const auto& x, const auto& y) { return importance(x) > importance(y); });
  fmt::print(
      "\nAttributes by importance: range of the score in a and in b; greatest difference and correlation of the\n  "
      "curves; both curves on one scale\n  {} {:>7} {:>7} {:>9} {:>7}\n",
      std::string(name_width, ' '), "a", "b", "differ by", "corr.");
  for (std::size_t i = 0; i < std::min(top, attributes.size()); ++i) {
    const AttributeComparison& attribute = attributes[i];
    const auto difference = attribute.comparable ? std::optional(attribute.greatest_difference) : std::nullopt;
    fmt::print("  {} {} {}   {} {}  {}", fit_width(attribute.name, name_width), number_text(attribute.first_range),
               number_text(attribute.second_range), number_text(difference), number_text(attribute.correlation),
               curves_text(attribute));
  }
  if (top < attributes.size()) fmt::print("  … and {} more (--top)\n", attributes.size() - top);
}

// The strongest pair in both models, marked on one scale.
void print_heat_maps(const Model& first, const Model& second, const PairComparison& pair) {
  const double scale = std::max(surface_size(first, pair.first_name, pair.second_name),
                                surface_size(second, pair.first_name, pair.second_name));
  fmt::print(
      "\n  {} (down) x {} (across): '++' above {:.3f}, '+' above {:.3f}, '.', '-' and '--' below the negatives\n",
      printable(pair.first_name), printable(pair.second_name), 0.6 * scale, 0.2 * scale);
  fmt::print("  a\n{}", heat_map_text(first, pair.first_name, pair.second_name, scale));
  fmt::print("  b\n{}", heat_map_text(second, pair.first_name, pair.second_name, scale));
}

void print_pairs(ModelComparison& comparison, const Model& first, const Model& second, std::size_t top) {
  auto& pairs = comparison.pairs;
  const auto strength = [](const PairComparison& pair) { return std::max(pair.first_range, pair.second_range); };
  std::stable_sort(pairs.begin(), pairs.end(), [&](const auto& x, const auto& y) { return strength(x) > strength(y); });
  if (pairs.empty() || strength(pairs.front()) == 0) {
    fmt::print("\nNo interactions in either model\n");
    return;
  }
  fmt::print("\nPairs by strength: range of what the two do together in a and in b; greatest difference\n");
  for (std::size_t i = 0; i < std::min(top, pairs.size()); ++i) {
    fmt::print("  {} x {} {:7.3f} {:7.3f}   {:7.3f}\n", fit_width(pairs[i].first_name, name_width),
               fit_width(pairs[i].second_name, name_width), pairs[i].first_range, pairs[i].second_range,
               pairs[i].greatest_difference);
  }
  if (top < pairs.size()) fmt::print("  … and {} more (--top)\n", pairs.size() - top);
  print_heat_maps(first, second, pairs.front());
}

void print_changes(const ClassChanges& changes, const Schema& schema, std::size_t row_count, std::size_t top) {
  fmt::print("\n{} of {} rows change their class\n", changes.rows.size(), row_count);
  if (changes.rows.empty()) return;
  std::size_t width = 8;
  for (const auto& name : schema.class_names) {
    width = std::max(width, std::min<std::size_t>(display_width(name) + 2, 16));
  }
  fmt::print("class in a (down) by class in b (across)\n{}", std::string(width, ' '));
  for (const auto& name : schema.class_names) fmt::print("{}", fit_width("  " + name, width));
  fmt::print("\n");
  for (std::size_t h = 0; h < changes.table.size(); ++h) {
    fmt::print("{}", fit_width(schema.class_names[h], width));
    for (const std::size_t count : changes.table[h]) fmt::print("  {:<{}}", count, width - 2);
    fmt::print("\n");
  }
  const std::size_t shown = std::min(top, changes.rows.size());
  for (std::size_t i = 0; i < shown; ++i) {
    const ClassChange& change = changes.rows[i];
    fmt::print("  row {}: {} in a (score {:.3f}), {} in b (score {:.3f})\n", change.row + 1,
               class_text(schema, change.first_label), change.first_score, class_text(schema, change.second_label),
               change.second_score);
  }
  if (shown < changes.rows.size()) fmt::print("  … and {} more (--top)\n", changes.rows.size() - shown);
}

// Of labelled rows both models' metrics there; else what each says of rows that it had not seen.
struct BothMetrics {
  std::string source;
  std::vector<std::optional<double>> first;  // by metric_fields
  std::vector<std::optional<double>> second;
};

std::vector<std::optional<double>> metrics_on(const Model& model, const Dataset& rows) {
  const Predictions predictions = model.predict(rows);
  const Metrics metrics = evaluate(model.schema.class_count(), rows.labels, predictions.classes, predictions.scores,
                                   predictions.probabilities);
  std::vector<std::optional<double>> values;
  for (const auto& field : metric_fields) values.emplace_back(metrics.*field.value);
  return values;
}

std::vector<std::optional<double>> own_metrics(const Model& model) {
  std::vector<std::optional<double>> values;
  for (std::size_t m = 0; m < std::size(metric_fields); ++m) {
    if (model.validation) {
      values.emplace_back(model.validation->metrics[m].mean);
    } else if (model.holdout) {
      values.emplace_back((*model.holdout).*metric_fields[m].value);
    } else {
      values.emplace_back(std::nullopt);
    }
  }
  return values;
}

void print_metrics(const BothMetrics& metrics) {
  const auto known = [](const std::vector<std::optional<double>>& values) { return values.front().has_value(); };
  if (!known(metrics.first) && !known(metrics.second)) return;
  fmt::print("\nHow good they are {}\n  {:<16} {:>7} {:>7}\n", metrics.source, "", "a", "b");
  for (std::size_t m = 0; m < std::size(metric_fields); ++m) {
    fmt::print("  {:<16} {} {}\n", metric_fields[m].name, number_text(metrics.first[m]),
               number_text(metrics.second[m]));
  }
}

Json number_json(const std::optional<double>& value) { return value && !std::isnan(*value) ? Json(*value) : Json(); }

Json attribute_json(const AttributeComparison& attribute) {
  Json json = {{"name", attribute.name},
               {"first_range", number_json(attribute.first_range)},
               {"second_range", number_json(attribute.second_range)}};
  if (!attribute.comparable) return json;
  json["greatest_difference"] = attribute.greatest_difference;
  json["correlation"] = number_json(attribute.correlation);
  if (attribute.kind == AttributeKind::numeric) {
    json["knots"] = attribute.knots;
  } else {
    json["levels"] = attribute.levels;
  }
  json["first_curve"] = attribute.first_curve;
  json["second_curve"] = attribute.second_curve;
  if (attribute.first_missing) {
    json["first_missing"] = *attribute.first_missing;
    json["second_missing"] = *attribute.second_missing;
  }
  return json;
}

void print_json(const ModelComparison& comparison, const std::optional<ClassChanges>& changes,
                const BothMetrics& metrics, const Schema& schema) {
  Json json = {{"metrics_source", metrics.source}, {"metrics", Json::array()}};
  for (std::size_t m = 0; m < std::size(metric_fields); ++m) {
    json["metrics"].push_back({{"name", metric_fields[m].name},
                               {"first", number_json(metrics.first[m])},
                               {"second", number_json(metrics.second[m])}});
  }
  json["attributes"] = Json::array();
  json["pairs"] = Json::array();
  for (const auto& attribute : comparison.attributes) json["attributes"].push_back(attribute_json(attribute));
  for (const auto& pair : comparison.pairs) {
    json["pairs"].push_back({{"first", pair.first_name},
                             {"second", pair.second_name},
                             {"first_range", pair.first_range},
                             {"second_range", pair.second_range},
                             {"greatest_difference", pair.greatest_difference}});
  }
  if (changes) {
    json["classes"] = schema.class_names;
    json["class_table"] = changes->table;
    json["changes"] = Json::array();
    for (const ClassChange& change : changes->rows) {
      json["changes"].push_back({{"row", change.row + 1},
                                 {"first_class", schema.class_names[static_cast<std::size_t>(change.first_label)]},
                                 {"second_class", schema.class_names[static_cast<std::size_t>(change.second_label)]},
                                 {"first_score", change.first_score},
                                 {"second_score", change.second_score}});
    }
  }
  fmt::print("{}\n", json_text(json.dump()));
}

int run_compare(const CompareArguments& a) {
  if (!(a.top >= 1)) throw Error(ErrorCode::invalid_option, fmt::format("--top is {}; it must be at least 1", a.top));
  Model first = load_model(a.first);
  Model second = load_model(a.second);
  a.rule.apply(first);
  a.rule.apply(second);
  std::optional<ClassChanges> changes;
  std::size_t row_count = 0;
  BothMetrics metrics{"on unseen rows, each by its own validation", own_metrics(first), own_metrics(second)};
  if (!a.data.empty()) {
    const detail::Text text(a.data, a.dialect.encoding);
    const std::string file = detail::input_name(a.data);
    const CsvReaderOptions options = a.dialect.in(CsvReaderOptions{.read_labels = true, .labels_optional = true});
    const Dataset first_rows = detail::read_text_by_schema(text.view(), file, first.schema, options);
    row_count = first_rows.row_count();
    if (first.schema.class_names != second.schema.class_names) class_changes(first, first_rows, second, first_rows);
    const Dataset second_rows = detail::read_text_by_schema(text.view(), file, second.schema, options);
    changes = class_changes(first, first_rows, second, second_rows);
    if (!first_rows.labels.empty() && !second_rows.labels.empty()) {
      metrics = {"on these rows", metrics_on(first, first_rows), metrics_on(second, second_rows)};
    }
  }
  ModelComparison comparison = compare(first, second);
  if (a.json) {
    print_json(comparison, changes, metrics, first.schema);
    return exit_ok;
  }
  const auto top = static_cast<std::size_t>(a.top);
  fmt::print("{}{}", model_line("a", a.first, first), model_line("b", a.second, second));
  if (changes) print_changes(*changes, first.schema, row_count, top);
  print_metrics(metrics);
  if (a.details) {
    print_attributes(comparison, top);
    print_pairs(comparison, first, second, (top + 1) / 2);
  } else {
    fmt::print("\n{}--details shows how their curves and pairs differ.\n",
               changes ? "" : "--data FILE shows whose class changes; ");
  }
  return exit_ok;
}

}  // namespace

void add_compare(CLI::App& app, const Common& /*common*/, Run& run) {
  auto arguments = std::make_shared<CompareArguments>();
  CLI::App* const compare = app.add_subcommand("compare", "Put two models side by side");
  compare->footer(
      R"(First what matters: whose class changes among the rows given by --data, and how good both models are, on these rows if
they have the label, else by what each says of unseen rows. With --details also curves and pairs, purified as by xofm
explain; attributes are matched by name, whatever their knots. Scores of models with different margins have different
scales.

Examples:
  xofm compare plain.json penalised.json --details
  xofm compare old.json new.json --data applicants.csv
  xofm compare old.json new.json --json)");
  compare->add_option("a", arguments->first, "First model")->required()->type_name("MODEL");
  compare->add_option("b", arguments->second, "Second model")->required()->type_name("MODEL");
  compare
      ->add_option("--data", arguments->data,
                   "Rows whose classes are compared: CSV, also .gz or .zst; - for standard input")
      ->type_name("FILE");
  compare->add_flag("--details", arguments->details, "Also show how curves and pairs differ");
  compare->add_flag("--json", arguments->json, "Print everything as JSON");
  add_number(*compare, "--top", arguments->top, "Attributes and rows to list, and half as many pairs");
  add_dialect(*compare, arguments->dialect);
  add_rule(*compare, arguments->rule);
  compare->callback([arguments, &run] { run = [arguments] { return run_compare(*arguments); }; });
}

}  // namespace xofm::app
