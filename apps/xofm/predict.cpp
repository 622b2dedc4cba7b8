// xofm predict: rows in, classes with interval, support and probabilities out, in bounded memory.
#include <fmt/compile.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <memory>
#include <numeric>

#include "commands.hpp"
#include "core/base/parallel.hpp"
#include "io/csv_write.hpp"
#include "io/output_file.hpp"
#include "options.hpp"
#include "terminal.hpp"
#include "wording.hpp"
#include "xofm/csv.hpp"
#include "xofm/model_file.hpp"

namespace xofm::app {

namespace {

struct PredictArguments {
  std::string model;
  std::string data;
  std::string output = "-";
  char separator = '\0';
  RuleOverride rule;
  bool text = false;
  std::size_t limit = 0;
  double coverage = 0;
  bool raw_cells = false;
};

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

std::string header(const Schema& schema, bool covering) {
  std::string line = "score,class,lowest,highest";
  for (const char* const part : {"support_", "probability_"}) {
    for (const auto& name : schema.class_names) {
      line += ',';
      detail::append_csv_field(line, part + name, ',');
    }
  }
  return line + (covering ? ",notes,covering_lowest,covering_highest\n" : ",notes\n");
}

// The notes on row i as one text; `note` moves behind them.
std::string notes_text(const Schema& schema, const Predictions& predictions, std::size_t i,
                       std::vector<RowNote>::const_iterator& note) {
  std::string notes;
  for (; note != predictions.notes.end() && note->row == i; ++note) {
    notes += fmt::format("{}{} {}", notes.empty() ? "" : "; ", schema.attributes[note->attribute].name,
                         note_text(note->note));
  }
  return notes;
}

// For people: a short paragraph per row.
std::string readable_text(const Schema& schema, const Predictions& predictions,
                          const std::vector<ClassInterval>& covering, double coverage, std::size_t first_row) {
  const auto classes = static_cast<std::size_t>(predictions.class_count);
  const auto name = [&](int h) { return printable(schema.class_names[static_cast<std::size_t>(h)]); };
  auto note = predictions.notes.begin();
  std::string text;
  for (std::size_t i = 0; i < predictions.row_count(); ++i) {
    const auto [lowest, highest] = predictions.intervals[i];
    const std::size_t at = i * classes;
    text += fmt::format("row {}: class {}", first_row + i, name(predictions.classes[i]));
    text += lowest == highest ? fmt::format(", the data allow only {}", name(lowest))
                              : fmt::format(", the data allow {} to {}", name(lowest), name(highest));
    text += fmt::format(" (score {:.3f})\n  support    ", predictions.scores[i]);
    for (int h = lowest; h <= highest; ++h) {
      text += fmt::format("  {}: {:.2f}", name(h), predictions.support[at + static_cast<std::size_t>(h)]);
    }
    text += "\n  probability";
    for (int h = 0; h < predictions.class_count; ++h) {
      const double probability = predictions.probabilities[at + static_cast<std::size_t>(h)];
      if (probability >= 0.005) text += fmt::format("  {}: {:.2f}", name(h), probability);
    }
    text += '\n';
    if (!covering.empty()) {
      const auto [low, high] = covering[i];
      text += fmt::format("  in {:g} % of cases the class is {}\n", 100 * coverage,
                          low == high ? name(low) : fmt::format("{} to {}", name(low), name(high)));
    }
    const std::string notes = notes_text(schema, predictions, i, note);
    if (!notes.empty()) text += fmt::format("  note: {}\n", printable(notes));
  }
  return text;
}

void append_number(std::string& text, double value) {
  std::array<char, 32> digits;  // the shortest that read back the same take 24
  text.append(digits.data(), fmt::format_to(digits.data(), FMT_COMPILE("{}"), value));
}

// The rows in range as CSV text.
std::string rows_text(const Schema& schema, const Predictions& predictions, const std::vector<ClassInterval>& covering,
                      detail::Range range, bool raw_cells) {
  const auto classes = static_cast<std::size_t>(predictions.class_count);
  auto note = std::lower_bound(predictions.notes.begin(), predictions.notes.end(), range.begin,
                               [](const RowNote& n, std::size_t row) { return n.row < row; });
  std::vector<std::string> names;
  for (const auto& name : schema.class_names) detail::append_csv_text(names.emplace_back(), name, ',', raw_cells);
  std::string text;
  const auto name_of = [&](int h) -> const std::string& { return names[static_cast<std::size_t>(h)]; };
  for (std::size_t i = range.begin; i < range.end; ++i) {
    const auto [lowest, highest] = predictions.intervals[i];
    append_number(text, predictions.scores[i]);
    for (const int h : {predictions.classes[i], lowest, highest}) (text += ',') += name_of(h);
    for (int h = 0; h < predictions.class_count; ++h) {
      text += ',';
      if (h < lowest || h > highest) continue;
      append_number(text, predictions.support[i * classes + static_cast<std::size_t>(h)]);
    }
    for (std::size_t h = 0; h < classes; ++h) append_number(text += ',', predictions.probabilities[i * classes + h]);
    text += ',';
    detail::append_csv_text(text, notes_text(schema, predictions, i, note), ',', raw_cells);
    if (!covering.empty()) {
      for (const int h : {covering[i].lowest, covering[i].highest}) (text += ',') += name_of(h);
    }
    text += '\n';
  }
  return text;
}

// A row's predictions grow with the classes, so the chunks of rows shrink.
std::size_t chunk_bytes(const Schema& schema) {
  constexpr std::size_t most_classes_at_full_size = 4;
  return CsvReaderOptions{}.chunk_bytes * most_classes_at_full_size /
         std::max(schema.class_names.size(), most_classes_at_full_size);
}

int run_predict(const PredictArguments& arguments) {
  Model model = load_model(arguments.model);
  arguments.rule.apply(model);
  // What cannot be promised is refused before anything is written.
  if (arguments.coverage != 0) {
    const std::vector<double> even(model.schema.class_names.size(), 1.0 / model.schema.class_count());
    covering_interval(model.assignment, even, arguments.coverage);
  }
  CsvReader reader(arguments.data, model.schema,
                   {.separator = arguments.separator, .chunk_bytes = chunk_bytes(model.schema)});
  detail::OutputFile file(arguments.output);
  if (!arguments.text) file.write(header(model.schema, arguments.coverage != 0));
  Dataset chunk;
  std::size_t done = 0;
  const std::size_t limit = arguments.limit == 0 ? std::numeric_limits<std::size_t>::max() : arguments.limit;
  const InterruptGuard guard;  // Ctrl-C leaves no half-written file behind
  while (done < limit && reader.next(chunk)) {
    if (InterruptGuard::interrupted()) return exit_interrupted;
    if (chunk.row_count() > limit - done) {
      std::vector<std::size_t> first(limit - done);
      std::iota(first.begin(), first.end(), 0);
      chunk = subset(chunk, first);
    }
    const Predictions predictions = model.predict(chunk);
    const std::vector<ClassInterval> covering = covering_intervals(model, predictions, arguments.coverage);
    const std::size_t count = predictions.row_count();
    done += count;
    if (arguments.text) {
      file.write(readable_text(model.schema, predictions, covering, arguments.coverage, done - count + 1));
      continue;
    }
    std::vector<std::string> texts(detail::block_count_for(count, 512, 64));
    detail::parallel_for(texts.size(), [&](std::size_t block) {
      texts[block] = rows_text(model.schema, predictions, covering, detail::block_range(count, texts.size(), block),
                               arguments.raw_cells);
    });
    for (const auto& text : texts) file.write(text);
  }
  file.commit();
  return exit_ok;
}

}  // namespace

void add_predict(CLI::App& app, const Common& common, Run& run) {
  auto arguments = std::make_shared<PredictArguments>();
  CLI::App* const predict = app.add_subcommand("predict", "Assign classes to the rows of a CSV file");
  predict->footer(
      R"(Writes one line per row, in order: score, class, lowest and highest class that the training rows allow, support
for each class in between, probability of every class, and notes on values that training never saw. Columns are
matched by name; the label column may be absent.

Examples:
  xofm predict model.json test.csv -o predictions.csv
  xofm predict model.json test.csv --text --limit 3
  xofm predict model.json test.csv --coverage 0.9 -o predictions.csv
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
  add_number(*predict, "--limit", arguments->limit, "Rows to predict; 0: all");
  add_separator(*predict, arguments->separator);
  add_rule(*predict, arguments->rule);
  predict->callback([arguments, &common, &run] {
    run = [arguments, &common] {
      arguments->raw_cells = common.raw_cells;
      return run_predict(*arguments);
    };
  });
}

}  // namespace xofm::app
