// A small model with everything that a model file can hold.
#pragma once

#include <iterator>

#include "xofm/bands.hpp"
#include "xofm/generate.hpp"
#include "xofm/path.hpp"
#include "xofm/train.hpp"

namespace xofm::test_support {

// Three numeric attributes, one of them monotone, and a categorical one; missing values, weights, class 4 without rows.
inline Dataset small_data() {
  Dataset data = generate({.row_count = 60,
                           .attribute_count = 4,
                           .class_count = 3,
                           .categorical_count = 1,
                           .missing_share = 0.05,
                           .seed = 3});
  data.schema.class_names.push_back("4");
  for (std::size_t i = 0; i < data.row_count(); ++i) data.weights.push_back(static_cast<double>(i % 4) / 3.0);
  return data;
}

inline TrainOptions small_options() {
  return {.parts = {{.segment_count = 3,
                     .spike_share = 0.1 + 0.2,
                     .factor_count = 2,
                     .sparsity_penalty = 0.001,
                     .max_epochs = 30}},
          .attributes = {.segment_counts = {{"x2", 2}},
                         .given_knots = {{"x3", {0.0, 0.1, 0.7}}},
                         .directions = {{"x1", Direction::decreasing}}}};
}

inline const Model& small_model() {
  static const Model model = [] {
    Model trained = train(small_data(), small_options()).model;
    trained.schema.attributes[0].description = "text with \"quotes\", a\nnewline and ünïcode";
    trained.schema.attributes[0].unit = "m²";
    trained.bands = fit_bands(trained, small_data(), {.refit_count = 3});
    trained.path = fit_path(small_data(), small_options(),
                            {.increment_penalties = {0.1}, .factor_penalties = {0.001, 0.1}, .fold_count = 2});
    trained.record.search =
        SearchRecord{.aim = Aim::accuracy,
                     .seed = 9,
                     .fold_count = 4,
                     .recipe_count = 17,
                     .pass_budget = 1000,
                     .passes = 812.5,
                     .time_limit = 60,
                     .out_of_time = true,
                     .loss = 0.1 + 0.3,
                     .tried = {{.recipe = {.segment_count = 8, .max_epochs = 60, .weight = 2}, .accuracy = 0.7},
                               {.recipe = {.segment_count = 4, .weight = 0}, .loss = 0.25, .mae = 0.1 + 0.2}}};
    trained.record.interrupted = true;
    trained.options.parts.push_back(
        {.segment_count = 8, .increment_penalty = 0.1 + 0.2, .sparsity_penalty = 0.3, .weight = 2});
    trained.options.parts.push_back(
        {.method = Optimizer::boost, .spike_share = 0.05, .factor_count = 1, .weight = 0.1 + 0.2});
    trained.validation = ValidationSummary{};
    trained.validation->trial_count = 5;
    trained.validation->confusion.assign(4, std::vector<std::size_t>(4, 3));
    for (std::size_t m = 0; m < std::size(metric_fields); ++m) {
      // The last one is not defined in any trial.
      const bool known = m + 1 < std::size(metric_fields);
      trained.validation->metrics.push_back(known ? MetricSummary{5, 0.1 * static_cast<double>(m), 0.3, 0, 1}
                                                  : MetricSummary{});
    }
    return trained;
  }();
  return model;
}

}  // namespace xofm::test_support
