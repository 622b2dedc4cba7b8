// What a user knows, from small CSV files: the costs of decisions, and decisions taken by hand.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "xofm/dataset.hpp"

namespace xofm::detail {

// A table with a line per true class, named in the first column, and a column per class decided, named in the header:
// [true class][class decided]. All classes of the schema, in any order; numbers.
std::vector<std::vector<double>> read_costs(const std::string& path, const Schema& schema);

struct HandDecision {
  int label = 0;
  std::string reason;
};

// By id; from the columns id, class and reason.
std::map<std::string, HandDecision> read_decisions(const std::string& path, const Schema& schema);

}  // namespace xofm::detail
