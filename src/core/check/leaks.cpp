// How much of the class one attribute tells by itself.
#include "core/check/leaks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "core/base/parallel.hpp"
#include "core/encode/knots.hpp"
#include "xofm/check.hpp"

namespace xofm {

namespace {

constexpr std::size_t enough_rows = 50'000;  // every k-th of more
constexpr int most_ranges = 64;

// Ranges between quantiles, or the levels; missing is a range of its own. -1: an unseen level.
std::vector<int> ranges_of(const Attribute& attribute, const std::vector<double>& values) {
  std::vector<int> ranges(values.size());
  if (attribute.kind == AttributeKind::categorical) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      ranges[i] = std::isnan(values[i]) ? static_cast<int>(attribute.levels.size()) : static_cast<int>(values[i]);
    }
    return ranges;
  }
  std::vector<double> sorted;
  for (const double value : values) {
    if (!std::isnan(value)) sorted.push_back(value);
  }
  std::sort(sorted.begin(), sorted.end());
  const std::vector<double> knots =
      sorted.empty() ? std::vector<double>() : detail::quantile_knots(sorted, most_ranges);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto at = std::lower_bound(knots.begin(), knots.end(), values[i]) - knots.begin();
    ranges[i] = std::isnan(values[i]) ? static_cast<int>(knots.size()) + 1 : static_cast<int>(at);
  }
  return ranges;
}

// The share of each half of the rows whose class is the most frequent one of their range in the other half.
double halved_accuracy(const std::vector<int>& ranges, const std::vector<int>& labels, std::size_t class_count) {
  double right = 0;
  for (const std::size_t half : {0U, 1U}) {
    std::map<int, std::vector<double>> counts;
    std::vector<double> all(class_count);
    for (std::size_t i = half; i < ranges.size(); i += 2) {
      auto& own = counts[ranges[i]];
      own.resize(class_count);
      ++own[static_cast<std::size_t>(labels[i])];
      ++all[static_cast<std::size_t>(labels[i])];
    }
    const auto most = [](const std::vector<double>& of) {
      return static_cast<int>(std::max_element(of.begin(), of.end()) - of.begin());
    };
    const int otherwise = most(all);
    for (std::size_t i = 1 - half; i < ranges.size(); i += 2) {
      const auto found = counts.find(ranges[i]);
      right += (found == counts.end() ? otherwise : most(found->second)) == labels[i] ? 1 : 0;
    }
  }
  return right / static_cast<double>(ranges.size());
}

}  // namespace

namespace detail {

std::vector<AloneAccuracy> alone_accuracies(const Dataset& data) {
  const std::size_t row_count = data.row_count();
  const std::size_t step = std::max<std::size_t>(row_count / enough_rows, 1);
  std::vector<int> labels;
  std::vector<std::size_t> counts(data.schema.class_names.size());
  for (std::size_t i = 0; i < row_count; i += step) {
    labels.push_back(data.labels[i]);
    ++counts[static_cast<std::size_t>(data.labels[i])];
  }
  const double base =
      static_cast<double>(*std::max_element(counts.begin(), counts.end())) / static_cast<double>(labels.size());
  std::vector<AloneAccuracy> alone(data.attribute_count());
  parallel_for(alone.size(), [&](std::size_t j) {
    std::vector<double> values;
    for (std::size_t i = 0; i < row_count; i += step) values.push_back(data.columns[j][i]);
    const std::vector<int> ranges = ranges_of(data.schema.attributes[j], values);
    alone[j] = {j, halved_accuracy(ranges, labels, counts.size()), base};
  });
  return alone;
}

std::vector<AloneAccuracy> suspected(const std::vector<AloneAccuracy>& alone, std::size_t row_count,
                                     const CheckOptions& options) {
  std::vector<AloneAccuracy> leaks;
  for (const AloneAccuracy& one : alone) {
    if (row_count >= options.leak_rows && one.skill() >= options.leak_skill) leaks.push_back(one);
  }
  std::stable_sort(leaks.begin(), leaks.end(),
                   [](const AloneAccuracy& a, const AloneAccuracy& b) { return a.accuracy > b.accuracy; });
  return leaks;
}

}  // namespace detail

std::vector<AloneAccuracy> find_leaks(const Dataset& data, const CheckOptions& options) {
  if (data.labels.empty() || data.row_count() < options.leak_rows) return {};
  return detail::suspected(detail::alone_accuracies(data), data.row_count(), options);
}

std::string leak_text(const Schema& schema, const AloneAccuracy& leak) {
  const std::string& name = schema.attributes[leak.attribute].name;
  return fmt::format(
      "{} alone gives the class of {:.1f} % of the rows, where always naming the most frequent class gives "
      "{:.1f} %: was it known before the class was? --ignore {} leaves it out",
      name, 100 * leak.accuracy, 100 * leak.base, name);
}

}  // namespace xofm
