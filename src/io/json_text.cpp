#include "io/json_text.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace xofm::detail {

namespace {

using Json = nlohmann::ordered_json;

bool fits_one_line(const Json& value) {
  if (!value.is_structured()) return true;
  if (value.empty()) return true;
  const bool plain = std::none_of(value.begin(), value.end(), [](const Json& item) { return item.is_structured(); });
  return plain && (value.is_array() || value.size() <= 3);
}

void append(const Json& value, int indent, std::string& out) {
  if (!value.is_structured()) {
    out += value.dump();
    return;
  }
  const bool one_line = fits_one_line(value);
  const bool is_object = value.is_object();
  out += is_object ? '{' : '[';
  bool first = true;
  for (auto item = value.begin(); item != value.end(); ++item) {
    if (!first) out += one_line ? ", " : ",";
    first = false;
    if (!one_line) out.append(1, '\n').append(static_cast<std::size_t>(indent) + 2, ' ');
    if (is_object) out += Json(item.key()).dump() + ": ";
    append(*item, indent + 2, out);
  }
  if (!one_line) out.append(1, '\n').append(static_cast<std::size_t>(indent), ' ');
  out += is_object ? '}' : ']';
}

}  // namespace

std::string to_readable_text(const Json& value) {
  std::string out;
  append(value, 0, out);
  out += '\n';
  return out;
}

}  // namespace xofm::detail
