#include "core/evaluate/check_input.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstddef>

#include "xofm/error.hpp"

namespace xofm::detail {

namespace {
// Wide enough for probabilities kept in single precision or printed with six digits, narrow enough to catch
// scores or unnormalised votes passed by mistake.
constexpr double sum_tolerance = 1e-4;
}  // namespace

void check_class_count(int class_count) {
  constexpr int most = 255;  // as in training; the confusion matrix takes as much squared
  if (!(class_count >= 1 && class_count <= most)) {
    throw Error(ErrorCode::invalid_data, fmt::format("class_count is {}; it must be in 1..{}", class_count, most));
  }
}

void check_classes(int class_count, std::span<const int> classes, const char* what) {
  for (std::size_t i = 0; i < classes.size(); ++i) {
    if (!(classes[i] >= 0 && classes[i] < class_count)) {
      throw Error(ErrorCode::invalid_data,
                  fmt::format("the {} of row {} is {}; it must lie in 0..{}", what, i, classes[i], class_count - 1));
    }
  }
}

void check_probabilities(int class_count, std::span<const int> labels, std::span<const double> probabilities) {
  check_class_count(class_count);
  check_classes(class_count, labels, "label");
  const auto width = static_cast<std::size_t>(class_count);
  if (probabilities.size() != labels.size() * width) {
    throw Error(ErrorCode::invalid_data,
                fmt::format("{} probabilities for {} rows and {} classes; {} are needed", probabilities.size(),
                            labels.size(), class_count, labels.size() * width));
  }
  for (std::size_t i = 0; i < labels.size(); ++i) {
    double sum = 0;
    for (std::size_t h = 0; h < width; ++h) {
      const double p = probabilities[i * width + h];
      if (!(p >= 0 && p <= 1 + sum_tolerance)) {
        throw Error(ErrorCode::invalid_data,
                    fmt::format("the probability of class {} in row {} is {}; it must lie in [0, 1]", h, i, p));
      }
      sum += p;
    }
    if (!(std::abs(sum - 1) <= sum_tolerance)) {
      throw Error(ErrorCode::invalid_data,
                  fmt::format("the probabilities of row {} sum to {}; the sum must be 1", i, sum));
    }
  }
}

}  // namespace xofm::detail
