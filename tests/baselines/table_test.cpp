#include "baselines/table.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace xofm::baselines {
namespace {

ComparedSet set_of(const std::string& name, std::size_t trial_count) {
  ComparedSet set;
  set.name = name;
  set.trials.assign(trial_count, {{0, 1, 2, 3}, {4}});
  return set;
}

std::vector<TrialScore> scores_of(const std::string& method, const std::string& set,
                                  const std::vector<double>& accuracies) {
  std::vector<TrialScore> scores;
  for (std::size_t t = 0; t < accuracies.size(); ++t) {
    scores.push_back({method, set, t + 1, accuracies[t], 1 - accuracies[t], 2.5, t == 0, ""});
  }
  return scores;
}

struct Comparison {
  std::vector<std::string> methods = {"A", "B_1", "XOFM"};
  std::vector<ComparedSet> sets = {set_of("one", 4), set_of("two|2", 4)};
  std::vector<TrialScore> scores;

  Comparison() {
    add("A", "one", {0.50, 0.52, 0.48, 0.50});
    add("B_1", "one", {0.80, 0.70, 0.90, 0.80});
    add("XOFM", "one", {0.80, 0.81, 0.79, 0.80});
    add("A", "two|2", {0.9, 0.9, 0.9, 0.9});
    add("B_1", "two|2", {0.5, 0.5, 0.5, 0.5});
    add("XOFM", "two|2", {0.7, 0.7, 0.7, 0.7});
  }
  void add(const std::string& method, const std::string& set, const std::vector<double>& accuracies) {
    const auto more = scores_of(method, set, accuracies);
    scores.insert(scores.end(), more.begin(), more.end());
  }
  ComparisonTable table() const { return tabulate(methods, sets, scores, "XOFM"); }
};

TEST(Table, MeansAndSpreadsAreThoseOfTheSplits) {
  const ComparisonTable table = Comparison().table();
  const Cell& cell = table.rows[0].accuracy[0];
  EXPECT_EQ(cell.count, 4U);
  EXPECT_NEAR(cell.mean, 0.5, 1e-15);
  EXPECT_NEAR(cell.spread, std::sqrt(0.0008 / 3), 1e-15);
  EXPECT_NEAR(table.rows[0].mae[0].mean, 0.5, 1e-15);
  EXPECT_EQ(table.rows[0].core_seconds[0].mean, 2.5);
  EXPECT_EQ(table.rows[0].cut_counts[0], 1U);
}

TEST(Table, EqualOnesAreBestTogetherAndShareTheirRank) {
  const ComparisonTable table = Comparison().table();
  EXPECT_FALSE(table.rows[0].accuracy[0].best);
  EXPECT_TRUE(table.rows[1].accuracy[0].best);
  EXPECT_TRUE(table.rows[2].accuracy[0].best);
  EXPECT_TRUE(table.rows[0].mae[1].best);
  // On the first set 3, 1.5, 1.5, on the second 1, 3, 2.
  EXPECT_DOUBLE_EQ(table.rows[0].accuracy_rank, 2);
  EXPECT_DOUBLE_EQ(table.rows[1].accuracy_rank, 2.25);
  EXPECT_DOUBLE_EQ(table.rows[2].mae_rank, 1.75);
}

TEST(Table, OnlyClearDifferencesFromTheReferenceAreMarked) {
  const ComparisonTable table = Comparison().table();
  EXPECT_EQ(table.rows[0].accuracy[0].mark, -1);
  EXPECT_EQ(table.rows[0].mae[0].mark, -1);
  EXPECT_EQ(table.rows[1].accuracy[0].mark, 0);
  EXPECT_EQ(table.rows[0].accuracy[1].mark, 1);
  EXPECT_EQ(table.rows[2].accuracy[0].mark, 0);
  EXPECT_TRUE(std::isnan(table.rows[2].accuracy[0].p));
}

TEST(Table, PairsAreThoseSplitsThatBothHave) {
  Comparison comparison;
  std::erase_if(comparison.scores, [](const TrialScore& score) { return score.method == "A" && score.trial > 1; });
  const ComparisonTable table = comparison.table();
  EXPECT_EQ(table.rows[0].accuracy[0].count, 1U);
  EXPECT_TRUE(std::isnan(table.rows[0].accuracy[0].p));
  EXPECT_TRUE(std::isnan(table.rows[0].accuracy[0].spread));
}

TEST(Table, ASetThatAMethodLacksCountsInNoRank) {
  Comparison comparison;
  std::erase_if(comparison.scores, [](const TrialScore& score) { return score.method == "A" && score.set == "one"; });
  const ComparisonTable table = comparison.table();
  EXPECT_DOUBLE_EQ(table.rows[0].accuracy_rank, 1);
  EXPECT_DOUBLE_EQ(table.rows[1].accuracy_rank, 3);
  EXPECT_NE(markdown(table).find("| A | - | **0.900**"), std::string::npos) << markdown(table);
}

TEST(Table, ScoresOfOtherMethodsSetsAndSplitsAreLeftOut) {
  Comparison comparison;
  comparison.add("other", "one", {1, 1, 1, 1});
  comparison.add("A", "other", {1, 1, 1, 1});
  comparison.scores.push_back({"A", "one", 5, 1, 0, 1, false, ""});
  EXPECT_EQ(markdown(comparison.table()), markdown(Comparison().table()));
}

TEST(Table, MarkdownHasBoldMarksRanksAndTheKnownFigures) {
  const auto known = [](const std::string& method, const std::string& set, Measure) {
    return method == "A" && set == "one" ? std::optional(0.123) : std::nullopt;
  };
  const std::string text = markdown(Comparison().table(), known);
  for (const char* const part :
       {"Accuracy, mean ± standard deviation over 4 splits", "| method | one | two\\|2 | average rank |",
        "| A | 0.500 ± 0.016 ↓ (0.123) | **0.900** ± 0.000 ↑ | 2.00 |", "| B_1 | **0.800** ± 0.082 | 0.500 ± 0.000 ↓ |",
        "| A | 2.5 (1 cut) |"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
}

TEST(Table, OverAllSetsMethodsStandBesideTheReference) {
  // MAE of A: 0.5 and 0.1, of B_1: 0.2 and 0.5, of XOFM: 0.2 and 0.3.
  const std::string text = markdown(Comparison().table());
  for (const char* const part : {"| A | 2.00 | 2.00 | 1 : 1 | 1 : 1 | 0.913 |",    // the root of 2.5 / 3
                                 "| B_1 | 2.25 | 2.25 | 0 : 1 | 0 : 1 | 1.291 |",  // the root of 5 / 3
                                 "| XOFM | 1.75 | 1.75 | 0 : 0 | 0 : 0 | 1.000 |"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
  Comparison without;
  without.methods = {"A", "B_1"};
  EXPECT_EQ(markdown(without.table()).find("Over all sets"), std::string::npos);
}

TEST(Table, ASetThatOneLacksIsNeitherWonNorLost) {
  Comparison comparison;
  std::erase_if(comparison.scores, [](const TrialScore& score) { return score.method == "A" && score.set == "one"; });
  const std::string text = markdown(comparison.table());
  EXPECT_NE(text.find("| 1 : 0 | 1 : 0 | 0.333 |"), std::string::npos) << text;
}

TEST(Table, MoreThanTenSetsHaveARowEach) {
  Comparison comparison;
  for (int i = 0; i < 8; ++i) comparison.sets.push_back(set_of("empty", 4));
  EXPECT_NE(markdown(comparison.table()).find("| method | one |"), std::string::npos);
  comparison.sets.push_back(set_of("empty", 4));
  const std::string text = markdown(comparison.table());
  for (const char* const part :
       {"| set | A | B_1 | XOFM |\n|---|---|---|---|\n| one | 0.500 ± 0.016 ↓ | **0.800** ± 0.082 | **0.800** ± 0.008 "
        "|\n",
        "| empty | - | - | - |\n| average rank | 2.00 | 2.25 | 1.75 |", "| one | 2.5 (1 cut) |"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
}

TEST(Table, LatexHasTheSameWithNamesEscaped) {
  const std::string text = latex(Comparison().table());
  for (const char* const part :
       {"\\begin{tabular}{lrrr}",
        "B\\_1 & \\textbf{0.800} $\\pm$ 0.082 & 0.500 $\\pm$ 0.000 $\\downarrow$ & 2.25 \\\\"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
  EXPECT_EQ(latex_escaped("a_b & 50% {x} \\ ^~#$"),
            "a\\_b \\& 50\\% \\{x\\} \\textbackslash{} \\textasciicircum{}\\textasciitilde{}\\#\\$");
}

}  // namespace
}  // namespace xofm::baselines
