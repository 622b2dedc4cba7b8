// What xofm predict writes of a chunk of rows: CSV, or a paragraph per row for people.
#pragma once

#include <string>
#include <vector>

#include "core/base/parallel.hpp"
#include "options.hpp"
#include "xofm/csv.hpp"
#include "xofm/explain.hpp"
#include "xofm/model.hpp"

namespace xofm::app {

struct PredictArguments {
  std::string model;
  std::string data;
  std::string output = "-";
  RuleOverride rule;
  bool text = false;
  std::size_t limit = 0;
  double coverage = 0;
  bool raw_cells = false;
  bool quiet = false;
  std::string id;
  bool keeps_all = false;
  std::vector<std::string> keep;
  std::size_t reasons = 0;
  ReasonOrder reason_order = ReasonOrder::lowest;
  std::string decisions;
  bool is_decided = false;  // by the user's knowledge in place of the rule
  Dialect dialect;
};

// Who decides a row, in the words of the output, where it is not the user's knowledge.
inline constexpr const char* by_rule = "rule";

// A chunk of rows with all that is written of them.
struct PredictChunk {
  Predictions predictions;
  std::vector<ClassInterval> covering;       // empty if none was asked for
  std::vector<std::vector<Reason>> reasons;  // likewise
  CarriedColumns carried;                    // the id first, if there is one
  std::vector<std::string> decided_by;       // empty if the rule alone decides
  std::vector<std::string> why;              // reasons of decisions taken by hand; empty without any
  std::size_t first_row = 1;
};

// The first line of the CSV; `carried`: names of the columns that are carried along, the id first if there is one.
std::string predict_header(const Schema& schema, const PredictArguments& arguments,
                           const std::vector<std::string>& carried);

// For people: a short paragraph per row.
std::string readable_text(const Model& model, const PredictChunk& chunk, const PredictArguments& arguments);

// The rows in range as CSV text.
std::string rows_text(const Schema& schema, const PredictChunk& chunk, detail::Range range,
                      const PredictArguments& arguments);

}  // namespace xofm::app
