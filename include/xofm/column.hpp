// One attribute of many rows.
#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

namespace xofm {

// Numbers of its own, used like a vector; or a view of numbers that somebody else keeps, in an order of its own, so
// that large data need not be copied. Whoever changes a view gets a copy of the numbers first.
class Column {
 public:
  // By value: a view has no numbers in its own order to refer to.
  class Iterator {
   public:
    using iterator_category = std::random_access_iterator_tag;
    using value_type = double;
    using difference_type = std::ptrdiff_t;
    using pointer = const double*;
    using reference = double;

    Iterator() = default;
    Iterator(const Column* column, std::ptrdiff_t row) : column_(column), row_(row) {}
    double operator*() const { return (*column_)[static_cast<std::size_t>(row_)]; }
    double operator[](std::ptrdiff_t by) const { return *(*this + by); }
    Iterator& operator++() { return *this += 1; }
    Iterator& operator--() { return *this += -1; }
    Iterator operator++(int) { return std::exchange(*this, *this + 1); }
    Iterator operator--(int) { return std::exchange(*this, *this - 1); }
    Iterator& operator+=(std::ptrdiff_t by) {
      row_ += by;
      return *this;
    }
    Iterator& operator-=(std::ptrdiff_t by) { return *this += -by; }
    friend Iterator operator+(Iterator at, std::ptrdiff_t by) { return at += by; }
    friend Iterator operator+(std::ptrdiff_t by, Iterator at) { return at += by; }
    friend Iterator operator-(Iterator at, std::ptrdiff_t by) { return at -= by; }
    friend std::ptrdiff_t operator-(Iterator a, Iterator b) { return a.row_ - b.row_; }
    friend bool operator==(Iterator a, Iterator b) { return a.row_ == b.row_; }
    friend auto operator<=>(Iterator a, Iterator b) { return a.row_ <=> b.row_; }

   private:
    const Column* column_ = nullptr;
    std::ptrdiff_t row_ = 0;
  };
  using value_type = double;
  using const_iterator = Iterator;
  using iterator = double*;
  // Which row of the lender is at each place.
  using Rows = std::shared_ptr<const std::vector<std::uint32_t>>;

  Column() = default;
  Column(std::vector<double> values) : own_(std::move(values)) {}  // NOLINT(google-explicit-constructor)
  Column(std::initializer_list<double> values) : own_(values) {}   // NOLINT(google-explicit-constructor)
  explicit Column(std::size_t count, double value = 0) : own_(count, value) {}
  // Row i is the double at `values` + rows[i] * stride bytes, wherever that may lie.
  static Column view(const void* values, std::ptrdiff_t stride, Rows rows);

  bool is_view() const { return rows_ != nullptr; }
  std::size_t size() const { return is_view() ? rows_->size() : own_.size(); }
  bool empty() const { return size() == 0; }
  double operator[](std::size_t row) const { return is_view() ? lent(row) : own_[row]; }
  double front() const { return (*this)[0]; }
  double back() const { return (*this)[size() - 1]; }
  Iterator begin() const { return {this, 0}; }
  Iterator end() const { return {this, static_cast<std::ptrdiff_t>(size())}; }
  // Rows begin .. end in one go.
  void read(std::size_t begin, std::size_t end, double* out) const;
  // Which rows of the lender a view shows; null: the numbers are its own.
  const Rows& rows() const { return rows_; }
  // The same numbers of the lender, other rows.
  Column view(Rows rows) const { return view(lent_, stride_, std::move(rows)); }

  // Its own numbers, to be changed at will.
  std::vector<double>& values();
  double& operator[](std::size_t row) { return values()[row]; }
  double& front() { return values().front(); }
  double& back() { return values().back(); }
  double* data() { return values().data(); }
  double* begin() { return data(); }
  double* end() { return data() + size(); }
  void reserve(std::size_t count) { values().reserve(count); }
  void resize(std::size_t count, double value = 0) { values().resize(count, value); }
  void assign(std::size_t count, double value) { values().assign(count, value); }
  void push_back(double value) { values().push_back(value); }
  void append(const Column& more);

  friend bool operator==(const Column& a, const Column& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }

 private:
  double lent(std::size_t row) const;

  std::vector<double> own_;
  const char* lent_ = nullptr;
  std::ptrdiff_t stride_ = 0;
  Rows rows_;  // of a view
};

}  // namespace xofm
