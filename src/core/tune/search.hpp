// The search: recipes tried, the best average of them, and its fits.
//
// Methods with few settings, the start of the space, every single change of it, then generations of changes to the best
// are trained on the same folds, in rounds (see rounds.hpp). The model is the average of the recipes whose scores
// together predict the unseen rows best, picked one by one: it loses less to luck than the recipe that happened to come
// first. The same data, options and seed give the same choice on any machine, unless the time limit strikes.
#pragma once

#include <optional>

#include "core/train/resample.hpp"
#include "xofm/fit.hpp"

namespace xofm::detail {

struct Found {
  std::optional<Dataset> sample;  // what the search looked at, unless it was all rows
  std::optional<Folds> folds;
  SearchResult result;
  Teachers teachers;  // by_fold: the fits of the recipes chosen, ready to be averaged or taught from

  Found() = default;
  Found(const Found&) = delete;
  Found& operator=(const Found&) = delete;
};

// Rows and options make sense, and all rows count. Keeps a pointer to the rows.
void run_search(const Dataset& data, const TrainOptions& base, const SearchOptions& options,
                const ProgressCallback& progress, Found& found);

}  // namespace xofm::detail
