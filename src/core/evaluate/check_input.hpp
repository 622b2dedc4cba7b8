// The conditions every metric puts on its input; violations throw Error{invalid_data}.
#pragma once

#include <span>

namespace xofm::detail {

void check_class_count(int class_count);

// `what` names the values in the message: "label", "predicted class".
void check_classes(int class_count, std::span<const int> classes, const char* what);

// Every probability in [0, 1], every row's sum 1 up to rounding of its source.
void check_probabilities(int class_count, std::span<const int> labels, std::span<const double> probabilities);

}  // namespace xofm::detail
