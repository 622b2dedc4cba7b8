// UTADIS (Devaud, Groussaud and Jacquet-Lagreze 1980; Zopounidis and Doumpos 1999): the value of an object is
// U(x) = sum over features of a monotone piecewise linear function, and its class lies between two thresholds.
//
//   minimise  sum of errors e_il  + penalty * rows * sum of increments w
//   such that U(x_i) >= t_l + 1 - e_il   for the threshold l below the class of row i,
//             U(x_i) <= t_l - 1 + e_il   for the threshold l above it,
//             t_(l+1) >= t_l + 1, w >= 0, e >= 0.
//
// The textbook fixes sum w = 1 and separates by a small delta. Here the separation is 1 and sum w is free, so that the
// program chooses delta, 1 / sum w after division: on the paper's data about as accurate as the best delta of 0.0001,
// 0.001 and 0.01, with nothing to choose. The small penalty asks for a wide separation where the errors leave a choice;
// ten times less or more of it hardly matters.
//
// Solved by its linear programming dual: one row per increment and threshold, one column 0 <= a_il <= 1 per error,
//   maximise  sum (1 + s_il l) a_il
//   such that sum s_il fill_ip a_il <= penalty * rows,  sum over i of s_il a_il + b_l - b_(l-1) = 0,
// s_il = 1 for a threshold below, -1 above, l = 0, 1, ..., b_l >= 0 for the order of the t_l - l. Some hundred rows
// instead of two per object. The increments and thresholds are its prices. In the dual simplex method every basis on
// the way has w >= 0 and thresholds in order, so that ending early leaves a proper model.
#include "baselines/utadis.hpp"

#include <ClpEventHandler.hpp>
#include <ClpSimplex.hpp>
#include <algorithm>
#include <span>
#include <utility>

#include "baselines/present_classes.hpp"
#include "xofm/metrics.hpp"

namespace xofm::baselines {

namespace {

// The given direction, else the sign of the rank correlation with the labels.
int direction_of(const Examples& examples, Eigen::Index feature) {
  const auto f = static_cast<std::size_t>(feature);
  if (!examples.directions.empty() && examples.directions[f] != 0) return examples.directions[f];
  const auto column = examples.features.col(feature);
  const std::vector<double> values(column.begin(), column.end());
  const PairCounts pairs = count_pairs(examples.class_count, examples.labels, values);
  return pairs.concordant < pairs.discordant ? -1 : 1;
}

ValueFunction empty_function(const Examples& examples, Eigen::Index feature, int segment_count) {
  const auto column = examples.features.col(feature);
  const double lowest = column.minCoeff(), highest = column.maxCoeff();
  const int direction = direction_of(examples, feature);
  return {.worst = direction > 0 ? lowest : highest,
          .scale = highest > lowest ? direction * segment_count / (highest - lowest) : 0,
          .increments = std::vector<double>(static_cast<std::size_t>(segment_count))};
}

class StopWhenOver : public ClpEventHandler {
 public:
  explicit StopWhenOver(const Effort& effort) : effort_(&effort) {}
  int event(Event) override { return effort_->is_over() ? 0 : -1; }
  ClpEventHandler* clone() const override { return new StopWhenOver(*this); }

 private:
  const Effort* effort_;
};

// The dual program, column by column.
class Program {
 public:
  explicit Program(int row_count) : row_count_(row_count) {}

  void begin_column(double upper, double cost) {
    starts_.push_back(starts_.back());
    upper_.push_back(upper);
    costs_.push_back(cost);
  }
  void add(int row, double value) {
    if (value == 0) return;
    rows_.push_back(row);
    values_.push_back(value);
    ++starts_.back();
  }

  // Prices of the rows at the least cost.
  std::vector<double> solve(std::span<const double> row_lower, std::span<const double> row_upper,
                            const Effort& effort) {
    ClpSimplex simplex;
    simplex.setLogLevel(0);
    simplex.scaling(0);  // entries are 0 .. 1 as they are; scaled, prices are at times not exact and the end is slow
    const std::vector<double> lower(upper_.size(), 0.0);
    simplex.loadProblem(static_cast<int>(upper_.size()), row_count_, starts_.data(), rows_.data(), values_.data(),
                        lower.data(), upper_.data(), costs_.data(), row_lower.data(), row_upper.data());
    const StopWhenOver stop(effort);
    simplex.passInEventHandler(&stop);
    simplex.dual();
    const double* prices = simplex.getRowPrice();
    return {prices, prices + row_count_};
  }

