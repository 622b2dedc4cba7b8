// What xofm validate writes: a table for people, JSON, and the predictions of the rows held out.
#pragma once

#include "io/output_file.hpp"
#include "xofm/validate.hpp"

namespace xofm::app {

void print_validation(const ValidationResult& result, std::size_t trial_count, const Dataset& data);
// The reliability table is among it if its number of classes is given, not 0.
void print_validation_json(const ValidationResult& result, std::size_t trial_count, int reliability_class_count);

// Of the rows held out, over all trials.
std::vector<ReliabilityBin> unseen_reliability(const ValidationResult& result, int class_count);

// trial,row,true,class,score,lowest,highest and the probability of each class; trials and rows count from 1.
void write_validation_predictions(detail::OutputFile& file, const ValidationResult& result, const Schema& schema,
                                  bool raw_cells);

}  // namespace xofm::app
