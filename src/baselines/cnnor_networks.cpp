#include "baselines/cnnor_networks.hpp"

#include <algorithm>
#include <cmath>

namespace xofm::baselines {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

ScoreNetwork::ScoreNetwork(const Tower& tower)
    : tower_(tower),
      score_{.input_count = tower.output_count(), .output_count = 1, .offset = tower.parameter_count()} {}

std::vector<double> ScoreNetwork::start(detail::Random& random) const {
  std::vector<double> parameters(parameter_count());
  tower_.start(parameters, random);
  score_.start(parameters, 1, random);
  return parameters;
}

double ScoreNetwork::loss(const MatrixXd& objects, std::span<const int> ranks, std::span<const double> parameters,
                          std::span<double> gradient) {
  std::fill(gradient.begin(), gradient.end(), 0.0);
  tower_.run(parameters, objects, pass_);
  MatrixXd scores;
  score_.apply(parameters, pass_.output, scores);
  MatrixXd by_score = MatrixXd::Zero(1, scores.cols());
  double value = 0, pair_count = 0;
  for (Index i = 0; i < scores.cols(); ++i) {
    for (Index j = 0; j < scores.cols(); ++j) {
      const int distance = ranks[static_cast<std::size_t>(j)] - ranks[static_cast<std::size_t>(i)];
      if (distance <= 0) continue;
      ++pair_count;
      const double lack = std::max(0.0, distance - (scores(j) - scores(i)));
      value += lack * lack;
      by_score(i) += 2 * lack;
      by_score(j) -= 2 * lack;
    }
  }
  if (pair_count == 0) return 0;
  by_score /= pair_count;
  score_.add_gradient(pass_.output, by_score, gradient);
  score_.back(parameters, by_score, pass_.output_gradient);
  tower_.add_gradient(parameters, pass_, gradient);
  return value / pair_count;
}

VectorXd ScoreNetwork::score_weights(std::span<const double> parameters) const {
  return score_.weights(parameters).transpose();
}

TripletNetwork::TripletNetwork(const Tower& tower)
    : tower_(tower),
      direct_{.input_count = 3 * tower.output_count(), .output_count = 1, .offset = tower.parameter_count()},
      hidden_{.input_count = 3 * tower.output_count(), .output_count = tower.output_count(), .offset = direct_.end()},
      output_{.input_count = tower.output_count(), .output_count = 1, .offset = hidden_.end()} {}

std::vector<double> TripletNetwork::start(const ScoreNetwork& network, std::span<const double> parameters,
                                          detail::Random& random) const {
  std::vector<double> result(parameter_count());
  std::copy_n(parameters.begin(), tower_.parameter_count(), result.begin());
  const VectorXd weights = network.score_weights(parameters);
  direct_.weights(std::span(result)) << -weights.transpose() / 2, weights.transpose(), -weights.transpose() / 2;
  hidden_.start(result, std::sqrt(2.0), random);
  return result;  // the output of the hidden layer starts with weights 0
}

namespace {

// The objects of each triplet one above the other.
MatrixXd stack(const MatrixXd& objects, std::span<const Triplet> triplets) {
  MatrixXd stacked(3 * objects.rows(), static_cast<Index>(triplets.size()));
  for (Index t = 0; t < stacked.cols(); ++t) {
    const Triplet& triplet = triplets[static_cast<std::size_t>(t)];
    stacked.col(t) << objects.col(triplet.below), objects.col(triplet.asked), objects.col(triplet.above);
  }
  return stacked;
}

}  // namespace

VectorXd TripletNetwork::outputs(const MatrixXd& tower_output, std::span<const Triplet> triplets,
                                 std::span<const double> parameters) const {
  return answer(stack(tower_output, triplets), parameters).output.transpose();
}

TripletNetwork::Answer TripletNetwork::answer(const MatrixXd& stacked, std::span<const double> parameters) const {
  Answer answer;
  hidden_.apply(parameters, stacked, answer.hidden);
  answer.hidden = answer.hidden.cwiseMax(0);
  MatrixXd by_hidden;
  output_.apply(parameters, answer.hidden, by_hidden);
  direct_.apply(parameters, stacked, answer.output);
  answer.output += by_hidden;
  return answer;
}

double TripletNetwork::loss(const MatrixXd& objects, std::span<const Triplet> triplets, std::span<const double> answers,
                            std::span<const double> parameters, std::span<double> gradient) {
  std::fill(gradient.begin(), gradient.end(), 0.0);
  tower_.run(parameters, objects, pass_);
  const MatrixXd stacked = stack(pass_.output, triplets);
  const auto [hidden, output] = answer(stacked, parameters);

  double value = 0;
  const double share = 1 / static_cast<double>(triplets.size());
  MatrixXd by_output(1, output.cols());
  for (Index t = 0; t < output.cols(); ++t) {
    const double sign = answers[static_cast<std::size_t>(t)];
    const double z = sign * output(t);
    value += share * (std::log1p(std::exp(-std::abs(z))) - std::min(z, 0.0));
    by_output(t) = -share * sign / (1 + std::exp(z));
  }
  direct_.add_gradient(stacked, by_output, gradient);
  output_.add_gradient(hidden, by_output, gradient);
  MatrixXd by_hidden, by_stacked, through_hidden;
  output_.back(parameters, by_output, by_hidden);
  by_hidden.array() *= (hidden.array() > 0).cast<double>();
  hidden_.add_gradient(stacked, by_hidden, gradient);
  hidden_.back(parameters, by_hidden, through_hidden);
  direct_.back(parameters, by_output, by_stacked);
  by_stacked += through_hidden;

  const Index height = tower_.output_count();
  MatrixXd& by_tower = pass_.output_gradient;
  by_tower.setZero(height, objects.cols());
  for (Index t = 0; t < output.cols(); ++t) {
    const Triplet& triplet = triplets[static_cast<std::size_t>(t)];
    by_tower.col(triplet.below) += by_stacked.col(t).head(height);
    by_tower.col(triplet.asked) += by_stacked.col(t).segment(height, height);
    by_tower.col(triplet.above) += by_stacked.col(t).tail(height);
  }
  tower_.add_gradient(parameters, pass_, gradient);
  return value;
}

}  // namespace xofm::baselines
