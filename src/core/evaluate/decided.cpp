#include "core/evaluate/decided.hpp"

#include <vector>

#include "xofm/assign.hpp"

namespace xofm {

Metrics detail::evaluate_decided(int class_count, std::span<const int> labels, std::span<const int> classes,
                                 std::span<const double> scores, std::span<const double> probabilities) {
  std::vector<int> decided_labels;
  std::vector<int> decided_classes;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (classes[i] == no_class) continue;
    decided_labels.push_back(labels[i]);
    decided_classes.push_back(classes[i]);
  }
  Metrics metrics = evaluate(class_count, decided_labels, decided_classes, {}, {});
  const PairCounts pairs = count_pairs(class_count, labels, scores);
  metrics.kendall_tau_b = kendall_tau_b(pairs);
  metrics.c_index = c_index(pairs);
  metrics.rps = ranked_probability_score(class_count, labels, probabilities);
  metrics.log_loss = log_loss(class_count, labels, probabilities);
  return metrics;
}

}  // namespace xofm
