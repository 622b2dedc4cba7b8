// CNNOR: Y. Liu, A. W. K. Kong and C. K. Goh, Deep ordinal regression based on data relationship for small datasets,
// IJCAI 2017. A reading: of its text we had only the abstract and reviews, and it takes images, not attributes.
//
//   1. CNN_reg, two convolutions along the attributes and a dense layer, puts objects on the real line; its ordinal
//   loss
//      asks objects of different ranks to be as far apart as their ranks, max(0, rank_j - rank_i - (s_j - s_i))^2.
//   2. For every cut k between neighbouring ranks a network CNN_k, started from CNN_reg, is asked about triplets (an
//      object of the rank just below the cut, any object, one of the rank just above) whether the object in the middle
//      is above the cut; logistic loss. Objects are many more as triplets: that is the paper's point.
//   3. A new object forms triplets with known ones; the majority of their answers decides each cut, and the rank is the
//      number of cuts that it is above.
//
// Mini-batches with Adam, the rate falling to 0. All networks see the ranks of the classes that occur, so absent
// classes are never predicted.
#include "baselines/cnnor.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "baselines/method.hpp"

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

namespace {

constexpr Index dense_width = 16;
constexpr std::size_t batch_size = 64;
constexpr int score_step_count = 800;    // of CNN_reg
constexpr int triplet_step_count = 200;  // of each CNN_k
constexpr double score_rate = 0.005;
constexpr double triplet_rate = 0.002;
constexpr Index anchor_count = 16;   // known objects on either side of the cut, in a batch
constexpr int triplets_per_row = 2;  // in a batch
constexpr Index vote_count = 15;     // triplets that decide a cut; odd
constexpr int steps_between_looks_at_the_clock = 20;

// Batches of rows, all rows once before any comes again.
class Batches {
 public:
  Batches(std::size_t row_count, detail::Random& random) : rows_(row_count), next_(row_count), random_(random) {
    std::iota(rows_.begin(), rows_.end(), Index{0});
  }
  std::vector<Index> draw() {
    std::vector<Index> batch(std::min(batch_size, rows_.size()));
    for (Index& row : batch) {
      if (next_ == rows_.size()) {
        random_.shuffle(rows_);
        next_ = 0;
      }
      row = rows_[next_++];
    }
    return batch;
  }

 private:
  std::vector<Index> rows_;
  std::size_t next_;
  detail::Random& random_;
};

// `gradient_at(parameters, gradient)` draws a batch and writes the gradient of its loss.
template <class GradientAt>
void descend(std::vector<double>& parameters, int step_count, double rate, double decay, const Effort& effort,
             GradientAt&& gradient_at) {
  Adam adam(parameters.size());
  std::vector<double> gradient(parameters.size());
  for (int step = 0; step < step_count; ++step) {
    if (step % steps_between_looks_at_the_clock == 0 && effort.is_over()) return;
    gradient_at(parameters, gradient);
    adam.step(parameters, gradient, rate * (1 - static_cast<double>(step) / step_count), decay);
  }
}

struct Cut {
  std::vector<double> parameters;  // of CNN_k
  MatrixXd below, above;           // known objects for the vote, one column each
};

class Trained final : public Predictor {
 public:
  Trained(const Tower& tower, std::vector<int> classes)
      : tower_(tower), network_(tower), classes_(std::move(classes)) {}

  void add(Cut cut) { cuts_.push_back(std::move(cut)); }

  std::vector<int> predict(const MatrixXd& features) const override {
    std::vector<std::size_t> ranks(static_cast<std::size_t>(features.rows()), 0);
    const Index row_count = features.rows();
    Tower::Pass pass;
    for (const Cut& cut : cuts_) {
      MatrixXd objects(features.cols(), row_count + 2 * vote_count);
      objects << features.transpose(), cut.below, cut.above;
      tower_.run(cut.parameters, objects, pass);
      for (Index i = 0; i < row_count; ++i) {
        std::vector<Triplet> triplets;
        for (Index v = 0; v < vote_count; ++v) triplets.push_back({row_count + v, i, row_count + vote_count + v});
        const Index above_count = (network_.outputs(pass.output, triplets, cut.parameters).array() > 0).count();
        if (2 * above_count > vote_count) ++ranks[static_cast<std::size_t>(i)];
      }
    }
    std::vector<int> predicted;
    for (const std::size_t rank : ranks) predicted.push_back(classes_[rank]);
    return predicted;
  }

