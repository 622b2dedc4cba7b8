#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <unordered_map>

#include "io/csv_number.hpp"
#include "io/csv_table.hpp"
#include "xofm/error.hpp"

namespace xofm::detail {

namespace {

[[noreturn]] void refuse(const std::string& file, const std::string& what) {
  throw Error(ErrorCode::invalid_data, fmt::format("{}: {}", file, what));
}

constexpr std::array<char, 3> separators = {',', ';', '\t'};

char most_frequent_separator(const Record& header) {
  std::array<std::size_t, 3> counts = {};
  bool inside = false;
  for (const char* p = header.begin; p != header.end; ++p) {
    if (*p == '"') inside = !inside;
    const auto found = std::find(separators.begin(), separators.end(), *p);
    if (!inside && found != separators.end()) ++counts[static_cast<std::size_t>(found - separators.begin())];
  }
  const auto most = std::max_element(counts.begin(), counts.end());
  return separators[static_cast<std::size_t>(most - counts.begin())];
}

// Files that are no CSV text at all, by their first bytes.
void check_encoding(std::string_view text, const std::string& file) {
  if (text.starts_with("\x1f\x8b")) refuse(file, "is gzip data; give it a name that ends in .gz");
  if (text.starts_with("\x28\xb5\x2f\xfd")) refuse(file, "is zstd data; give it a name that ends in .zst");
  if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff")) refuse(file, "is UTF-16 text; save it as UTF-8");
}

void check_names(const std::vector<std::string>& names, const std::string& file) {
  std::unordered_map<std::string_view, std::size_t> seen;
  for (std::size_t j = 0; j < names.size(); ++j) {
    const auto& name = names[j];
    if (name.empty()) {
      refuse(file, fmt::format("line 1: column {} of {} has no name; name every column (if these are row names, write "
                               "the file without them)",
                               j + 1, names.size()));
    }
    if (!is_utf8(name)) {
      refuse(file, fmt::format("line 1: the name of column {}, {}, is not valid UTF-8; {}", j + 1, shown(name),
                               encoding_hint));
    }
    if (name.find('\r') != std::string::npos && name.find('\n') == std::string::npos) {
      refuse(file,
             fmt::format("line 1: a carriage return in the name of column {}; end the lines with a line feed", j + 1));
    }
    const auto [first, is_new] = seen.try_emplace(name, j);
    if (!is_new) {
      refuse(file,
             fmt::format("line 1: the name {} stands twice in the header, for columns {} and {}; names must differ",
                         shown(name), first->second + 1, j + 1));
    }
  }
}

}  // namespace

Header read_header(std::string_view text, const std::string& file, char separator) {
  if (separator != '\0' && std::find(separators.begin(), separators.end(), separator) == separators.end()) {
    throw Error(ErrorCode::invalid_option, fmt::format("separator is {}; it must be a comma, a semicolon or a tab",
                                                       shown(std::string_view(&separator, 1))));
  }
  check_encoding(text, file);
  const std::string_view mark = "\xef\xbb\xbf";
  const std::size_t start = text.starts_with(mark) ? mark.size() : 0;
  if (text.find_first_not_of(" \t\r\n", start) == std::string_view::npos) {
    refuse(file, "is empty; a CSV file has a header and one line per row");
  }
  const Record record = next_record(text.data() + start, text.data() + text.size());
  const std::string_view line(record.begin, static_cast<std::size_t>(record.end - record.begin));
  if (line.find('\0') != std::string_view::npos) {
    refuse(file, "line 1: a NUL byte; CSV is text: if the file is UTF-16, save it as UTF-8");
  }
  Header header;
  header.separator = separator == '\0' ? most_frequent_separator(record) : separator;
  header.size = static_cast<std::size_t>(record.next - text.data());
  header.line_count = static_cast<std::size_t>(std::count(record.begin, record.next, '\n'));
  try {
    for (CellCursor cursor(record, header.separator); !cursor.done();) header.names.emplace_back(cursor.cell());
  } catch (const Malformed& malformed) {
    const auto line_number = 1 + std::count(record.begin, malformed.where, '\n');
    refuse(file, fmt::format("line {}: {}", line_number, malformed.what));
  }
  check_names(header.names, file);
  return header;
}

}  // namespace xofm::detail
