// xofm edit and xofm audit: an expert changes a model, and the record of it.
#include "xofm/edit.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>

#include "commands.hpp"
#include "io/model_text.hpp"
#include "io/output_file.hpp"
#include "options.hpp"
#include "terminal.hpp"
#include "wording.hpp"
#include "xofm/csv.hpp"
#include "xofm/edit_file.hpp"
#include "xofm/model_file.hpp"

namespace xofm::app {

namespace {

constexpr std::size_t shown_changes = 10;

struct EditArguments {
  std::string model;
  std::string edits;
  std::string data;
  std::string output;
  std::string who;
  std::string why;
  Dialect dialect;
};

struct AuditArguments {
  std::string model;
  std::string expected;
};

// Edits are small; a model file in their place is not read to its end.
std::string read_edits(const std::string& path) {
  constexpr std::streamsize most = 16 << 20;
  std::ifstream file(path, std::ios::binary);
  if (!file || std::filesystem::is_directory(path)) {
    throw Error(ErrorCode::io, fmt::format("cannot read edits '{}'", path));
  }
  std::string text(static_cast<std::size_t>(most) + 1, '\0');
  file.read(text.data(), most + 1);
  if (file.gcount() > most) throw Error(ErrorCode::invalid_data, fmt::format("{}: larger than 16 MiB", path));
  text.resize(static_cast<std::size_t>(file.gcount()));
  return text;
}

std::string effect_text(const Schema& schema, const EditEffect& effect) {
  std::string text = fmt::format("{} of {} rows change class\n", effect.changes.size(), effect.row_count);
  for (std::size_t i = 0; i < std::min(effect.changes.size(), shown_changes); ++i) {
    const ClassChange& change = effect.changes[i];
    text += fmt::format("  row {}: {} -> {}\n", change.row + 1, class_text(schema, change.first_label),
                        class_text(schema, change.second_label));
  }
  if (effect.changes.size() > shown_changes) {
    text += fmt::format("  and {} more; the record names them\n", effect.changes.size() - shown_changes);
  }
  if (!effect.before) return text;
  return text + fmt::format("Accuracy {:.3f} -> {:.3f}, mean error {:.3f} -> {:.3f}, weighted kappa {:.3f} -> {:.3f}\n",
                            effect.before->accuracy, effect.after->accuracy, effect.before->mae, effect.after->mae,
                            effect.before->qwk, effect.after->qwk);
}

std::string certificate_text(const EditResult& result) {
  std::string text;
  for (const std::string& name : result.broken) {
    text += fmt::format("Attention: the score is no longer proved to be monotone in {}\n", printable(name));
  }
  std::size_t asked = 0;
  for (const auto& entry : result.model.certificate.attributes) asked += entry.direction == Direction::none ? 0 : 1;
  if (asked > 0 && result.model.certificate.holds) text += "Directions: proved anew, all hold\n";
  return text;
}

int run_edit(const EditArguments& arguments, const Common& common) {
  const std::string text = detail::read_model_text(arguments.model);
  EditFile file = edits_from_json(read_edits(arguments.edits), arguments.edits);
  EditRequest request{arguments.who.empty() ? file.who : arguments.who,
                      arguments.why.empty() ? file.why : arguments.why, "", std::move(file.edits)};
  const auto now = std::chrono::time_point_cast<std::chrono::seconds>(std::chrono::system_clock::now());
  request.when = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(now));
  std::optional<Dataset> rows;
  if (!arguments.data.empty()) {
    rows = read_csv(arguments.data, model_from_json(text, arguments.model).schema,
                    arguments.dialect.in(CsvReaderOptions{.read_labels = true, .labels_optional = true}));
  }
  const EditResult result = edit_model(text, request, rows ? &*rows : nullptr, arguments.model);
  detail::OutputFile output(arguments.output);
  output.write(result.text);
  output.commit();
  if (common.quiet || arguments.output == "-") return exit_ok;
  if (rows) fmt::print("{}", effect_text(result.model.schema, result.effect));
  fmt::print("{}", certificate_text(result));
  fmt::print("Edited model written to {}; xofm audit prints its record\n", printable(arguments.output));
  return exit_ok;
}

std::string entry_text(const AuditEntry& entry, std::size_t number) {
  std::string text =
      fmt::format("{}. {}, {}: {}\n", number, printable(entry.when), printable(entry.who), printable(entry.why));
  for (const std::string& edit : entry.edits) text += fmt::format("     {}\n", printable(edit));
  if (entry.row_count > 0)
    text += fmt::format("     {} of {} rows changed class\n", entry.change_count, entry.row_count);
  for (const std::string& metric : entry.metrics) text += fmt::format("     {}\n", metric);
  return text + fmt::format("     {}\n", printable(entry.hash));
}

int run_audit(const AuditArguments& arguments) {
  const Audit audit = audit_model(detail::read_model_text(arguments.model), arguments.model);
  if (audit.entries.empty()) fmt::print("No edits are recorded\n");
  for (std::size_t i = 0; i < audit.entries.size(); ++i) fmt::print("{}", entry_text(audit.entries[i], i + 1));
  fmt::print("Hash: {}\n", audit.hash);
  for (const std::string& problem : audit.problems) fmt::print("Problem: {}\n", printable(problem));
  const bool is_expected = arguments.expected.empty() || arguments.expected == audit.hash;
  if (!is_expected) fmt::print("Problem: the hash is not the expected one, {}\n", printable(arguments.expected));
  if (!audit.problems.empty() || !is_expected) return exit_model;
  fmt::print("The record holds{}\n", arguments.expected.empty() ? "" : ", and the hash is the expected one");
  return exit_ok;
}

}  // namespace

