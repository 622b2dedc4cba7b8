// Last stage, evaluate: how good predicted classes, scores and class probabilities are against the true labels.
// Classes are 0 .. class_count-1, lowest first. A metric that is not defined for the rows given (no rows, one class
// only, all scores equal, ...) is NaN, as said beside it; malformed input throws Error{invalid_data}.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

namespace xofm {

using Confusion = std::vector<std::vector<std::size_t>>;  // rows counted by [true class][predicted class]

struct Metrics {
  static constexpr double undefined = std::numeric_limits<double>::quiet_NaN();

  std::size_t row_count = 0;
  double accuracy = undefined;         // share of rows whose class is right; NaN without rows
  double mae = undefined;              // mean distance in classes; NaN without rows
  double macro_mae = undefined;        // mean over the classes present of the class's own MAE; NaN without rows
  double worst_class_mae = undefined;  // the greatest of them; NaN without rows
  double qwk = undefined;              // see quadratic_weighted_kappa
  double kendall_tau_b = undefined;    // score against label; see kendall_tau_b
  double c_index = undefined;          // see c_index
  double rps = undefined;              // see ranked_probability_score
  double log_loss = undefined;         // see log_loss
  double within_one = undefined;       // share of rows at most one class off; NaN without rows
  Confusion confusion;
};

// The single numbers by name, in the order in which they are shown and written.
struct MetricField {
  std::string_view name;
  double Metrics::*value;
};
inline constexpr MetricField metric_fields[] = {{"accuracy", &Metrics::accuracy},
                                                {"mae", &Metrics::mae},
                                                {"macro_mae", &Metrics::macro_mae},
                                                {"worst_class_mae", &Metrics::worst_class_mae},
                                                {"within_one", &Metrics::within_one},
                                                {"qwk", &Metrics::qwk},
                                                {"kendall_tau_b", &Metrics::kendall_tau_b},
                                                {"c_index", &Metrics::c_index},
                                                {"rps", &Metrics::rps},
                                                {"log_loss", &Metrics::log_loss}};

// A metric over the trials in which it is defined; NaN without any.
struct MetricSummary {
  std::size_t count = 0;  // of such trials
  double mean = Metrics::undefined;
  double spread = Metrics::undefined;  // standard deviation with count - 1; NaN for fewer than two
  double min = Metrics::undefined;
  double max = Metrics::undefined;
};

// All metrics at once, O(rows * (log rows + classes) + classes^2).
// scores: one a row, or empty (a method without scores): kendall_tau_b and c_index are NaN.
// probabilities: row-major, rows x classes, or empty: rps and log_loss are NaN.
Metrics evaluate(int class_count, std::span<const int> labels, std::span<const int> predicted,
                 std::span<const double> scores, std::span<const double> probabilities);

Confusion confusion_matrix(int class_count, std::span<const int> labels, std::span<const int> predicted);

// Cohen's kappa with weights (true - predicted)^2 (Cohen 1968): 1 - observed / expected disagreement, the latter for
// independent true and predicted classes with the same totals. 1 is perfect, 0 is chance, it can be negative.
// NaN if no disagreement is expected: no rows, or one class holds all true and all predicted.
double quadratic_weighted_kappa(const Confusion& confusion);

// The n (n - 1) / 2 pairs of rows, each counted once.
struct PairCounts {
  std::uint64_t concordant = 0;  // labels differ, scores differ the same way
  std::uint64_t discordant = 0;  // labels differ, scores differ the other way
  std::uint64_t score_tied = 0;  // equal scores, labels differ
  std::uint64_t label_tied = 0;  // equal labels, scores differ
  std::uint64_t both_tied = 0;
};

// Exact, O(n log n). Scores may be infinite, not NaN.
PairCounts count_pairs(int class_count, std::span<const int> labels, std::span<const double> scores);

// Kendall's tau-b (Kendall 1945): (concordant - discordant) / sqrt(pairs not tied in score * pairs not tied in label).
// NaN if all scores or all labels are equal.
double kendall_tau_b(const PairCounts& pairs);

// Share of the pairs with different labels whose scores agree, equal scores counting one half. NaN without such pairs.
double c_index(const PairCounts& pairs);

// Ranked probability score (Epstein 1969): mean over rows of the sum over h of (P(y <= h) - [y <= h])^2, divided by
// class_count - 1; 0 is perfect, 1 is certainty of the wrong end. NaN without rows or with class_count 1.
double ranked_probability_score(int class_count, std::span<const int> labels, std::span<const double> probabilities);

// Mean of -ln P(true class); probabilities below 1e-15 count as 1e-15. NaN without rows.
double log_loss(int class_count, std::span<const int> labels, std::span<const double> probabilities);

// What probabilities are worth: of the statements "the class is h or better", h = 1 .. H-1, over all rows, those with a
// probability in a bin, and how often they were true.
struct ReliabilityBin {
  std::size_t count = 0;
  double mean_probability = Metrics::undefined;  // NaN for an empty bin
  double observed_share = Metrics::undefined;    // likewise
};

// Bins of equal width over [0, 1]. In calibrated probabilities both figures of a bin agree.
std::vector<ReliabilityBin> reliability(int class_count, std::span<const int> labels,
                                        std::span<const double> probabilities, int bin_count = 10);

}  // namespace xofm
