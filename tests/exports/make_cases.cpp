// Models of every kind, 10,000 rows for each with what the library says of them, and all exports of each.
// Usage: export_cases FOLDER; writes FOLDER/NAME/{case.json, model.c, model.py, ...}.
#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>

#include "core/data/indicators.hpp"
#include "core/explain/effects.hpp"
#include "io/export/export_model.hpp"
#include "support/explained_model.hpp"
#include "xofm/explain.hpp"
#include "xofm/export.hpp"

namespace {

using namespace xofm;
using Json = nlohmann::ordered_json;
using test_support::ExplainedModel;

constexpr std::size_t case_rows = 10'000;
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

Json number_json(double value) {
  if (std::isnan(value)) return nullptr;
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return value;
}

// Rows as hard as they come, laid out by the model's schema.
Dataset hard_rows(const Model& model, std::uint64_t seed) {
  detail::Random random(seed, 7);
  Dataset rows;
  rows.schema = model.schema;
  for (std::size_t j = 0; j < model.schema.attributes.size(); ++j) {
    const AttributeEncoder& encoder = model.encoder.attributes[j];
    auto& column = rows.columns.emplace_back();
    for (std::size_t i = 0; i < case_rows; ++i) {
      const double draw = random.uniform();
      if (draw < 0.08) {
        column.push_back(nan);
      } else if (encoder.kind == AttributeKind::categorical) {
        const auto count = static_cast<std::uint64_t>(encoder.level_count);
        column.push_back(draw < 0.16 ? unseen_level : static_cast<double>(random.below(count)));
      } else {
        const auto& knots = encoder.knots;
        const double width = knots.back() - knots.front();
        if (draw < 0.10)
          column.push_back(infinity);
        else if (draw < 0.12)
          column.push_back(-infinity);
        else if (draw < 0.14)
          column.push_back((draw < 0.13 ? 1 : -1) * std::numeric_limits<double>::max());
        else if (draw < 0.18 && !encoder.special.empty())
          column.push_back(encoder.special[random.below(encoder.special.size())]);
        else if (draw < 0.30)
          column.push_back(knots[random.below(knots.size())]);
        else if (draw < 0.40)
          column.push_back(std::round(knots.front() + width * random.uniform()));
        else
          column.push_back(knots.front() + width * (1.4 * random.uniform() - 0.2));
      }
    }
  }
  return rows;
}

// A text that training has not seen, and one that means "no value".
std::string unseen_text(std::size_t i) {
  constexpr const char* texts[] = {"it's", "say \"hi\"", "\xF0\x9F\x98\x80",     "a;b",    "B",       "A ",
                                   " a",   "\\",         "x'; DROP TABLE t; --", "ünseen", "${user}", "line\nbreak",
                                   "=1+1", "<a>&amp;"};
  return texts[i % std::size(texts)];
}

// What each part brings, in the order in which ties are decided.
struct Part {
  std::size_t first;
  std::size_t second;
  std::string name;
};
std::vector<Part> parts_of(const Model& model) {
  std::vector<Part> parts;
  const auto name = [&](std::size_t j) { return model.schema.attributes[j].name; };
  for (std::size_t j = 0; j < model.schema.attributes.size(); ++j) {
    if (!model.terms || has_curve(*model.terms, j)) parts.push_back({j, j, name(j)});
  }
  if (model.terms || model.parameters.factor_count > 0) {
    for (const auto& [a, b] : detail::pairs_of(model)) parts.push_back({a, b, name(a) + " x " + name(b)});
  }
  std::ranges::sort(
      parts, [](const Part& a, const Part& b) { return std::pair(a.first, a.second) < std::pair(b.first, b.second); });
  return parts;
}

// Contributions of all rows by the same sums as explain(), which predicts each row again and would take minutes.
Json contributions_json(const Model& model, const Dataset& rows, const std::vector<Part>& parts) {
  const detail::Effects effects(model);
  Json all = Json::array();
  for (std::size_t i = 0; i < rows.row_count(); ++i) {
    std::vector<detail::Effect> at;
    for (std::size_t j = 0; j < rows.columns.size(); ++j) at.push_back(effects.at(j, rows.columns[j][i]));
    Json row = Json::array();
    for (const Part& part : parts) {
      row.push_back(part.first == part.second ? effects.curve(part.first, at[part.first])
                                              : detail::dot(effects.deviation(part.first, at[part.first]),
                                                            effects.deviation(part.second, at[part.second])));
    }
    all.push_back(std::move(row));
  }
  return all;
}

// The columns as a table holds them: numbers, or texts.
Json columns_json(const Model& model, const Dataset& rows) {
  Json columns = Json::array();
  const auto add = [&](const std::string& name, bool is_text) -> Json& {
    columns.push_back({{"name", name}, {"is_text", is_text}, {"values", Json::array()}});
    return columns.back()["values"];
  };
  const std::vector<std::string>& tokens = model.schema.missing_tokens;
  for (std::size_t j = 0; j < rows.columns.size(); ++j) {
    const Attribute& attribute = model.schema.attributes[j];
    const Column& values = rows.columns[j];
    if (!attribute.indicators.empty()) {
      for (std::size_t k = 0; k < attribute.indicators.size(); ++k) {
        Json& cells = add(attribute.indicators[k], false);
        for (std::size_t i = 0; i < values.size(); ++i) {
          // Unseen: two ones, none, or something else beside the one.
          const double unseen[] = {k < 2 ? 1.0 : 0.0, 0.0, k == 0 ? 1.0 : k == 1 ? 0.5 : 0.0, k == 0 ? nan : k == 1};
          cells.push_back(number_json(std::isnan(values[i])       ? nan
                                      : values[i] == unseen_level ? unseen[i % 4]
                                                                  : static_cast<double>(values[i] == double(k))));
        }
      }
      continue;
    }
    const bool is_text = attribute.kind == AttributeKind::categorical;
    Json& cells = add(attribute.name, is_text);
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (!is_text) {
        const bool is_token = std::isnan(values[i]) && i % 2 == 0 && tokens.back() == "-999";
        cells.push_back(is_token ? Json(-999.0) : number_json(values[i]));
      } else if (std::isnan(values[i])) {
        cells.push_back(i % 2 == 0 ? Json() : Json(tokens[i % tokens.size()]));
      } else {
        cells.push_back(values[i] == unseen_level ? unseen_text(i)
                                                  : attribute.levels[static_cast<std::size_t>(values[i])]);
      }
    }
  }
  return columns;
}

