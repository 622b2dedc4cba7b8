// The results of a comparison on disk, and predictions that other programs made on the same splits.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "baselines/comparison.hpp"

namespace xofm::baselines {

// method,set,split,accuracy,mae,seconds,cut,setting; the file appears complete or stays as it was.
void write_scores(const std::string& path, std::span<const TrialScore> scores);

// Empty if there is no such file. Throws Error{invalid_data} with the line if it is not one of ours.
std::vector<TrialScore> read_scores(const std::string& path);

// The scores of the methods in CSV files with the columns method, set, trial, row and class: every row that a trial
// holds out has one class; trials and rows are counted from 1, as in the exported splits. With a single set the column
// set may be left out. A method may lack whole sets, nothing else, and have none of the names `taken`. Throws
// Error{invalid_data} that says what is wrong and where.
std::vector<TrialScore> read_outside(std::span<const std::string> paths, std::span<const ComparedSet> sets,
                                     std::span<const std::string> taken = {});

}  // namespace xofm::baselines
