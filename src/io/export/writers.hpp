// One writer per target; each has its own file.
#pragma once

#include <string>

#include "io/export/export_model.hpp"
#include "xofm/export.hpp"

namespace xofm::detail {

// `probes` are rows that the file tests itself by.
std::string c_source(const Model& model, const ExportModel& made, const std::string& name);
std::string python_source(const Model& model, const ExportModel& made);
std::string onnx_model(const ExportModel& made);
std::string pmml_model(const ExportModel& made);
std::string points_csv(const ExportModel& made, double points, double doubling, bool raw);
std::string points_workbook(const ExportModel& made, double points, double doubling);
std::string sql_select(const ExportModel& made, const ExportOptions& options);

}  // namespace xofm::detail
