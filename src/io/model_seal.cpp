// Models that were changed by hand.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "io/json_text.hpp"
#include "io/model_text.hpp"
#include "io/output_file.hpp"
#include "io/term_blocks.hpp"
#include "xofm/error.hpp"
#include "xofm/model_file.hpp"

namespace xofm {

namespace {

using Json = nlohmann::ordered_json;

Json parse(std::string_view text, const std::string& source) {
  const char* const problem = detail::text_problem(text);
  Json document = problem == nullptr ? Json::parse(text, nullptr, false) : Json(Json::value_t::discarded);
  if (!document.is_object()) {
    throw Error(ErrorCode::invalid_model, fmt::format("{}: not a model of xofm fit: {}", source,
                                                      problem != nullptr ? problem : "it is no JSON object"));
  }
  return document;
}

std::size_t count_of(const Json& document) {
  const auto sealed = document.find("sealed");
  if (sealed == document.end() || !sealed->is_object()) return 0;
  const auto count = sealed->find("count");
  return count != sealed->end() && count->is_number_unsigned() ? count->get<std::size_t>() : 0;
}

}  // namespace

std::string seal_model(std::string_view text, const std::string& source) {
  Json document = parse(text, source);
  document["sealed"] = {{"count", count_of(document) + 1}, {"program", XOFM_VERSION}};
  document["checksum"] = "";
  document["checksum"] = detail::checksum(nlohmann::json::parse(detail::to_readable_text(document)));
  std::string sealed = detail::to_readable_text(document);
  model_from_json(sealed, source);
  return sealed;
}

void seal_model_file(const std::string& path, const std::string& output) {
  const std::string sealed = seal_model(detail::read_model_text(path), path);
  detail::OutputFile file(output);
  file.write(sealed);
  file.commit();
}

std::size_t seal_count(const std::string& path) { return count_of(parse(detail::read_model_text(path), path)); }

}  // namespace xofm
