// xofm predict: rows in, classes with interval, support and probabilities out, in bounded memory.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <limits>
#include <map>
#include <numeric>
#include <set>

#include "commands.hpp"
#include "core/base/parallel.hpp"
#include "io/decision_csv.hpp"
#include "io/output_file.hpp"
#include "options.hpp"
#include "predict_text.hpp"
#include "terminal.hpp"
#include "wording.hpp"
#include "xofm/csv.hpp"
#include "xofm/explain.hpp"
#include "xofm/model_file.hpp"

namespace xofm::app {

namespace {

// The intervals of a chunk that cover the true class as often as asked; empty if nothing was asked.
std::vector<ClassInterval> covering_intervals(const Model& model, const Predictions& predictions, double coverage) {
  std::vector<ClassInterval> intervals;
  if (coverage == 0) return intervals;
  const auto classes = static_cast<std::size_t>(predictions.class_count);
  for (std::size_t i = 0; i < predictions.row_count(); ++i) {
    intervals.push_back(
        covering_interval(model.assignment, {&predictions.probabilities[i * classes], classes}, coverage));
  }
  return intervals;
}

// A row's predictions grow with the classes, so the chunks of rows shrink.
std::size_t chunk_bytes(const Schema& schema) {
  constexpr std::size_t most_classes_at_full_size = 4;
  return CsvReaderOptions{}.chunk_bytes * most_classes_at_full_size /
         std::max(schema.class_names.size(), most_classes_at_full_size);
}

// What the closing line says of all rows.
struct Totals {
  std::vector<std::size_t> of_class;
  std::size_t without_class = 0;
  std::size_t with_notes = 0;
  std::set<std::string> by_hand = {};  // ids

  void add(const Predictions& predictions) {
    of_class.resize(static_cast<std::size_t>(predictions.class_count));
    for (const int label : predictions.classes) {
      ++(label == no_class ? without_class : of_class[static_cast<std::size_t>(label)]);
    }
    std::size_t last = predictions.row_count();
    for (const RowNote& note : predictions.notes) {
      with_notes += note.row != last ? 1 : 0;
      last = note.row;
    }
  }

