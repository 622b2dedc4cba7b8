#include "xofm/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <unordered_map>

#include "core/base/parallel.hpp"
#include "core/base/random.hpp"
#include "core/check/leaks.hpp"
#include "xofm/error.hpp"

namespace xofm {

namespace {

constexpr std::size_t enough_values = 200'000;  // to tell how they lie

std::string why_text(const Attribute& attribute, std::size_t present) {
  if (!attribute.indicators.empty()) {
    return fmt::format("{} columns of 0 and 1, of which every row has one 1", attribute.indicators.size());
  }
  if (attribute.time == TimePart::days) return fmt::format("all {} values are dates", present);
  if (attribute.time != TimePart::none) return fmt::format("the {} of {}", attribute.column, attribute.name);
  if (attribute.kind == AttributeKind::numeric) return fmt::format("all {} values are numbers", present);
  std::string text = "texts: ";
  constexpr std::size_t most = 3;
  for (std::size_t c = 0; c < std::min(most, attribute.levels.size()); ++c) {
    text += (c == 0 ? "" : ", ") + attribute.levels[c];
  }
  return text + (attribute.levels.size() > most ? ", ..." : "");
}

// -9, 99, 999 and the like, written with one digit that is often repeated.
bool looks_like_code(double value) {
  const std::string digits = fmt::format("{}", std::abs(value));
  return digits.size() >= 2 && std::all_of(digits.begin(), digits.end(), [](char c) { return c == '9'; });
}

double quantile(const std::vector<double>& sorted, double share) {
  return sorted[static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1))];
}

// How many of the sorted values are each.
std::vector<std::pair<double, std::size_t>> tally(const std::vector<double>& sorted) {
  std::vector<std::pair<double, std::size_t>> counts;
  for (const double value : sorted) {
    if (counts.empty() || counts.back().first != value) counts.emplace_back(value, 0);
    ++counts.back().second;
  }
  return counts;
}

// A code lies at an end, apart from the others: below zero where no other is, or further off than the others are wide.
void find_candidates(const std::vector<double>& sorted, const CheckOptions& options, AttributeCheck& check) {
  const auto counts = tally(sorted);
  if (counts.size() < 3) return;
  const double least_count = std::max(3.0, options.special_share * static_cast<double>(sorted.size()));
  const auto consider = [&](std::size_t at, std::size_t beside, double rest_width) {
    const auto [value, count] = counts[at];
    if (static_cast<double>(count) < least_count) return false;
    const double gap = std::abs(value - counts[beside].first);
    std::string why;
    if (value < 0 && at == 0 && counts[beside].first >= 0) {
      why = "the only negative value";
    } else if (looks_like_code(value) && gap > rest_width / 10) {
      why = "written as codes are, apart from the others";
    } else if (gap > rest_width && rest_width > 0) {
      why = fmt::format("{:g} away from all others, which span {:g}", gap, rest_width);
    } else {
      return false;
    }
    check.candidates.push_back({value, count, why});
    return true;
  };
  // From either end inwards, as long as values look like codes: -9, then -1.
  std::size_t first = 0;
  std::size_t last = counts.size() - 1;
  const auto negatives = static_cast<std::size_t>(
      std::partition_point(counts.begin(), counts.end(), [](const auto& entry) { return entry.first < 0; }) -
      counts.begin());
  if (negatives <= 3 && negatives + 2 < counts.size()) {  // few different ones, each frequent
    const bool all_frequent =
        std::all_of(counts.begin(), counts.begin() + static_cast<std::ptrdiff_t>(negatives),
                    [&](const auto& entry) { return static_cast<double>(entry.second) >= least_count; });
    for (; all_frequent && first < negatives; ++first) {
      check.candidates.push_back({counts[first].first, counts[first].second,
                                  negatives == 1 ? "the only negative value" : "one of few negative values"});
    }
  }
  while (first + 2 < last && consider(first, first + 1, counts[last].first - counts[first + 1].first)) ++first;
  while (first + 2 < last && consider(last, last - 1, counts[last - 1].first - counts[first].first)) --last;
}

