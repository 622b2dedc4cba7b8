#include "baselines/contender.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <set>

#include "baselines/comparison.hpp"
#include "baselines/registry.hpp"
#include "baselines/xofm_contender.hpp"
#include "support/nearest_rows.hpp"
#include "xofm/error.hpp"
#include "xofm/fit.hpp"
#include "xofm/generate.hpp"
#include "xofm/threads.hpp"

namespace xofm::baselines {
namespace {

using testing::NearestRows;

ComparedSet small_set(std::size_t rows = 100) {
  ComparedSet set;
  set.name = "small";
  set.data = generate({.row_count = rows, .attribute_count = 3, .class_count = 3, .noise = 0.05});
  set.trials = holdout_trials(set.data, 0.2, 3);
  return set;
}

Task task_of(const ComparedSet& set) {
  Task task{subset(set.data, set.trials[0].learning), subset(set.data, set.trials[0].holdout)};
  task.holdout.labels.clear();
  return task;
}

// A learner whose candidate c says for every row the class of its first attribute plus offsets[c].
Learner offset_learner(std::vector<int> offsets) {
  Learner learner;
  learner.candidate_count = offsets.size();
  learner.describe = [](std::size_t c) { return std::to_string(c); };
  learner.learn = [offsets](std::size_t c, const Task& task, const Effort&) {
    std::vector<int> classes;
    for (const double value : task.holdout.columns[0]) classes.push_back(static_cast<int>(value) + offsets[c]);
    return Classes{classes, classes};
  };
  return learner;
}

// Twenty rows whose class is the attribute: 0, 1, 2 in turn.
Task known_task() {
  Task task;
  task.learning.schema.attributes = {{.name = "x"}};
  task.learning.schema.class_names = {"a", "b", "c"};
  task.learning.columns.resize(1);
  for (int i = 0; i < 20; ++i) {
    task.learning.columns[0].push_back(i % 3);
    task.learning.labels.push_back(i % 3);
  }
  task.holdout = task.learning;
  task.holdout.labels.clear();
  return task;
}

TEST(Contender, TheCandidateWithTheLeastDistanceIsTakenAndOfEqualOnesTheFirst) {
  EXPECT_EQ(tuned("t", offset_learner({2, -1, 0, 1})).run(known_task(), {}).setting, "2");
  EXPECT_EQ(tuned("t", offset_learner({1, -1, 2})).run(known_task(), {}).setting, "0");
}

TEST(Contender, EqualDistancesAreToldApartByTheErrors) {
  Learner learner = offset_learner({1, 1});
  const auto learn = learner.learn;
  // The second is right in accuracy, and as far off in distance.
  learner.learn = [learn](std::size_t c, const Task& task, const Effort& effort) {
    Classes classes = learn(c, task, effort);
    if (c == 1) {
      for (int& value : classes.for_accuracy) --value;
    }
    return classes;
  };
  EXPECT_EQ(tuned("t", learner).run(known_task(), {}).setting, "1");
}

TEST(Contender, EveryFoldHasFeaturesOfItsOwnRowsAndTheFirstSettingComesFirst) {
  std::vector<std::size_t> sizes;
  std::vector<double> settings;
  const auto method = std::make_shared<NearestRows>(
      std::vector<double>{5, 1, 15, 7}, [&](const Examples& examples, const Setting& setting, const Effort&) {
        sizes.push_back(examples.labels.size());
        settings.push_back(setting[0]);
        EXPECT_LT(examples.features.colwise().mean().cwiseAbs().maxCoeff(), 1e-12);
      });
  const Task task = task_of(small_set());
  const Outcome outcome = tuned(method).run(task, {});
  ASSERT_GE(sizes.size(), 6U);
  EXPECT_EQ(sizes.back(), task.learning.row_count());
  EXPECT_LT(*std::max_element(sizes.begin(), sizes.end() - 1), task.learning.row_count());
  for (int fold = 0; fold < 5; ++fold) EXPECT_EQ(settings[static_cast<std::size_t>(fold)], 5);
  EXPECT_EQ(std::set<double>(settings.begin(), settings.end()).size(), 4U);
  EXPECT_FALSE(outcome.cut);
  EXPECT_TRUE(outcome.setting.starts_with("neighbours ")) << outcome.setting;
}

TEST(Contender, LabelsOfTheRowsHeldOutChangeNothing) {
  const ComparedSet set = small_set();
  Task task = task_of(set);
  const Contender contender = tuned(std::make_shared<NearestRows>());
  const Outcome without = contender.run(task, {});
  task.holdout.labels.assign(task.holdout.row_count(), 2);
  const Outcome with = contender.run(task, {});
  EXPECT_EQ(without.classes.for_mae, with.classes.for_mae);
  EXPECT_EQ(without.setting, with.setting);
}

TEST(Contender, TheSameSeedGivesTheSameClasses) {
  const Task task = task_of(small_set());
  const Contender contender = tuned(std::make_shared<NearestRows>());
  const Outcome first = contender.run(task, {.seed = 3});
  const Outcome second = contender.run(task, {.seed = 3});
  EXPECT_EQ(first.classes.for_mae, second.classes.for_mae);
  EXPECT_EQ(first.setting, second.setting);
}

// Each fit would take for ever.
TEST(Contender, ALimitThatStrikesIsKeptAndStillGivesClasses) {
  const auto method = std::make_shared<NearestRows>(std::vector<double>{5, 1, 15},
                                                    [](const Examples&, const Setting&, const Effort& effort) {
                                                      while (!effort.is_over()) {
                                                      }
                                                    });
  const Task task = task_of(small_set());
  const Outcome outcome = tuned(method).run(task, {.core_seconds = 0.3});
  EXPECT_TRUE(outcome.cut);
  EXPECT_EQ(outcome.classes.for_mae.size(), task.holdout.row_count());
  EXPECT_GE(outcome.core_seconds, 0.3);
  EXPECT_LT(outcome.core_seconds, 1);
  EXPECT_EQ(outcome.setting, "neighbours 5; 0 of 3 settings tried");
}

TEST(Contender, TimeForTheFinalFitIsKept) {
  std::size_t most_rows = 0;
  bool final_was_cut = false;
  const auto method = std::make_shared<NearestRows>(
      std::vector<double>(1000, 5), [&](const Examples& examples, const Setting&, const Effort& effort) {
        most_rows = examples.labels.size();
        const CoreClock clock;
        while (clock.seconds() < 0.01) final_was_cut = effort.is_over();
      });
  const Task task = task_of(small_set());
  const Outcome outcome = tuned(method).run(task, {.core_seconds = 0.4});
  EXPECT_TRUE(outcome.cut);
  EXPECT_EQ(most_rows, task.learning.row_count());
  EXPECT_FALSE(final_was_cut);
}

TEST(Contender, ClassesWithoutRowsOrWithOneRowBreakNothing) {
  Task task = known_task();
  task.learning.schema.class_names = {"a", "b", "c", "d", "e"};
  task.learning.labels.back() = 4;
  const ThreadLimit limit(1);
  for (const Contender& contender :
       {tuned(std::make_shared<NearestRows>()), xofm_paper_contender(), xofm_contender()}) {
    const Outcome outcome = contender.run(task, {.core_seconds = 0.5});
    ASSERT_EQ(outcome.classes.for_accuracy.size(), 20U) << contender.name;
    for (const int h : outcome.classes.for_accuracy) EXPECT_TRUE(h >= 0 && h <= 4) << contender.name;
    EXPECT_FALSE(outcome.setting.empty());
  }
}

TEST(Contender, XofmIsWhatFitGives) {
  const Task task = task_of(small_set(40));
  const ThreadLimit limit(1);
  const Outcome outcome = xofm_contender().run(task, {.core_seconds = 1000});
  const Model model = fit(task.learning).model;
  EXPECT_EQ(outcome.classes.for_mae, model.predict(task.holdout).classes);
  EXPECT_FALSE(outcome.cut);
}

TEST(Contender, MonotoneXofmFollowsTheDirectionsGiven) {
  const ComparedSet set = small_set();
  Task task = task_of(set);
  // Against the data: the classes fall where the attribute rises, so that only a constant is left.
  for (std::size_t i = 0; i < task.learning.row_count(); ++i) task.learning.columns[0][i] = -task.learning.labels[i];
  for (std::size_t j = 1; j < 3; ++j) std::fill(task.learning.columns[j].begin(), task.learning.columns[j].end(), 1);
  const ThreadLimit limit(1);
  for (const Contender& contender : {xofm_monotone_contender(2), xofm_paper_monotone_contender(2)}) {
    task.directions = {1, 0, 0};
    task.holdout = task.learning;
    task.holdout.labels.clear();
    const Outcome against = contender.run(task, {.core_seconds = 1});
    EXPECT_EQ(std::set<int>(against.classes.for_mae.begin(), against.classes.for_mae.end()).size(), 1U)
        << contender.name;
    task.directions.clear();
    const Outcome free = contender.run(task, {.core_seconds = 1});
    EXPECT_EQ(free.classes.for_mae, task.learning.labels) << contender.name;
  }
}

TEST(Registry, TheOrderIsThatOfTheTablesAndXofmIsLast) {
  const auto all = contenders();
  ASSERT_GE(all.size(), 2U);
  EXPECT_EQ(all[all.size() - 2].name, "XOFM paper");
  EXPECT_EQ(all.back().name, reference_name);
}

TEST(Registry, NamesSelectAndAnUnknownOneListsAll) {
  const std::vector<std::string> names = {"xofm", "XOFM Paper"};
  const auto chosen = select(contenders(), names);
  ASSERT_EQ(chosen.size(), 2U);
  EXPECT_EQ(chosen[0].name, "XOFM paper");
  const std::vector<std::string> wrong = {"XOFN"};
  try {
    select(contenders(), wrong);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::invalid_option);
    EXPECT_NE(std::string(error.what()).find("'XOFN'; the methods are"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("XOFM paper, XOFM"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace xofm::baselines
