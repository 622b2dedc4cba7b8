// The networks of CNNOR (cnnor.cpp) and what they minimise. Each keeps the memory of its tower from call to call.
#pragma once

#include "baselines/layers.hpp"

namespace xofm::baselines {

// CNN_reg: the tower and a linear layer that puts an object on the real line.
class ScoreNetwork {
 public:
  explicit ScoreNetwork(const Tower& tower);

  std::size_t parameter_count() const { return static_cast<std::size_t>(score_.end()); }
  std::vector<double> start(detail::Random& random) const;

  // Mean over the pairs of objects (columns) with ranks[j] > ranks[i] of max(0, ranks[j] - ranks[i] - (s_j - s_i))^2;
  // 0 without such pairs. Writes the gradient.
  double loss(const Eigen::MatrixXd& objects, std::span<const int> ranks, std::span<const double> parameters,
              std::span<double> gradient);
  Eigen::VectorXd score_weights(std::span<const double> parameters) const;

 private:
  Tower tower_;
  Affine score_;
  Tower::Pass pass_;
};

// Columns of a matrix of objects: one known to be of the class below a cut, the one asked for, one of the class above.
struct Triplet {
  Eigen::Index below = 0;
  Eigen::Index asked = 0;
  Eigen::Index above = 0;
};

// CNN_k: the tower on each object of a triplet, one above the other to a linear layer beside a hidden one; positive
// says that the object asked for is above the cut.
class TripletNetwork {
 public:
  explicit TripletNetwork(const Tower& tower);

  std::size_t parameter_count() const { return static_cast<std::size_t>(output_.end()); }
  // From CNN_reg: the same tower, and the object compared with the middle of the other two on CNN_reg's line.
  std::vector<double> start(const ScoreNetwork& network, std::span<const double> parameters,
                            detail::Random& random) const;

  // Mean over the triplets of ln(1 + e^-z), z the output with the sign of the answer (1 or -1). Writes the gradient.
  double loss(const Eigen::MatrixXd& objects, std::span<const Triplet> triplets, std::span<const double> answers,
              std::span<const double> parameters, std::span<double> gradient);
  // For what the tower made of the objects.
  Eigen::VectorXd outputs(const Eigen::MatrixXd& tower_output, std::span<const Triplet> triplets,
                          std::span<const double> parameters) const;

 private:
  struct Answer {
    Eigen::MatrixXd hidden, output;  // one column per triplet
  };
  Answer answer(const Eigen::MatrixXd& stacked, std::span<const double> parameters) const;

  Tower tower_;
  Affine direct_, hidden_, output_;
  Tower::Pass pass_;
};

}  // namespace xofm::baselines
