// The student: curves and a few pairs that say what a teacher says.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "core/student/project.hpp"
#include "xofm/model.hpp"

namespace xofm::detail {

// Scores of any rows laid out by the schema of the learning rows.
using Teacher = std::function<std::vector<double>(const Dataset&)>;

// How large a student is.
struct Shape {
  std::size_t pair_count = 0;
  std::size_t grid = 6;          // nodes of a surface along a numeric attribute, at most
  std::size_t curve_count = SIZE_MAX;  // attributes with a part in the score, at most; those of pairs always have one
};

struct StudentSettings {
  int segment_count = 24;
  double spike_share = 0.05;
  std::size_t enough_rows = 2000;  // mixed rows fill up to this
  double mixed_weight = 1;         // of all mixed rows, against all others
  ProjectOptions project = {};
};

struct Student {
  Encoder encoder;
  Terms terms;
};

// Makes students of one teacher from one set of rows.
class Lessons {
 public:
  Lessons(const Dataset& data, const Teacher& teacher, const EncoderOptions& encoder, double margin,
          const StudentSettings& settings, std::uint64_t seed);

  // The pairs that say most of what curves leave, strongest first.
  const std::vector<std::pair<std::size_t, std::size_t>>& pairs(std::size_t count);

  Student fit(const Shape& shape);

 private:
  using Pair = std::pair<std::size_t, std::size_t>;
  Skeleton skeleton(const std::vector<Pair>& pairs, std::size_t grid) const;
  std::optional<Pair> strongest(const std::vector<double>& residuals) const;
  std::vector<double> residuals(const Skeleton& skeleton, const ProjectOptions& options,
                                std::vector<double>& start) const;

  const Dataset* data_;
  StudentSettings settings_;
  Encoder encoder_;
  Targets targets_;
  PairLoss loss_;
  std::vector<std::vector<std::uint8_t>> bins_;  // [attribute][row of the targets]
  std::vector<Pair> pairs_;
  bool is_ranked_ = false;
};

}  // namespace xofm::detail
