#include "baselines/comparison.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <stdexcept>
#include <tuple>

#include "baselines/results.hpp"
#include "support/nearest_rows.hpp"
#include "support/temporary_folder.hpp"
#include "xofm/error.hpp"
#include "xofm/generate.hpp"

namespace xofm::baselines {
namespace {

using testing::NearestRows;

std::vector<ComparedSet> two_sets() {
  std::vector<ComparedSet> sets(2);
  for (std::size_t s = 0; s < 2; ++s) {
    sets[s].name = s == 0 ? "first" : "second";
    sets[s].data = generate({.row_count = 50, .attribute_count = 3, .class_count = 3, .seed = s + 1});
    sets[s].trials = holdout_trials(sets[s].data, 0.2, 3);
  }
  return sets;
}

std::vector<Contender> two_contenders() {
  Contender second = tuned(std::make_shared<NearestRows>(std::vector<double>{1, 3}));
  second.name = "Nearer";
  return {tuned(std::make_shared<NearestRows>()), second};
}

// All but the seconds, in any order.
auto essence(const std::vector<TrialScore>& scores) {
  std::vector<std::tuple<std::string, std::string, std::size_t, double, double, std::string>> all;
  for (const TrialScore& s : scores) all.emplace_back(s.method, s.set, s.trial, s.accuracy, s.mae, s.setting);
  std::sort(all.begin(), all.end());
  return all;
}

TEST(Comparison, EveryContenderMeetsEverySplitAndBeatsChance) {
  const auto sets = two_sets();
  const auto contenders = two_contenders();
  std::vector<TrialScore> scores;
  std::size_t calls = 0;
  const auto failures =
      run_comparison(sets, contenders, {}, scores, [&](const TrialScore&, const ComparisonProgress& progress) {
        ++calls;
        EXPECT_EQ(progress.finished_count, calls);
        EXPECT_EQ(progress.job_count, 12U);
      });
  EXPECT_TRUE(failures.empty());
  EXPECT_EQ(calls, 12U);
  double sum = 0;
  for (const TrialScore& score : scores) sum += score.accuracy;
  EXPECT_GT(sum / 12, 0.45);
}

TEST(Comparison, TheFirstSplitOfEverythingComesFirst) {
  const auto sets = two_sets();
  const auto contenders = two_contenders();
  std::vector<TrialScore> scores;
  run_comparison(sets, contenders, {.threads = 1}, scores);
  for (std::size_t i = 0; i < scores.size(); ++i) EXPECT_EQ(scores[i].trial, i / 4 + 1);
}

TEST(Comparison, ARunThatWasStoppedAndResumedFromDiskEqualsAnUninterruptedOne) {
  const auto sets = two_sets();
  const auto contenders = two_contenders();
  std::vector<TrialScore> whole;
  run_comparison(sets, contenders, {.threads = 2}, whole);

  const testing::TemporaryFolder folder;
  const std::string path = folder.path("scores.csv");
  EXPECT_TRUE(read_scores(path).empty());
  std::atomic<int> finished = 0;
  std::vector<TrialScore> part;
  run_comparison(sets, contenders, {.threads = 2, .stop = [&] { return finished >= 5; }}, part,
                 [&](const TrialScore&, const ComparisonProgress&) {
                   write_scores(path, part);
                   ++finished;
                 });
  std::vector<TrialScore> resumed = read_scores(path);
  EXPECT_GE(resumed.size(), 5U);
  EXPECT_LT(resumed.size(), 12U);
  run_comparison(sets, contenders, {.threads = 2}, resumed);
  EXPECT_EQ(essence(resumed), essence(whole));
}

TEST(Comparison, AContenderThatFailsIsNamedAndTheOthersGoOn) {
  const auto sets = two_sets();
  std::vector<Contender> contenders = two_contenders();
  contenders[0].run = [](const Task&, const Limits&) -> Outcome { throw std::runtime_error("no luck"); };
  std::vector<TrialScore> scores;
  const auto failures = run_comparison(sets, contenders, {}, scores);
  EXPECT_EQ(scores.size(), 6U);
  ASSERT_EQ(failures.size(), 6U);
  EXPECT_NE(failures[0].find("Nearest on "), std::string::npos) << failures[0];
  EXPECT_NE(failures[0].find("split 1: no luck"), std::string::npos) << failures[0];
}

TEST(Results, TheyAreReadAsTheyWereWritten) {
  const testing::TemporaryFolder folder;
  const std::string path = folder.path("scores.csv");
  const std::vector<TrialScore> scores = {{"A, \"b\"", "s", 1, 1.0 / 3, 0.1, 2.25, true, "x 1, y 2"},
                                          {"B", "s", 2, 1, 0, 0.5, false, ""}};
  write_scores(path, scores);
  const auto again = read_scores(path);
  ASSERT_EQ(again.size(), 2U);
  EXPECT_EQ(essence(again), essence(scores));
  EXPECT_EQ(again[0].core_seconds, 2.25);
  EXPECT_TRUE(again[0].cut);
  EXPECT_FALSE(again[1].cut);
}

std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::invalid_data);
    return error.what();
  }
  return "no error";
}

