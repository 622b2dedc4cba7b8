// The problem that the benchmarks share: generated rows, 10 attributes, 5 classes, 4 factors.
#pragma once

#include <map>
#include <memory>

#include "core/optimize/constraints.hpp"
#include "core/optimize/objective.hpp"
#include "xofm/generate.hpp"
#include "xofm/train.hpp"

namespace xofm::bench {

inline GenerateOptions generate_options(std::size_t row_count) {
  return {.row_count = row_count, .attribute_count = 10, .class_count = 5, .noise = 0.3};
}

struct Problem {
  explicit Problem(std::size_t row_count)
      : data(generate(generate_options(row_count))),
        encoder(fit_encoder(data)),
        rows(encode(encoder, data)),
        constraints(detail::find_constraints(encoder, options.recipe().factor_count)),
        loss(data.labels, data.schema.class_count(), {}, options.margin),
        objective(encoder, rows, loss, constraints, options.recipe().factor_count,
                  {options.recipe().increment_penalty, options.recipe().factor_penalty}) {
    // A point on the way: what ten passes from the start have reached.
    TrainOptions few = options;
    few.recipe().max_epochs = 10;
    const Model model = train(data, few).model;
    point = model.parameters.increments;
    point.insert(point.end(), model.parameters.factors.begin(), model.parameters.factors.end());
  }

  TrainOptions options;
  Dataset data;
  Encoder encoder;
  EncodedRows rows;
  detail::Constraints constraints;
  PairLoss loss;
  detail::TrainingObjective objective;
  std::vector<double> point;
};

// Made once per size and kept.
inline Problem& problem(std::size_t row_count) {
  static std::map<std::size_t, std::unique_ptr<Problem>> problems;
  auto& entry = problems[row_count];
  if (!entry) entry = std::make_unique<Problem>(row_count);
  return *entry;
}

}  // namespace xofm::bench
