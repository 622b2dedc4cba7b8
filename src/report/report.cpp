#include "xofm/report.hpp"

#include <nlohmann/json.hpp>

#include "io/output_file.hpp"
#include "report/report_data.hpp"
#include "report/report_page.hpp"
#include "xofm/error.hpp"

namespace xofm {

namespace detail {

// ASCII alone, and none of the characters that could end the script element or begin markup: in JSON they stand only
// inside texts, where \u may take their place. That covers </script>, <!--, ]]>, U+2028 and U+2029.
std::string json_for_html(const nlohmann::ordered_json& json) {
  std::string text;
  for (const char c : json.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace)) {
    switch (c) {
      case '<':
        text += "\\u003c";
        break;
      case '>':
        text += "\\u003e";
        break;
      case '&':
        text += "\\u0026";
        break;
      default:
        text += c;
    }
  }
  return text;
}

}  // namespace detail

std::string report_html(const Model& model, const Dataset* rows, const ReportOptions& options) {
  const std::string_view page = detail::report_page();
  if (page.empty()) {
    throw Error(
        ErrorCode::invalid_option,
        "this build has no report page: install Node.js and npm and build again, in CMake with -DXOFM_REPORT=ON");
  }
  const std::size_t place = page.find(detail::report_placeholder);
  std::string html(page.substr(0, place));
  html += detail::json_for_html(detail::report_data(model, rows, options));
  html += page.substr(place + detail::report_placeholder.size());
  return html;
}

void save_report(const Model& model, const std::string& path, const Dataset* rows, const ReportOptions& options) {
  detail::OutputFile file(path);
  file.write(report_html(model, rows, options));
  file.commit();
}

}  // namespace xofm
