// The student: curves and a few pairs that say what a teacher says (distillation).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "core/student/project.hpp"
#include "xofm/model.hpp"

namespace xofm::detail {

// Scores of any rows laid out by the schema of the learning rows.
using Teacher = std::function<std::vector<double>(const Dataset&)>;

using Pair = std::pair<std::size_t, std::size_t>;

// How large a student is.
struct Shape {
  std::size_t pair_count = 0;
  std::size_t grid = 10;               // nodes of a surface along a numeric attribute, at most
  std::size_t curve_count = SIZE_MAX;  // attributes with a curve, at most; those of pairs always have one
  double pull = 5;                     // to the teacher, against the pair loss of the labels
};

// Measured on 17 data sets, three to six splits each: fewer segments, fewer mixed rows and a weaker pull lose 1 to 5 %,
// more gain nothing; without mixed rows small data lose a quarter.
struct StudentSettings {
  int segment_count = 40;
  double spike_share = 0.05;
  std::size_t enough_rows = 5000;  // mixed rows fill up to this
  double mixed_weight = 1;         // of all mixed rows, against all others
  ProjectOptions project = {};
};

struct Student {
  Encoder encoder;
  Terms terms;
};

// Makes students of one teacher from one set of rows.
class Distiller {
 public:
  // Keeps a pointer to the rows. Of the options it takes encoder, margin and pair weights. `listed` are the pairs to
  // take; without it they are found.
  Distiller(const Dataset& data, const Teacher& teacher, const TrainOptions& options, std::uint64_t seed,
            const std::optional<std::vector<Pair>>& listed = std::nullopt, const StudentSettings& settings = {});
  // On the knots of an encoder, whatever its surfaces.
  Distiller(const Dataset& data, const Teacher& teacher, const TrainOptions& options, std::uint64_t seed,
            Encoder encoder);

  // The pairs that say most of what curves leave, strongest first; at least `count` of them if there are so many.
  const std::vector<Pair>& pairs(std::size_t count);

  // These pairs and no others from now on.
  void take_pairs(std::vector<Pair> pairs);

  Student fit(const Shape& shape);
  // The values of given curves and surfaces, not purified.
  Terms fit_values(const Skeleton& skeleton, double pull) const;

 private:
  void collect_targets(const Teacher& teacher, std::uint64_t seed);
  Skeleton skeleton(std::size_t pair_count, std::size_t grid);
  void drop_curves(Skeleton& skeleton, std::size_t pair_count, std::size_t curve_count);
  std::optional<Pair> strongest(const std::vector<double>& residuals) const;
  std::vector<double> residuals(const Skeleton& skeleton) const;

  const Dataset* data_;
  StudentSettings settings_;
  Encoder encoder_;
  EncodedRows rows_;  // of the data
  Targets targets_;
  PairLoss loss_;
  std::vector<std::vector<std::uint8_t>> bins_;  // [attribute][row of the targets]
  std::vector<std::size_t> bin_counts_;          // per attribute
  bool is_listed_ = false;
  std::vector<Pair> pairs_;
  std::map<std::size_t, std::vector<std::size_t>> by_weight_;  // per number of pairs: attributes, the weightiest first
};

}  // namespace xofm::detail
