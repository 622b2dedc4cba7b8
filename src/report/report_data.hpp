// What the page of a report needs to know, as one JSON document: the model file and what only the library can say.
// src/report/web/src/document.ts has the same document as types.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "xofm/report.hpp"

namespace xofm::detail {

// Throws Error{invalid_option} if row_limit is 0, Error{invalid_data} if the rows do not fit the model.
nlohmann::ordered_json report_data(const Model& model, const Dataset* rows, const ReportOptions& options);

}  // namespace xofm::detail
