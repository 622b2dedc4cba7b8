// The object that a local explanation is about.
#pragma once

#include "xofm/dataset.hpp"

namespace xofm::detail {

// One row of the data; refuses a row that there is not.
Dataset one_row(const Dataset& rows, std::size_t row);

}  // namespace xofm::detail
