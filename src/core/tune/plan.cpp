#include "core/tune/plan.hpp"

#include <algorithm>
#include <cmath>

#include "xofm/fit.hpp"

namespace xofm {

namespace {

// Costs are those of a pass, see pass_cost. What they were settled by is in docs/notes/accuracy.md.
constexpr std::size_t many_rows = 2000;
constexpr double greatest_fold_cost = 1.5e5;    // of many rows; above it, some are held out
constexpr double greatest_wide_cost = 3e5;      // the same of few rows
constexpr double greatest_sample_cost = 1e6;    // above it, the search looks at a sample
constexpr double greatest_training_cost = 3e9;  // of the parts on all rows, a minute or so
constexpr double search_cost = 2.5e9;
constexpr double long_training = 300;  // passes that a part of the model may take

bool is_large(const Dataset& data) {
  return detail::pass_cost(data) > (data.row_count() >= many_rows ? greatest_fold_cost : greatest_wide_cost);
}

}  // namespace

double detail::pass_cost(const Dataset& data) {
  return static_cast<double>(data.row_count()) * (static_cast<double>(data.attribute_count()) + 10);
}

detail::SearchPlan detail::plan_search(const Dataset& data, const SearchOptions& options) {
  const double cost = pass_cost(data);
  SearchPlan plan;
  plan.holds_out = is_large(data);
  plan.has_many_rows = data.row_count() >= many_rows;
  plan.sample_share = std::min(1.0, greatest_sample_cost / cost);
  plan.most_parts = static_cast<std::size_t>(options.most_parts);
  while (plan.holds_out && plan.most_parts > 1 &&
         static_cast<double>(plan.most_parts) * long_training * cost > greatest_training_cost) {
    --plan.most_parts;
  }
  return plan;
}

double default_pass_budget(const Dataset& data) {
  const double cost = detail::pass_cost(data);
  if (is_large(data)) return std::round(search_cost / std::min(cost, greatest_sample_cost));
  return std::round(
      std::clamp(std::min(100.0 * static_cast<double>(data.row_count()), search_cost / cost), 1.25e4, 5e4));
}

bool suits_search(const Dataset& data) { return detail::pass_cost(data) <= 3e7; }

}  // namespace xofm
