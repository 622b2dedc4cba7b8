// xofm_figures DATA_FOLDER OUTPUT_FOLDER: draws the paper's figures as SVG and says which of its findings are seen.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <filesystem>
#include <numeric>

#include "figures.hpp"
#include "xofm/explain.hpp"

namespace xofm::figures {

std::vector<std::size_t> by_raw_range(const Model& model) {
  std::vector<std::size_t> order(model.schema.attributes.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return raw_curve(model, a).range() > raw_curve(model, b).range();
  });
  return order;
}

Strength pair_strength(const Model& model, std::size_t first, std::size_t second) {
  Strength strength;
  double count = 0;
  for (const auto& row : segment_products(model, first, second).values) {
    for (const double value : row) {
      strength.mean += std::abs(value);
      strength.greatest = std::max(strength.greatest, std::abs(value));
      ++count;
    }
  }
  strength.mean /= count;
  return strength;
}

void report(const std::string& finding, int seen_count, int seed_count, const std::string& measured) {
  const char* const verdict = seen_count == seed_count ? "seen" : seen_count > 0 ? "seen in part" : "NOT seen";
  fmt::print("  {}\n    {} (in {} of {} seeds); {}\n", finding, verdict, seen_count, seed_count, measured);
}

}  // namespace xofm::figures

int main(int argc, char** argv) {
  if (argc != 3) {
    fmt::print(stderr,
               "usage: xofm_figures DATA_FOLDER OUTPUT_FOLDER\nThe data folder has breast_tissue.csv and "
               "chinese_university.csv, the label in the last column; pictures go to the output folder.\n");
    return 2;
  }
  try {
    std::filesystem::create_directories(argv[2]);
    xofm::figures::breast_figures(argv[1], argv[2]);
    xofm::figures::university_figures(argv[1], argv[2]);
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "xofm_figures: {}\n", error.what());
    return 1;
  }
}
