// Random labelled rows with columns of every kind: plain numbers, numbers with ties, a constant, levels, missing cells.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "core/base/random.hpp"
#include "xofm/dataset.hpp"

namespace xofm::test_support {

struct RandomRowsOptions {
  std::size_t row_count = 60;
  int class_count = 4;
  int numeric_count = 2;      // named n0, n1, ...: normal numbers
  int tied_count = 1;         // t0, ...: small integers
  int constant_count = 0;     // c0, ...
  int categorical_count = 0;  // k0, ...: three levels
  double missing_share = 0;   // of the cells of n, t and k; the first row has none
  bool special = false;       // -9 in some rows of n0, and 1, amid the others, in t0 are special values
  bool weighted = false;      // weights in [0.5, 2)
  int absent_class = -1;      // a class without rows, not the lowest or the highest
  double noise = 0.5;         // beside the sum of the attributes, which has a spread near 1 per attribute
};

inline Dataset random_rows(const RandomRowsOptions& options, std::uint64_t seed) {
  detail::Random random(seed);
  Dataset data;
  data.schema.label_name = "class";
  for (int h = 0; h < options.class_count; ++h) data.schema.class_names.push_back(std::to_string(h + 1));
  std::vector<double> hidden(options.row_count);
  const auto add = [&](const char* prefix, int count, AttributeKind kind, auto draw, bool gaps) {
    for (int j = 0; j < count; ++j) {
      Attribute attribute{.name = fmt::format("{}{}", prefix, j), .kind = kind};
      if (kind == AttributeKind::categorical) attribute.levels = {"a", "b", "c"};
      std::vector<double> column;
      for (std::size_t i = 0; i < options.row_count; ++i) {
        const double value = draw();
        hidden[i] += value;
        const bool missing = gaps && random.uniform() < options.missing_share && i > 0;
        column.push_back(missing ? std::numeric_limits<double>::quiet_NaN() : value);
      }
      data.schema.attributes.push_back(std::move(attribute));
      data.columns.push_back(std::move(column));
    }
  };
  add(
      "n", options.numeric_count, AttributeKind::numeric, [&] { return random.normal(); }, true);
  add(
      "t", options.tied_count, AttributeKind::numeric, [&] { return static_cast<double>(random.below(4)); }, true);
  add(
      "c", options.constant_count, AttributeKind::numeric, [] { return 7.0; }, false);
  add(
      "k", options.categorical_count, AttributeKind::categorical, [&] { return static_cast<double>(random.below(3)); },
      true);

  if (options.special && options.numeric_count > 0 && options.tied_count > 0) {
    const auto tied = static_cast<std::size_t>(options.numeric_count);
    data.schema.attributes[0].special = {-9};
    data.schema.attributes[tied].special = {1};
    for (std::size_t i = 4; i < options.row_count; i += 9) data.columns[0][i] = -9;
  }

  double mean = 0;
  for (const double value : hidden) mean += value / static_cast<double>(options.row_count);
  for (std::size_t i = 0; i < options.row_count; ++i) {
    const double level = (hidden[i] - mean) / 2 + options.noise * random.normal();
    const int top = options.class_count - 1;
    int label = static_cast<int>(std::floor((level + 1) / 2 * options.class_count));
    label = std::min(std::max(label, 0), top);
    if (label == options.absent_class) --label;
    if (i == 0) label = 0;
    if (i == 1) label = top;
    data.labels.push_back(label);
    if (options.weighted) data.weights.push_back(0.5 + 1.5 * random.uniform());
  }
  return data;
}

}  // namespace xofm::test_support
