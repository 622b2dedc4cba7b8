// What SQL dialects say differently, and how nothing in a name is run by any of them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "xofm/export.hpp"

namespace xofm::detail {

class SqlWriter {
 public:
  explicit SqlWriter(SqlDialect dialect) : dialect_(dialect) {}

  std::string number(double value) const;  // as a double
  std::string text(std::string_view value) const;
  std::string name(std::string_view value) const;     // quoted; Error{invalid_option} where the dialect has no way
  std::string table(const std::string& value) const;  // NAME or SCHEMA.NAME, parts may be in double quotes
  std::string as_double(const std::string& expression) const;
  std::string as_text(const std::string& expression) const;  // compared byte by byte
  std::string is_missing(const std::string& number) const;
  std::string least(const std::vector<std::string>& numbers) const;
  std::string greatest(const std::vector<std::string>& numbers) const;

  // A step of the query by this name, whose expressions are worked out once and not once per use.
  std::string step(std::string_view name, std::string_view select) const;

  // Untyped cells may hold texts that mean "no value" in columns of numbers.
  bool has_untyped_cells() const { return dialect_ == SqlDialect::sqlite; }
  // Names that differ in case alone are the same.
  bool ignores_case() const { return dialect_ != SqlDialect::postgres; }

 private:
  std::string extreme(const char* short_name, const char* name, const std::vector<std::string>& numbers) const;

  SqlDialect dialect_;
};

}  // namespace xofm::detail
