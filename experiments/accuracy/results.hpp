// The results of an experiment on disk: what a killed run has finished is not done again.
#pragma once

#include <string>
#include <vector>

#include "protocol.hpp"

namespace xofm::accuracy {

// Written whole after every split, to a temporary file that then takes its place.
void write_results(const std::string& path, const std::vector<Result>& results);

// Empty if there is no such file. Throws Error{invalid_data} with the line if it is not one of ours.
std::vector<Result> read_results(const std::string& path);

// Mean and spread per data set, beside the paper's figures where the set is one of its own.
std::string markdown_table(const std::vector<Result>& results, Protocol protocol);

// trial,row,part: any other program can use the same splits.
void write_splits(const std::string& path, const std::vector<Trial>& splits);

}  // namespace xofm::accuracy
