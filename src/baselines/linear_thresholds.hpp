// A linear score w.x and a threshold t_1, t_2, ... between neighbouring classes: what POM, LIT and LAT share.
//
// Each minimises  mean over rows of sum over l of log(1 + exp(-s_il (w.x_i - t_l)))  + ridge/2 |w|^2,
// where s_il is 1 if row i belongs above threshold l, else -1, and l runs over
//   LIT  immediate: the one or two thresholds next to the class of row i,
//   LAT  all thresholds;
//   POM  as LIT, and each row of an inner class adds -log(1 - exp(-(t_above - t_below))).
// The last is the negative log-likelihood of logit P(y <= l) = t_l - w.x, because with F(z) = 1 / (1 + exp(-z))
// F(a) - F(b) = F(a) F(-b) (1 - exp(-(a - b))): it keeps its precision in the tails, and keeps the thresholds in order.
//
// All are convex in w and t. L-BFGS; POM takes the logarithms of the gaps in place of all thresholds but the first.
#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

#include "baselines/method.hpp"
#include "baselines/present_classes.hpp"

namespace xofm::baselines {

enum class ThresholdLoss { proportional_odds, immediate, all };

struct LinearThresholds {
  Eigen::VectorXd weights;
  Eigen::VectorXd thresholds;  // between neighbouring classes of `classes`
  std::vector<int> classes;    // those with rows, ascending
  double objective = 0;        // reached on the learning rows
};

// The objective as a function of the point (w, thresholds), or (w, first threshold, log gaps) for proportional odds.
class LinearThresholdsObjective {
 public:
  LinearThresholdsObjective(const Examples& examples, const PresentClasses& present, ThresholdLoss loss, double ridge);

  double operator()(std::span<const double> point, std::span<double> gradient) const;
  std::vector<double> start() const;  // w = 0 and the logits of the classes' cumulative shares
  LinearThresholds model(std::span<const double> point) const;

 private:
  Eigen::VectorXd thresholds(std::span<const double> point) const;
  bool has_gaps() const { return loss_ == ThresholdLoss::proportional_odds; }

  const Eigen::MatrixXd& features_;
  const PresentClasses& present_;
  ThresholdLoss loss_;
  double ridge_;
  std::vector<double> row_counts_;  // per class present
};

LinearThresholds fit_linear_thresholds(const Examples& examples, ThresholdLoss loss, double ridge,
                                       const Effort& effort = {});

}  // namespace xofm::baselines