 private:
  Tower tower_;
  TripletNetwork network_;
  std::vector<int> classes_;  // that occur, ascending
  std::vector<Cut> cuts_;
};

class Cnnor final : public Method {
 public:
  std::string name() const override { return "CNNOR"; }

  std::vector<Axis> grid() const override {
    return {{.name = "filter_count", .values = {8, 4}}, {.name = "weight_decay", .values = {0.1, 1}}};
  }

  std::unique_ptr<Predictor> fit(const Examples& examples, const Setting& setting,
                                 const Effort& effort) const override {
    const double decay = setting.at(1);
    const MatrixXd objects = examples.features.transpose();
    std::vector<int> classes = examples.labels;
    std::sort(classes.begin(), classes.end());
    classes.erase(std::unique(classes.begin(), classes.end()), classes.end());
    std::vector<int> ranks;
    std::vector<std::vector<Index>> rows_of_rank(classes.size());
    for (const int label : examples.labels) {
      const auto rank = std::lower_bound(classes.begin(), classes.end(), label) - classes.begin();
      rows_of_rank[static_cast<std::size_t>(rank)].push_back(static_cast<Index>(ranks.size()));
      ranks.push_back(static_cast<int>(rank));
    }

    const Tower tower(objects.rows(), static_cast<Index>(setting.at(0)), dense_width);
    auto trained = std::make_unique<Trained>(tower, classes);
    detail::Random random(effort.seed);
    Batches batches(ranks.size(), random);
    ScoreNetwork score_network(tower);
    std::vector<double> score_parameters = score_network.start(random);
    descend(score_parameters, score_step_count, score_rate, decay, effort, [&](auto& parameters, auto& gradient) {
      const std::vector<Index> rows = batches.draw();
      std::vector<int> batch_ranks;
      for (const Index row : rows) batch_ranks.push_back(ranks[static_cast<std::size_t>(row)]);
      score_network.loss(objects(Eigen::all, rows), batch_ranks, parameters, gradient);
    });

    TripletNetwork network(tower);
    for (std::size_t k = 0; k + 1 < classes.size(); ++k) {
      const auto draw = [&](const std::vector<Index>& rows) { return rows[random.below(rows.size())]; };
      Cut cut{.parameters = network.start(score_network, score_parameters, random), .below = {}, .above = {}};
      descend(cut.parameters, triplet_step_count, triplet_rate, decay, effort, [&](auto& parameters, auto& gradient) {
        std::vector<Index> rows = batches.draw();
        const auto asked_count = static_cast<Index>(rows.size());
        for (Index a = 0; a < anchor_count; ++a) rows.push_back(draw(rows_of_rank[k]));
        for (Index a = 0; a < anchor_count; ++a) rows.push_back(draw(rows_of_rank[k + 1]));
        std::vector<Triplet> triplets;
        std::vector<double> answers;
        const auto anchor = [&] { return static_cast<Index>(random.below(anchor_count)); };
        for (Index i = 0; i < asked_count; ++i) {
          const int rank = ranks[static_cast<std::size_t>(rows[static_cast<std::size_t>(i)])];
          for (int t = 0; t < triplets_per_row; ++t) {
            triplets.push_back({asked_count + anchor(), i, asked_count + anchor_count + anchor()});
            answers.push_back(rank > static_cast<int>(k) ? 1 : -1);
          }
        }
        network.loss(objects(Eigen::all, rows), triplets, answers, parameters, gradient);
      });
      std::vector<Index> below, above;
      for (Index v = 0; v < vote_count; ++v) {
        below.push_back(draw(rows_of_rank[k]));
        above.push_back(draw(rows_of_rank[k + 1]));
      }
      cut.below = objects(Eigen::all, below);
      cut.above = objects(Eigen::all, above);
      trained->add(std::move(cut));
    }
    return trained;
  }
};

}  // namespace

std::unique_ptr<Method> make_cnnor() { return std::make_unique<Cnnor>(); }

}  // namespace xofm::baselines
