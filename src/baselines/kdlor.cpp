// KDLOR: Sun, Li, Wu, Zhang and Li, "Kernel discriminant learning for ordinal regression", IEEE TKDE 22(6), 2010.
//
// Along a direction w of the kernel's feature space the classes are to lie tight and in their order:
//
//   minimise  w'(S + ridge I)w - C rho   subject to  w'(m_{k+1} - m_k) >= rho  for k = 1 .. H-1
//
// with m_k the class means and S the within-class scatter (1/n) sum_i (phi_i - m_{y_i})(phi_i - m_{y_i})'. Its dual is
//
//   minimise  a'Qa,  Q_kl = d_k'(S + ridge I)^{-1} d_l,  a >= 0, sum a = C,  d_k = m_{k+1} - m_k
//
// and w = (1/2) (S + ridge I)^{-1} sum_k a_k d_k. A row's class is the number of thresholds below w'phi(x), a threshold
// lying in the middle of two neighbouring projected means. C scales w and the thresholds alike and so decides nothing:
// it is 1 here, and not tuned.
//
// w is a combination of the images of landmarks: all rows, or a random choice of max_landmarks of them (the Nystroem
// method), as the factorisation is cubic in their number. With K the kernel between rows and landmarks, K_c the same
// with each class's mean taken from its rows, and K_ll the kernel among the landmarks,
//
//   S + ridge I  becomes  K_c'K_c / n + ridge K_ll,  and  d_k  the difference of class means of K's rows.
//
// Cost: n l^2 + l^3 / 3.
#include "baselines/kdlor.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <numeric>

#include "baselines/constant_predictor.hpp"
#include "baselines/present_classes.hpp"
#include "core/base/random.hpp"

namespace xofm::baselines {
namespace {

using Eigen::Index;

// Keeps the factorisation positive definite where landmarks all but coincide; the kernel's diagonal is 1.
constexpr double jitter = 1e-9;

// exp(-gamma |row - landmark|^2).
Eigen::MatrixXd kernel(const Eigen::MatrixXd& rows, const Eigen::MatrixXd& landmarks, double gamma) {
  Eigen::MatrixXd values = 2 * rows * landmarks;
  values.colwise() -= rows.rowwise().squaredNorm();
  values.rowwise() -= landmarks.colwise().squaredNorm();
  return (gamma * values.array().min(0)).exp();
}

// Ascending row numbers; all rows if they are not too many.
std::vector<Index> choose_landmarks(Index row_count, int max_landmarks, std::uint64_t seed) {
  std::vector<Index> rows(static_cast<std::size_t>(row_count));
  std::iota(rows.begin(), rows.end(), 0);
  if (row_count <= max_landmarks) return rows;
  detail::Random(seed).shuffle(rows);
  rows.resize(static_cast<std::size_t>(max_landmarks));
  std::sort(rows.begin(), rows.end());
  return rows;
}

class KdlorPredictor : public Predictor {
 public:
  explicit KdlorPredictor(Kdlor model) : model_(std::move(model)) {}
  std::vector<int> predict(const Eigen::MatrixXd& features) const override {
    std::vector<int> labels;
    for (const double score : model_.project(features)) {
      const auto below = std::lower_bound(model_.thresholds.begin(), model_.thresholds.end(), score);
      labels.push_back(model_.classes[static_cast<std::size_t>(below - model_.thresholds.begin())]);
    }
    return labels;
  }

 private:
  Kdlor model_;
};

class KdlorMethod : public Method {
 public:
  std::string name() const override { return "KDLOR"; }

  // gamma is given times the number of features: standardised rows are about 2 * features apart.
  std::vector<Axis> grid() const override {
    return {{"gamma_times_features", {1, 0.3, 3, 0.1}}, {"ridge", {1e-4, 1e-5, 1e-3, 1e-6}}};
  }

