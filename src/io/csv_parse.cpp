#include "io/csv_parse.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "core/base/parallel.hpp"
#include "io/csv_format.hpp"

namespace xofm::detail {

namespace {

using Role = ColumnTask::Role;

// Distinct texts in order of appearance.
class Dictionary {
 public:
  int code(std::string_view text) {
    auto found = codes_.find(text);
    if (found == codes_.end()) {
      found = codes_.emplace(std::string(text), static_cast<int>(levels_.size())).first;
      levels_.push_back({std::string(text), 0});
    }
    ++levels_[static_cast<std::size_t>(found->second)].count;
    return found->second;
  }

  std::vector<Level> take_levels() {
    codes_.clear();
    return std::move(levels_);
  }

 private:
  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;
  };
  std::unordered_map<std::string, int, Hash, std::equal_to<>> codes_;
  std::vector<Level> levels_;
};

struct BlockResult {
  std::vector<std::vector<Level>> levels;  // one per text column; the codes of the block's rows point into it
  std::optional<Malformed> malformed;
};

void store_code(const ColumnTask& task, std::size_t row, int code) {
  if (task.codes != nullptr) {
    task.codes[row] = code;
  } else {
    task.values[row] = code < 0 ? std::numeric_limits<double>::quiet_NaN() : code;
  }
}

class BlockParser {
 public:
  BlockParser(const Table& table, const std::vector<ColumnTask>& tasks, const MissingTokens& missing)
      : table_(table), tasks_(tasks), missing_(missing), tallies_(tasks.size()) {
    std::size_t text_count = 0;
    for (const auto& task : tasks) text_count += task.role == Role::text ? 1 : 0;
    dictionaries_.resize(text_count);
    for (const auto& task : tasks) {
      is_quick_.push_back(task.role == Role::number && task.carried == nullptr && !task.is_time &&
                          !table.format().comma);
    }
  }

  void parse(const Block& block) {
    std::size_t row = block.first_row;
    for (const char* p = block.begin; p != block.end;) {
      const Record record = next_record(p, table_.end());
      p = record.next;
      if (table_.skips(record)) continue;
      parse_record(record, row);
      ++row;
    }
  }

  const std::vector<Tally>& tallies() const { return tallies_; }
  std::vector<Dictionary>& dictionaries() { return dictionaries_; }

 private:
  void parse_record(const Record& record, std::size_t row) {
    CellCursor cursor(record, table_.separator());
    std::size_t text_index = 0;
    for (std::size_t j = 0; j < tasks_.size(); ++j) {
      if (cursor.done()) refuse_width(record, j);
      const ColumnTask& task = tasks_[j];
      if (is_quick_[j] != 0) {
        parse_number(cursor, task, tallies_[j], row);
        continue;
      }
      const std::string_view cell = cursor.cell();
      if (task.carried != nullptr) (*task.carried)[row].assign(cell);
      switch (task.role) {
        case Role::skip:
          break;
        case Role::number: {
          double value = 0;
          const CellKind kind =
              task.is_time ? read_moment(cell, task, value) : read_cell(cell, missing_, table_.format(), value);
          store_number(task, tallies_[j], row, kind, value);
          break;
        }
        case Role::text: {
          const bool none = !task.keeps_missing && missing_.contains(cell);
          store_code(task, row, none ? -1 : dictionaries_[text_index].code(cell));
          tallies_[j].missing += none ? 1 : 0;
          ++text_index;
          break;
        }
      }
    }
    if (!cursor.done()) {
      std::size_t width = tasks_.size();
      for (; !cursor.done(); ++width) cursor.cell();
      refuse_width(record, width);
    }
  }

  void parse_number(CellCursor& cursor, const ColumnTask& task, Tally& tally, std::size_t row) const {
    double value = 0;
    CellKind kind = CellKind::number;
    if (!cursor.number(value)) {
      kind = read_cell(cursor.cell(), missing_, table_.format(), value);
    } else if (missing_.contains(value)) {
      kind = CellKind::missing;
    }
    store_number(task, tally, row, kind, value);
  }

  CellKind read_moment(std::string_view cell, const ColumnTask& task, double& value) const {
    if (missing_.contains(cell)) return CellKind::missing;
    return read_time(cell, task.date_order, value) ? CellKind::number : CellKind::text;
  }

  static void store_number(const ColumnTask& task, Tally& tally, std::size_t row, CellKind kind, double value) {
    tally.count(kind, row);
    task.values[row] = kind == CellKind::number ? value : std::numeric_limits<double>::quiet_NaN();
  }

