#include "predict_text.hpp"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "io/csv_write.hpp"
#include "terminal.hpp"
#include "wording.hpp"

namespace xofm::app {

namespace {

// The name of a column of the file may be one that is written here already.
std::string kept_name(const std::string& name, const std::string& columns) {
  const std::string all = ',' + columns + ',';
  return all.find(',' + name + ',') == std::string::npos ? name : "input_" + name;
}

}  // namespace

std::string predict_header(const Schema& schema, const PredictArguments& arguments,
                           const std::vector<std::string>& carried) {
  const bool has_id = !arguments.id.empty();
  std::string line = "score,class,lowest,highest";
  for (const char* const part : {"support_", "probability_"}) {
    for (const auto& name : schema.class_names) {
      line += ',';
      detail::append_csv_field(line, part + name, ',');
    }
  }
  line += ",notes";
  if (arguments.coverage != 0) line += ",covering_lowest,covering_highest";
  if (arguments.is_decided) line += ",decided_by";
  if (!arguments.decisions.empty()) line += ",decision_reason";
  for (std::size_t k = 1; k <= arguments.reasons; ++k) line += fmt::format(",reason_{}", k);
  const std::string own = "row," + line;
  std::string all;
  detail::append_csv_text(all, has_id ? carried.front() : "row", ',', arguments.raw_cells);
  all += ',' + line;
  for (std::size_t k = has_id ? 1 : 0; k < carried.size(); ++k) {
    detail::append_csv_text(all += ',', kept_name(carried[k], own), ',', arguments.raw_cells);
  }
  return all + '\n';
}

namespace {

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

}  // namespace

std::string readable_text(const Model& model, const PredictChunk& chunk, const PredictArguments& arguments) {
  const Schema& schema = model.schema;
  const Predictions& predictions = chunk.predictions;
  const std::vector<ClassInterval>& covering = chunk.covering;
  const auto classes = static_cast<std::size_t>(predictions.class_count);
  const auto name = [&](int h) { return class_text(schema, h); };
  auto note = predictions.notes.begin();
  std::string text;
  for (std::size_t i = 0; i < predictions.row_count(); ++i) {
    const auto [lowest, highest] = predictions.intervals[i];
    const std::size_t at = i * classes;
    const std::string row =
        arguments.id.empty() ? fmt::format("row {}", chunk.first_row + i) : printable(chunk.carried.cells[0][i]);
    const int label = predictions.classes[i];
    text +=
        fmt::format("{}: {} {}, score {:.3f}\n", row, printable(schema.label_name), name(label), predictions.scores[i]);
    if (!covering.empty()) {
      text += fmt::format("  {}\n", covering_text(model, label, covering[i], arguments.coverage));
    }
    text += fmt::format("  {}\n", possible_text(model, label, predictions.intervals[i]));
    const std::string contradiction = contradiction_text(model, predictions.scores[i]);
    if (!contradiction.empty()) text += fmt::format("    {}\n", contradiction);
    if (!chunk.decided_by.empty() && chunk.decided_by[i] != by_rule) {
      const std::string why = chunk.why.empty() || chunk.why[i].empty() ? "" : ": " + printable(chunk.why[i]);
      text += fmt::format("  decided by {}{}\n", chunk.decided_by[i], why);
    }
    text += "  support    ";
    for (int h = lowest; h <= highest; ++h) {
      text += fmt::format("  {}: {:.2f}", name(h), predictions.support[at + static_cast<std::size_t>(h)]);
    }
    text += "\n  probability";
    for (int h = 0; h < predictions.class_count; ++h) {
      const double probability = predictions.probabilities[at + static_cast<std::size_t>(h)];
      if (probability >= 0.005) text += fmt::format("  {}: {:.2f}", name(h), probability);
    }
    text += '\n';
    const std::string notes = notes_text(schema, predictions, i, note);
    if (!notes.empty()) text += fmt::format("  note: {}\n", printable(notes));
    if (chunk.reasons.empty()) continue;
    text += "  reasons: ";
    for (const Reason& reason : chunk.reasons[i]) {
      text += fmt::format(" {} {:+.3f} ", printable(reason_text(schema, reason)), reason.value);
    }
    text.back() = '\n';
  }
  return text;
}

namespace {

void append_number(std::string& text, double value) {
  std::array<char, 32> digits;  // the shortest that read back the same take 24
  text.append(digits.data(), fmt::format_to(digits.data(), FMT_COMPILE("{}"), value));
}

}  // namespace

std::string rows_text(const Schema& schema, const PredictChunk& chunk, detail::Range range,
                      const PredictArguments& arguments) {
  const Predictions& predictions = chunk.predictions;
  const std::vector<ClassInterval>& covering = chunk.covering;
  const bool raw_cells = arguments.raw_cells;
  const bool has_id = !arguments.id.empty();
  const auto classes = static_cast<std::size_t>(predictions.class_count);
  auto note = std::lower_bound(predictions.notes.begin(), predictions.notes.end(), range.begin,
                               [](const RowNote& n, std::size_t row) { return n.row < row; });
  std::vector<std::string> names;
  for (const auto& name : schema.class_names) detail::append_csv_text(names.emplace_back(), name, ',', raw_cells);
  std::string text;
  const auto name_of = [&](int h) -> const std::string& { return names[static_cast<std::size_t>(h)]; };
  for (std::size_t i = range.begin; i < range.end; ++i) {
    const auto [lowest, highest] = predictions.intervals[i];
    if (has_id) {
      detail::append_csv_text(text, chunk.carried.cells[0][i], ',', raw_cells);
    } else {
      fmt::format_to(std::back_inserter(text), FMT_COMPILE("{}"), chunk.first_row + i);
    }
    append_number(text += ',', predictions.scores[i]);
    text += ',';
    if (predictions.classes[i] != no_class) text += name_of(predictions.classes[i]);
    for (const int h : {lowest, highest}) (text += ',') += name_of(h);
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
    if (arguments.is_decided) (text += ',') += chunk.decided_by[i];
    if (!arguments.decisions.empty()) detail::append_csv_text(text += ',', chunk.why[i], ',', raw_cells);
    for (std::size_t k = 0; k < arguments.reasons; ++k) {
      text += ',';
      if (k >= chunk.reasons[i].size()) continue;
      detail::append_csv_text(text, reason_text(schema, chunk.reasons[i][k]), ',', raw_cells);
    }
    for (std::size_t k = has_id ? 1 : 0; k < chunk.carried.cells.size(); ++k) {
      detail::append_csv_text(text += ',', chunk.carried.cells[k][i], ',', raw_cells);
    }
    text += '\n';
  }
  return text;
}

}  // namespace xofm::app
