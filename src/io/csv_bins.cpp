#include "io/csv_bins.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "xofm/error.hpp"

namespace xofm::detail {

namespace {

// The number of each level.
std::vector<double> numbers_of(const Table& table, const ColumnTask& task, std::size_t column, const std::string& name,
                               const MissingTokens& missing, const std::vector<int>& codes) {
  std::vector<double> values(task.levels.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const CellKind kind = read_cell(task.levels[i].text, missing, values[i]);
    if (kind == CellKind::number) continue;
    const auto row = std::find(codes.begin(), codes.end(), static_cast<int>(i)) - codes.begin();
    const Place place = table.place(static_cast<std::size_t>(row), column);
    table.refuse_cell(place.line, name,
                      kind == CellKind::missing
                          ? "the label is missing; fill it in or remove the row"
                          : fmt::format("the label {} is no finite number, so it is in no bin", shown(place.cell)));
  }
  return values;
}

[[noreturn]] void refuse(const std::string& what) { throw Error(ErrorCode::invalid_option, what); }

}  // namespace

std::vector<double> find_bins(const Table& table, const ColumnTask& task, std::size_t column, const std::string& name,
                              const MissingTokens& missing, const CsvOptions& options,
                              const std::vector<double>& weights, const std::vector<int>& codes) {
  if (!options.classes.empty()) refuse("--classes names the classes, bins make them; leave one of the two out");
  if (!options.bins_at.empty()) {
    if (options.bins != 0) refuse("--bins and --bins-at are two ways to cut the label; leave one of them out");
    if (std::adjacent_find(options.bins_at.begin(), options.bins_at.end(), std::greater_equal<>()) !=
        options.bins_at.end()) {
      refuse("--bins-at must ascend");
    }
    return options.bins_at;
  }
  if (!(options.bins >= 2 && options.bins <= 255)) {
    refuse(fmt::format("--bins is {}; it must be 2 to 255", options.bins));
  }
  const std::vector<double> values = numbers_of(table, task, column, name, missing, codes);
  std::vector<double> sorted;
  for (std::size_t i = 0; i < codes.size(); ++i) {
    if (weights.empty() || weights[i] > 0) sorted.push_back(values[static_cast<std::size_t>(codes[i])] + 0.0);
  }
  std::sort(sorted.begin(), sorted.end());
  std::vector<double> starts;
  for (int k = 1; k < options.bins; ++k) {
    const double start = sorted[sorted.size() * static_cast<std::size_t>(k) / static_cast<std::size_t>(options.bins)];
    if (start > (starts.empty() ? sorted.front() : starts.back())) starts.push_back(start);
  }
  if (starts.empty()) {
    refuse(fmt::format("--bins {}: most labels of column {} are {}, so all quantiles are; say where with --bins-at",
                       options.bins, shown(name), sorted.front()));
  }
  return starts;
}

std::vector<std::string> bin_names(const std::vector<double>& starts) {
  std::vector<std::string> names = {fmt::format("below {}", starts.front())};
  for (std::size_t k = 0; k + 1 < starts.size(); ++k) {
    names.push_back(fmt::format("{} to {}", starts[k], starts[k + 1]));
  }
  names.push_back(fmt::format("{} or more", starts.back()));
  return names;
}

void bin_labels(const Table& table, const ColumnTask& task, std::size_t column, const std::string& name,
                const MissingTokens& missing, const std::vector<double>& starts, std::vector<int>& labels) {
  const std::vector<double> values = numbers_of(table, task, column, name, missing, labels);
  for (int& label : labels) {
    const double value = values[static_cast<std::size_t>(label)];
    label = static_cast<int>(std::upper_bound(starts.begin(), starts.end(), value) - starts.begin());
  }
}

}  // namespace xofm::detail
