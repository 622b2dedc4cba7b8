// Stage 7, assign: from a score to a class, the interval of classes that the data allow, and the support for each.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace xofm {

enum class AssignmentRule {
  support,      // the paper's: the class in the interval with the greatest support (Definitions 4 and 5)
  threshold,    // cuts on the score that make the fewest errors on the reference scores
  probability,  // calibrated class probabilities
};

// What a class is chosen for, where a rule leaves a choice: threshold cuts that minimise 0/1 or absolute error;
// the most probable class or the median one.
enum class Aim { accuracy, mae };

// Where the scores come from that new objects are compared with and that cuts are fitted to. Where there are scores of
// unseen rows, covering intervals always take those, and probabilities those and at half the weight the training ones.
enum class ReferenceScores {
  automatic,      // out_of_sample for a bagged model and, where its refits are quick, for a single fit; else training
  training,       // the model's scores of its own training rows: the paper's, too sure of themselves on small data
  out_of_sample,  // scores by refits that have not seen the row: out of bag, or out of fold for a single fit
};

struct AssignmentOptions {
  AssignmentRule rule = AssignmentRule::probability;
  Aim aim = Aim::mae;
  ReferenceScores reference_scores = ReferenceScores::automatic;
  int fold_count = 5;          // of the rows, each left out by some refit; 2 .. 100
  int reference_limit = 1000;  // reference scores kept per class when there are more; at least 2
};

// A training object, or one that stands for its neighbours in score, as others are compared with it.
struct ReferencePoint {
  double score = 0;
  double weight = 1;    // of all that it stands for
  std::size_t row = 0;  // data row of the object, from 1
};

// The scores of the training objects by class, ascending. The least and the greatest of a class are exact: they set
// the class interval.
struct Reference {
  std::vector<std::vector<ReferencePoint>> classes;
  std::vector<std::vector<std::string>> ids = {};  // of the same objects, where their rows have names; else empty
};

// Classes as numbers from 0. Lowest and highest are R and L of Definition 4 in ascending order: on training scores
// that contradict the labels L > R happens, and the interval is then [R, L].
struct ClassInterval {
  int lowest = 0;
  int highest = 0;
};

// Proportional odds with strays: P(class >= h) = sum of floor[h ..] + (1 - sum of floor) F(slope * score -
// thresholds[h - 1]), h = 1 .. H-1, where F is the logistic function. Thresholds ascend; beside a class without rows
// two are equal, or one is +-1e30.
struct Calibration {
  double slope = 1;
  std::vector<double> thresholds;
  std::vector<double> floor;  // least probability of each class, whatever the score; empty: none
};

// In place of a class: the row is left to a person.
inline constexpr int no_class = -1;

// Which end of the class interval is decided.
enum class Preference { none, lower, higher };

// What the user knows beside the model, and settles the class with (paper, Section 3.2). It is no part of a model file.
struct Decision {
  // [true class][class decided]: what deciding it costs. The class of least expected cost is decided, the lowest of
  // several; empty: the rule decides.
  std::vector<std::vector<double>> costs = {};
  Preference preference = Preference::none;
  double least_probability = 0;  // no class where none is so probable; 0: there always is one
  int most_classes = 0;          // no class where the covering interval has more; 0: there always is one
  double coverage = 0.9;         // of that interval

  bool is_given() const {
    return !costs.empty() || preference != Preference::none || least_probability > 0 || most_classes > 0;
  }
};

struct Assignment {
  AssignmentOptions options;
  double margin = 1;
  ReferenceScores reference_source = ReferenceScores::training;  // never automatic
  Reference reference;
  // cuts[h]: scores from here on belong to class h + 1 or better; ascending.
  std::vector<double> accuracy_cuts;
  std::vector<double> mae_cuts;
  Calibration calibration;
  // Quantiles of how far the true class of an unseen row was from the likeliest classes, ascending; see conformity.
  // Empty if the training rows had no unseen scores: then no coverage can be promised.
  std::vector<double> conformity;
  Decision decision = {};
};

// Throws Error{invalid_option} unless the assignment's decision makes sense: costs for all classes, shares within their
// bounds, and not two ways to decide; Error{invalid_model} if it asks for a covering interval that cannot be had.
void check_decision(const Assignment& assignment);

// What decisions come to. Without costs or without rows decided, the mean cost is NaN.
struct DecisionMetrics {
  std::size_t row_count = 0;
  std::size_t decided_count = 0;
  double mean_cost = 0;  // of the rows decided
};
DecisionMetrics judge_decisions(const Decision& decision, std::span<const int> labels, std::span<const int> classes);

// Reference, cuts, calibration and conformity from scores of the training rows: by the model itself, and (or empty) by
// refits that have not seen the row, NaN where there is none. Weights empty means 1.
Assignment fit_assignment(std::span<const double> training_scores, std::span<const double> unseen_scores,
                          std::span<const int> labels, std::span<const double> weights, int class_count, double margin,
                          const AssignmentOptions& options);

struct AssignedRow {
  double score = 0;
  int label = 0;  // the class decided: by the user's decision, else by the rule; or no_class
  ClassInterval interval;
};

// Compares scores with the reference. O(H log N) a score. Keeps a pointer to the assignment.
class Assigner {
 public:
  explicit Assigner(const Assignment& assignment);

  // Support of every class (Definition 5), inside the interval or not, and class probabilities; both of size H.
  AssignedRow assign(double score, std::span<double> support, std::span<double> probabilities) const;

  ClassInterval interval(double score) const;
  void support(double score, std::span<double> support) const;
  void probabilities(double score, std::span<double> probabilities) const;

 private:
  const Assignment* assignment_;
  // Per class: cumulative_[h][i] is the weight of the points before i.
  std::vector<std::vector<double>> cumulative_;
  double total_ = 0;
  double logistic_share_ = 1;        // of the probabilities; the rest are strays
  std::vector<double> median_cuts_;  // slope * score above the h-th: the median is class h + 1 or better
};

// Cuts by dynamic programming: the assignment of ascending scores to ascending classes with the least total error,
// in O(N H) after sorting. Between two scores a cut lies in the middle.
std::vector<double> optimal_cuts(const Reference& reference, Aim aim);

// Maximum likelihood of proportional odds on the score, with one stray per class: so a few rows far from their like
// hardly move the others' probabilities. A weak prior keeps the slope finite on separable scores. A class without any
// rows gets a stated prior whatever the score, of half a mean row, and no place among the others.
Calibration calibrate(const Reference& reference);

// Probability of the classes that come before each class when a set grows, one neighbour at a time, from the median
// class by the likelier of its two neighbours. So the sets {h: conformity <= q} are contiguous, and nested in q.
std::vector<double> conformity(std::span<const double> probabilities);

// A contiguous set of classes that holds the true one in `coverage` of new objects like the training rows, on average:
// cross-conformal prediction (Vovk 2015) on the ordinal scale. Throws Error{invalid_model} if the assignment has no
// scores of unseen rows, Error{invalid_option} unless 0 < coverage < 1.
ClassInterval covering_interval(const Assignment& assignment, std::span<const double> probabilities, double coverage);

}  // namespace xofm
