#include "io/json_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "xofm/error.hpp"

namespace xofm::detail {

namespace {

using Json = nlohmann::ordered_json;

bool fits_one_line(const Json& value) {
  if (!value.is_structured()) return true;
  if (value.empty()) return true;
  const bool plain = std::none_of(value.begin(), value.end(), [](const Json& item) { return item.is_structured(); });
  return plain && (value.is_array() || value.size() <= 3);
}

// JSON knows no infinity and no text that is not UTF-8; `name` is of the nearest member, for the message.
void append_plain(const Json& value, const std::string& name, std::string& out) {
  if (value.is_number_float() && !std::isfinite(value.get<double>())) {
    throw Error(ErrorCode::diverged,
                fmt::format("training has diverged: {} is {}, and no model is written; try a smaller --learning-rate, "
                            "--init-stddev or --margin, or larger penalties",
                            name, value.get<double>()));
  }
  try {
    out += value.dump();
  } catch (const nlohmann::json::exception&) {
    throw Error(ErrorCode::invalid_model, fmt::format("{} holds a text that is not UTF-8", name));
  }
}

void append(const Json& value, const std::string& name, int indent, std::string& out) {
  if (!value.is_structured()) return append_plain(value, name, out);
  const bool one_line = fits_one_line(value);
  const bool is_object = value.is_object();
  out += is_object ? '{' : '[';
  bool first = true;
  for (auto item = value.begin(); item != value.end(); ++item) {
    if (!first) out += one_line ? ", " : ",";
    first = false;
    if (!one_line) out.append(1, '\n').append(static_cast<std::size_t>(indent) + 2, ' ');
    if (is_object) {
      append_plain(Json(item.key()), name, out);
      out += ": ";
    }
    append(*item, is_object ? item.key() : name, indent + 2, out);
  }
  if (!one_line) out.append(1, '\n').append(static_cast<std::size_t>(indent), ' ');
  out += is_object ? '}' : ']';
}

}  // namespace

std::string to_readable_text(const Json& value) {
  std::string out;
  append(value, "the document", 0, out);
  out += '\n';
  return out;
}

}  // namespace xofm::detail
