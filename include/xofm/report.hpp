// After all stages, report: what a model has learned as one HTML page that people open in a browser, without a network.
//
// The page computes curves, surfaces and predictions from the model itself, so sliders follow at once. Names come from
// files that nobody has checked: they are data to the page, never markup.
#pragma once

#include <cstddef>
#include <string>

#include "xofm/dataset.hpp"
#include "xofm/model.hpp"

namespace xofm {

struct ReportOptions {
  std::string title = {};       // heading of the page; empty: the name of the label
  std::string data_name = {};   // what the rows are called in the page, such as their file name
  std::size_t row_limit = 500;  // rows kept in the page to choose from, spread evenly over all
};

// The whole page. `rows`, laid out by the model's schema, are what the reader can choose from; if they have labels, the
// page also says how good the model is on them.
std::string report_html(const Model& model, const Dataset* rows = nullptr, const ReportOptions& options = {});

// Writes the page to a temporary file that takes the place of `path` when complete.
void save_report(const Model& model, const std::string& path, const Dataset* rows = nullptr,
                 const ReportOptions& options = {});

}  // namespace xofm
