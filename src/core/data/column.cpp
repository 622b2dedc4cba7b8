#include "xofm/column.hpp"

#include <cstring>

namespace xofm {

Column Column::view(const void* values, std::ptrdiff_t stride, Rows rows) {
  Column column;
  column.lent_ = static_cast<const char*>(values);
  column.stride_ = stride;
  column.rows_ = std::move(rows);
  return column;
}

double Column::lent(std::size_t row) const {
  double value = 0;
  // The stride may leave a number where a double may not stand.
  std::memcpy(&value, lent_ + static_cast<std::ptrdiff_t>((*rows_)[row]) * stride_, sizeof value);
  return value;
}

void Column::read(std::size_t begin, std::size_t end, double* out) const {
  if (is_view()) {
    for (std::size_t i = begin; i < end; ++i) *out++ = lent(i);
  } else {
    std::copy(own_.data() + begin, own_.data() + end, out);
  }
}

void Column::append(const Column& more) {
  std::vector<double>& own = values();
  const std::size_t count = own.size();
  own.resize(count + more.size());
  more.read(0, more.size(), own.data() + count);
}

std::vector<double>& Column::values() {
  if (is_view()) {
    own_.resize(size());
    read(0, own_.size(), own_.data());
    rows_ = nullptr;
  }
  return own_;
}

}  // namespace xofm
