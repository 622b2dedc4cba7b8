#include "core/tune/select.hpp"

#include <algorithm>

#include "core/base/parallel.hpp"
#include "core/tune/candidates.hpp"

namespace xofm::detail {

namespace {

constexpr std::size_t first_picks = 3;    // the best by themselves: a start that luck cannot choose
constexpr std::size_t pick_count = 12;    // in all
constexpr std::size_t most_choices = 30;  // the best by themselves, from which the others are picked

// The best candidates, each recipe once, at the number of epochs that suited it best.
std::vector<std::size_t> choices_of(std::span<const Candidate> candidates, std::span<const double> losses) {
  std::vector<std::size_t> sorted(candidates.size());
  for (std::size_t c = 0; c < sorted.size(); ++c) sorted[c] = c;
  std::stable_sort(sorted.begin(), sorted.end(), [&](std::size_t a, std::size_t b) { return losses[a] < losses[b]; });
  std::vector<std::size_t> kept;
  for (const std::size_t c : sorted) {
    const auto same = [&](std::size_t other) {
      Recipe recipe = candidates[other].recipe;
      recipe.max_epochs = candidates[c].recipe.max_epochs;
      return is_same_model(recipe, candidates[c].recipe);
    };
    if (kept.size() < most_choices && std::none_of(kept.begin(), kept.end(), same)) kept.push_back(c);
  }
  return kept;
}

}  // namespace

Selection select(std::span<const Candidate> candidates, std::span<const double> losses, const Dataset& data,
                 const AssignmentOptions& options, std::size_t most_parts) {
  const std::vector<std::size_t> choices = choices_of(candidates, losses);
  Selection selection;
  std::vector<std::size_t> parts;  // different picks
  std::vector<double> sum(data.row_count());
  const auto take = [&](std::size_t choice) {
    selection.picks.push_back(choice);
    if (std::find(parts.begin(), parts.end(), choice) == parts.end()) parts.push_back(choice);
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += candidates[choice].unseen[i];
  };
  for (std::size_t c = 0; c < std::min({first_picks, most_parts, choices.size()}); ++c) take(choices[c]);
  while (most_parts > 1 && selection.picks.size() < pick_count) {
    std::vector<double> with(choices.size(), HUGE_VAL);
    parallel_for(choices.size(), [&](std::size_t c) {
      const bool is_new = std::find(parts.begin(), parts.end(), choices[c]) == parts.end();
      if (is_new && parts.size() >= most_parts) return;
      std::vector<double> mean = candidates[choices[c]].unseen;
      const auto count = static_cast<double>(selection.picks.size() + 1);
      for (std::size_t i = 0; i < mean.size(); ++i) mean[i] = (mean[i] + sum[i]) / count;
      with[c] = judge(mean, data, options).loss;
    });
    take(choices[static_cast<std::size_t>(std::min_element(with.begin(), with.end()) - with.begin())]);
  }
  for (double& score : sum) score /= static_cast<double>(selection.picks.size());
  selection.judgement = judge(sum, data, options);
  selection.unseen = std::move(sum);
  return selection;
}

}  // namespace xofm::detail
