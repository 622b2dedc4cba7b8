// The grid of bins that the histogram form of the pair loss lays over the scores.
#pragma once

#include <span>

namespace xofm::detail {

struct BinGrid {
  // Bins no wider than margin / 1024 from the least to the greatest score. `count` is a double: it can be huge.
  BinGrid(std::span<const double> scores, double margin);

  double least;
  double greatest;
  double width;
  double count;
};

}  // namespace xofm::detail