void write_file(const std::string& path, const std::string& text) { std::ofstream(path, std::ios::binary) << text; }

void write_case(const std::string& folder, const std::string& name, const Model& model, bool highest = false) {
  const std::string to = folder + "/" + name;
  std::filesystem::create_directories(to);
  const Dataset rows = hard_rows(model, 1 + name.size());
  const Predictions predicted = model.predict(rows);
  const std::vector<Part> parts = parts_of(model);
  Json part_names = Json::array();
  for (const Part& part : parts) part_names.push_back(part.name);
  Json dates = Json::array();
  for (const Attribute& attribute : model.schema.attributes) {
    if (attribute.time == TimePart::days) dates.push_back(attribute.name);
  }
  const bool has_few_pairs = model.terms || model.parameters.factor_count == 0;
  const Json document = {{"class_names", model.schema.class_names},
                         {"columns", columns_json(model, rows)},
                         {"dates", dates},
                         {"parts", part_names},
                         {"highest_reasons", highest},
                         {"has_few_pairs", has_few_pairs},
                         {"starts", detail::class_steps(model.assignment).starts},
                         {"scores", predicted.scores},
                         {"classes", predicted.classes},
                         {"probabilities", predicted.probabilities},
                         {"contributions", contributions_json(model, rows, parts)}};
  write_file(to + "/case.json", document.dump());
  const auto write = [&](const char* file, ExportOptions options) {
    options.highest_reasons = highest;
    save_export(model, to + "/" + file, options);
  };
  write("model.c", {.target = ExportTarget::c});
  write("model.py", {.target = ExportTarget::python});
  write("model.onnx", {.target = ExportTarget::onnx});
  if (!has_few_pairs) return;
  write("card.xlsx", {.target = ExportTarget::xlsx, .points = 650, .pdo = 40});
  write("model.pmml", {.target = ExportTarget::pmml});
  write("points.csv", {.target = ExportTarget::points, .points = 650, .pdo = 40});
  for (const auto& [dialect, file] : enum_names<SqlDialect>) {
    write(fmt::format("{}.sql", file).c_str(),
          {.target = ExportTarget::sql, .table = "xofm.\"a \"\"table\"\"\"", .dialect = dialect, .id = "row's \"id\""});
  }
}

