// Out again: a model as a program of another world, which needs no xofm to score.
//
// Every target gives score, class, probabilities and reasons, and the same answer as Model::predict on numbers out of
// range, missing and special values and levels that training has not seen. docs/guide/exports.md says what differs.
#pragma once

#include <string>

#include "xofm/model.hpp"
#include "xofm/names.hpp"

namespace xofm {

enum class ExportTarget {
  c,       // one C99 file, without heap or dependencies
  python,  // one Python file, without dependencies
  sql,     // one SELECT over a table
  onnx,    // a graph of double precision
  points,  // a scorecard as CSV
  xlsx,    // the same as a workbook, with a sheet that scores a typed case
  pmml,    // a Scorecard of PMML 4.4
};

enum class SqlDialect { postgres, sqlite, duckdb, spark };

template <>
inline constexpr EnumName<ExportTarget> enum_names<ExportTarget>[] = {
    {ExportTarget::c, "c"},       {ExportTarget::python, "python"}, {ExportTarget::sql, "sql"},
    {ExportTarget::onnx, "onnx"}, {ExportTarget::points, "points"}, {ExportTarget::xlsx, "xlsx"},
    {ExportTarget::pmml, "pmml"}};
template <>
inline constexpr EnumName<SqlDialect> enum_names<SqlDialect>[] = {{SqlDialect::postgres, "postgres"},
                                                                  {SqlDialect::sqlite, "sqlite"},
                                                                  {SqlDialect::duckdb, "duckdb"},
                                                                  {SqlDialect::spark, "spark"}};

struct ExportOptions {
  ExportTarget target = ExportTarget::c;
  bool highest_reasons = false;     // reasons are the parts with the highest contributions; else the lowest
  std::string name = "xofm_model";  // c: what all its names begin with
  std::string table = {};           // sql: NAME or SCHEMA.NAME, taken to the letter; a part with a dot in "quotes"
  SqlDialect dialect = SqlDialect::postgres;
  double points = 600;     // points, xlsx: of the average training row
  double pdo = 20;         // points, xlsx: so many more double the odds of a class or a better one; positive
  bool raw_cells = false;  // points: names and classes as they are, even such as =A1, which a spreadsheet would run
  std::string id = {};     // sql: a column that is carried along; empty: none
};

// The file's content. Throws Error{invalid_option} where the target cannot hold the model or an option is of no use to
// it, and says what can be done.
std::string export_model(const Model& model, const ExportOptions& options = {});

// The file appears complete in the place of `path`; "-" is standard output.
void save_export(const Model& model, const std::string& path, const ExportOptions& options = {});

}  // namespace xofm
