// The work behind the calls: free of handles and buffers' lifetimes.
#pragma once

#include <cstdint>
#include <string>

#include "c_api/frame.hpp"
#include "c_api/rows.hpp"
#include "xofm/c_api.h"
#include "xofm/model.hpp"

namespace xofm::c_api {

// Threads of this call; for `control` null one per core.
int thread_count(const xofm_control* control);

// As xofm_control asks: not more often than its interval, except at the end.
ProgressCallback progress_of(const xofm_control* control);

Model fit_frame(const Frame& frame, const Labels& labels, const char* options, const xofm_control* control);
void predict_frame(const Model& model, const Frame& frame, const xofm_prediction& out);
std::string check_frame(const Frame& frame, const Labels& labels, const char* options);  // JSON
// JSON, or a page; `labels` may be null.
std::string monitor_frame(const Model& model, const Frame& frame, const std::int32_t* labels, const char* options);
void explain_frame(const Model& model, const Frame& frame, const xofm_contributions& out);

}  // namespace xofm::c_api
