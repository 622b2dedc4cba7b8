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

std::vector<std::size_t> draw_rows(std::span<const int> labels, int class_count, std::uint64_t seed,
                                   std::uint64_t draw) {
  Random random(seed, draw);
  std::vector<std::size_t> drawn;
  drawn.reserve(labels.size());
  for (const auto& members : rows_by_class(labels, class_count)) {
    for (std::size_t i = 0; i < members.size(); ++i) drawn.push_back(members[random.below(members.size())]);
  }
  return drawn;
}

Folds::Folds(const Dataset& data, int fold_count, std::uint64_t seed, bool is_held_out)
    : data_(&data),
      is_held_out_(is_held_out),
      fold_of_row_(stratified_folds(data.labels, data.schema.class_count(), fold_count, seed)) {
  const std::size_t count = is_held_out ? 1 : static_cast<std::size_t>(fold_count);
  rows_.resize(count);
  for (std::size_t i = 0; i < fold_of_row_.size(); ++i) {
    if (is_held_out && fold_of_row_[i] != 0) fold_of_row_[i] = in_none;
    if (fold_of_row_[i] != in_none) rows_[static_cast<std::size_t>(fold_of_row_[i])].push_back(i);
  }
  for (std::size_t f = 0; f < count; ++f) {
    std::vector<std::size_t> outside;
    std::vector<double>& weights =
        weights_.emplace_back(data.weights.empty() ? std::vector<double>(data.row_count(), 1.0) : data.weights);
    for (std::size_t i = 0; i < fold_of_row_.size(); ++i) {
      if (fold_of_row_[i] != static_cast<int>(f)) {
        outside.push_back(i);
      } else {
        weights[i] = 0;
      }
    }
    learning_.push_back(subset(data, outside));
  }
}

}  // namespace xofm::detail
