// OFMHS: Guo, Chen and Tian, "Ordinal factorization machine with hierarchical sparsity", Frontiers of Computer Science
// 14(1), 2020. Only its abstract was at hand: a factorization machine for ordered classes, hierarchical sparsity among
// the variables and their interactions, convex, solved by ADMM. The formulation below is our reading of that:
//
//   minimise  loss(w, W, t) + sparsity * sum_j |(w_j, W_j1, .., W_jd)| + low_rank * |W|_*
//
// over main weights w, a symmetric matrix of interactions W (its diagonal are squares) and thresholds t. The loss is
// the all-threshold logistic one of Rennie and Srebro (2005) on the score w'x + x'Wx. The first norm is of overlapping
// groups, as W_jk is in the groups of j and of k: an interaction is there only if both its variables are, and then
// their main effects are too. The second norm, the sum of singular values, asks for a W of low rank: the convex
// stand-in for the few factors of a factorization machine (Yamada et al. 2017).
//
// ADMM (Boyd et al. 2011): one copy of (w, W) per norm makes all three parts simple.
//   (w, W, t)  minimises the loss plus the squared distance to both copies: smooth, L-BFGS from the last point;
//   groups     rows of (w, W) shrunk in length: the copy need not be symmetric, so its rows do not overlap;
//   spectrum   W's eigenvalues shrunk.
#include "baselines/ofmhs.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <span>

#include "baselines/constant_predictor.hpp"
#include "baselines/present_classes.hpp"
#include "xofm/optimize.hpp"

namespace xofm::baselines {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// Products of standardised values have long tails: one row 30 deviations out would weigh 900. Beyond this they are cut.
constexpr double largest_value = 3;

MatrixXd cut(const MatrixXd& features) { return features.cwiseMax(-largest_value).cwiseMin(largest_value); }

// A model as one vector, for L-BFGS: main, pairs by columns, thresholds.
struct Layout {
  Index feature_count;
  Index threshold_count;

  Index size() const { return feature_count * (feature_count + 1) + threshold_count; }
  OrdinalFm unpack(std::span<const double> point) const {
    const double* pairs = point.data() + feature_count;
    return {.main = VectorXd::Map(point.data(), feature_count),
            .pairs = MatrixXd::Map(pairs, feature_count, feature_count),
            .thresholds = VectorXd::Map(pairs + feature_count * feature_count, threshold_count)};
  }
  void pack(const OrdinalFm& model, std::span<double> point) const {
    double* pairs = point.data() + feature_count;
    VectorXd::Map(point.data(), feature_count) = model.main;
    MatrixXd::Map(pairs, feature_count, feature_count) = model.pairs;
    VectorXd::Map(pairs + feature_count * feature_count, threshold_count) = model.thresholds;
  }
};

// The thresholds of the best constant score, 0: log-odds of the shares up to each rank.
VectorXd first_thresholds(const std::vector<int>& ranks, int rank_count) {
  VectorXd thresholds(rank_count - 1);
  const auto total = static_cast<double>(ranks.size());
  for (int k = 0; k + 1 < rank_count; ++k) {
    const auto up_to =
        static_cast<double>(std::count_if(ranks.begin(), ranks.end(), [&](int rank) { return rank <= k; }));
    thresholds[k] = std::log(up_to / (total - up_to));
  }
  return thresholds;
}

class OfmhsPredictor : public Predictor {
 public:
  OfmhsPredictor(OrdinalFm model, std::vector<int> classes) : model_(std::move(model)), classes_(std::move(classes)) {}
  std::vector<int> predict(const MatrixXd& features) const override {
    std::vector<int> labels;
    for (const double score : model_.scores(cut(features))) {
      labels.push_back(classes_[static_cast<std::size_t>((model_.thresholds.array() < score).count())]);
    }
    return labels;
  }

 private:
  OrdinalFm model_;
  std::vector<int> classes_;  // those that have rows, ascending
};

class Ofmhs : public Method {
 public:
  std::string name() const override { return "OFMHS"; }

  std::vector<Axis> grid() const override {
    return {{"sparsity", {0.003, 0.001, 0.01, 0.03}}, {"low_rank", {0.03, 0.01, 0.1}}};
  }

  std::unique_ptr<Predictor> fit(const Examples& examples, const Setting& setting,
                                 const Effort& effort) const override {
    if (effort.is_over()) return median_predictor(examples.labels);
    const PresentClasses present(examples.labels);
    const OfmhsOptions options = {.sparsity = setting[0], .low_rank = setting[1]};
    return std::make_unique<OfmhsPredictor>(
        fit_ofmhs(cut(examples.features), present.ranks, present.count(), options, effort), present.classes);
  }
};

}  // namespace

VectorXd OrdinalFm::scores(const MatrixXd& features) const {
  return features * main + (features * pairs).cwiseProduct(features).rowwise().sum();
}

double ordinal_loss(const MatrixXd& features, const std::vector<int>& ranks, const OrdinalFm& model,
                    OrdinalFm& gradient) {
  const VectorXd scores = model.scores(features);
  VectorXd by_score = VectorXd::Zero(scores.size());
  gradient.thresholds = VectorXd::Zero(model.thresholds.size());
  const auto ranks_of_rows = Eigen::Map<const Eigen::ArrayXi>(ranks.data(), scores.size());
  const double share = 1 / static_cast<double>(ranks.size());
  double loss = 0;
  for (Index k = 0; k < model.thresholds.size(); ++k) {
    const Eigen::ArrayXd sign = 1 - 2 * (ranks_of_rows > static_cast<int>(k)).cast<double>();
    const Eigen::ArrayXd margin = sign * (model.thresholds[k] - scores.array());
    const Eigen::ArrayXd small = (-margin.abs()).exp();
    loss += ((-margin).max(0) + (1 + small).log()).sum();
    const Eigen::ArrayXd slope = -share * sign * (margin > 0).select(small, 1) / (1 + small);
    gradient.thresholds[k] = slope.sum();
    by_score.array() -= slope;
  }
  gradient.main = features.transpose() * by_score;
  gradient.pairs = features.transpose() * by_score.asDiagonal() * features;
  return share * loss;
}

