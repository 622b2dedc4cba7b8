// Fits on parts of the rows: the one engine for averages, for scores of rows that a fit has not seen, and for the
// search.
//
// A fit's scores have an offset of their own, which the pair loss does not see; scores of different fits are compared
// after taking each fit's mean over the rows that it has learned from away.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <tuple>
#include <vector>

#include "core/data/folds.hpp"
#include "core/train/learner.hpp"

namespace xofm::detail {

// Rows as one recipe encodes them.
struct Encoding {
  std::shared_ptr<const Encoder> encoder;
  EncodedRows rows;
};
std::shared_ptr<const Encoding> encode_for(const Dataset& rows, const Dataset& knots_from, const TrainOptions& options,
                                           const Recipe& recipe);

// All rows as each recipe encodes them, by fold; recipes with the same knots share them. Knots are those of the rows
// outside the fold, or, for fits that are to be averaged into one model with u and V, of all rows.
class Encodings {
 public:
  Encodings(const Folds& folds, const TrainOptions& options, bool has_common_knots, const std::vector<Recipe>& recipes);

  const std::vector<std::shared_ptr<const Encoding>>& of(const Recipe& recipe) const {
    return made_.at(key_of(recipe));
  }

 private:
  using Key = std::tuple<KnotPlacement, int, double>;
  static Key key_of(const Recipe& recipe) { return {recipe.knots, recipe.segment_count, recipe.spike_share}; }

  std::map<Key, std::vector<std::shared_ptr<const Encoding>>> made_;
};

// One fit among several: a score function and its part in their mean.
struct Member {
  std::shared_ptr<const Encoder> encoder;
  std::shared_ptr<const Learned> learned;
  double weight = 1;
  double centre = 0;  // mean of its scores over the rows learned from
};
using Members = std::vector<Member>;

Member make_member(const Encoding& encoding, Learned learned, double weight, std::span<const double> row_weights);

// Mean of the centred scores of any rows.
std::vector<double> mean_scores(const Members& members, const Dataset& rows);

// All parts of the options on all rows, or by the encoders given, one per part.
Members fit_parts(const Dataset& data, const TrainOptions& options, std::uint64_t seed,
                  const ProgressCallback& progress, std::span<const std::shared_ptr<const Encoder>> encoders = {});

// All parts without each fold, `round_count` times from other starts: [fold]. Knots are those of the rows learned from,
// or, for models that are to be averaged into one with u and V, of all rows. If progress asks to stop: the fits that
// were finished, or, in a fold without one, as far as they have come.
std::vector<Members> fit_folds(const Folds& folds, const TrainOptions& options, int round_count, bool has_common_knots,
                               const ProgressCallback& progress);

// Each row's mean score by the fits that have not seen it; NaN if all have.
std::vector<double> unseen_scores(const Folds& folds, const std::vector<Members>& by_fold);

double weighted_mean(std::span<const double> values, std::span<const double> weights);

// All that was fitted on the way to one model.
struct Teachers {
  const Folds* folds = nullptr;
  std::vector<Members> by_fold = {};   // empty: none were left out
  Members whole = {};                  // fits of all rows; empty: the mean of all others stands for them
  std::vector<std::size_t> rows = {};  // which rows of the data the folds have; empty: all
  bool interrupted = false;

  Members all() const;
  // Values of the folds' rows as values of the data's: NaN for the others.
  std::vector<double> for_all_rows(std::vector<double> values, std::size_t row_count) const;
};

// Whether some more fits take less than a second or so, and the rows are so few that they matter.
bool has_quick_refits(std::size_t row_count, std::size_t attribute_count);

}  // namespace xofm::detail
