#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "c_api/rows.hpp"
#include "io/csv_number.hpp"
#include "xofm/error.hpp"

namespace xofm::c_api {

namespace {

[[noreturn]] void refuse(const std::string& message) { throw Error(ErrorCode::invalid_data, message); }

bool has(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

void check_request(const Frame& frame, const ColumnRequest& request) {
  const auto need = [&](const char* option, const std::string& name) -> const Column& {
    const auto at = std::find_if(frame.columns.begin(), frame.columns.end(),
                                 [&](const Column& column) { return column.name == name; });
    if (at != frame.columns.end()) return *at;
    throw Error(ErrorCode::invalid_option, fmt::format("{}: there is no column {}", option, detail::shown(name)));
  };
  const auto refuse_option = [](const char* option, const std::string& name, const char* problem) {
    throw Error(ErrorCode::invalid_option, fmt::format("{}: column {} {}", option, detail::shown(name), problem));
  };
  for (const auto& name : request.categorical) {
    if (!need("categorical", name).has_times()) continue;
    refuse_option("categorical", name, "has dates; cyclic takes their month, weekday and hour");
  }
  for (const auto& name : request.cyclic) {
    if (!need("cyclic", name).has_times()) refuse_option("cyclic", name, "does not hold dates; convert it to them");
  }
  if (request.id.empty()) return;
  need("id", request.id);
  if (frame.columns.size() == 1) refuse_option("id", request.id, "is the only one; there is nothing to learn from");
  if (has(request.categorical, request.id) || has(request.cyclic, request.id)) {
    refuse_option("id", request.id, "is named in categorical or cyclic too; leave it out there");
  }
}

void check_names(const Frame& frame, const Labels& labels) {
  std::set<std::string> names;
  for (const Column& column : frame.columns) {
    if (!detail::is_utf8(column.name)) refuse(fmt::format("the name {} is not UTF-8", detail::shown(column.name)));
    if (!names.insert(column.name).second) {
      refuse(fmt::format("two columns are named {}; give each column its own name", detail::shown(column.name)));
    }
  }
  std::set<std::string> classes;
  for (const auto& name : labels.class_names) {
    if (!detail::is_utf8(name)) refuse(fmt::format("the class {} is not UTF-8", detail::shown(name)));
    if (!classes.insert(name).second) refuse(fmt::format("the class {} is given twice", detail::shown(name)));
  }
}

void check_labels(const Frame& frame, const Labels& labels) {
  const auto class_count = static_cast<std::int64_t>(labels.class_names.size());
  constexpr std::size_t most_rows = std::numeric_limits<std::uint32_t>::max();
  if (frame.row_count > most_rows) refuse(fmt::format("{} rows; at most {} are possible", frame.row_count, most_rows));
  if (labels.codes.size() != frame.row_count) {
    refuse(fmt::format("{} labels for {} rows", labels.codes.size(), frame.row_count));
  }
  for (std::size_t i = 0; i < labels.codes.size(); ++i) {
    if (labels.codes[i] >= 0 && labels.codes[i] < class_count) continue;
    refuse(fmt::format("the label of row {} (counted from 0) is {}; with {} classes it must be in 0..{}", i,
                       labels.codes[i], class_count, class_count - 1));
  }
  for (std::size_t i = 0; i < labels.weights.size(); ++i) {
    if (labels.weights[i] >= 0 && std::isfinite(labels.weights[i])) continue;
    refuse(fmt::format("the weight of row {} (counted from 0) is {}; it must be finite and not negative", i,
                       labels.weights[i]));
  }
}

}  // namespace

void check_given(const Frame& frame, const Labels& labels, const ColumnRequest& request) {
  check_names(frame, labels);
  check_request(frame, request);
  check_labels(frame, labels);
}

}  // namespace xofm::c_api
