// What training asks of partitions. A request says all that a partition needs to know beside its rows.
#pragma once

#include "core/student/design.hpp"
#include "xofm/parameters.hpp"
#include "xofm/partition.hpp"
#include "xofm/terms.hpp"

namespace xofm::detail {

enum class Task : std::uint32_t {
  tally,      // how the rows lie: weights by class and coordinate
  pair_loss,  // u and V: pair loss and its gradient; two rounds
  student,    // values of curves and surfaces: pair loss of the labels, distance to the teacher, gradient; two rounds
  masses,     // values of curves and surfaces: how much of the rows lies at each
  scores,     // curves and surfaces: how the scores lie by class
};

struct Request {
  Task task = Task::tally;
  Encoder encoder;  // that of the rows
  std::int32_t class_count = 0;
  // Of a loss: its bins are `step` wide, and pairs of two classes count `between`, in which the mean over all pairs is
  // contained.
  double margin = 1;
  double step = 1.0 / 1024;
  std::vector<double> between = {};  // [class * class_count + class]
  Parameters parameters = {};        // what is to be judged; of a student the teacher
  // Of a student.
  double pull = 0;                   // to the teacher, over the weight of all rows
  double centre = 0;                 // of the teacher's scores
  Skeleton skeleton = {};            // its encoder stays empty: it is the rows'
  std::vector<double> weights = {};  // of the design
  Terms terms = {};                  // of scores
};

Bytes write_request(const Request& request);
// Throws Error{invalid_data} unless all sizes and places fit each other.
Request read_request(ByteView bytes);

// Of tally: one list of sums.
struct Tally {
  double row_count = 0;
  std::vector<double> class_weights;                 // by class
  std::vector<double> class_counts;                  // of rows with positive weight
  std::vector<std::vector<double>> class_histogram;  // [coordinate][class]
  std::vector<double> mean_encoding;                 // [coordinate]
  double total() const;
};
Tally read_tally(ByteView result, const Encoder& encoder, int class_count);

// Of pair_loss and student: the value, then its gradient. Of masses: the gradient alone.
std::vector<double> read_numbers(ByteView result, std::size_t count);

}  // namespace xofm::detail
