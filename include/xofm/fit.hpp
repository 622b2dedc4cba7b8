// The whole road: from labelled rows to a model that a person can read.
//
//   search for recipes  ->  teacher: the average of the best  ->  student: curves and few pairs that say the same
//     ->  classes and probabilities from what the student says of unseen rows  ->  bands
//
// Everything that is reported about the model comes from rows that had no part in what is judged.
#pragma once

#include <optional>

#include "xofm/model.hpp"
#include "xofm/train.hpp"

namespace xofm {

struct FitOptions {
  // What a search does not vary. Without a search: what is trained.
  TrainOptions train = {.terms = {.pairs = PairChoice::automatic}};
  std::optional<SearchOptions> search = SearchOptions{};  // none: the parts of `train` as they are
  int band_count = 0;                                     // refits that give the curves their bands; 0: no bands
};

// model.record tells how it was found. Stopped by progress: the best so far, and record.interrupted says so.
Fit fit(const Dataset& data, const FitOptions& options = {}, const ProgressCallback& progress = {});

struct SearchResult {
  TrainOptions options;          // ready for train(): the parts are those of the average that was chosen
  SearchRecord record;           // all recipes that were tried
  ValidationSummary validation;  // of the average on unseen rows; no trials if the search was stopped too early
  bool interrupted = false;
};

// The search alone. `base` is what it does not vary.
SearchResult search(const Dataset& data, const TrainOptions& base, const SearchOptions& options = {},
                    const ProgressCallback& progress = {});

// Whether a search and the training after it are quick enough to be made without being asked for: a few minutes.
bool suits_search(const Dataset& data);

}  // namespace xofm