AttributeCheck check_attribute(const Attribute& attribute, const Column& column, const CheckOptions& options) {
  AttributeCheck check;
  std::vector<double> sorted;
  const std::size_t step = std::max<std::size_t>(column.size() / enough_values, 1);
  for (std::size_t i = 0; i < column.size(); ++i) {
    check.missing_count += std::isnan(column[i]) ? 1 : 0;
    const bool is_special = std::binary_search(attribute.special.begin(), attribute.special.end(), column[i]);
    if (!std::isnan(column[i]) && !is_special && i % step == 0) sorted.push_back(column[i]);
  }
  check.why = why_text(attribute, column.size() - check.missing_count);
  if (attribute.kind == AttributeKind::categorical) {
    check.distinct_count = attribute.levels.size();
    return check;
  }
  if (sorted.empty()) return check;
  std::sort(sorted.begin(), sorted.end());
  check.distinct_count = tally(sorted).size();
  check.least = sorted.front();
  check.median = quantile(sorted, 0.5);
  check.greatest = sorted.back();
  if (attribute.time == TimePart::none) find_candidates(sorted, options, check);
  const auto is_candidate = [&](double value) {
    return std::any_of(check.candidates.begin(), check.candidates.end(),
                       [&](const SpecialCandidate& candidate) { return candidate.value == value; });
  };
  std::erase_if(sorted, is_candidate);
  const double low = quantile(sorted, 0.25);
  const double high = quantile(sorted, 0.75);
  const double far = options.outlier_spans * (high - low);
  for (const double value : column) {
    const bool is_far = value < low - far || value > high + far;
    const bool is_special = std::binary_search(attribute.special.begin(), attribute.special.end(), value);
    check.outlier_count += far > 0 && is_far && !is_special && !is_candidate(value) ? 1 : 0;
  }
  return check;
}

// Rows by a hash of their attributes: 128 bits, so that none of many millions fall together by chance.
struct RowHash {
  std::uint64_t first = 0;
  std::uint64_t second = 0;
  bool operator==(const RowHash&) const = default;
};
struct HashOfRow {
  std::size_t operator()(const RowHash& hash) const { return hash.first; }
};

RepeatCheck find_repeats(const Dataset& data) {
  RepeatCheck repeats;
  const auto class_count = data.schema.class_names.size();
  std::unordered_map<RowHash, std::vector<std::size_t>, HashOfRow> groups;  // rows per class
  for (std::size_t i = 0; i < data.row_count(); ++i) {
    RowHash hash{0, 1};
    for (const auto& column : data.columns) {
      const auto bits = std::isnan(column[i]) ? 1 : std::bit_cast<std::uint64_t>(column[i] + 0.0);  // -0 is 0
      hash = {detail::mix(hash.first ^ bits), detail::mix(hash.second + 3 * bits)};
    }
    auto& counts = groups[hash];
    counts.resize(class_count);
    ++counts[static_cast<std::size_t>(data.labels[i])];
  }
  double right = 0;
  double distance = 0;
  for (const auto& [hash, counts] : groups) {
    std::size_t total = 0;
    std::size_t most = 0;
    std::size_t present = 0;
    for (const std::size_t count : counts) {
      total += count;
      most = std::max(most, count);
      present += count > 0 ? 1 : 0;
      repeats.duplicate_count += count > 1 ? count - 1 : 0;
    }
    if (present > 1) repeats.contradictory_count += total;
    right += static_cast<double>(most);
    double least = HUGE_VAL;
    for (std::size_t guess = 0; guess < counts.size() && present > 1; ++guess) {
      double sum = 0;
      for (std::size_t h = 0; h < counts.size(); ++h) {
        sum += static_cast<double>(counts[h]) * std::abs(static_cast<double>(h) - static_cast<double>(guess));
      }
      least = std::min(least, sum);
    }
    if (present > 1) distance += least;
  }
  repeats.best_accuracy = right / static_cast<double>(data.row_count());
  repeats.best_mae = distance / static_cast<double>(data.row_count());
  return repeats;
}

}  // namespace

DataCheck check_data(const Dataset& data, const CheckOptions& options) {
  check(data);
  if (data.labels.empty()) throw Error(ErrorCode::invalid_data, "a check needs labelled rows; there are none");
  DataCheck result;
  result.row_count = data.row_count();
  result.attributes.resize(data.attribute_count());
  detail::parallel_for(data.attribute_count(), [&](std::size_t j) {
    result.attributes[j] = check_attribute(data.schema.attributes[j], data.columns[j], options);
  });
  result.class_counts.resize(data.schema.class_names.size());
  for (const int label : data.labels) ++result.class_counts[static_cast<std::size_t>(label)];
  result.repeats = find_repeats(data);
  result.alone = detail::alone_accuracies(data);
  result.leaks = detail::suspected(result.alone, data.row_count(), options);
  return result;
}

}  // namespace xofm
