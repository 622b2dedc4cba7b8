#include "results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <iterator>
#include <sstream>

#include "io/output_file.hpp"
#include "io/trials_csv.hpp"
#include "paper_figures.hpp"
#include "xofm/error.hpp"

namespace xofm::accuracy {

namespace {

constexpr const char* header = "set,split,accuracy,mae,qwk,log_loss,coverage_90,width_90,seconds,options";

void replace_file(const std::string& path, const std::string& text) {
  detail::OutputFile file(path);
  file.write(text);
  file.commit();
}

double to_number(const std::string& text, const std::string& place) {
  double value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || stop != text.data() + text.size()) {
    throw Error(ErrorCode::invalid_data,
                fmt::format("{}: '{}' is not a number; remove the file to start anew", place, text));
  }
  return value;
}

std::string mean_and_spread(const std::vector<const Result*>& rows, double Result::*field) {
  double sum = 0;
  double squares = 0;
  double count = 0;
  for (const Result* row : rows) {
    const double value = row->*field;
    if (std::isnan(value)) continue;
    sum += value;
    squares += value * value;
    ++count;
  }
  if (count == 0) return "-";
  const double mean = sum / count;
  if (count < 2) return fmt::format("{:.3f}", mean);
  return fmt::format("{:.3f} ± {:.3f}", mean, std::sqrt(std::max(0.0, (squares - count * mean * mean) / (count - 1))));
}

}  // namespace

void write_results(const std::string& path, const std::vector<Result>& results) {
  std::string text = std::string(header) + '\n';
  for (const Result& r : results) {
    fmt::format_to(std::back_inserter(text), "{},{},{},{},{},{},{},{},{:.1f},\"{}\"\n", r.set, r.split, r.accuracy,
                   r.mae, r.qwk, r.log_loss, r.coverage, r.width, r.seconds, r.options);
  }
  replace_file(path, text);
}

std::vector<Result> read_results(const std::string& path) {
  std::ifstream file(path);
  std::vector<Result> results;
  std::string line;
  if (!file || !std::getline(file, line)) return results;
  if (line != header) {
    throw Error(ErrorCode::invalid_data,
                fmt::format("'{}' has other columns than expected; remove it to start anew", path));
  }
  for (int number = 2; std::getline(file, line); ++number) {
    const std::string place = fmt::format("'{}', line {}", path, number);
    std::vector<std::string> cells;
    std::stringstream stream(line);
    std::string cell;
    for (int c = 0; c < 9 && std::getline(stream, cell, ','); ++c) cells.push_back(cell);
    std::getline(stream, cell);
    if (cells.size() != 9 || cell.size() < 2) {
      throw Error(ErrorCode::invalid_data, fmt::format("{}: too few columns; remove the file to start anew", place));
    }
    Result& r = results.emplace_back();
    r.set = cells[0];
    r.split = static_cast<std::size_t>(to_number(cells[1], place));
    r.accuracy = to_number(cells[2], place);
    r.mae = to_number(cells[3], place);
    r.qwk = to_number(cells[4], place);
    r.log_loss = to_number(cells[5], place);
    r.coverage = to_number(cells[6], place);
    r.width = to_number(cells[7], place);
    r.seconds = to_number(cells[8], place);
    r.options = cell.substr(1, cell.size() - 2);
  }
  return results;
}

std::string markdown_table(const std::vector<Result>& results, Protocol protocol) {
  std::string text = fmt::format("Protocol: {}.\n\n", protocol == Protocol::strict ? "strict" : "the paper's");
  text +=
      "| set | splits | accuracy | MAE | QWK | log loss | coverage at 90 % | classes in it | paper's XOFM | best in "
      "paper |\n";
  text += "|---|---|---|---|---|---|---|---|---|---|\n";
  std::vector<std::string> sets;
  for (const Result& r : results) {
    if (std::find(sets.begin(), sets.end(), r.set) == sets.end()) sets.push_back(r.set);
  }
  std::sort(sets.begin(), sets.end());
  for (const auto& set : sets) {
    std::vector<const Result*> rows;
    for (const Result& r : results) {
      if (r.set == set) rows.push_back(&r);
    }
    fmt::format_to(std::back_inserter(text), "| {} | {} | {} | {} | {} | {} | {} | {} |", set, rows.size(),
                   mean_and_spread(rows, &Result::accuracy), mean_and_spread(rows, &Result::mae),
                   mean_and_spread(rows, &Result::qwk), mean_and_spread(rows, &Result::log_loss),
                   mean_and_spread(rows, &Result::coverage), mean_and_spread(rows, &Result::width));
    const auto own = experiments::paper_figure("XOFM", set);
    const auto best = experiments::best_paper_figure(set);
    text += own && best ? fmt::format(" {:.3f}, {:.3f} | {:.3f}, {:.3f} |\n", own->accuracy, own->mae, best->accuracy,
                                      best->mae)
                        : " - | - |\n";
  }
  return text;
}

void write_splits(const std::string& path, const std::vector<Trial>& splits) {
  detail::OutputFile file(path);
  detail::write_trials(file, splits);
  file.commit();
}

}  // namespace xofm::accuracy
