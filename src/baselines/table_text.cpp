// The tables of a comparison as text.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "baselines/table.hpp"

namespace xofm::baselines {

namespace {

constexpr std::size_t most_columns = 10;

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

// Cells with a header row and a header column. A table of many sets is read more easily with a row for each of them.
std::string markdown_grid(const std::vector<std::vector<std::string>>& rows, bool transposed = false) {
  const std::size_t row_count = transposed ? rows.front().size() : rows.size();
  const std::size_t column_count = transposed ? rows.size() : rows.front().size();
  std::string text;
  for (std::size_t r = 0; r < row_count; ++r) {
    text += '|';
    for (std::size_t c = 0; c < column_count; ++c) {
      text += fmt::format(" {} |", transposed ? rows[c][r] : rows[r][c]);
    }
    text += '\n';
    if (r > 0) continue;
    text += '|';
    for (std::size_t c = 0; c < column_count; ++c) text += "---|";
    text += '\n';
  }
  return text;
}

bool has_many_sets(const ComparisonTable& table) { return table.sets.size() > most_columns; }

std::vector<std::string> header_of(const ComparisonTable& table) {
  std::vector<std::string> header = {has_many_sets(table) ? "set" : "method"};
  for (const auto& set : table.sets) header.push_back(markdown_escaped(set));
  return header;
}

std::string measure_table(const ComparisonTable& table, Measure measure, const KnownFigure& known) {
  std::vector<std::vector<std::string>> grid = {header_of(table)};
  grid.front().emplace_back("average rank");
  for (const auto& row : table.rows) {
    auto& cells = grid.emplace_back(std::vector{markdown_escaped(row.method)});
    for (std::size_t s = 0; s < table.sets.size(); ++s) {
      cells.push_back(markdown_cell(row.cells(measure)[s]) + known_text(known, row.method, table.sets[s], measure));
    }
    cells.push_back(rank_text(row.rank(measure)));
  }
  return fmt::format("{}, mean ± standard deviation over {}\n\n{}", name_of(measure), split_counts(table),
                     markdown_grid(grid, has_many_sets(table)));
}

std::string seconds_table(const ComparisonTable& table) {
  std::vector<std::vector<std::string>> grid = {header_of(table)};
  for (const auto& row : table.rows) {
    auto& cells = grid.emplace_back(std::vector{markdown_escaped(row.method)});
    for (std::size_t s = 0; s < table.sets.size(); ++s) {
      const double mean = row.core_seconds[s].mean;
      const std::string cut = row.cut_counts[s] > 0 ? fmt::format(" ({} cut)", row.cut_counts[s]) : "";
      cells.push_back(std::isnan(mean) ? "-" : fmt::format("{:.1f}{}", mean, cut));
    }
  }
  return "Core seconds per split, and how many splits were cut by the limit\n\n" +
         markdown_grid(grid, has_many_sets(table));
}

// "12 : 25": sets won and lost.
std::string beside_text(const ComparisonTable::Beside& beside) {
  return fmt::format("{} : {}", beside.better, beside.worse);
}

std::string overall_table(const ComparisonTable& table) {
  if (table.reference.empty() || table.sets.size() < 2) return "";
  std::vector<std::vector<std::string>> grid = {
      {"method", "rank by accuracy", "rank by MAE", "accuracy better : worse", "MAE better : worse", "MAE, relative"}};
  for (const auto& row : table.rows) {
    grid.push_back({markdown_escaped(row.method), rank_text(row.accuracy_rank), rank_text(row.mae_rank),
                    beside_text(row.accuracy_beside), beside_text(row.mae_beside),
                    std::isnan(row.relative_mae) ? "-" : fmt::format("{:.3f}", row.relative_mae)});
  }
  return fmt::format(
      "Over all sets: average ranks; sets on which a method is better and worse than {0}; its MAE divided by that of "
      "{0}, "
      "geometric mean\n\n{1}\n",
      markdown_escaped(table.reference), markdown_grid(grid));
}

}  // namespace

std::string markdown(const ComparisonTable& table, const KnownFigure& known) {
  std::string text;
  for (const Measure measure : {Measure::accuracy, Measure::mae}) text += measure_table(table, measure, known) + '\n';
  text += overall_table(table);
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
