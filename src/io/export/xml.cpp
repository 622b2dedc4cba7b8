#include "io/export/xml.hpp"

#include <fmt/format.h>

#include "io/csv_number.hpp"
#include "io/export/literals.hpp"
#include "xofm/error.hpp"

namespace xofm::detail {

namespace {

void append(const Xml& element, std::size_t depth, std::string& out) {
  out.append(depth, ' ') += '<' + element.name;
  for (const auto& [name, value] : element.attributes) out += fmt::format(" {}=\"{}\"", name, xml_text(value));
  if (element.children.empty() && element.text.empty()) {
    out += "/>\n";
    return;
  }
  out += '>';
  if (element.children.empty()) {
    out += xml_text(element.text);
  } else {
    out += '\n';
    for (const Xml& child : element.children) append(child, depth + 1, out);
    out.append(depth, ' ');
  }
  out += "</" + element.name + ">\n";
}

}  // namespace

std::string xml_text(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '&') {
      escaped += "&amp;";
    } else if (c == '<') {
      escaped += "&lt;";
    } else if (c == '>') {
      escaped += "&gt;";
    } else if (c == '"') {
      escaped += "&quot;";
    } else if (c == '\t' || c == '\n' || c == '\r') {
      escaped += fmt::format("&#{};", static_cast<int>(c));
    } else {
      escaped += c;
    }
  }
  for (const char32_t point : code_points(text)) {
    const bool is_control = point < 0x20 && point != '\t' && point != '\n' && point != '\r';
    if (!is_control && point != 0xFFFD && point != 0xFFFE && point != 0xFFFF) continue;
    throw Error(ErrorCode::invalid_model,
                fmt::format("the name {} has a character that no XML can hold; rename it and train again, or export "
                            "to c, python or sql",
                            shown(text)));
  }
  return escaped;
}

std::string xml_document(const Xml& root) {
  std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
  append(root, 0, out);
  return out;
}

}  // namespace xofm::detail
