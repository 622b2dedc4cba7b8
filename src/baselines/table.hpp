// The tables of a comparison: mean and spread per method and set, the best in bold, average rank, whether a method
// differs from the reference by the corrected resampled t-test, and what it comes to over all sets.
#pragma once

#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "baselines/comparison.hpp"

namespace xofm::baselines {

enum class Measure { accuracy, mae };

// What is known of one method on one set in one measure; NaN is not known.
struct Cell {
  static constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  std::size_t count = 0;  // splits
  double mean = unknown;
  double spread = unknown;  // standard deviation with count - 1
  bool best = false;        // to three decimals, as shown
  double p = unknown;       // of the difference from the reference, on the splits that both have
  int mark = 0;             // -1: worse than the reference, 1: better, at p < significance
};

constexpr double significance = 0.05;

struct ComparisonTable {
  // On how many sets a method's mean is better and worse than that of the reference.
  struct Beside {
    int better = 0;
    int worse = 0;
  };
  struct Row {
    std::string method;
    std::vector<Cell> accuracy;  // one per set
    std::vector<Cell> mae;
    double accuracy_rank = Cell::unknown;  // mean over the sets that all methods have; 1 is best
    double mae_rank = Cell::unknown;
    Beside accuracy_beside;
    Beside mae_beside;
    double relative_mae = Cell::unknown;  // divided by the reference's, the geometric mean over the sets
    std::vector<Cell> core_seconds;       // means alone
    std::vector<std::size_t> cut_counts;

    const std::vector<Cell>& cells(Measure measure) const { return measure == Measure::accuracy ? accuracy : mae; }
    double rank(Measure measure) const { return measure == Measure::accuracy ? accuracy_rank : mae_rank; }
  };
  std::vector<std::string> sets;
  std::vector<Row> rows;
  std::string reference;  // empty if it is not among the methods
};

// Rows in the order of `methods`, columns in that of `sets`; scores of others are left out.
ComparisonTable tabulate(std::span<const std::string> methods, std::span<const ComparedSet> sets,
                         std::span<const TrialScore> scores, const std::string& reference);

// A figure from the literature to stand in parentheses; may be empty.
using KnownFigure = std::function<std::optional<double>(const std::string& method, const std::string& set, Measure)>;

// With more than ten sets, a row for each of them.
std::string markdown(const ComparisonTable& table, const KnownFigure& known = {});
std::string latex(const ComparisonTable& table, const KnownFigure& known = {});

// Text that LaTeX, and a cell of a Markdown table, show as it is.
std::string latex_escaped(const std::string& text);
std::string markdown_escaped(const std::string& text);

}  // namespace xofm::baselines
