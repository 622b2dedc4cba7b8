#include "core/train/boost.hpp"

#include <algorithm>
#include <numeric>

#include "core/base/parallel.hpp"

namespace xofm::detail {

namespace {

constexpr double shrinkage = 0.2;  // share of the best step that is taken
constexpr double longest = 4;      // times the last tree's step

}  // namespace

Booster::Booster(const LearningRows& rows, const TrainOptions& options, const Recipe& recipe)
    : encoder_(&rows.encoder),
      rows_(&rows.rows),
      loss_(rows.labels, rows.class_count, rows.weights, options.margin, recipe.pair_weighting),
      loss_form_(options.loss_form),
      has_pairs_(recipe.factor_count > 0) {
  const std::size_t row_count = rows.labels.size();
  weights_.assign(row_count, 1.0);
  if (!rows.weights.empty()) weights_.assign(rows.weights.begin(), rows.weights.end());
  for (std::size_t i = 0; i < row_count; ++i) {
    if (weights_[i] > 0) learning_.push_back(static_cast<std::uint32_t>(i));
  }
  total_weight_ = std::accumulate(weights_.begin(), weights_.end(), 0.0);
  ridge_ = recipe.increment_penalty * total_weight_;
  const std::size_t attribute_count = rows.rows.attribute_count;
  bins_.resize(attribute_count);
  parallel_for(attribute_count, [&](std::size_t j) {
    const AttributeEncoder& attribute = rows.encoder.attributes[j];
    bins_[j].resize(row_count);
    for (std::size_t i = 0; i < row_count; ++i) {
      const std::uint16_t coordinate = rows.rows.coordinates[i * attribute_count + j];
      const bool counts = rows.rows.fractions[i * attribute_count + j] >= 0.5;
      const std::uint16_t before = attribute.is_segment(coordinate) ? coordinate : std::uint16_t{0};
      bins_[j][i] = counts ? static_cast<std::uint16_t>(coordinate + 1) : before;
    }
  });
  scores_.assign(row_count, 0.0);
  derivative_.resize(row_count);
  direction_.resize(row_count);
  trial_scores_.resize(row_count);
  trial_derivative_.resize(row_count);
  increments_.assign(rows.encoder.coordinate_count(), 0.0);
  loss_value_ = evaluate(scores_, derivative_);
}

double Booster::evaluate(const std::vector<double>& scores, std::vector<double>& derivative) const {
  LossForm form = loss_form_;
  if (form == LossForm::automatic) {
    form = loss_.suits_histogram(scores) ? LossForm::histogram : LossForm::sweep;
  }
  return loss_(scores, derivative, form);
}

std::size_t Booster::coordinate_of(const Split& split) const {
  return encoder_->offsets[split.attribute] + static_cast<std::size_t>(split.coordinate);
}

bool Booster::is_filled(std::size_t row, const Split& split) const {
  const AttributeEncoder& attribute = encoder_->attributes[split.attribute];
  const int bin = bins_[split.attribute][row];
  if (!attribute.is_segment(split.coordinate)) return bin == split.coordinate + 1;
  return bin > split.coordinate && bin <= attribute.segment_count();
}

double Booster::filling(std::size_t row, const Split& split) const {
  const AttributeEncoder& attribute = encoder_->attributes[split.attribute];
  const std::size_t cell = row * rows_->attribute_count + split.attribute;
  const int coordinate = rows_->coordinates[cell];
  if (coordinate == split.coordinate) return rows_->fractions[cell];
  const bool is_behind = attribute.is_segment(split.coordinate) && attribute.is_segment(coordinate);
  return is_behind && coordinate > split.coordinate ? 1.0 : 0.0;
}

// The split whose two means are nearest to the negative derivatives, in squares: the sum over both sides of
// sum^2 / weight grows by the gain.
void Booster::consider_attribute(std::size_t j, const std::vector<std::uint32_t>& rows, double sum, double weight,
                                 Split& best) const {
  const AttributeEncoder& attribute = encoder_->attributes[j];
  const int coordinate_count = attribute.coordinate_count();
  std::vector<double> sums(static_cast<std::size_t>(coordinate_count) + 1);
  std::vector<double> weights(sums.size());
  for (const std::uint32_t i : rows) {
    sums[bins_[j][i]] -= derivative_[i];
    weights[bins_[j][i]] += weights_[i];
  }
  const auto square = [&](double side_sum, double side_weight) { return side_sum * side_sum / (side_weight + ridge_); };
  double filled_sum = 0;
  double filled_weight = 0;
  const auto consider = [&](int coordinate) {
    const double empty_sum = sum - filled_sum;
    const double empty_weight = weight - filled_weight;
    // Weights are sums of the same numbers in another order: next to nothing may be left of nothing.
    const double nothing = 1e-9 * weight;
    if (filled_weight <= nothing || empty_weight <= nothing) return;
    const double gain = square(filled_sum, filled_weight) + square(empty_sum, empty_weight) - square(sum, weight);
    if (gain <= best.gain) return;
    best = {j, coordinate, gain, filled_sum / (filled_weight + ridge_), empty_sum / (empty_weight + ridge_)};
  };
  // From the last segment down: what lies behind it has it filled.
  const int segment_count = attribute.kind == AttributeKind::numeric ? attribute.segment_count() : 0;
  for (int c = segment_count - 1; c >= 0; --c) {
    const auto bin = static_cast<std::size_t>(c) + 1;
    filled_sum += sums[bin];
    filled_weight += weights[bin];
    if (weights[bin] > 0) consider(c);
  }
  for (int c = segment_count; c < coordinate_count; ++c) {
    filled_sum = sums[static_cast<std::size_t>(c) + 1];
    filled_weight = weights[static_cast<std::size_t>(c) + 1];
    consider(c);
  }
}

Booster::Split Booster::best_split(const std::vector<std::uint32_t>& rows) const {
  constexpr std::size_t worth_threads = 100'000;  // cells
  double sum = 0;
  double weight = 0;
  for (const std::uint32_t i : rows) {
    sum -= derivative_[i];
    weight += weights_[i];
  }
  Split best;
  if (rows.size() * bins_.size() < worth_threads) {
    for (std::size_t j = 0; j < bins_.size(); ++j) consider_attribute(j, rows, sum, weight, best);
    return best;
  }
  std::vector<Split> found(bins_.size());
  parallel_for(bins_.size(), [&](std::size_t j) { consider_attribute(j, rows, sum, weight, found[j]); });
  for (const Split& split : found) {
    if (split.gain > best.gain) best = split;
  }
  return best;
}

Booster::Tree Booster::grow_tree() const {
  Tree tree;
  tree.root = best_split(learning_);
  if (tree.root.coordinate < 0 || !has_pairs_) return tree;
  std::vector<std::uint32_t> filled;
  std::vector<std::uint32_t> empty;
  for (const std::uint32_t i : learning_) (is_filled(i, tree.root) ? filled : empty).push_back(i);
  tree.above = best_split(filled);
  tree.below = best_split(empty);
  // A side that is not asked anything is one leaf.
  if (tree.above.coordinate < 0) tree.above.filled = tree.above.empty = tree.root.filled;
  if (tree.below.coordinate < 0) tree.below.filled = tree.below.empty = tree.root.empty;
  return tree;
}

double Booster::value(std::size_t row, const Tree& tree) const {
  const double p = filling(row, tree.root);
  if (!has_pairs_) return tree.root.empty + p * (tree.root.filled - tree.root.empty);
  const auto side = [&](const Split& split) {
    if (split.coordinate < 0) return split.empty;
    return split.empty + filling(row, split) * (split.filled - split.empty);
  };
  return (p < 1 ? (1 - p) * side(tree.below) : 0.0) + (p > 0 ? p * side(tree.above) : 0.0);
}

double Booster::slope(const std::vector<double>& derivative) const {
  return std::inner_product(direction_.begin(), direction_.end(), derivative.begin(), 0.0);
}

void Booster::add_product(const Split& a, const Split& b, double product) {
  const AttributeEncoder& attribute = encoder_->attributes[a.attribute];
  const std::size_t first = std::min(coordinate_of(a), coordinate_of(b));
  const std::size_t second = std::max(coordinate_of(a), coordinate_of(b));
  if (a.attribute != b.attribute) {
    products_[{first, second}] += product;
  } else if (attribute.is_segment(a.coordinate) && attribute.is_segment(b.coordinate)) {
    increments_[second] += product;  // where the later segment is not empty, the earlier one is full
  }                                  // a level or missing value excludes all others of its attribute
}

void Booster::add(const Tree& tree, double step) {
  if (!has_pairs_) {
    increments_[coordinate_of(tree.root)] += step * (tree.root.filled - tree.root.empty);
    return;
  }
  increments_[coordinate_of(tree.root)] += step * (tree.above.empty - tree.below.empty);
  if (tree.below.coordinate >= 0) {
    const double change = step * (tree.below.filled - tree.below.empty);
    increments_[coordinate_of(tree.below)] += change;
    add_product(tree.root, tree.below, -change);
  }
  if (tree.above.coordinate >= 0) {
    add_product(tree.root, tree.above, step * (tree.above.filled - tree.above.empty));
  }
}

StopReason Booster::grow(int tree_count, const ProgressCallback& progress) {
  for (; tree_count_ < tree_count; ++tree_count_) {
    const Tree tree = grow_tree();
    if (tree.root.coordinate < 0) return StopReason::converged;
    // Derivatives of a mean over pairs are small: times the weight of all rows, the values of the leaves are not.
    for (std::size_t i = 0; i < direction_.size(); ++i) direction_[i] = total_weight_ * value(i, tree);
    const double slope_here = slope(derivative_);
    if (!(slope_here < 0)) return StopReason::converged;
    // One secant to the least loss along the tree.
    for (std::size_t i = 0; i < scores_.size(); ++i) trial_scores_[i] = scores_[i] + step_ * direction_[i];
    evaluate(trial_scores_, trial_derivative_);
    const double slope_there = slope(trial_derivative_);
    const double to_minimum = slope_there > slope_here ? slope_here / (slope_here - slope_there) : longest;
    step_ *= std::min(to_minimum, longest);
    const double taken = shrinkage * step_;
    for (std::size_t i = 0; i < scores_.size(); ++i) scores_[i] += taken * direction_[i];
    add(tree, taken * total_weight_);
    loss_value_ = evaluate(scores_, derivative_);
    const double done = tree_count_ + 1;
    if (progress && !progress({.share = done / tree_count, .epoch = done, .objective = loss_value_})) {
      ++tree_count_;
      return StopReason::interrupted;
    }
  }
  return StopReason::epoch_limit;
}

void Booster::advance(int tree_count, const ProgressCallback& progress) { reason_ = grow(tree_count, progress); }

Learned Booster::learned() const {
  Learned learned;
  learned.parameters.increments = increments_;
  learned.products = products_;
  learned.objective = learned.loss = loss_value_;
  learned.epochs = learned.passes = tree_count_;
  learned.reason = reason_;
  return learned;
}

}  // namespace xofm::detail
