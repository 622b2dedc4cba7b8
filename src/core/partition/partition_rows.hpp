// The rows of a partition, read where they lie.
#pragma once

#include "core/base/parallel.hpp"
#include "xofm/partition.hpp"

namespace xofm::detail {

// Differs where two encoders put a value at different places.
std::uint64_t layout_digest(const Encoder& encoder);

// Keeps a view of the bytes. Throws Error{invalid_data} unless header and size are right; the body is only read, and
// cells are checked when they are.
class PartitionRows {
 public:
  explicit PartitionRows(ByteView bytes);

  const PartitionInfo& info() const { return info_; }
  std::size_t row_count() const { return static_cast<std::size_t>(info_.row_count); }
  // Throws Error{invalid_data} unless the rows were encoded by this encoder, for so many classes.
  void need(const Encoder& encoder, int class_count) const;
  // Throws Error{invalid_data} if any byte of the body has changed.
  void check_body() const;

  // Positions, labels and weights of the rows in range, in place of what was there.
  void decode(Range range, EncodedRows& rows) const;
  void labels(Range range, std::vector<std::uint8_t>& labels) const;
  void weights(Range range, std::vector<double>& weights) const;  // all 1 if there are none

 private:
  struct Attribute {
    std::uint32_t coordinate_count;
    std::uint8_t width;
    std::uint8_t has_fractions;
    std::uint16_t unused;
  };
  template <class Coordinate>
  void decode_column(std::size_t attribute, Range range, EncodedRows& rows) const;

  ByteView bytes_;
  PartitionInfo info_;
  std::uint64_t layout_ = 0;
  std::uint64_t body_checksum_ = 0;
  std::size_t body_ = 0;     // where it begins
  std::size_t labels_ = 0;   // likewise
  std::size_t weights_ = 0;  // likewise
  std::vector<Attribute> attributes_;
  std::vector<std::size_t> columns_;  // where each attribute's coordinates begin

  friend Bytes write_partition(const Encoder&, const Dataset&, std::uint64_t);
};

Bytes write_partition(const Encoder& encoder, const Dataset& rows, std::uint64_t first_row);

}  // namespace xofm::detail
