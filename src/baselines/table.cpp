#include "baselines/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>

#include "baselines/student.hpp"

namespace xofm::baselines {

namespace {

constexpr double significance = 0.05;
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

const char* name_of(Measure measure) { return measure == Measure::accuracy ? "Accuracy" : "MAE"; }

std::string rank_text(double rank) { return std::isnan(rank) ? "-" : fmt::format("{:.2f}", rank); }

std::string known_text(const KnownFigure& known, const std::string& method, const std::string& set, Measure measure) {
  const std::optional<double> figure = known ? known(method, set, measure) : std::nullopt;
  return figure ? fmt::format(" ({:.3f})", *figure) : "";
}

// "30 splits", or "7 to 30 splits" while a run is not finished.
std::string split_counts(const ComparisonTable& table) {
  std::size_t least = std::numeric_limits<std::size_t>::max();
  std::size_t most = 0;
  for (const auto& row : table.rows) {
    for (const Cell& cell : row.accuracy) {
      if (cell.count == 0) continue;
      least = std::min(least, cell.count);
      most = std::max(most, cell.count);
    }
  }
  if (most == 0) return "no splits";
  if (least == most) return fmt::format("{} split{}", most, most == 1 ? "" : "s");
  return fmt::format("{} to {} splits", least, most);
}

std::string markdown_cell(const Cell& cell) {
  if (cell.count == 0) return "-";
  std::string text = fmt::format("{:.3f}", cell.mean);
  if (cell.best) text = fmt::format("**{}**", text);
  if (!std::isnan(cell.spread)) text += fmt::format(" ± {:.3f}", cell.spread);
  if (cell.mark != 0) text += cell.mark < 0 ? " ↓" : " ↑";
  return text;
}

std::string latex_cell(const Cell& cell) {
  if (cell.count == 0) return "--";
  std::string text = fmt::format("{:.3f}", cell.mean);
  if (cell.best) text = fmt::format("\\textbf{{{}}}", text);
  if (!std::isnan(cell.spread)) text += fmt::format(" $\\pm$ {:.3f}", cell.spread);
  if (cell.mark != 0) text += cell.mark < 0 ? " $\\downarrow$" : " $\\uparrow$";
  return text;
}

std::string seconds_table(const ComparisonTable& table) {
  std::string text = "Core seconds per split, and how many splits were cut by the limit\n\n| method |";
  for (const auto& set : table.sets) text += fmt::format(" {} |", markdown_escaped(set));
  text += "\n|---|";
  for (std::size_t s = 0; s < table.sets.size(); ++s) text += "---|";
  text += '\n';
  for (const auto& row : table.rows) {
    text += fmt::format("| {} |", markdown_escaped(row.method));
    for (std::size_t s = 0; s < table.sets.size(); ++s) {
      const Cell& cell = row.core_seconds[s];
      if (std::isnan(cell.mean)) {
        text += " - |";
      } else {
        text += fmt::format(" {:.1f}{} |", cell.mean,
                            row.cut_counts[s] > 0 ? fmt::format(" ({} cut)", row.cut_counts[s]) : "");
      }
    }
    text += '\n';
  }
  return text;
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
  return table;
}

std::string markdown(const ComparisonTable& table, const KnownFigure& known) {
  std::string text;
  for (const Measure measure : {Measure::accuracy, Measure::mae}) {
    text += fmt::format("{}, mean ± standard deviation over {}\n\n| method |", name_of(measure), split_counts(table));
    for (const auto& set : table.sets) text += fmt::format(" {} |", markdown_escaped(set));
    text += " average rank |\n|---|";
    for (std::size_t s = 0; s <= table.sets.size(); ++s) text += "---|";
    text += '\n';
    for (const auto& row : table.rows) {
      text += fmt::format("| {} |", markdown_escaped(row.method));
      for (std::size_t s = 0; s < table.sets.size(); ++s) {
        text += fmt::format(" {}{} |", markdown_cell(row.cells(measure)[s]),
                            known_text(known, row.method, table.sets[s], measure));
      }
      text += fmt::format(" {} |\n", rank_text(row.rank(measure)));
    }
    text += '\n';
  }
  text += seconds_table(table) + "\nBold: best.";
  if (!table.reference.empty()) {
    text +=
        fmt::format(" ↓ worse, ↑ better than {} at p < {} by the corrected resampled t-test (Nadeau and Bengio 2003).",
                    markdown_escaped(table.reference), significance);
  }
  text += known ? " In parentheses: the paper's figure.\n" : "\n";
  return text;
}

std::string latex(const ComparisonTable& table, const KnownFigure& known) {
  std::string text;
  for (const Measure measure : {Measure::accuracy, Measure::mae}) {
    text +=
        fmt::format("\\begin{{table}}\n\\centering\n\\caption{{{}, mean $\\pm$ standard deviation over {}. Bold: best.",
                    name_of(measure), split_counts(table));
    if (!table.reference.empty()) {
      text +=
          fmt::format(" $\\downarrow$ worse, $\\uparrow$ better than {} at $p < {}$ by the corrected resampled t-test.",
                      latex_escaped(table.reference), significance);
    }
    text += fmt::format("{}}}\n\\begin{{tabular}}{{l{}r}}\n\\hline\nmethod",
                        known ? " In parentheses: the figure of the paper." : "", std::string(table.sets.size(), 'r'));
    for (const auto& set : table.sets) text += fmt::format(" & {}", latex_escaped(set));
    text += " & average rank \\\\\n\\hline\n";
    for (const auto& row : table.rows) {
      text += latex_escaped(row.method);
      for (std::size_t s = 0; s < table.sets.size(); ++s) {
        text += fmt::format(" & {}{}", latex_cell(row.cells(measure)[s]),
                            known_text(known, row.method, table.sets[s], measure));
      }
      text += fmt::format(" & {} \\\\\n", rank_text(row.rank(measure)));
    }
    text += "\\hline\n\\end{tabular}\n\\end{table}\n";
  }
  return text;
}

std::string latex_escaped(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    switch (c) {
      case '\\':
        escaped += "\\textbackslash{}";
        break;
      case '~':
        escaped += "\\textasciitilde{}";
        break;
      case '^':
        escaped += "\\textasciicircum{}";
        break;
      case '&':
      case '%':
      case '$':
      case '#':
      case '_':
      case '{':
      case '}':
        escaped += '\\';
        [[fallthrough]];
      default:
        escaped += c;
    }
  }
  return escaped;
}

std::string markdown_escaped(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '|' || c == '*' || c == '\\') escaped += '\\';
    escaped += c == '\n' || c == '\r' ? ' ' : c;
  }
  return escaped;
}

}  // namespace xofm::baselines
