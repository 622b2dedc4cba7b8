// The values of a student's curves and surfaces.
//
//   pull * mean (score - teacher)^2  +  pair loss of the labels  +  roughness
//
// The first term is taken over the training rows and rows mixed from them, so that the student says what the teacher
// says where rows are and around them; the second is what the teacher itself was trained on. Without it this is a
// projection.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "core/student/design.hpp"
#include "xofm/loss.hpp"

namespace xofm::detail {

struct ProjectOptions {
  double pull = 5;  // to the teacher
  // Ten times rougher is level in error (seven small sets, four splits each, docs/notes/accuracy.md) and harder to
  // read.
  Design::Roughness roughness = {3e-3, 3e-4, 1e-3};
  int max_passes = 100;
  double tolerance = 1e-3;
  std::function<bool()> go_on = {};  // asked now and then; false: with what it has
};

// What a student is to say: the rows that have labels first, then mixed rows.
struct Targets {
  EncodedRows rows;             // by the skeleton's encoder
  std::vector<double> scores;   // the teacher's
  std::vector<double> weights;  // adding up to 1
};

// `loss` is of the first rows; null: a projection. Weights of the design; `start` empty: zero.
std::vector<double> project(const Design& design, const Targets& targets, const PairLoss* loss,
                            const ProjectOptions& options, std::vector<double> start = {});

}  // namespace xofm::detail
