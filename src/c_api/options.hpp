// Options from JSON, by the one table of option fields, and the table itself as JSON.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "c_api/rows.hpp"
#include "xofm/dataset.hpp"
#include "xofm/fit.hpp"

namespace xofm::c_api {

// What was asked for; what the search is then told depends on the rows too.
struct FitRequest {
  TrainOptions train;
  SearchOptions search;
  std::set<std::string> given;  // names of the options that were given
  std::optional<bool> tune;
  bool is_preset = false;  // one other than the default
  int band_count = 0;
  ColumnRequest columns;
  std::map<std::string, std::vector<double>> special;  // by attribute
  std::map<std::string, std::string> descriptions;
  std::map<std::string, std::string> units;
};

// Throws Error{invalid_option} with the name and what is allowed. Null or empty text: all defaults.
FitRequest read_fit_request(const char* text);

// The same rules as on the command line: an option that is given is not searched for.
FitOptions fit_options(const FitRequest& request, const Dataset& data);

// Of attributes, by name; throws for a name that is none, or is no number.
void set_special(const FitRequest& request, Schema& schema);

// Likewise.
void describe_attributes(const FitRequest& request, Schema& schema);

std::string option_table_json();

}  // namespace xofm::c_api