 private:
  int row_count_;
  std::vector<CoinBigIndex> starts_ = {0};
  std::vector<int> rows_;
  std::vector<double> values_, upper_, costs_;
};

}  // namespace

double ValueFunction::fill(double x, std::size_t k) const {
  return std::clamp((x - worst) * scale - static_cast<double>(k), 0.0, 1.0);
}

double ValueFunction::operator()(double x) const {
  double sum = 0;
  for (std::size_t k = 0; k < increments.size(); ++k) sum += increments[k] * fill(x, k);
  return sum;
}

double Utadis::value(const Eigen::MatrixXd& features, Eigen::Index row) const {
  double sum = 0;
  for (std::size_t f = 0; f < functions.size(); ++f) sum += functions[f](features(row, static_cast<Eigen::Index>(f)));
  return sum;
}

Utadis fit_utadis(const Examples& examples, int segment_count, const Effort& effort) {
  const PresentClasses present(examples.labels);
  const Eigen::MatrixXd& x = examples.features;
  Utadis model;
  model.classes = present.classes;
  for (Eigen::Index f = 0; f < x.cols(); ++f) model.functions.push_back(empty_function(examples, f, segment_count));
  const int threshold_count = present.threshold_count();
  if (threshold_count == 0) return model;

  const int increment_count = static_cast<int>(x.cols()) * segment_count;
  Program program(increment_count + threshold_count);
  for (Eigen::Index i = 0; i < x.rows(); ++i) {
    const int rank = present.ranks[static_cast<std::size_t>(i)];
    for (int l = std::max(rank - 1, 0); l < std::min(rank + 1, threshold_count); ++l) {
      const double sign = l < rank ? 1 : -1;
      program.begin_column(1, -1 - sign * l);
      int row = 0;
      for (std::size_t f = 0; f < model.functions.size(); ++f) {
        for (std::size_t k = 0; k < static_cast<std::size_t>(segment_count); ++k) {
          program.add(row++, sign * model.functions[f].fill(x(i, static_cast<Eigen::Index>(f)), k));
        }
      }
      program.add(increment_count + l, -sign);
    }
  }
  for (int l = 0; l + 1 < threshold_count; ++l) {
    program.begin_column(COIN_DBL_MAX, 0);
    program.add(increment_count + l, -1);
    program.add(increment_count + l + 1, 1);
  }
  std::vector<double> lower(static_cast<std::size_t>(increment_count), -COIN_DBL_MAX);
  std::vector<double> upper(lower.size(), utadis_penalty * static_cast<double>(x.rows()));
  lower.resize(lower.size() + static_cast<std::size_t>(threshold_count), 0.0);
  upper.resize(lower.size(), 0.0);

  const std::vector<double> prices = program.solve(lower, upper, effort);
  auto price = prices.begin();
  for (ValueFunction& function : model.functions) {
    for (double& increment : function.increments) increment = std::max(-*price++, 0.0);
  }
  double last = -*price;
  for (int l = 0; l < threshold_count; ++l) {
    last = std::max(last, -*price++);
    model.thresholds.push_back(last + l);
  }
  return model;
}

namespace {

class UtadisPredictor : public Predictor {
 public:
  explicit UtadisPredictor(Utadis model) : model_(std::move(model)) {}

  std::vector<int> predict(const Eigen::MatrixXd& features) const override {
    std::vector<int> predicted;
    for (Eigen::Index i = 0; i < features.rows(); ++i) {
      const double value = model_.value(features, i);
      const auto above = std::upper_bound(model_.thresholds.begin(), model_.thresholds.end(), value);
      predicted.push_back(model_.classes[static_cast<std::size_t>(above - model_.thresholds.begin())]);
    }
    return predicted;
  }

 private:
  Utadis model_;
};

class UtadisMethod : public Method {
 public:
  std::string name() const override { return "UTADIS"; }
  std::vector<Axis> grid() const override { return {{"segments", {5, 3, 4, 2, 1}}}; }
  std::unique_ptr<Predictor> fit(const Examples& examples, const Setting& setting,
                                 const Effort& effort) const override {
    return std::make_unique<UtadisPredictor>(fit_utadis(examples, static_cast<int>(setting.at(0)), effort));
  }
};

}  // namespace

std::unique_ptr<Method> make_utadis() { return std::make_unique<UtadisMethod>(); }

}  // namespace xofm::baselines