MatrixXd shrink_rows(const MatrixXd& point, double strength) {
  MatrixXd result = point;
  for (Index j = 0; j < point.rows(); ++j) {
    const double length = point.row(j).norm();
    result.row(j) *= length > strength ? 1 - strength / length : 0;
  }
  return result;
}

MatrixXd shrink_spectrum(const MatrixXd& point, double strength) {
  if (point.size() == 0) return point;
  const Eigen::SelfAdjointEigenSolver<MatrixXd> eigen(point);
  const VectorXd values = eigen.eigenvalues().unaryExpr(
      [&](double value) { return std::copysign(std::max(0.0, std::abs(value) - strength), value); });
  return eigen.eigenvectors() * values.asDiagonal() * eigen.eigenvectors().transpose();
}

double ofmhs_objective(const MatrixXd& features, const std::vector<int>& ranks, const OrdinalFm& model,
                       const OfmhsOptions& options) {
  OrdinalFm unused;
  double value = ordinal_loss(features, ranks, model, unused);
  for (Index j = 0; j < model.main.size(); ++j) {
    value += options.sparsity * std::hypot(model.main[j], model.pairs.row(j).norm());
  }
  if (model.main.size() == 0) return value;
  const Eigen::SelfAdjointEigenSolver<MatrixXd> eigen(model.pairs, Eigen::EigenvaluesOnly);
  return value + options.low_rank * eigen.eigenvalues().cwiseAbs().sum();
}

OrdinalFm fit_ofmhs(const MatrixXd& features, const std::vector<int>& ranks, int rank_count,
                    const OfmhsOptions& options, const Effort& effort) {
  constexpr int evaluations_per_step = 15;  // L-BFGS: from the last point, to far below what the copies still move
  const Index d = features.cols();
  const Layout layout = {.feature_count = d, .threshold_count = rank_count - 1};
  OrdinalFm model = {
      .main = VectorXd::Zero(d), .pairs = MatrixXd::Zero(d, d), .thresholds = first_thresholds(ranks, rank_count)};
  MatrixXd joined = MatrixXd::Zero(d, d + 1);  // (w, W)
  MatrixXd groups = joined;
  MatrixXd groups_dual = joined;  // scaled by the weight, as all duals here
  MatrixXd spectrum = model.pairs;
  MatrixXd spectrum_dual = model.pairs;
  double weight = 0.1;  // of the squared distances (rho)
  std::vector<double> point(static_cast<std::size_t>(layout.size()));
  OrdinalFm gradient;
  for (int step = 0; step < options.max_steps && !effort.is_over(); ++step) {
    const MatrixXd near_groups = groups - groups_dual;
    const MatrixXd near_spectrum = spectrum - spectrum_dual;
    const VectorXd near_main = near_groups.col(0);
    // For a symmetric W the distance to a matrix is that to its symmetric part, up to a constant.
    const MatrixXd near_pairs =
        (near_groups.rightCols(d) + near_groups.rightCols(d).transpose()) / 4 + near_spectrum / 2;
    const auto objective = [&](std::span<const double> x, std::span<double> slope) {
      const OrdinalFm at = layout.unpack(x);
      const double loss = ordinal_loss(features, ranks, at, gradient);
      gradient.main += weight * (at.main - near_main);
      gradient.pairs += 2 * weight * (at.pairs - near_pairs);
      layout.pack(gradient, slope);
      return loss + weight / 2 * (at.main - near_main).squaredNorm() + weight * (at.pairs - near_pairs).squaredNorm();
    };
    layout.pack(model, point);
    model = layout.unpack(minimize_lbfgs(objective, point, {}, evaluations_per_step, 1e-9).point);
    joined.col(0) = model.main;
    joined.rightCols(d) = model.pairs;

    const MatrixXd last_groups = groups;
    const MatrixXd last_spectrum = spectrum;
    groups = shrink_rows(joined + groups_dual, options.sparsity / weight);
    spectrum = shrink_spectrum(model.pairs + spectrum_dual, options.low_rank / weight);
    groups_dual += joined - groups;
    spectrum_dual += model.pairs - spectrum;

    const double apart = std::hypot((joined - groups).norm(), (model.pairs - spectrum).norm());
    const double moved = std::hypot((groups - last_groups).norm(), (spectrum - last_spectrum).norm());
    const double size = std::hypot(joined.norm(), model.pairs.norm());
    if (std::max(apart, moved) <= options.tolerance * std::max(size, 1e-3)) break;
    // Boyd et al., 3.4.1: keep both within a factor; the scaled duals go the other way.
    const double change = apart > 5 * moved ? 2 : moved > 5 * apart ? 0.5 : 1;
    weight *= change;
    groups_dual /= change;
    spectrum_dual /= change;
  }
  // The copy of the groups has exact zeros: a variable out of it is out of the model.
  for (Index j = 0; j < d; ++j) {
    if (!groups.row(j).isZero(0)) continue;
    model.main[j] = 0;
    model.pairs.row(j).setZero();
    model.pairs.col(j).setZero();
  }
  return model;
}

std::unique_ptr<Method> make_ofmhs() { return std::make_unique<Ofmhs>(); }

}  // namespace xofm::baselines
