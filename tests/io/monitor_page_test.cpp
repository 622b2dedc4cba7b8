// Monitoring with models of released versions, and what is written of it.
#include "io/monitor_page.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "xofm/csv.hpp"
#include "xofm/model_file.hpp"

namespace xofm {
namespace {

TEST(MonitorPage, AModelOfAnEarlierVersionHasTheSegmentsOfItsCurves) {
  const std::filesystem::path folder = std::filesystem::path(XOFM_SOURCE) / "tests/io/released/0.1.0";
  for (const char* const name : {"factors.json", "monotone.json", "searched.json"}) {
    const Model model = load_model(folder / name);
    ASSERT_TRUE(model.distribution.bins.empty());
    const Dataset rows = read_csv(folder / "rows.csv", model.schema);
    Monitor monitor(model);
    monitor.add(rows);
    const MonitorReport report = monitor.report();
    EXPECT_EQ(report.row_count, rows.row_count());
    for (std::size_t j = 0; j < report.attributes.size(); ++j) {
      double old_sum = 0;
      double new_sum = 0;
      for (const ShiftRange& range : report.attributes[j].ranges) {
        old_sum += range.old_share;
        new_sum += range.new_share;
      }
      EXPECT_NEAR(old_sum, 1, 1e-9);
      EXPECT_NEAR(new_sum, 1, 1e-9);
    }
    const std::string page = detail::monitor_page(model, report);
    EXPECT_TRUE(page.starts_with("<!doctype html>"));
    EXPECT_NE(page.find(model.schema.attributes.front().name), std::string::npos);
    EXPECT_EQ(detail::monitor_to_json(report)["attributes"].size(), report.attributes.size());
  }
}

}  // namespace
}  // namespace xofm