  std::unique_ptr<Predictor> fit(const Examples& examples, const Setting& setting,
                                 const Effort& effort) const override {
    if (effort.is_over() || nothing_to_learn(examples)) return median_predictor(examples.labels);
    const double feature_count = std::max(1.0, static_cast<double>(examples.features.cols()));
    return std::make_unique<KdlorPredictor>(
        fit_kdlor(examples, {.gamma = setting[0] / feature_count, .ridge = setting[1]}, effort.seed));
  }
};

}  // namespace

// Wolfe's nearest point of a polytope (1976): the support grows by the coordinate that promises most; a step to the
// least point of the support's affine hull that would leave the simplex ends at its border and drops a coordinate.
// Ends after finitely many steps, each support being visited once.
Eigen::VectorXd minimize_on_simplex(const Eigen::MatrixXd& q) {
  constexpr double rounding = 1e-12;
  const Index size = q.rows();
  Eigen::VectorXd point = Eigen::VectorXd::Zero(size);
  if (size == 0) return point;
  Index best = 0;
  q.diagonal().minCoeff(&best);
  point[best] = 1;
  std::vector<Index> support = {best};
  const double scale = q.diagonal().maxCoeff();
  for (Index step = 0; step < 100 * size; ++step) {
    const Eigen::VectorXd slope = q * point;
    const double least = slope.minCoeff(&best);
    if (least >= point.dot(slope) - rounding * scale) break;
    if (std::find(support.begin(), support.end(), best) != support.end()) break;  // rounding
    support.push_back(best);
    while (true) {
      // The least point of the affine hull solves Q_ss z = 1 up to scale; 11' keeps it regular where the value is 0.
      Eigen::MatrixXd part = q(support, support);
      part.array() += scale;
      Eigen::VectorXd target = part.ldlt().solve(Eigen::VectorXd::Ones(part.rows()));
      target /= target.sum();
      if (target.minCoeff() > 0) {
        point.setZero();
        point(support) = target;
        break;
      }
      double share = 1;
      for (std::size_t s = 0; s < support.size(); ++s) {
        const double from = point[support[s]];
        const double to = target[static_cast<Index>(s)];
        if (to <= 0) share = std::min(share, from / (from - to));
      }
      point(support) += share * (target - point(support));
      std::erase_if(support, [&](Index s) {
        if (point[s] > rounding) return false;
        point[s] = 0;
        return true;
      });
    }
  }
  return point;
}

Eigen::VectorXd Kdlor::project(const Eigen::MatrixXd& features) const {
  return kernel(features, landmarks, gamma) * coefficients;
}

Kdlor fit_kdlor(const Examples& examples, const KdlorOptions& options, std::uint64_t seed) {
  const Index row_count = examples.features.rows();
  const PresentClasses present(examples.labels);
  const auto chosen = choose_landmarks(row_count, options.max_landmarks, seed);
  Kdlor model{.gamma = options.gamma,
              .landmarks = examples.features(chosen, Eigen::all).transpose(),
              .coefficients = {},
              .thresholds = {},
              .classes = present.classes};

  Eigen::MatrixXd images = kernel(examples.features, model.landmarks, model.gamma);
  Eigen::MatrixXd scatter = options.ridge * images(chosen, Eigen::all);
  Eigen::MatrixXd means = Eigen::MatrixXd::Zero(present.count(), images.cols());
  Eigen::VectorXd counts = Eigen::VectorXd::Zero(present.count());
  for (Index i = 0; i < row_count; ++i) {
    const int rank = present.ranks[static_cast<std::size_t>(i)];
    means.row(rank) += images.row(i);
    ++counts[rank];
  }
  means.array().colwise() /= counts.array();
  for (Index i = 0; i < row_count; ++i) images.row(i) -= means.row(present.ranks[static_cast<std::size_t>(i)]);
  scatter.selfadjointView<Eigen::Lower>().rankUpdate(images.transpose(), 1.0 / static_cast<double>(row_count));
  scatter.diagonal().array() += jitter;

  const Index gap_count = present.count() - 1;
  const Eigen::MatrixXd gaps = (means.bottomRows(gap_count) - means.topRows(gap_count)).transpose();
  const Eigen::MatrixXd solved = scatter.selfadjointView<Eigen::Lower>().llt().solve(gaps);
  const Eigen::MatrixXd q = gaps.transpose() * solved;
  model.coefficients = 0.5 * solved * minimize_on_simplex(0.5 * (q + q.transpose()));
  const Eigen::VectorXd projected = means * model.coefficients;
  for (Index k = 0; k < gap_count; ++k) model.thresholds.push_back((projected[k] + projected[k + 1]) / 2);
  return model;
}

std::unique_ptr<Method> make_kdlor() { return std::make_unique<KdlorMethod>(); }

}  // namespace xofm::baselines
