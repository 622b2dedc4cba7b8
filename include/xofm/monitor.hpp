// New rows against those of training: what has shifted, by how much, and how much of that is chance.
//
// Shares are compared by ranges. Of an attribute these are ranges of numbers with about as many training rows each, or
// levels; each special value; missing; and what training has not seen. Of the score, ranges of the training scores; of
// the class, the classes that the model gives. The model carries what it needs: TrainingDistribution and Reference.
//
//   psi      = sum over ranges of (new - old) ln(new / old), the population stability index; half a row is added to
//              each range on either side, so that it stays finite
//   distance = half the sum of |new - old|: the share of rows that would have to move
//
// By chance alone the distance is about `distance_chance` with a spread of `distance_error`, and the index
// `psi_chance`.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "xofm/model.hpp"

namespace xofm {

// Where an alarm is raised; shares and differences of shares.
struct MonitorOptions {
  double psi = 0.2;       // of an attribute, the score or the class mix
  double missing = 0.05;  // more missing values than in training
  double unseen = 0.01;   // levels that training has not seen
  double outside = 0.05;  // numbers outside the training range
  double metric = 0.05;   // how much worse than in validation a metric may be, as a share of its value there, beyond
                          // its confidence interval
  double confidence = 0.95;
  std::size_t sample_rows = 100'000;  // labelled rows that are kept for the metrics; more are drawn from
  std::uint64_t seed = 1;
};

struct ShiftRange {
  std::string name;      // "12 to 18", "car", "missing", "not seen in training"
  double old_share = 0;  // of the training rows
  double new_share = 0;
};

struct Shift {
  std::string name;  // of the attribute
  double psi = 0;
  double psi_chance = 0;
  double distance = 0;
  double distance_chance = 0;
  double distance_error = 0;
  double missing_old = 0;  // shares of the rows
  double missing_new = 0;
  double unseen = 0;
  double below = 0;
  double above = 0;
  std::vector<ShiftRange> ranges;
  std::vector<std::string> alarms;  // what is beyond its threshold, in words; empty: nothing
};

struct MetricShift {
  std::string name;
  double value = 0;
  double low = 0;  // the confidence interval
  double high = 0;
  std::optional<double> validation;  // the model's own, from rows it had not seen
  std::optional<double> spread;      // of that, over the trials
  bool is_alarm = false;             // worse than then, by more than chance and more than allowed
};

struct MonitorReport {
  std::size_t row_count = 0;
  std::size_t labelled_count = 0;
  std::size_t sample_count = 0;  // rows behind the metrics
  double with_notes = 0;         // share of the rows
  std::vector<Shift> attributes;
  Shift score;
  Shift classes;
  std::optional<Shift> labels;  // against those of training; of labelled rows
  std::vector<MetricShift> metrics;
  std::size_t alarm_count = 0;
};

// Takes rows as they come, in any number of pieces; needs memory for the counts and the sample alone.
class Monitor {
 public:
  explicit Monitor(const Model& model, const MonitorOptions& options = {});  // keeps a pointer to the model
  ~Monitor();
  Monitor(Monitor&&) noexcept;
  Monitor& operator=(Monitor&&) noexcept;

  void add(const Dataset& rows);
  MonitorReport report() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace xofm
