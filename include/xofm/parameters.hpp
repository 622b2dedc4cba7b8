// Stage 3, score: the numbers that training finds (paper, Definition 2 and Equation 4).
#pragma once

#include <cstddef>
#include <vector>

namespace xofm {

struct Parameters {
  std::vector<double> increments;  // u: change of the score across each coordinate
  int factor_count = 0;            // k: length of a factor row
  std::vector<double> factors;     // V, row by row: factors[n * factor_count + f]
};

}  // namespace xofm
