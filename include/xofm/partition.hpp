// Beyond memory and beyond one machine: encoded rows of a part of the data as one read-only buffer, and the sums that
// training asks of it.
//
//   partition = make_partition(encoder, rows)        once, a few bytes a cell
//   result    = run_partition(partition, request)    a pure function, on whichever machine the partition lies
//   result    = merge_results(result, result)        in a fixed tree over the numbers of the partitions
//
// Everything is bytes in and bytes out, so any engine that can call a function on bytes can train. The functions keep
// no state, tolerate any alignment and refuse what is damaged. A request may take two rounds: the merged result of the
// first, the histogram of the scores, is what the second needs. The bits of a sum depend on how the rows are parted,
// and on nothing else: not on threads, machines or the order in which results arrive.
//
// Layout of a partition, all numbers little-endian as on every machine that we know of (another one refuses it):
//   header (see partition_rows.cpp), with the number of rows, a digest of the encoder, and checksums;
//   per attribute 8 bytes: number of coordinates, bytes of a coordinate (1 or 2), whether there are fractions;
//   labels, a byte a row; weights, if any, a double a row;
//   per attribute: coordinates of all rows, then fractions in 65535ths, 2 bytes each, if the attribute has segments.
// The coordinate after the last stands for "nothing is filled": a level that training has not seen.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "xofm/dataset.hpp"
#include "xofm/encoder.hpp"

namespace xofm {

using Bytes = std::vector<std::byte>;
using ByteView = std::span<const std::byte>;

// Labelled rows; `first_row` is the number of the first of them in all the data, from 0.
Bytes make_partition(const Encoder& encoder, const Dataset& rows, std::uint64_t first_row = 0);

struct PartitionInfo {
  std::uint64_t row_count = 0;
  std::uint64_t first_row = 0;
  std::uint32_t attribute_count = 0;
  std::uint32_t class_count = 0;
  bool has_weights = false;
};

// Looks at every byte: the checksums, and whether every cell is possible. Throws Error{invalid_data}.
PartitionInfo check_partition(ByteView partition);

// How often a request must be run over all partitions: 1 or 2.
int round_count(ByteView request);

// The partition's share of a sum. `carry` is empty in the first round, then the merged result of the round before.
// Throws Error{invalid_data} for bytes that are none of ours, or do not belong together.
Bytes run_partition(ByteView partition, ByteView request, ByteView carry = {});

// Sum of two results of the same request and round.
Bytes merge_results(ByteView a, ByteView b);

// Adds up results in a fixed tree: neighbours in pairs, then the sums of neighbours, and so on; what has no neighbour
// goes up as it is. Results come by ascending number of their partition; the log2 of their number are kept.
class TreeSum {
 public:
  void add(Bytes result);
  Bytes take();  // empty if none was added

 private:
  struct Node {
    int height;
    Bytes sum;
  };
  std::vector<Node> nodes_;  // heights fall
};

// A request over all partitions, all rounds of it, wherever they are.
using PartSums = std::function<Bytes(ByteView request)>;

// Calls visit(partition) for every partition, by ascending number.
using PartVisits = std::function<void(const std::function<void(ByteView)>& visit)>;

// The sums of partitions that this process can see, one partition after the other.
PartSums sums_of(PartVisits partitions);

}  // namespace xofm
