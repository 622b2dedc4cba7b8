// How the accuracy of a method is measured on one split, and what is kept of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "xofm/validate.hpp"

namespace xofm::accuracy {

enum class Protocol {
  strict,  // the options are chosen anew inside the learning part of every split
  paper,   // chosen once by five-fold cross-validation of all rows, as the paper does; then the splits
};

// One split of one data set: a line of the results.
struct Result {
  std::string set;
  std::size_t split = 0;  // from 1
  double accuracy = 0;    // of the classes that aim at accuracy
  double mae = 0;         // of the classes that aim at MAE, by the same model
  double qwk = 0;
  double log_loss = 0;
  double coverage = 0;  // share of true classes inside the 90 % covering interval; NaN if there is none
  double width = 0;     // classes in it, on average
  double seconds = 0;   // of all cores; in the results kept here of the wall clock
  std::string options;  // what was chosen, in words
};

// The paper's choice for one data set: the best by five-fold cross-validated MAE over its segments and margins.
// Algorithm 1 where the pairs are few enough, else L-BFGS.
TrainOptions choose_as_paper(const Dataset& data);

// `search` is for the strict protocol, `paper_options` for the other.
Result run_split(const Dataset& data, const Trial& split, Protocol protocol, const SearchOptions& search,
                 const TrainOptions& paper_options);

}  // namespace xofm::accuracy
