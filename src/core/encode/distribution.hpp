// What a model keeps of its training rows beside the scores.
#pragma once

#include <cstdint>

#include "xofm/model.hpp"

namespace xofm::detail {

// Means of the coordinates and the classes' histograms over them.
TrainingDistribution describe(const Dataset& data, const Encoder& encoder);

// The same rows give the same number.
std::uint64_t fingerprint(const Dataset& data);

}  // namespace xofm::detail