  // "Predicted 205 rows: class 0 33 %, 1 26 %, ...; 4 % have notes."
  std::string text(const Schema& schema, std::size_t count) const {
    std::string text = fmt::format("Predicted {}", counted(count, "row"));
    const auto share = [&](std::size_t part) {
      return fmt::format("{:.3g} %", 100 * static_cast<double>(part) / static_cast<double>(count));
    };
    for (std::size_t h = 0; h < of_class.size() && count > 0; ++h) {
      text += fmt::format("{}{} {}", h == 0 ? ": class " : ", ", printable(schema.class_names[h]), share(of_class[h]));
    }
    if (without_class > 0) text += fmt::format(", none {}", share(without_class));
    if (!by_hand.empty()) text += fmt::format("; {} decided by hand", by_hand.size());
    if (count > 0) text += with_notes == 0 ? "; none has a note" : fmt::format("; {} have notes", share(with_notes));
    return text + '.';
  }
};

// The columns that are read as texts: the id first.
CsvReaderOptions reader_options(const PredictArguments& arguments, const Schema& schema) {
  CsvReaderOptions options = arguments.dialect.in(CsvReaderOptions{.chunk_bytes = chunk_bytes(schema)});
  if (!arguments.id.empty()) options.carry.push_back(arguments.id);
  for (const std::string& name : arguments.keep) {
    if (std::find(options.carry.begin(), options.carry.end(), name) == options.carry.end()) {
      options.carry.push_back(name);
    }
  }
  options.carry_all = arguments.keeps_all;
  return options;
}

// "3", "high" or "low"; --reasons may be given more than once.
void set_reasons(const std::string& word, PredictArguments& arguments) {
  constexpr std::size_t usual = 3;
  if (word == "high" || word == "low") {
    arguments.reason_order = word == "high" ? ReasonOrder::highest : ReasonOrder::lowest;
    if (arguments.reasons == 0) arguments.reasons = usual;
    return;
  }
  const std::string problem = number_problem<std::size_t>(word);
  if (!problem.empty() || word == "0") {
    throw CLI::ValidationError("--reasons", fmt::format("'{}' is neither a count nor high or low", word));
  }
  arguments.reasons = std::stoul(word);
}

const char* decider(const Decision& decision, int label) {
  if (label == no_class) return "nobody";
  if (!decision.costs.empty()) return "costs";
  return decision.preference != Preference::none ? "preference" : by_rule;
}

// Decisions taken by hand come before all others.
void settle(const Model& model, const std::map<std::string, detail::HandDecision>& by_hand, bool is_decided,
            PredictChunk& chunk, Totals& totals) {
  chunk.decided_by.clear();
  chunk.why.clear();
  if (!is_decided) return;
  for (std::size_t i = 0; i < chunk.predictions.row_count(); ++i) {
    int& label = chunk.predictions.classes[i];
    chunk.decided_by.emplace_back(decider(model.assignment.decision, label));
    chunk.why.emplace_back();
    if (by_hand.empty()) continue;
    const auto found = by_hand.find(chunk.carried.cells[0][i]);
    if (found == by_hand.end()) continue;
    label = found->second.label;
    chunk.decided_by.back() = "hand";
    chunk.why.back() = found->second.reason;
    totals.by_hand.insert(found->first);
  }
}

int run_predict(PredictArguments arguments) {
  Model model = load_model(arguments.model);
  arguments.rule.apply(model);
  std::map<std::string, detail::HandDecision> by_hand;
  if (!arguments.decisions.empty()) {
    if (arguments.id.empty()) {
      throw Error(ErrorCode::invalid_option,
                  "--decisions are found by the names of the rows; give their column by --id");
    }
    by_hand = detail::read_decisions(arguments.decisions, model.schema);
  }
  arguments.is_decided = model.assignment.decision.is_given() || !arguments.decisions.empty();
  // People are shown the interval that promises something wherever there is one.
  if (arguments.text && arguments.coverage == 0 && !model.assignment.conformity.empty()) {
    arguments.coverage = usual_coverage;
  }
  // What cannot be promised is refused before anything is written.
  if (arguments.coverage != 0) {
    const std::vector<double> even(model.schema.class_names.size(), 1.0 / model.schema.class_count());
    covering_interval(model.assignment, even, arguments.coverage);
  }
  CsvReader reader(arguments.data, model.schema, reader_options(arguments, model.schema));
  detail::OutputFile file(arguments.output);
  Dataset rows;
  PredictChunk chunk;
  Totals totals;
  std::size_t done = 0;
  bool has_header = arguments.text;
  // The columns that are carried are known with the first rows, of which there may be none.
  const auto write_header = [&] {
    if (!has_header) file.write(predict_header(model.schema, arguments, chunk.carried.names));
    has_header = true;
  };
  const std::size_t limit = arguments.limit == 0 ? std::numeric_limits<std::size_t>::max() : arguments.limit;
  const InterruptGuard guard;  // Ctrl-C leaves no half-written file behind
  while (done < limit && reader.next(rows, chunk.carried)) {
    if (InterruptGuard::interrupted()) return exit_interrupted;
    write_header();
    if (rows.row_count() > limit - done) {
      std::vector<std::size_t> first(limit - done);
      std::iota(first.begin(), first.end(), 0);
      rows = subset(rows, first);
    }
    chunk.predictions = model.predict(rows);
    chunk.covering = covering_intervals(model, chunk.predictions, arguments.coverage);
    if (arguments.reasons > 0) chunk.reasons = reasons(model, rows, arguments.reasons, arguments.reason_order);
    chunk.first_row = done + 1;
    const std::size_t count = chunk.predictions.row_count();
    done += count;
    settle(model, by_hand, arguments.is_decided, chunk, totals);
    totals.add(chunk.predictions);
    if (arguments.text) {
      file.write(readable_text(model, chunk, arguments));
      continue;
    }
    std::vector<std::string> texts(detail::block_count_for(count, 512, 64));
    detail::parallel_for(texts.size(), [&](std::size_t block) {
      texts[block] = rows_text(model.schema, chunk, detail::block_range(count, texts.size(), block), arguments);
    });
    for (const auto& text : texts) file.write(text);
  }
  write_header();
  // Made before the output is in place: then nothing can fail any more.
  const std::string closing = arguments.quiet ? "" : totals.text(model.schema, done) + '\n';
  file.commit();
  std::fputs(closing.c_str(), stderr);
  if (!arguments.quiet && done < limit && totals.by_hand.size() < by_hand.size()) {
    fmt::print(stderr, "xofm: warning: {} of --decisions found no row\n", by_hand.size() - totals.by_hand.size());
  }
  return exit_ok;
}

}  // namespace

void add_predict(CLI::App& app, const Common& common, Run& run) {
  auto arguments = std::make_shared<PredictArguments>();
  CLI::App* const predict = app.add_subcommand("predict", "Assign classes to the rows of a CSV file");
  predict->footer(
      R"(Writes one line per row, in order: its number, or what the column given by --id says; score, class, lowest and
highest class that the training rows allow, support for each class in between, probability of every class, and notes on
values that training never saw; then what --coverage, --reasons and --keep ask for. Columns are matched by name; the
label column may be absent. A last line on standard error sums up.

Reasons are the parts of the score with the lowest contributions, the lowest first: a curve by the name of its
attribute, a pair as A x B. Among equal ones the earlier attribute comes first.

Costs, a preference or --abstain settle the class in place of the rule, decisions taken by hand before all else; the
column decided_by then says who: rule, costs, preference, hand, or nobody where the class is left to a person.

Examples:
  xofm predict model.json test.csv -o predictions.csv
  xofm predict model.json test.csv --text --limit 3
  xofm predict model.json clients.csv --id client --reasons 3 -o predictions.csv
  xofm predict model.json test.csv --coverage 0.9 --keep all -o predictions.csv
  xofm predict model.json clients.csv --costs costs.csv --abstain 0.6 --id client --decisions by_hand.csv
  zcat new.csv.gz | xofm predict model.json - > predictions.csv)");
  predict->add_option("model", arguments->model, "Model made by fit")->required()->type_name("MODEL");
  predict->add_option("data", arguments->data, "Rows: CSV with a header, also .gz or .zst; - for standard input")
      ->required()
      ->type_name("FILE");
  predict->add_option("-o,--output", arguments->output, "Where the predictions go; - for standard output")
      ->type_name("FILE")
      ->capture_default_str();
  predict->add_flag("--text", arguments->text, "Write a few lines per row for reading, not CSV");
  add_number(
      *predict, "--coverage", arguments->coverage,
      "Also give classes that hold the true one in this share of cases, as 0.9; needs a model that was also judged on "
      "rows left out, as fit does unless told otherwise")
      ->default_str("");
  predict->add_option("--id", arguments->id, "Column that names the rows; it is written first, in place of a number")
      ->type_name("NAME");
  add_list(*predict, "--keep", arguments->keep, "Columns of the file to write behind the predictions; all: every one")
      ->type_name("all|NAME,...");
  predict
      ->add_option_function<std::vector<std::string>>(
          "--reasons",
          [arguments](const std::vector<std::string>& words) {
            for (const std::string& word : words) set_reasons(word, *arguments);
          },
          "Parts of the score with the lowest contributions, so many; high: the highest, as in 3,high")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("N|high");
  add_number(*predict, "--limit", arguments->limit, "Rows to predict; 0: all");
  add_dialect(*predict, arguments->dialect);
  add_rule(*predict, arguments->rule);
  add_decision(*predict, arguments->rule);
  add_decisions(*predict, arguments->decisions);
  predict->callback([arguments, &common, &run] {
    run = [arguments, &common] {
      arguments->raw_cells = common.raw_cells;
      arguments->quiet = common.quiet;
      arguments->keeps_all = arguments->keep == std::vector<std::string>{"all"};
      if (arguments->keeps_all) arguments->keep.clear();
      return run_predict(*arguments);
    };
  });
}

}  // namespace xofm::app
