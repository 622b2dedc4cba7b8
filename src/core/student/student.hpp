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

// How large a student is: so many attributes, those that matter most, with a curve each, and so many pairs of them.
struct Shape {
  std::size_t curve_count = SIZE_MAX;  // at most; attributes of listed pairs always have one
  std::size_t pair_count = 0;
  std::size_t grid = 10;  // nodes of a surface along a numeric attribute, at most
  double pull = 5;        // to the teacher, against the pair loss of the labels
  double smoothness = 1;  // of the curves, times the usual one

  bool operator==(const Shape&) const = default;
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

// Of all rows, even if a student learns from some of them: it knows where values end, which are special, and
// whether some are missing.
Encoder student_encoder(const Dataset& data, const TrainOptions& options, const StudentSettings& settings = {});

// Makes students of one teacher from one set of rows.
class Distiller {
 public:
  // Keeps a pointer to the rows. Of the options it takes encoder, margin and pair weights. `listed` are the pairs to
  // take; without it they are found.
  Distiller(const Dataset& data, const Teacher& teacher, const TrainOptions& options, std::uint64_t seed,
            const std::optional<std::vector<Pair>>& listed = std::nullopt, const StudentSettings& settings = {});
  // On the knots of an encoder, whatever its surfaces.
  Distiller(const Dataset& data, const Teacher& teacher, const TrainOptions& options, std::uint64_t seed,
            Encoder encoder, const std::optional<std::vector<Pair>>& listed = std::nullopt,
            const StudentSettings& settings = {});

  // The pairs among the `curve_count` attributes that matter most that say most of what curves leave, strongest first;
  // `count` of them if there are so many.
  std::vector<Pair> pairs(std::size_t curve_count, std::size_t count);
  // Per attribute: whether it is among those.
  std::vector<char> kept(std::size_t curve_count);

  // These pairs and no others from now on.
  void take_pairs(std::vector<Pair> pairs);

  Student fit(const Shape& shape);
  // The values of given curves and surfaces, not purified.
  Terms fit_values(const Skeleton& skeleton, const Shape& shape);

 private:
  void collect_targets(const Teacher& teacher, std::uint64_t seed);
  void rank_attributes();
  Skeleton skeleton(std::size_t curve_count, const std::vector<Pair>& pairs, std::size_t grid);
  // What a table of cells for each pair would explain of the residuals, shrunk where rows are few.
  std::vector<double> gains(const std::vector<Pair>& pairs, const std::vector<double>& residuals) const;
  std::vector<double> residuals(const Skeleton& skeleton);
  // From where the last search for the same curves and surfaces ended.
  std::vector<double> solve(const Design& design, const PairLoss* loss, const ProjectOptions& options);
  bool is_before(const Pair& a, const Pair& b) const;

  const Dataset* data_;
  StudentSettings settings_;
  Encoder encoder_;
  EncodedRows rows_;  // of the data
  Targets targets_;
  PairLoss loss_;
  double teacher_pull_;
  std::vector<std::vector<std::uint8_t>> bins_;  // [attribute][row of the targets]
  std::vector<std::size_t> bin_counts_;          // per attribute
  Design::Memory memory_;  // what was found for the same curves and surfaces before: where the next search starts
  std::optional<std::vector<Pair>> listed_;
  std::vector<std::size_t> order_;                  // attributes, those that matter most first; empty: not known
  std::map<std::size_t, std::vector<Pair>> found_;  // per number of curves: pairs, the strongest first
};

}  // namespace xofm::detail
