#include "baselines/table.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "baselines/student.hpp"

namespace xofm::baselines {

namespace {

constexpr double same_mean = 1e-12;  // rounding errors of a mean

double value_of(const TrialScore& score, Measure measure) {
  return measure == Measure::accuracy ? score.accuracy : score.mae;
}

// Less is better.
double badness(double value, Measure measure) { return measure == Measure::accuracy ? -value : value; }

// One method's scores on one set, by trial.
using ByTrial = std::map<std::size_t, const TrialScore*>;

Cell summarized(const ByTrial& scores, const std::function<double(const TrialScore&)>& value) {
  Cell cell;
  cell.count = scores.size();
  const auto count = static_cast<double>(scores.size());
  if (scores.empty()) return cell;
  double sum = 0;
  for (const auto& [trial, score] : scores) sum += value(*score);
  cell.mean = sum / count;
  if (scores.size() < 2) return cell;
  double squares = 0;
  for (const auto& [trial, score] : scores) squares += std::pow(value(*score) - cell.mean, 2);
  cell.spread = std::sqrt(squares / (count - 1));
  return cell;
}

double test_to_learning_ratio(const ComparedSet& set) {
  double sum = 0;
  for (const Trial& trial : set.trials) {
    sum += static_cast<double>(trial.holdout.size()) / static_cast<double>(trial.learning.size());
  }
  return sum / static_cast<double>(set.trials.size());
}

void test_against(const ByTrial& reference, const ByTrial& scores, double ratio, Measure measure, Cell& cell) {
  std::vector<double> differences;
  double sum = 0;
  for (const auto& [trial, score] : scores) {
    const auto other = reference.find(trial);
    if (other == reference.end()) continue;
    differences.push_back(badness(value_of(*other->second, measure), measure) -
                          badness(value_of(*score, measure), measure));
    sum += differences.back();
  }
  cell.p = corrected_resampled_p(differences, ratio);
  if (cell.p < significance) cell.mark = sum > 0 ? 1 : -1;
}

// Ranks from 1; equal values share the mean of their ranks.
std::vector<double> ranks_of(const std::vector<double>& values) {
  std::vector<double> ranks;
  for (const double value : values) {
    double below = 0;
    double equal = 0;
    for (const double other : values) {
      if (std::abs(other - value) <= same_mean) {
        ++equal;
      } else if (other < value) {
        ++below;
      }
    }
    ranks.push_back(below + (equal + 1) / 2);
  }
  return ranks;
}

std::vector<Cell>& cells_of(ComparisonTable::Row& row, Measure measure) {
  return measure == Measure::accuracy ? row.accuracy : row.mae;
}

double rounded(double value) { return std::round(value * 1000) / 1000; }

void mark_best(ComparisonTable& table, std::size_t s, Measure measure) {
  double least = HUGE_VAL;
  for (auto& row : table.rows) {
    const Cell& cell = cells_of(row, measure)[s];
    if (cell.count > 0) least = std::min(least, badness(rounded(cell.mean), measure));
  }
  for (auto& row : table.rows) {
    Cell& cell = cells_of(row, measure)[s];
    cell.best = cell.count > 0 && badness(rounded(cell.mean), measure) <= least + same_mean;
  }
}

void average_ranks(ComparisonTable& table, Measure measure) {
  std::vector<double> sums(table.rows.size());
  double set_count = 0;
  for (std::size_t s = 0; s < table.sets.size(); ++s) {
    std::vector<double> values;
    for (const auto& row : table.rows) {
      if (row.cells(measure)[s].count > 0) values.push_back(badness(row.cells(measure)[s].mean, measure));
    }
    if (values.size() != table.rows.size()) continue;
    const std::vector<double> ranks = ranks_of(values);
    for (std::size_t m = 0; m < sums.size(); ++m) sums[m] += ranks[m];
    ++set_count;
  }
  for (std::size_t m = 0; m < sums.size() && set_count > 0; ++m) {
    (measure == Measure::accuracy ? table.rows[m].accuracy_rank : table.rows[m].mae_rank) = sums[m] / set_count;
  }
}

// On how many sets a row's mean is better and worse than the reference's.
ComparisonTable::Beside beside(const ComparisonTable::Row& row, const ComparisonTable::Row& reference,
                               Measure measure) {
  ComparisonTable::Beside result;
  for (std::size_t s = 0; s < row.cells(measure).size(); ++s) {
    const double difference =
        badness(row.cells(measure)[s].mean, measure) - badness(reference.cells(measure)[s].mean, measure);
    if (difference < -same_mean) ++result.better;
    if (difference > same_mean) ++result.worse;
  }
  return result;
}

double relative_mae(const ComparisonTable::Row& row, const ComparisonTable::Row& reference) {
  double sum = 0;
  double count = 0;
  for (std::size_t s = 0; s < row.mae.size(); ++s) {
    const double ratio = row.mae[s].mean / reference.mae[s].mean;
    if (!(ratio > 0) || std::isinf(ratio)) continue;  // not known, or nothing to divide by
    sum += std::log(ratio);
    ++count;
  }
  return count > 0 ? std::exp(sum / count) : Cell::unknown;
}

}  // namespace

ComparisonTable tabulate(std::span<const std::string> methods, std::span<const ComparedSet> sets,
                         std::span<const TrialScore> scores, const std::string& reference) {
  std::map<std::pair<std::string, std::string>, ByTrial> by_cell;
  for (const TrialScore& score : scores) by_cell[{score.method, score.set}][score.trial] = &score;
  for (const ComparedSet& set : sets) {
    for (auto& [cell, by_trial] : by_cell) {
      if (cell.second == set.name) by_trial.erase(by_trial.upper_bound(set.trials.size()), by_trial.end());
    }
  }
  ComparisonTable table;
  if (std::find(methods.begin(), methods.end(), reference) != methods.end()) table.reference = reference;
  for (const ComparedSet& set : sets) table.sets.push_back(set.name);
  for (const std::string& method : methods) {
    ComparisonTable::Row& row = table.rows.emplace_back();
    row.method = method;
    for (const ComparedSet& set : sets) {
      const ByTrial& own = by_cell[{method, set.name}];
      for (const Measure measure : {Measure::accuracy, Measure::mae}) {
        Cell cell = summarized(own, [&](const TrialScore& score) { return value_of(score, measure); });
        if (method != reference) {
          test_against(by_cell[{reference, set.name}], own, test_to_learning_ratio(set), measure, cell);
        }
        cells_of(row, measure).push_back(cell);
      }
      row.core_seconds.push_back(summarized(own, [](const TrialScore& score) { return score.core_seconds; }));
      row.cut_counts.push_back(static_cast<std::size_t>(
          std::count_if(own.begin(), own.end(), [](const auto& entry) { return entry.second->cut; })));
    }
  }
  for (const Measure measure : {Measure::accuracy, Measure::mae}) {
    for (std::size_t s = 0; s < sets.size(); ++s) mark_best(table, s, measure);
    average_ranks(table, measure);
  }
  const auto other =
      std::find_if(table.rows.begin(), table.rows.end(), [&](const auto& row) { return row.method == reference; });
  for (auto& row : table.rows) {
    if (other == table.rows.end()) break;
    row.accuracy_beside = beside(row, *other, Measure::accuracy);
    row.mae_beside = beside(row, *other, Measure::mae);
    row.relative_mae = relative_mae(row, *other);
  }
  return table;
}

}  // namespace xofm::baselines
