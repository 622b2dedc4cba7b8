#include "xofm/export.hpp"

#include <fmt/format.h>

#include "io/export/writers.hpp"
#include "io/output_file.hpp"
#include "xofm/error.hpp"

namespace xofm {

std::string export_model(const Model& model, const ExportOptions& options) {
  const detail::ExportModel made = detail::make_export_model(model, options.highest_reasons);
  switch (options.target) {
    case ExportTarget::c:
      return detail::c_source(model, made, options.name);
    case ExportTarget::python:
      return detail::python_source(model, made);
    case ExportTarget::onnx:
      return detail::onnx_model(made);
    case ExportTarget::points:
      return detail::points_csv(made, options.points, options.pdo, options.raw_cells);
    case ExportTarget::xlsx:
      return detail::points_workbook(made, options.points, options.pdo);
    case ExportTarget::pmml:
      return detail::pmml_model(made);
    case ExportTarget::sql:
      return detail::sql_select(made, options);
  }
  return {};
}

void save_export(const Model& model, const std::string& path, const ExportOptions& options) {
  const std::string text = export_model(model, options);
  detail::OutputFile file(path);
  file.write(text);
  file.commit();
}

}  // namespace xofm
