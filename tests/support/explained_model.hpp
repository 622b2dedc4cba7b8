// Models with columns of every kind and random parameters: what explanations must get right does not depend on
// training.
#pragma once

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "core/base/random.hpp"
#include "core/terms/purify.hpp"
#include "support/random_rows.hpp"
#include "xofm/train.hpp"

namespace xofm::test_support {

struct ExplainedModel {
  Dataset data;  // the training rows, labelled by the model's own score and noise
  Model model;
};

// Labels by score and noise, in equal shares, so that every rule has something to go by.
// Contradictory: the best class has the lowest score, the worst class lies amid the large one between them: by support
// the best class then has two pieces, one on either side of the worst class's objects.
inline void label_by_score(ExplainedModel& result, const AssignmentOptions& assignment, detail::Random& random,
                           bool contradictory = false) {
  std::vector<double> noisy = result.model.score(result.data);
  double spread = 0;
  for (const double score : noisy) spread += std::abs(score - noisy[0]) / static_cast<double>(noisy.size());
  for (double& score : noisy) score += 0.3 * spread * random.normal();
  std::vector<double> sorted = noisy;
  std::sort(sorted.begin(), sorted.end());
  for (std::size_t i = 0; i < noisy.size(); ++i) {
    const auto rank =
        static_cast<std::size_t>(std::lower_bound(sorted.begin(), sorted.end(), noisy[i]) - sorted.begin());
    const std::size_t class_count = result.data.schema.class_names.size();
    result.data.labels[i] = static_cast<int>(rank * class_count / noisy.size());
    if (!contradictory) continue;
    const double share = static_cast<double>(rank) / static_cast<double>(noisy.size());
    result.data.labels[i] = rank == 0 ? static_cast<int>(class_count) - 1 : share >= 0.5 && share < 0.65 ? 0 : 1;
  }
  result.model.assignment = fit_assignment(result.model.score(result.data), {}, result.data.labels, result.data.weights,
                                           result.data.schema.class_count(), 0.5, assignment);
}

inline ExplainedModel random_model(const RandomRowsOptions& rows, TrainOptions options, std::uint64_t seed,
                                   bool contradictory = false) {
  ExplainedModel result{random_rows(rows, seed), {}};
  options.recipe().max_epochs = 3;
  result.model = train(result.data, options).model;
  detail::Random random(seed, 99);
  for (double& u : result.model.parameters.increments) u = random.normal();
  for (double& v : result.model.parameters.factors) v = 0.7 * random.normal();
  label_by_score(result, options.assignment, random, contradictory);
  return result;
}

// Plain numbers (the second decreasing), ties, a constant, levels; special values, missing cells and weights.
inline ExplainedModel motley_model(std::uint64_t seed, std::size_t row_count = 40) {
  const RandomRowsOptions rows{.row_count = row_count,
                               .numeric_count = 2,
                               .tied_count = 1,
                               .constant_count = 1,
                               .categorical_count = 2,
                               .missing_share = 0.15,
                               .special = true,
                               .weighted = true};
  const TrainOptions options{.parts = {{.segment_count = 4, .factor_count = 3}},
                             .attributes = {.directions = {{"n1", Direction::decreasing}}}};
  return random_model(rows, options, seed);
}

// The same attributes with curves and surfaces: of two numbers, of a number and levels, of levels and levels. The
// constant has no part in the score.
inline ExplainedModel terms_model(std::uint64_t seed, std::size_t row_count = 40) {
  ExplainedModel result = motley_model(seed, row_count);
  Model& model = result.model;
  detail::Random random(seed, 98);
  const auto values = [&](std::size_t count) {
    std::vector<double> list(count);
    for (double& value : list) value = random.normal();
    return list;
  };
  Terms terms{random.normal(), {}, {}};
  for (const AttributeEncoder& attribute : model.encoder.attributes) {
    terms.curves.push_back(values(stop_count(attribute)));
    if (attribute.knots.size() == 1) terms.curves.back().assign(terms.curves.back().size(), 0.0);
  }
  const std::size_t levels = model.encoder.attributes.size() - 2;  // the first of two
  const std::pair<std::size_t, std::size_t> pairs[] = {{0, 1}, {1, levels}, {levels, levels + 1}};
  for (const auto& [first, second] : pairs) {
    const auto some_knots = [&](std::size_t j) {
      const std::size_t count = model.encoder.attributes[j].knots.size();
      return count == 0 ? std::vector<std::size_t>{} : std::vector<std::size_t>{0, count / 2, count - 1};
    };
    Surface surface{first, second, some_knots(first), some_knots(second)};
    surface.values = values(node_count(model.encoder.attributes[first], surface.first_knots) *
                            node_count(model.encoder.attributes[second], surface.second_knots));
    terms.surfaces.push_back(std::move(surface));
  }
  const EncodedRows rows = encode(model.encoder, result.data);
  detail::purify(model.encoder, rows, result.data.weights, terms);
  detail::add_row_weights(model.encoder, rows, result.data.weights, terms);
  model.terms = std::move(terms);
  model.parameters = {};
  for (Certificate::Entry& entry : model.certificate.attributes) entry.holds = entry.direction == Direction::none;
  model.certificate.holds = false;
  label_by_score(result, model.options.assignment, random);
  return result;
}

}  // namespace xofm::test_support
