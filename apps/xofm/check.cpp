// xofm check: what there is to know of rows before a model is trained on them.
#include "xofm/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "fit_options.hpp"
#include "io/check_json.hpp"
#include "terminal.hpp"
#include "wording.hpp"
#include "xofm/csv.hpp"
#include "xofm/names.hpp"

namespace xofm::app {

namespace {

constexpr std::size_t name_width = 20;

std::string percent(std::size_t part, std::size_t whole) {
  return fmt::format("{:.3g} %", 100 * static_cast<double>(part) / static_cast<double>(whole));
}

std::string kind_text(const Attribute& attribute) {
  if (attribute.time == TimePart::days) return "date";
  return attribute.kind == AttributeKind::numeric ? "number" : "category";
}

void print_attribute(const Attribute& attribute, const AttributeCheck& check, std::size_t row_count) {
  fmt::print("  {} {:<9}", fit_width(attribute.name, name_width), kind_text(attribute));
  if (check.missing_count > 0) fmt::print(" missing in {};", percent(check.missing_count, row_count));
  if (attribute.kind == AttributeKind::numeric) {
    fmt::print(" {} to {}, median {};", value_text(attribute, check.least), value_text(attribute, check.greatest),
               value_text(attribute, check.median));
  } else {
    fmt::print(" {};", counted(check.distinct_count, "level"));
  }
  fmt::print(" {}\n", printable(check.why));
}

void print_check(const Dataset& data, const DataCheck& check) {
  fmt::print("{}, {}; label {}\n", counted(check.row_count, "row"), counted(data.attribute_count(), "attribute"),
             printable(data.schema.label_name));
  fmt::print("Classes:");
  for (std::size_t h = 0; h < check.class_counts.size(); ++h) {
    fmt::print("{} {} {}", h == 0 ? "" : ",", printable(data.schema.class_names[h]),
               percent(check.class_counts[h], check.row_count));
  }
  fmt::print("\n{}\nAttributes\n", remarks_text(data));
  for (std::size_t j = 0; j < check.attributes.size(); ++j) {
    print_attribute(data.schema.attributes[j], check.attributes[j], check.row_count);
  }
  const std::vector<std::string> list = findings(data, check);
  fmt::print("\n{}\n", list.empty() ? "Nothing to look at." : "To look at");
  for (const std::string& finding : list) fmt::print("  {}.\n", printable(finding));
}

int run_check(const FitArguments& arguments) {
  const Dataset data = read_csv(arguments.data, csv_options(arguments));
  const DataCheck check = check_data(data);
  if (arguments.json) {
    fmt::print("{}\n", json_text(detail::check_to_json(data, check).dump()));
  } else {
    print_check(data, check);
  }
  return exit_ok;
}

}  // namespace

void add_check(CLI::App& app, const Common& /*common*/, Run& run) {
  auto arguments = std::make_shared<FitArguments>();
  CLI::App* const check = app.add_subcommand("check", "Look at labelled rows before a model is trained on them");
  check->footer(
      R"(Says what each column was taken for and why, what is missing, which numbers may stand for something else, which lie
far off, which rows are copies or contradict each other (and how good a model can be at best), how often each class is
there, which columns are left out as constant, empty or identifiers, and which attribute alone nearly decides the class.

Examples:
  xofm check train.csv --label class
  xofm check train.csv --classes low,medium,high --json
  xofm check loans.csv --special income=-1,-9)");
  check->add_option("data", arguments->data, "Labelled rows: CSV with a header, also .gz or .zst; - for standard input")
      ->required()
      ->type_name("FILE");
  check->add_flag("--json", arguments->json, "Print what was found as JSON");
  add_data_options(*check, *arguments);
  check->callback([arguments, &run] { run = [arguments] { return run_check(*arguments); }; });
}

}  // namespace xofm::app