void add_edit(CLI::App& app, const Common& common, Run& run) {
  auto arguments = std::make_shared<EditArguments>();
  CLI::App* const edit = app.add_subcommand("edit", "Change curves and pairs of a model, with a record of it");
  edit->footer(
      R"(The edits are JSON: {"who": "...", "why": "...", "edits": [...]}; docs/reference/edits.md has every kind. Cuts and
probabilities stay where they are on the scale of the score. Figures that were measured before, and intervals that
promise a share of cases, are left out of the edited model: measure it anew with xofm evaluate. With --data the record
also says which rows change class and how good the model was before and after.

Examples:
  xofm edit model.json edits.json -o edited.json
  xofm edit model.json edits.json --data test.csv --who "review board" --why "Age is no risk above 60" -o edited.json)");
  edit->add_option("model", arguments->model, "Model made by fit")->required()->type_name("MODEL");
  edit->add_option("edits", arguments->edits, "What to change: JSON")->required()->type_name("FILE");
  edit->add_option("-o,--output", arguments->output, "Where the edited model goes; - for standard output")
      ->required()
      ->type_name("FILE");
  edit->add_option("--data", arguments->data, "Rows to see the effect on: CSV with a header; - for standard input")
      ->type_name("FILE");
  edit->add_option("--who", arguments->who, "Who makes the change, in place of what the file says")->type_name("TEXT");
  edit->add_option("--why", arguments->why, "Why it is made, in place of what the file says")->type_name("TEXT");
  add_dialect(*edit, arguments->dialect);
  edit->callback([arguments, &common, &run] { run = [arguments, &common] { return run_edit(*arguments, common); }; });
}

void add_audit(CLI::App& app, const Common& /*common*/, Run& run) {
  auto arguments = std::make_shared<AuditArguments>();
  CLI::App* const audit = app.add_subcommand("audit", "Print the record of edits of a model and verify it");
  audit->footer(
      R"(Every entry has the hash of the one before it and of the model before and after. The chain shows accidents and
careless changes; who can write the file can also write a new chain. Keep the last hash elsewhere and give it with
--expect. Exit status 4 if the record does not hold.

Examples:
  xofm audit model.json
  xofm audit model.json --expect 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08)");
  audit->add_option("model", arguments->model, "Model made by fit")->required()->type_name("MODEL");
  audit->add_option("--expect", arguments->expected, "The last hash, as it was kept elsewhere")->type_name("HASH");
  audit->callback([arguments, &run] { run = [arguments] { return run_audit(*arguments); }; });
}

}  // namespace xofm::app
