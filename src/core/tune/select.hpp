// Which of the candidates make the teacher.
#pragma once

#include <span>
#include <vector>

#include "core/assign/judge.hpp"
#include "core/tune/rounds.hpp"

namespace xofm::detail {

struct Selection {
  std::vector<std::size_t> picks;  // indices of the candidates; one that counts twice is there twice
  std::vector<double> unseen;      // mean over the picks
  Judgement judgement;
};

// Greedy ensemble selection (Caruana et al. 2004): from the best few by themselves, each step adds the candidate with
// which the mean of all scores is best. At most `most_parts` different ones.
Selection select(std::span<const Candidate> candidates, std::span<const double> losses, const Dataset& data,
                 const AssignmentOptions& options, std::size_t most_parts);

}  // namespace xofm::detail