TEST(Results, AForeignFileIsRefused) {
  const testing::TemporaryFolder folder;
  EXPECT_NE(message_of([&] { read_scores(folder.file("a.csv", "something,else\n")); }).find("no column"),
            std::string::npos);
  const std::string header = "method,set,split,accuracy,mae,seconds,cut,setting\n";
  EXPECT_NE(message_of([&] { read_scores(folder.file("b.csv", header + "A,s,1,good,0,0,0,\n")); }).find("'good'"),
            std::string::npos);
}

class Outside : public ::testing::Test {
 protected:
  // The true class of every test row, but for one line changed by `edit`.
  std::vector<TrialScore> read(const std::function<void(std::vector<std::string>&)>& edit = {},
                               const std::string& header = "method,set,trial,row,class") {
    std::vector<std::string> lines = {header};
    const bool names_set = header.find("set") != std::string::npos;
    for (std::size_t t = 0; t < set.trials.size(); ++t) {
      for (const std::size_t row : set.trials[t].holdout) {
        const auto label = static_cast<std::size_t>(set.data.labels[row]);
        lines.push_back("Forest," + std::string(names_set ? "first," : "") + std::to_string(t + 1) + "," +
                        std::to_string(row + 1) + "," + set.data.schema.class_names[label]);
      }
    }
    if (edit) edit(lines);
    std::string text;
    for (const auto& line : lines) text += line + "\n";
    const std::vector<std::string> paths = {folder.file("outside.csv", text)};
    const std::vector<std::string> taken = {"XOFM"};
    return read_outside(paths, {&set, 1}, taken);
  }
  void expect_refused(const std::function<void(std::vector<std::string>&)>& edit, const std::string& text) {
    const std::string message = message_of([&] { read(edit); });
    EXPECT_NE(message.find(text), std::string::npos) << message;
  }

  testing::TemporaryFolder folder;
  ComparedSet set = two_sets().front();
};

TEST_F(Outside, PredictionsJoinWithTheirScores) {
  const auto scores = read([&](auto& lines) { lines[1].back() = lines[1].back() == '2' ? '1' : '2'; });
  ASSERT_EQ(scores.size(), 3U);
  EXPECT_EQ(scores[0].method, "Forest");
  EXPECT_NEAR(scores[0].accuracy, 1 - 1.0 / static_cast<double>(set.trials[0].holdout.size()), 1e-12);
  EXPECT_GT(scores[0].mae, 0);
  EXPECT_EQ(scores[2].accuracy, 1);
  EXPECT_TRUE(std::isnan(scores[0].core_seconds));
}

TEST_F(Outside, ForASingleSetItsColumnMayBeLeftOut) { EXPECT_EQ(read({}, "method,trial,row,class").size(), 3U); }

TEST_F(Outside, WhatDoesNotFitTheSplitsIsRefusedWithItsPlace) {
  const auto with = [](const std::string& line) { return [line](auto& lines) { lines[1] = line; }; };
  const std::string learned = std::to_string(set.trials[0].learning[0] + 1);
  const std::string tested = std::to_string(set.trials[0].holdout[0] + 1);
  expect_refused(with("Forest,first,1," + tested + ",excellent"), "line 2, column \"class\": 'excellent' is none of");
  expect_refused(with("Forest,third,1," + tested + ",1"), "'third' is none of the data sets, which are first");
  expect_refused(with("Forest,first,4," + tested + ",1"), "from 1 to 3");
  expect_refused(with("Forest,first,1," + learned + ",1"), "is not a test row of trial 1 of first");
  expect_refused(with("XOFM,first,1," + tested + ",1"), "'XOFM' is no free name");
  expect_refused([](auto& lines) { lines.push_back(lines.back()); }, "stands twice");
  expect_refused([](auto& lines) { lines.erase(lines.begin() + 1); },
                 "Forest has no class for row " + tested + " in trial 1 of first; 1 of ");
  expect_refused([](auto& lines) { lines[0] = "method,set,trial,row,label"; }, "\"class\"");
}

}  // namespace
}  // namespace xofm::baselines
