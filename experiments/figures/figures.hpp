// The figures of the paper and of its supplement, and whether what it says of them is seen.
#pragma once

#include <string>
#include <vector>

#include "xofm/model.hpp"

namespace xofm::figures {

// Sections 4.3 and 4.4, Figures 1 to 4: breast_tissue.csv.
void breast_figures(const std::string& data_folder, const std::string& output_folder);

// Supplement, Figures 1 and 2: chinese_university.csv.
void university_figures(const std::string& data_folder, const std::string& output_folder);

// Attribute numbers, the greatest raw range first: the paper's importance.
std::vector<std::size_t> by_raw_range(const Model& model);

// Mean and greatest |<v, v>| over the segments of two attributes.
struct Strength {
  double mean = 0;
  double greatest = 0;
};
Strength pair_strength(const Model& model, std::size_t first, std::size_t second);

// "finding: seen (in 5 of 5 seeds)" and what was measured.
void report(const std::string& finding, int seen_count, int seed_count, const std::string& measured);

}  // namespace xofm::figures
