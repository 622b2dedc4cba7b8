// xofm explain: what a model has learned, and why a row gets its class.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>

#include "commands.hpp"
#include "explain_views.hpp"
#include "io/csv_filter.hpp"
#include "io/csv_read.hpp"
#include "io/csv_text.hpp"
#include "io/output_file.hpp"
#include "options.hpp"
#include "terminal.hpp"
#include "xofm/model_file.hpp"

namespace xofm::app {

namespace {

enum class Format { text, json, csv };

struct ExplainArguments {
  std::string model;
  std::string data;
  std::vector<std::size_t> rows;
  std::vector<detail::Condition> conditions;
  std::vector<std::string> fixed;
  Format format = Format::text;
  std::string output = "-";
  int top = 8;
  int nearest = LocalOptions{}.nearest_count;
  Dialect dialect;
  RuleOverride rule;
  std::string id;
  std::string decisions;
  bool raw_cells = false;

  bool chooses_rows() const { return !rows.empty() || !conditions.empty(); }
};

[[noreturn]] void refuse(const std::string& what) { throw Error(ErrorCode::invalid_option, what); }

void check_arguments(const ExplainArguments& a) {
  if (!(a.top >= 1)) refuse(fmt::format("--top is {}; it must be at least 1", a.top));
  if (!(a.nearest >= 0)) refuse(fmt::format("--nearest is {}; it must be at least 0", a.nearest));
  if (a.data.empty() && a.chooses_rows()) refuse("--row and --where choose rows of a data file; give one");
  if (!a.rows.empty() && !a.conditions.empty()) refuse("--row and --where both choose rows; leave one out");
}

// Rows to explain, from 0.
std::vector<std::size_t> chosen_rows(const ExplainArguments& a, std::string_view text, const std::string& file,
                                     std::size_t row_count) {
  if (!a.conditions.empty()) {
    const auto found = detail::rows_where(text, file, a.dialect.separator, a.conditions, "--where");
    if (!found.empty()) return found;
    std::string wanted;
    for (const auto& [column, value] : a.conditions) {
      wanted += fmt::format("{}'{}' = '{}'", wanted.empty() ? "" : " and ", column, value);
    }
    throw Error(ErrorCode::invalid_data, fmt::format("{}: none of its {} rows has {}", file, row_count, wanted));
  }
  std::vector<std::size_t> rows;
  for (const std::size_t row : a.rows) {
    if (!(row >= 1 && row <= row_count)) {
      refuse(fmt::format("--row is {}; {} has {} row{}, counted from 1 after the header", row, file, row_count,
                         row_count == 1 ? "" : "s"));
    }
    rows.push_back(row - 1);
  }
  return rows;
}

// Text is for typing in: few digits that work. JSON is for programs: the smallest change itself.
void round_changes(const Model& model, const Dataset& data, std::size_t row, Counterfactuals& found) {
  for (auto* const change : {&found.one, &found.two}) {
    if (*change) *change = round_outwards(model, data, row, **change);
  }
}

LocalView make_local(const Model& model, const Dataset& data, std::size_t row, const ExplainArguments& a) {
  LocalView view;
  view.row = row + 1;
  for (const auto& column : data.columns) view.values.push_back(column[row]);
  view.local = explain(model, data, row, {.nearest_count = a.nearest, .most_pairs = most_listed_pairs});
  view.next = next_classes(model, data, row, {.fixed = a.fixed});
  if (a.format == Format::text) {
    round_changes(model, data, row, view.next.to_better);
    round_changes(model, data, row, view.next.to_worse);
  }
  return view;
}

std::string global_output(const Model& model, const GlobalView& view, const ExplainArguments& a) {
  switch (a.format) {
    case Format::json:
      return global_json(model, view);
    case Format::csv:
      return global_csv(model, a.raw_cells);
    case Format::text:
      break;
  }
  return global_text(model, view, static_cast<std::size_t>(a.top));
}

std::string local_output(const Model& model, const std::vector<LocalView>& views, const ExplainArguments& a) {
  switch (a.format) {
    case Format::json:
      return local_json(model, views);
    case Format::csv:
      return local_csv(model, views, a.raw_cells);
    case Format::text:
      break;
  }
  std::string text;
  for (const LocalView& view : views) {
    text += (text.empty() ? "" : "\n") + local_text(model, view, static_cast<std::size_t>(a.top));
  }
  return text;
}

int run_explain(const ExplainArguments& a) {
  check_arguments(a);
  Model model = load_model(a.model);
  a.rule.apply(model);
  detail::OutputFile output(a.output);
  if (a.data.empty()) {
    output.write(global_output(model, {training_importance(model, most_listed_pairs), "the training rows"}, a));
  } else {
    const detail::Text text(a.data, a.dialect.encoding);
    const std::string file = detail::input_name(a.data);
    const Dataset data = detail::read_text_by_schema(text.view(), file, model.schema, a.dialect.in(CsvReaderOptions{}));
    if (data.row_count() == 0) throw Error(ErrorCode::invalid_data, fmt::format("{}: there are no rows", file));
    if (a.chooses_rows()) {
      std::vector<LocalView> views;
      std::map<std::string, detail::HandDecision> by_hand;
      std::vector<std::string> ids;
      if (!a.decisions.empty()) {
        if (a.id.empty()) refuse("--decisions are found by the names of the rows; give their column by --id");
        by_hand = detail::read_decisions(a.decisions, model.schema);
        ids = detail::column_texts(text.view(), file, a.dialect.separator, a.id, "--id");
      }
      for (const std::size_t row : chosen_rows(a, text.view(), file, data.row_count())) {
        views.push_back(make_local(model, data, row, a));
        const auto found = ids.empty() ? by_hand.end() : by_hand.find(ids[row]);
        if (found != by_hand.end()) views.back().by_hand = found->second;
      }
      output.write(local_output(model, views, a));
    } else {
      const std::string source = fmt::format("the {} of {}", counted(data.row_count(), "row"), printable(file));
      output.write(global_output(model, {importance(model, data, most_listed_pairs), source}, a));
    }
  }
  output.commit();
  return exit_ok;
}

void add_format(CLI::App& app, Format& format) {
  app.add_option_function<std::string>(
         "--format",
         [&format](const std::string& name) {
           const std::pair<const char*, Format> known[] = {
               {"text", Format::text}, {"json", Format::json}, {"csv", Format::csv}};
           const auto* const found =
               std::find_if(std::begin(known), std::end(known), [&](const auto& entry) { return entry.first == name; });
           if (found == std::end(known)) {
             throw CLI::ValidationError(fmt::format("--format is '{}'; it must be one of text|json|csv", name));
           }
           format = found->second;
         },
         "For reading, for programs with everything, or as a table: curves, or contributions of the rows")
      ->type_name("text|json|csv")
      ->default_str("text")
      ->run_callback_for_default(false);
}

}  // namespace

void add_explain(CLI::App& app, const Common& common, Run& run) {
  auto arguments = std::make_shared<ExplainArguments>();
  CLI::App* const explain = app.add_subcommand("explain", "Say what a model has learned, or why a row gets its class");
  explain->footer(
      R"(Without rows: attributes and pairs by importance, with their curves. With --row or --where: for each row how its score
adds up, where it lies among the training rows, and the smallest changes that lead to the next better and the next
worse class. With data but no chosen rows, mean contributions are those of the data.

Examples:
  xofm explain model.json
  xofm explain model.json applicants.csv --row 17
  xofm explain model.json applicants.csv --where name=Smith --fixed age,sex
  xofm explain model.json applicants.csv --row 3,17 --format json -o why.json
  xofm explain model.json --format csv -o curves.csv)");
  explain->add_option("model", arguments->model, "Model made by fit")->required()->type_name("MODEL");
  explain
      ->add_option("data", arguments->data,
                   "Rows: CSV with a header, also .gz or .zst; - for standard input; no label needed")
      ->type_name("FILE");
  as_list(explain->add_option("--row", arguments->rows, "Rows to explain, counted from 1 after the header"), "N,...")
      ->check(number_problem<std::size_t>);
  explain
      ->add_option_function<std::vector<std::string>>(
          "--where",
          [arguments](const std::vector<std::string>& items) {
            for (const auto& item : items) {
              auto [column, value] = split_assignment(item, "--where");
              arguments->conditions.push_back({column, value});
            }
          },
          "Rows to explain: those with this value in this column; may be repeated, then all must hold")
      ->allow_extra_args(false)
      ->type_name("NAME=VALUE");
  add_list(*explain, "--fixed", arguments->fixed, "Attributes that may not change on the way to another class");
  add_format(*explain, arguments->format);
  explain->add_option("-o,--output", arguments->output, "Where the explanation goes; - for standard output")
      ->type_name("FILE")
      ->capture_default_str();
  add_number(*explain, "--top", arguments->top, "Text: attributes, pairs or parts of the score to list");
  add_number(*explain, "--nearest", arguments->nearest, "Training rows nearest in score to name");
  add_dialect(*explain, arguments->dialect);
  explain->add_option("--id", arguments->id, "Column that names the rows, for --decisions")->type_name("NAME");
  add_rule(*explain, arguments->rule);
  add_decision(*explain, arguments->rule);
  add_decisions(*explain, arguments->decisions);
  explain->callback([arguments, &common, &run] {
    run = [arguments, &common] {
      arguments->raw_cells = common.raw_cells;
      return run_explain(*arguments);
    };
  });
}

}  // namespace xofm::app
