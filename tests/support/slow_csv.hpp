// The slow twin of the CSV reader: one character at a time, one state machine, no blocks. For tests only.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace xofm::testing {

// All records of `text`, blank lines left out where the reader leaves them out. Throws std::runtime_error if malformed.
inline std::vector<std::vector<std::string>> slow_records(std::string_view text, char separator,
                                                          std::size_t column_count) {
  enum class State { before, plain, quoted, after };
  const auto is_blank = [&](char c) { return c == ' ' || (c == '\t' && separator != '\t'); };
  std::vector<std::vector<std::string>> records;
  std::vector<bool> blank;
  std::vector<std::string> record;
  std::string cell;
  State state = State::before;
  bool any_quote = false;
  const auto end_cell = [&] {
    if (state == State::plain) {
      while (!cell.empty() && is_blank(cell.back())) cell.pop_back();
    }
    record.push_back(cell);
    cell.clear();
    state = State::before;
  };
  const auto end_record = [&] {
    end_cell();
    bool only_blanks = record.size() == 1 && !any_quote;
    for (const char c : record.front()) only_blanks = only_blanks && (c == '\r' || is_blank(c));
    blank.push_back(only_blanks);
    records.push_back(record);
    record.clear();
    any_quote = false;
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (state == State::quoted) {
      if (c != '"') {
        cell += c;
      } else if (i + 1 < text.size() && text[i + 1] == '"') {
        cell += '"';
        ++i;
      } else {
        state = State::after;
      }
      continue;
    }
    const bool line_end = c == '\n' || (c == '\r' && (i + 1 == text.size() || text[i + 1] == '\n'));
    if (line_end) {
      if (c == '\r' && i + 1 < text.size()) ++i;
      end_record();
    } else if (c == separator) {
      end_cell();
    } else if (is_blank(c) && state != State::plain) {
      continue;
    } else if (state == State::after) {
      throw std::runtime_error("text after a closing quote");
    } else if (c == '"') {
      if (state == State::plain) throw std::runtime_error("quote in the middle of a cell");
      state = State::quoted;
      any_quote = true;
    } else {
      cell += c;
      state = State::plain;
    }
  }
  if (state == State::quoted) throw std::runtime_error("quote never closed");
  if (!text.empty() && !text.ends_with('\n') && !text.ends_with('\r')) end_record();
  while (!records.empty() && blank.back()) {
    records.pop_back();
    blank.pop_back();
  }
  std::vector<std::vector<std::string>> rows;
  for (std::size_t i = 0; i < records.size(); ++i) {
    if (blank[i] && column_count > 1) continue;
    if (records[i].size() != column_count) throw std::runtime_error("ragged row");
    rows.push_back(records[i]);
  }
  return rows;
}

}  // namespace xofm::testing