// Names that would do harm wherever they were not quoted.
void make_hostile(Model& model) {
  constexpr const char* names[] = {"a\"b'c",
                                   "*/ #error \"injected\" /*",
                                   "'; DROP TABLE clients; --",
                                   "=cmd|' /C calc'!A0",
                                   "</DataField><evil/>&",
                                   "name_ NAME_ @base@ \\",
                                   "\xF0\x9F\x98\x80 ü\n\"\"\"",
                                   "${user.home}x"};
  for (std::size_t j = 0; j < model.schema.attributes.size(); ++j) {
    Attribute& attribute = model.schema.attributes[j];
    attribute.name = names[j % std::size(names)];
    if (attribute.name.starts_with("${")) attribute.name = "$ {x}";  // refused for Spark; see its own test
    for (std::size_t k = 0; k < attribute.levels.size(); ++k)
      attribute.levels[k] = names[(j + 3 * k + 1) % std::size(names)];
  }
  for (std::size_t h = 0; h < model.schema.class_names.size(); ++h) {
    model.schema.class_names[h] = fmt::format("{} {}", names[(h + 2) % std::size(names)], h);
  }
}

// The levels of the last attribute come as columns of 0 and 1.
void give_indicators(Model& model) {
  Attribute& attribute = model.schema.attributes.back();
  for (const std::string& level : attribute.levels) attribute.indicators.push_back("is " + level);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const std::string folder = argv[1];
  const auto with_rule = [](ExplainedModel made, AssignmentRule rule, Aim aim) {
    made.model.assignment.options.rule = rule;
    made.model.assignment.options.aim = aim;
    return std::move(made.model);
  };
  // Curves alone, by support, whose classes need not rise with the score.
  const test_support::RandomRowsOptions plain{
      .row_count = 80, .class_count = 3, .numeric_count = 3, .tied_count = 1, .missing_share = 0.1};
  TrainOptions additive{.parts = {{.factor_count = 0}}, .assignment = {.rule = AssignmentRule::support}};
  write_case(folder, "curves",
             with_rule(test_support::random_model(plain, additive, 2, true), AssignmentRule::support, Aim::mae));

  // Curves and pairs, of numbers and levels, with missing values, a constant and strays.
  ExplainedModel terms = test_support::terms_model(1, 200);
  terms.model.schema.missing_tokens.emplace_back("-999");
  terms.model.assignment.calibration.floor.assign(4, 0.004);
  write_case(folder, "pairs", with_rule(terms, AssignmentRule::probability, Aim::mae));
  give_indicators(terms.model);
  write_case(folder, "indicators", with_rule(terms, AssignmentRule::probability, Aim::accuracy), true);

  ExplainedModel hostile = test_support::terms_model(4, 200);
  make_hostile(hostile.model);
  write_case(folder, "hostile", with_rule(hostile, AssignmentRule::threshold, Aim::accuracy));

  // As fitted: students of few pairs, monotone in two attributes, one of them dates.
  Dataset rows = test_support::random_rows(
      {.row_count = 300, .numeric_count = 3, .categorical_count = 1, .missing_share = 0.05}, 9);
  rows.schema.attributes[0].time = TimePart::days;
  const TrainOptions monotone{
      .terms = {.pairs = PairChoice::count, .pair_count = 2},
      .parts = {{.segment_count = 6, .factor_count = 2}},
      .attributes = {.directions = {{"n0", Direction::increasing}, {"n1", Direction::decreasing}}}};
  write_case(folder, "monotone", train(rows, monotone).model);

  // All pairs: u and V.
  write_case(folder, "all_pairs", with_rule(test_support::motley_model(3, 200), AssignmentRule::probability, Aim::mae));
}
