// The page without its data: HTML, style and script in one text, made from src/report/web at build time.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace xofm::detail {

// Stands once in the page, where the JSON document goes.
inline constexpr std::string_view report_placeholder = "@XOFM_REPORT_DATA@";

// Empty in a build without the report.
std::string_view report_page();

// The document as a text that is safe inside a script element.
std::string json_for_html(const nlohmann::ordered_json& json);

}  // namespace xofm::detail
