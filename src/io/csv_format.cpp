#include "io/csv_format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "xofm/error.hpp"

namespace xofm::detail {

namespace {

constexpr std::size_t most_bytes = std::size_t{256} << 10;
constexpr std::size_t most_letters = 64;  // of a number with separators

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Length of the separator of thousands that is no point or comma at the start of `text`; 0 if there is none.
std::size_t blank_length(std::string_view text) {
  for (const std::string_view blank : {"\xc2\xa0", "\xe2\x80\xaf", "\xe2\x80\x89", "\xe2\x80\x99", " ", "'"}) {
    if (text.starts_with(blank)) return blank.size();
  }
  return 0;
}

// A cell as sign, digits and separators; a blank of whatever kind is one letter, ' ' or '\''.
struct Letters {
  std::array<char, most_letters> letter;
  std::size_t count = 0;
  std::string_view view() const { return {letter.data(), count}; }
};

std::optional<Letters> letters_of(std::string_view cell) {
  Letters letters;
  while (!cell.empty()) {
    if (letters.count == most_letters) return std::nullopt;
    const char c = cell.front();
    const std::size_t blank = blank_length(cell);
    const bool is_mark = c == '.' || c == ',' || ((c == '-' || c == '+') && letters.count == 0);
    if (!is_digit(c) && !is_mark && blank == 0) return std::nullopt;
    letters.letter[letters.count++] = blank == 0 ? c : c == '\'' || cell.starts_with("\xe2\x80\x99") ? '\'' : ' ';
    cell.remove_prefix(std::max<std::size_t>(blank, 1));
  }
  while (letters.count > 0 && letters.letter[letters.count - 1] == ' ') --letters.count;
  std::size_t blanks = 0;
  while (blanks < letters.count && letters.letter[blanks] == ' ') ++blanks;
  std::copy(letters.letter.begin() + blanks, letters.letter.begin() + letters.count, letters.letter.begin());
  letters.count -= blanks;
  if (letters.count == 0) return std::nullopt;
  return letters;
}

// One to three digits, then groups of three behind `separator`.
bool is_grouped(std::string_view digits, char separator) {
  std::size_t at = digits.find(separator);
  if (at == std::string_view::npos || at == 0 || at > 3) return false;
  const auto all_digits = [](std::string_view part) { return std::all_of(part.begin(), part.end(), is_digit); };
  if (!all_digits(digits.substr(0, at))) return false;
  while (at < digits.size()) {
    if (digits[at] != separator || digits.size() - at < 4 || !all_digits(digits.substr(at + 1, 3))) return false;
    at += 4;
  }
  return true;
}

// What a cell says of the way in which its file writes numbers.
enum class Evidence { none, plain, comma, comma_open, point, point_groups, blank_groups };

Evidence evidence_of(std::string_view cell) {
  const auto letters = letters_of(cell);
  if (!letters) {
    double value = 0;
    return read_number(cell, value) == CellKind::text ? Evidence::none : Evidence::plain;  // 1e-5
  }
  std::string_view text = letters->view();
  if (text.front() == '-' || text.front() == '+') text.remove_prefix(1);
  const std::size_t point = text.rfind('.');
  const std::size_t comma = text.rfind(',');
  constexpr std::size_t no = std::string_view::npos;
  const auto digits_behind = [&](std::size_t mark) {
    const std::string_view rest = text.substr(mark + 1);
    return std::all_of(rest.begin(), rest.end(), is_digit);
  };
  const auto groups_before = [&](std::size_t mark, Evidence evidence) {
    const std::string_view whole = text.substr(0, mark);
    for (const char separator : {'.', ',', ' ', '\''}) {
      if (is_grouped(whole, separator)) return digits_behind(mark) ? evidence : Evidence::none;
    }
    const bool is_plain = std::all_of(whole.begin(), whole.end(), is_digit) && (mark > 0 || text.size() > 1);
    return is_plain && digits_behind(mark) ? evidence : Evidence::none;
  };
  if (point != no && comma != no) {
    return point > comma ? groups_before(point, Evidence::point_groups) : groups_before(comma, Evidence::comma);
  }
  if (comma != no) {
    const bool is_one = text.find(',') == comma;
    if (is_grouped(text, ','))
      return !is_one ? Evidence::point_groups : text[0] == '0' ? Evidence::comma : Evidence::comma_open;
    return is_one ? groups_before(comma, Evidence::comma) : Evidence::none;
  }
  if (point != no) {
    const bool is_one = text.find('.') == point;
    if (is_grouped(text, '.')) return is_one ? (text[0] == '0' ? Evidence::point : Evidence::plain) : Evidence::comma;
    if (!is_one) return Evidence::none;
    const Evidence evidence = groups_before(point, Evidence::point);
    const bool has_blanks = text.find(' ') != no || text.find('\'') != no;
    return evidence == Evidence::point && has_blanks ? Evidence::point_groups : evidence;
  }
  if (is_grouped(text, ' ') || is_grouped(text, '\'')) return Evidence::blank_groups;
  return std::all_of(text.begin(), text.end(), is_digit) ? Evidence::plain : Evidence::none;
}

struct Found {
  std::size_t line = 0;
  std::size_t column = 0;
  std::string cell;
};

// What the cells of one column say; one that is no number in any way takes the column out.
struct ColumnEvidence {
  bool is_number = true;
  std::array<std::optional<Found>, 7> first = {};
};

using Evidences = std::array<std::optional<Found>, 7>;

Evidences collect(std::string_view body, const Header& header, const MissingTokens& missing,
                  const std::vector<std::size_t>& columns) {
  std::vector<char> is_asked(header.names.size());
  for (const std::size_t column : columns) is_asked[column] = 1;
  std::vector<ColumnEvidence> evidence(header.names.size());
  std::size_t line = 1 + header.line_count;
  try {
    const char* const stop = body.data() + std::min(most_bytes, body.size());
    for (const char* p = body.data(); p < stop;) {
      const Record record = next_record(p, body.data() + body.size());
      CellCursor cursor(record, header.separator);
      for (std::size_t j = 0; j < header.names.size() && !cursor.done(); ++j) {
        const std::string_view cell = cursor.cell();
        const bool is_whole = std::all_of(cell.begin(), cell.end(), is_digit);
        if (is_whole || is_asked[j] == 0 || !evidence[j].is_number || missing.contains(cell)) continue;
        const Evidence kind = evidence_of(cell);
        evidence[j].is_number = kind != Evidence::none;
        auto& first = evidence[j].first[static_cast<std::size_t>(kind)];
        if (!first) first = Found{line, j, std::string(cell)};
      }
      line += static_cast<std::size_t>(std::count(record.begin, record.next, '\n'));
      p = record.next;
    }
  } catch (const Malformed&) {  // the parser will meet it again and report it
  }
  Evidences all;
  for (const ColumnEvidence& column : evidence) {
    for (std::size_t k = 0; k < all.size() && column.is_number; ++k) {
      if (column.first[k] && !all[k]) all[k] = column.first[k];
    }
  }
  return all;
}

std::string place_text(const Header& header, const Found& found) {
  return fmt::format("{} (line {}, column {})", shown(found.cell), found.line, shown(header.names[found.column]));
}

}  // namespace

CellKind read_number(std::string_view cell, const NumberFormat& format, double& value) {
  if (format.is_plain()) return read_number(cell, value);
  const auto letters = letters_of(cell);
  if (!letters) return read_number(cell, value);
  std::string_view text = letters->view();
  const char decimal = format.comma ? ',' : '.';
  std::array<char, most_letters> plain;
  std::size_t count = 0;
  if (text.front() == '-' || text.front() == '+') {
    if (text.front() == '-') plain[count++] = '-';
    text.remove_prefix(1);
  }
  const std::size_t mark = std::min(text.find(decimal), text.size());
  const std::string_view whole = text.substr(0, mark);
  const std::string_view part = mark < text.size() ? text.substr(mark + 1) : std::string_view();
  const bool has_groups =
      is_grouped(whole, format.comma ? '.' : ',') || is_grouped(whole, ' ') || is_grouped(whole, '\'');
  const bool is_plain = std::all_of(whole.begin(), whole.end(), is_digit);
  if ((!has_groups && !is_plain) || !std::all_of(part.begin(), part.end(), is_digit) ||
      whole.size() + part.size() == 0) {
    return CellKind::text;
  }
  for (const char c : whole) {
    if (is_digit(c)) plain[count++] = c;
  }
  if (!part.empty()) plain[count++] = '.';
  for (const char c : part) plain[count++] = c;
  return read_number(std::string_view(plain.data(), count), value);
}

CellKind read_cell(std::string_view cell, const MissingTokens& missing, const NumberFormat& format, double& value) {
  if (format.is_plain()) return read_cell(cell, missing, value);
  if (missing.contains(cell)) return CellKind::missing;
  const CellKind kind = read_number(cell, format, value);
  return kind == CellKind::number && missing.contains(value) ? CellKind::missing : kind;
}

NumberFormat find_format(std::string_view body, const Header& header, const std::string& file,
                         const MissingTokens& missing, const FormatQuestion& question) {
  if (question.decimal != '\0' && question.decimal != '.' && question.decimal != ',') {
    throw Error(ErrorCode::invalid_option, fmt::format("decimal is {}; it must be a point or a comma",
                                                       shown(std::string_view(&question.decimal, 1))));
  }
  if (question.decimal != '\0') return {.comma = question.decimal == ',', .grouped = true};
  const Evidences found = collect(body, header, missing, question.columns);
  const auto at = [&](Evidence kind) -> const std::optional<Found>& { return found[static_cast<std::size_t>(kind)]; };
  const auto& comma = at(Evidence::comma);
  const auto& point = at(Evidence::point_groups) ? at(Evidence::point_groups) : at(Evidence::point);
  if (comma && point) {
    throw Error(ErrorCode::invalid_data,
                fmt::format("{}: {} has a decimal comma and {} a decimal point; write all numbers in one way, or say "
                            "which it is with --decimal , or --decimal .",
                            file, place_text(header, *comma), place_text(header, *point)));
  }
  if (comma) return {.comma = true, .grouped = true};
  const auto& open = at(Evidence::comma_open);
  if (point) return {.grouped = open || at(Evidence::point_groups) || at(Evidence::blank_groups)};
  if (open && question.is_training) {
    throw Error(
        ErrorCode::invalid_data,
        fmt::format("{}: {} may be a number of thousands or have a decimal comma, and nothing in the file tells; "
                    "say which: --decimal . (thousands) or --decimal , (a decimal comma)",
                    file, place_text(header, *open)));
  }
  if (question.was_comma) return {.comma = true, .grouped = true};
  return {.grouped = open || at(Evidence::blank_groups)};
}

}  // namespace xofm::detail
