#include "io/export/sql_dialect.hpp"

#include <fmt/format.h>

#include "io/csv_number.hpp"
#include "io/export/literals.hpp"
#include "xofm/error.hpp"

namespace xofm::detail {

std::string SqlWriter::number(double value) const {
  std::string digits = number_literal(value);
  switch (dialect_) {
    case SqlDialect::postgres:
      return fmt::format("'{}'::float8", digits);
    case SqlDialect::spark:
      return digits + "D";
    case SqlDialect::sqlite:
    case SqlDialect::duckdb:
      // With an exponent it is a double and not a decimal; a sign is apart from the digits.
      if (digits.find('e') == std::string::npos) digits += "e0";
      return value < 0 ? fmt::format("({})", digits) : digits;
  }
  return digits;
}

std::string SqlWriter::text(std::string_view value) const {
  const std::string doubled = replaced(std::string(value), "'", "''");
  switch (dialect_) {
    case SqlDialect::postgres:
      // Whether a backslash escapes in '...' is a setting; in E'...' it always does.
      if (value.find('\\') == std::string_view::npos) return fmt::format("'{}'", doubled);
      return fmt::format("E'{}'", replaced(doubled, "\\", "\\\\"));
    case SqlDialect::spark: {
      // A dollar could begin ${...}, which is substituted before anything is parsed.
      std::string escaped = replaced(std::string(value), "\\", "\\\\");
      escaped = replaced(replaced(escaped, "'", "\\'"), "$", "\\u0024");
      return fmt::format("'{}'", escaped);
    }
    case SqlDialect::sqlite:
    case SqlDialect::duckdb:
      return fmt::format("'{}'", doubled);
  }
  return doubled;
}

std::string SqlWriter::name(std::string_view value) const {
  if (value.empty() || value.find('\0') != std::string_view::npos) {
    throw Error(ErrorCode::invalid_option,
                fmt::format("{} cannot be the name of a table or column; rename it", shown(value)));
  }
  if (dialect_ == SqlDialect::spark) {
    if (value.find("${") != std::string_view::npos) {
      throw Error(ErrorCode::invalid_option,
                  fmt::format("the name {} holds ${{, which Spark SQL would substitute; rename it", shown(value)));
    }
    return fmt::format("`{}`", replaced(std::string(value), "`", "``"));
  }
  return fmt::format("\"{}\"", replaced(std::string(value), "\"", "\"\""));
}

std::string SqlWriter::table(const std::string& value) const {
  std::vector<std::string> parts(1);
  bool is_quoted = false;
  for (std::size_t i = 0; i < value.size(); ++i) {
    const char c = value[i];
    if (c == '"' && is_quoted && i + 1 < value.size() && value[i + 1] == '"') {
      parts.back() += value[++i];
    } else if (c == '"') {
      is_quoted = !is_quoted;
    } else if (c == '.' && !is_quoted) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  if (is_quoted || parts.size() > 3) {
    throw Error(
        ErrorCode::invalid_option,
        fmt::format("--table is {}; it must be NAME or SCHEMA.NAME, a part with dots in \"quotes\"", shown(value)));
  }
  std::string quoted;
  for (const std::string& part : parts) quoted += fmt::format("{}{}", quoted.empty() ? "" : ".", name(part));
  return quoted;
}

std::string SqlWriter::as_double(const std::string& expression) const {
  constexpr const char* types[] = {"double precision", "REAL", "DOUBLE", "DOUBLE"};
  return fmt::format("CAST({} AS {})", expression, types[static_cast<int>(dialect_)]);
}

std::string SqlWriter::as_text(const std::string& expression) const {
  constexpr const char* types[] = {"text", "TEXT", "VARCHAR", "STRING"};
  constexpr const char* collations[] = {" COLLATE \"C\"", " COLLATE BINARY", "", ""};
  const auto dialect = static_cast<int>(dialect_);
  return fmt::format("CAST({} AS {}){}", expression, types[dialect], collations[dialect]);
}

// NaN is NULL in SQLite; elsewhere it equals itself and is greater than all numbers, so it must go before comparing.
std::string SqlWriter::is_missing(const std::string& number) const {
  switch (dialect_) {
    case SqlDialect::postgres:
      return fmt::format("{0} IS NULL OR {0} = 'NaN'::float8", number);
    case SqlDialect::sqlite:
      return fmt::format("{} IS NULL", number);
    case SqlDialect::duckdb:
    case SqlDialect::spark:
      return fmt::format("{0} IS NULL OR isnan({0})", number);
  }
  return {};
}

std::string SqlWriter::extreme(const char* short_name, const char* name,
                               const std::vector<std::string>& numbers) const {
  if (numbers.size() == 1) return numbers.front();  // min(x) would be the aggregate
  return fmt::format("{}({})", dialect_ == SqlDialect::sqlite ? short_name : name, fmt::join(numbers, ", "));
}

std::string SqlWriter::least(const std::vector<std::string>& numbers) const { return extreme("min", "LEAST", numbers); }
std::string SqlWriter::greatest(const std::vector<std::string>& numbers) const {
  return extreme("max", "GREATEST", numbers);
}

std::string SqlWriter::step(std::string_view name, std::string_view select) const {
  switch (dialect_) {
    case SqlDialect::postgres:
      return fmt::format("{} AS (\n{}\nOFFSET 0)", name, select);  // keeps it from being merged into the next
    case SqlDialect::sqlite:
      return fmt::format("{} AS MATERIALIZED (\n{})", name, select);
    case SqlDialect::duckdb:
    case SqlDialect::spark:
      return fmt::format("{} AS (\n{})", name, select);
  }
  return {};
}

}  // namespace xofm::detail
