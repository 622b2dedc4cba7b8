// How large a student must be.
//
// Per fold, students of several sizes come from the rows outside the fold alone, of the teacher that has not seen the
// fold; what they say of the fold's rows decides. The smallest is taken that loses against the best, row by row, at
// most one standard error and 2 %.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <span>

#include "core/assign/judge.hpp"
#include "core/student/student.hpp"
#include "core/train/resample.hpp"

namespace xofm::detail {

// A pair, and how many folds have found it by themselves.
struct PairVotes {
  Pair pair;
  std::size_t votes = 0;
};

class ShapeSearch {
 public:
  // Keeps references.
  ShapeSearch(const Teachers& teachers, const TrainOptions& options);

  // Tries students; if progress asks to stop, with those it has.
  void run(const ProgressCallback& progress);

  struct Candidate {
    Shape shape;
    std::size_t term_count = 0;
    std::vector<double> unseen;
    Judgement judgement;
  };
  bool stopped() const { return stopped_; }
  const Candidate& chosen() const { return candidates_[smallest()]; }
  // The pairs of a student of all rows, of the size chosen: those that most folds have found. A pair that only one of
  // several folds has found is not taken: other rows would have given another.
  std::vector<PairVotes> vote(Distiller& distiller) const;
  TermsRecord record() const;
  // The pairs that the options name, if they do.
  const std::optional<std::vector<Pair>>& listed() const { return listed_; }

 private:
  void make_distillers();
  bool go_on();  // from any thread
  void try_shape(Shape shape);
  // The shape with each of the values in turn.
  template <class Value>
  void try_each(Shape shape, Value Shape::*member, std::span<const Value> values);
  std::size_t best() const;
  std::size_t smallest() const;

  const Teachers& teachers_;
  const Folds& folds_;
  const TrainOptions& options_;
  std::optional<std::vector<Pair>> listed_;
  std::vector<Dataset> samples_;                        // per fold, of very many rows
  std::vector<std::unique_ptr<Distiller>> distillers_;  // per fold
  std::vector<Candidate> candidates_;
  ProgressCallback progress_;
  std::mutex mutex_;
  bool stopped_ = false;
};

}  // namespace xofm::detail
