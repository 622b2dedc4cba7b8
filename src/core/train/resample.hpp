// Refits on parts of the rows: averages of them, and scores by models that have not seen the row.
//
// The average of B models on common knots is again one model: increments averaged, factors v_b / sqrt(B) side by
// side. So it is explained as exactly as a single one. A model's scores have an offset of their own, which the pair
// loss does not see; scores of different models are compared after taking each model's mean over all rows away.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "core/train/learn.hpp"

namespace xofm::detail {

struct Ensemble {
  Learned average;                    // objective, loss and epochs: means over the members
  std::vector<double> unseen_scores;  // per row, the mean over the members that left it out; NaN if none did
};

// options.bag_count members by repeated stratified folds: each leaves one fold out, so that every row is seen by most
// and left out by some. Drawing with replacement would hide a third of the rows from each member, which costs small
// data dearly.
Ensemble learn_bagged(const LearningRows& rows, const TrainOptions& options, const ProgressCallback& progress);

// One model whose score is the mean of the models' scores, weighted by `shares` unless empty; all on the same
// coordinates.
Parameters average(std::span<const Parameters> models, std::span<const double> shares = {});

// As many rows as there are, drawn with replacement class by class.
std::vector<std::size_t> draw_rows(std::span<const int> labels, int class_count, std::uint64_t seed,
                                   std::uint64_t member);

// `count` trainings at the same time, each told its number and where to report its progress; their parameters, or none
// if progress asked to stop.
std::vector<Parameters> learn_repeatedly(int count, const ProgressCallback& progress,
                                         const std::function<Learned(std::size_t, const ProgressCallback&)>& learn_one);

// One refit per fold; each row is scored by the model that left its fold out, on the scale of `parameters`. None if
// progress asked to stop: half a refit says nothing about the model.
std::vector<double> out_of_fold_scores(const LearningRows& rows, const TrainOptions& options,
                                       const Parameters& parameters, const ProgressCallback& progress);

struct LearnedScores {
  Learned learned;
  int refit_count = 1;                  // fits made in all
  std::vector<double> training_scores;  // per row, by the model itself
  // By refits that have not seen the row; NaN where there is none; empty if no refits were made.
  std::vector<double> unseen_scores;
};

// Whether some more fits take less than a second or so, and the rows are so few that they matter.
bool has_quick_refits(std::size_t row_count, std::size_t attribute_count);

// A single fit or a bagged one, as the options say, and its scores. A bagged model has scores of unseen rows for free;
// for a single fit each fold is a refit, so it takes them where that is quick, or if asked. A boosted model is a single
// fit; asked for a bag, it takes the scores of unseen rows.
LearnedScores learn_scores(const LearningRows& rows, const TrainOptions& options, const ProgressCallback& progress,
                           const Parameters* warm_start = nullptr);

}  // namespace xofm::detail
