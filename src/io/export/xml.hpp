// XML as values: an element with attributes, and children or a text.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace xofm::detail {

struct Xml {
  std::string name;
  std::vector<std::pair<std::string, std::string>> attributes = {};
  std::vector<Xml> children = {};
  std::string text = {};  // of an element without children
};

// With what XML would take for its own written as references, also tabs and line ends, which a reader may otherwise
// change. Throws Error{invalid_model} for what no XML can hold: other control characters and bytes that are no UTF-8.
std::string xml_text(std::string_view text);

// An element a line, but texts as they are.
std::string xml_document(const Xml& root);

}  // namespace xofm::detail