  [[noreturn]] void refuse_width(const Record& record, std::size_t width) const {
    throw Malformed{record.begin,
                    fmt::format("{} {}, but the header has {}", width, width == 1 ? "cell" : "cells", tasks_.size())};
  }

  const Table& table_;
  const std::vector<ColumnTask>& tasks_;
  const MissingTokens& missing_;
  std::vector<char> is_quick_;  // by task: a plain number is what it says, and nobody asks for its text
  std::vector<Tally> tallies_;
  std::vector<Dictionary> dictionaries_;
};

void sort_levels(std::vector<Level>& levels) {
  std::vector<std::pair<double, std::size_t>> order;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    double value = 0;
    if (read_number(levels[i].text, value) != CellKind::number) break;
    order.emplace_back(value, i);
  }
  // They come in byte order, which stays the order among different spellings of one number.
  if (order.size() < levels.size()) return;
  std::sort(order.begin(), order.end());
  std::vector<Level> sorted;
  for (const auto& [value, i] : order) sorted.push_back(std::move(levels[i]));
  levels = std::move(sorted);
}

// Replaces the codes that the blocks gave by codes of the ordered levels of the whole table.
void unite_levels(const Table& table, ColumnTask& task, std::vector<BlockResult>& results, std::size_t text_index) {
  std::map<std::string_view, std::size_t> counts;
  for (const auto& result : results) {
    for (const auto& level : result.levels[text_index]) counts[level.text] += level.count;
  }
  for (const auto& [text, count] : counts) task.levels.push_back({std::string(text), count});
  sort_levels(task.levels);
  std::unordered_map<std::string_view, int> codes;
  for (std::size_t i = 0; i < task.levels.size(); ++i) codes[task.levels[i].text] = static_cast<int>(i);
  parallel_for(results.size(), [&](std::size_t b) {
    std::vector<int> united;
    for (const auto& level : results[b].levels[text_index]) united.push_back(codes.at(level.text));
    const Block& block = table.blocks()[b];
    for (std::size_t row = block.first_row; row < block.first_row + block.row_count; ++row) {
      const bool none = task.codes != nullptr ? task.codes[row] < 0 : !(task.values[row] >= 0);
      if (none) continue;
      const auto local = task.codes != nullptr ? static_cast<std::size_t>(task.codes[row])
                                               : static_cast<std::size_t>(task.values[row]);
      store_code(task, row, united[local]);
    }
  });
}

}  // namespace

void Tally::count(CellKind kind, std::size_t row) {
  switch (kind) {
    case CellKind::number:
      ++numbers;
      break;
    case CellKind::missing:
      ++missing;
      break;
    case CellKind::text:
      ++texts;
      first_text = std::min(first_text, row);
      break;
    case CellKind::infinite:
      ++infinite;
      first_infinite = std::min(first_infinite, row);
      break;
  }
}

void Tally::add(const Tally& other) {
  numbers += other.numbers;
  texts += other.texts;
  infinite += other.infinite;
  missing += other.missing;
  first_text = std::min(first_text, other.first_text);
  first_infinite = std::min(first_infinite, other.first_infinite);
}

void parse_columns(const Table& table, std::vector<ColumnTask>& tasks, const MissingTokens& missing) {
  std::vector<BlockResult> results(table.blocks().size());
  std::mutex mutex;
  parallel_for(results.size(), [&](std::size_t b) {
    BlockParser parser(table, tasks, missing);
    try {
      parser.parse(table.blocks()[b]);
    } catch (const Malformed& malformed) {
      results[b].malformed = malformed;
    }
    for (auto& dictionary : parser.dictionaries()) results[b].levels.push_back(dictionary.take_levels());
    // Sums and minima of whole numbers: the order in which blocks come does not matter.
    const std::lock_guard lock(mutex);
    for (std::size_t j = 0; j < tasks.size(); ++j) tasks[j].tally.add(parser.tallies()[j]);
  });
  for (const auto& result : results) {
    if (result.malformed) table.refuse(*result.malformed);
  }
  std::size_t text_index = 0;
  for (auto& task : tasks) {
    if (task.role == Role::text) unite_levels(table, task, results, text_index++);
  }
}

Tally tally_of_levels(const ColumnTask& task, const NumberFormat& format) {
  Tally tally;
  tally.missing = task.tally.missing;
  for (const auto& level : task.levels) {
    double value = 0;
    const CellKind kind = read_number(level.text, format, value);
    (kind == CellKind::number     ? tally.numbers
     : kind == CellKind::infinite ? tally.infinite
                                  : tally.texts) += level.count;
  }
  return tally;
}

}  // namespace xofm::detail
