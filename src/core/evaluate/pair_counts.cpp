// Pairs of rows by how score and label order them, and the two rank metrics made of the counts.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/evaluate/check_input.hpp"
#include "xofm/error.hpp"
#include "xofm/metrics.hpp"

namespace xofm {

namespace {

struct ScoredLabel {
  double score;
  int label;
};

bool by_score_then_label(const ScoredLabel& a, const ScoredLabel& b) {
  return a.score < b.score || (a.score == b.score && a.label < b.label);
}

// Counts per class with prefix sums in O(log classes) (Fenwick 1994): class counts can be as many as the rows.
class ClassCounts {
 public:
  explicit ClassCounts(int class_count) : tree_(static_cast<std::size_t>(class_count) + 1, 0) {}

  void add(int label, std::uint64_t count) {
    for (auto i = static_cast<std::size_t>(label) + 1; i < tree_.size(); i += i & (~i + 1)) tree_[i] += count;
  }

  // Number of rows in classes 0 .. label-1.
  std::uint64_t below(int label) const {
    std::uint64_t total = 0;
    for (auto i = static_cast<std::size_t>(label); i > 0; i &= i - 1) total += tree_[i];
    return total;
  }

 private:
  std::vector<std::uint64_t> tree_;
};

std::uint64_t pairs_among(std::uint64_t count) { return count < 2 ? 0 : count * (count - 1) / 2; }

std::vector<ScoredLabel> sorted_rows(std::span<const int> labels, std::span<const double> scores) {
  std::vector<ScoredLabel> rows(labels.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (std::isnan(scores[i])) {
      throw Error(ErrorCode::invalid_data, fmt::format("the score of row {} is NaN; it must be a number", i));
    }
    rows[i] = {scores[i], labels[i]};
  }
  std::sort(rows.begin(), rows.end(), by_score_then_label);
  return rows;
}

}  // namespace

// Sorted by score, then label, the rows fall into runs of equal score, and these into runs of equal label. A run of
// one label makes concordant pairs with the lower classes of all lower scores and discordant pairs with the higher
// ones; a run of equal score joins the counts only when all of it has been compared (Knight 1966 with a tree in
// place of the merge sort).
PairCounts count_pairs(int class_count, std::span<const int> labels, std::span<const double> scores) {
  detail::check_class_count(class_count);
  detail::check_classes(class_count, labels, "label");
  if (labels.size() != scores.size()) {
    throw Error(ErrorCode::invalid_data,
                fmt::format("{} labels but {} scores; there must be one of each a row", labels.size(), scores.size()));
  }
  const std::vector<ScoredLabel> rows = sorted_rows(labels, scores);

  PairCounts pairs;
  ClassCounts lower(class_count);  // the rows of lower score
  std::vector<std::uint64_t> totals(static_cast<std::size_t>(class_count), 0);
  for (std::size_t begin = 0; begin < rows.size();) {
    std::size_t end = begin;
    const auto visit_labels = [&](auto&& visit) {
      for (std::size_t first = begin; first < end;) {
        std::size_t last = first;
        while (last < end && rows[last].label == rows[first].label) ++last;
        visit(rows[first].label, static_cast<std::uint64_t>(last - first));
        first = last;
      }
    };
    while (end < rows.size() && rows[end].score == rows[begin].score) ++end;
    std::uint64_t both_tied = 0;
    visit_labels([&](int label, std::uint64_t count) {
      pairs.concordant += count * lower.below(label);
      pairs.discordant += count * (begin - lower.below(label + 1));
      both_tied += pairs_among(count);
    });
    visit_labels([&](int label, std::uint64_t count) {
      lower.add(label, count);
      totals[static_cast<std::size_t>(label)] += count;
    });
    pairs.both_tied += both_tied;
    pairs.score_tied += pairs_among(end - begin) - both_tied;
    begin = end;
  }
  for (const std::uint64_t count : totals) pairs.label_tied += pairs_among(count);
  pairs.label_tied -= pairs.both_tied;
  return pairs;
}

double kendall_tau_b(const PairCounts& pairs) {
  const auto agreeing = static_cast<double>(pairs.concordant);
  const auto opposing = static_cast<double>(pairs.discordant);
  const double different_scores = agreeing + opposing + static_cast<double>(pairs.label_tied);
  const double different_labels = agreeing + opposing + static_cast<double>(pairs.score_tied);
  if (different_scores == 0 || different_labels == 0) return Metrics::undefined;
  // One root of the product, not a product of roots: exactly 1 for a perfect order.
  return (agreeing - opposing) / std::sqrt(different_scores * different_labels);
}

double c_index(const PairCounts& pairs) {
  const auto agreeing = static_cast<double>(pairs.concordant);
  const auto tied = static_cast<double>(pairs.score_tied);
  const double all = agreeing + static_cast<double>(pairs.discordant) + tied;
  if (all == 0) return Metrics::undefined;
  return (agreeing + tied / 2) / all;
}

}  // namespace xofm
