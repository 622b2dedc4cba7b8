#include "core/data/folds.hpp"

#include "core/base/random.hpp"

namespace xofm::detail {

std::vector<std::vector<std::size_t>> rows_by_class(std::span<const int> labels, int class_count) {
  std::vector<std::vector<std::size_t>> members(static_cast<std::size_t>(class_count));
  for (std::size_t i = 0; i < labels.size(); ++i) members[static_cast<std::size_t>(labels[i])].push_back(i);
  return members;
}

std::vector<int> stratified_folds(std::span<const int> labels, int class_count, int fold_count, std::uint64_t seed) {
  std::vector<int> folds(labels.size());
  Random random(seed);
  std::size_t next = 0;  // goes on from class to class, so that small classes do not all fill the first fold
  for (auto& members : rows_by_class(labels, class_count)) {
    random.shuffle(members);
    for (const std::size_t row : members) folds[row] = static_cast<int>(next++ % static_cast<std::size_t>(fold_count));
  }
  return folds;
}

}  // namespace xofm::detail
