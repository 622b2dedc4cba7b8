// CNNOR: Y. Liu, A. W. K. Kong and C. K. Goh, Deep ordinal regression based on data relationship for small datasets,
// IJCAI 2017. A reading: of its text we had only the abstract and reviews, and it takes images, not attributes.
//
//   1. CNN_reg, two convolutions along the attributes and a dense layer, puts objects on the real line; its ordinal
//      loss asks them to be as far apart as their ranks, max(0, rank_j - rank_i - (s_j - s_i))^2 if rank_j > rank_i.
//   2. For every cut k between neighbouring ranks a network CNN_k, started from CNN_reg, is asked about triplets (an
//      object of the rank just below the cut, any object, one of the rank just above) whether the object in the middle
//      is above the cut; logistic loss. Objects are many more as triplets: that is the paper's point.
//   3. A new object forms triplets with known ones; the majority of their answers decides each cut, and the rank is the
//      number of cuts that it is above.
//
// Mini-batches with Adam, the rate falling to 0. All networks see the ranks of the classes that occur, so absent
// classes are never predicted.
#include <algorithm>
#include <numeric>
#include <utility>

#include "baselines/cnnor_networks.hpp"
#include "baselines/method.hpp"

namespace xofm::baselines {

using Eigen::Index;
using Eigen::MatrixXd;

namespace {

constexpr Index dense_width = 16;
constexpr std::size_t batch_size = 64;
constexpr int score_step_count = 600;    // of CNN_reg
constexpr int triplet_step_count = 150;  // of each CNN_k
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

// CNN_k after training, and the known objects for the vote, one column each.
struct Cut {
  std::vector<double> parameters = {};
  MatrixXd below = {}, above = {};
};

class Trained final : public Predictor {
 public:
  Trained(const Tower& tower, std::vector<int> classes, std::vector<Cut> cuts)
      : tower_(tower), network_(tower), classes_(std::move(classes)), cuts_(std::move(cuts)) {}

  std::vector<int> predict(const MatrixXd& features) const override {
    std::vector<int> predicted;
    for (Index start = 0; start < features.rows(); start += block_size) {
      const MatrixXd rows = features.middleRows(start, std::min(block_size, features.rows() - start));
      for (const Index rank : vote(rows)) predicted.push_back(classes_[static_cast<std::size_t>(rank)]);
    }
    return predicted;
  }

 private:
  static constexpr Index block_size = 256;  // rows at a time: the tower needs far more memory than they do

  std::vector<Index> vote(const MatrixXd& features) const {
    const Index row_count = features.rows();
    std::vector<Triplet> triplets;
    for (Index i = 0; i < row_count; ++i) {
      for (Index v = 0; v < vote_count; ++v) triplets.push_back({row_count + v, i, row_count + vote_count + v});
    }
    MatrixXd objects(features.cols(), row_count + 2 * vote_count);
    objects.leftCols(row_count) = features.transpose();
    Tower::Pass pass;
    std::vector<Index> ranks(static_cast<std::size_t>(row_count), 0);
    for (const Cut& cut : cuts_) {
      objects.middleCols(row_count, vote_count) = cut.below;
      objects.rightCols(vote_count) = cut.above;
      tower_.run(cut.parameters, objects, pass);
      const Eigen::VectorXd answers = network_.outputs(pass.output, triplets, cut.parameters);
      for (Index i = 0; i < row_count; ++i) {
        const Index above_count = (answers.segment(i * vote_count, vote_count).array() > 0).count();
        if (2 * above_count > vote_count) ++ranks[static_cast<std::size_t>(i)];
      }
    }
    return ranks;
  }

  Tower tower_;
  TripletNetwork network_;
  std::vector<int> classes_;  // that occur, ascending
  std::vector<Cut> cuts_;     // between them
};

// Of one predictor.
class Training {
 public:
  Training(const Examples& examples, Index filter_count, double decay, const Effort& effort)
      : objects_(examples.features.transpose()),
        classes_(examples.labels),
        decay_(decay),
        effort_(effort),
        tower_(objects_.rows(), filter_count, dense_width),
        random_(effort.seed),
        batches_(examples.labels.size(), random_) {
    std::sort(classes_.begin(), classes_.end());
    classes_.erase(std::unique(classes_.begin(), classes_.end()), classes_.end());
    rows_of_rank_.resize(classes_.size());
    for (const int label : examples.labels) {
      const auto rank = std::lower_bound(classes_.begin(), classes_.end(), label) - classes_.begin();
      rows_of_rank_[static_cast<std::size_t>(rank)].push_back(static_cast<Index>(ranks_.size()));
      ranks_.push_back(static_cast<int>(rank));
    }
  }

  std::unique_ptr<Predictor> run() {
    ScoreNetwork score_network(tower_);
    const std::vector<double> scores = learn_scores(score_network);
    TripletNetwork network(tower_);
    std::vector<Cut> cuts;
    for (std::size_t k = 0; k + 1 < classes_.size(); ++k) {
      cuts.push_back(learn_cut(k, network, network.start(score_network, scores, random_)));
    }
    return std::make_unique<Trained>(tower_, classes_, std::move(cuts));
  }

 private:
  std::vector<double> learn_scores(ScoreNetwork& network) {
    std::vector<double> parameters = network.start(random_);
    descend(parameters, score_step_count, score_rate, decay_, effort_, [&](auto& point, auto& gradient) {
      const std::vector<Index> rows = batches_.draw();
      std::vector<int> batch_ranks;
      for (const Index row : rows) batch_ranks.push_back(ranks_[static_cast<std::size_t>(row)]);
      network.loss(objects_(Eigen::all, rows), batch_ranks, point, gradient);
    });
    return parameters;
  }

  // Between ranks k and k + 1.
  Cut learn_cut(std::size_t k, TripletNetwork& network, std::vector<double> parameters) {
    descend(parameters, triplet_step_count, triplet_rate, decay_, effort_, [&](auto& point, auto& gradient) {
      std::vector<Index> rows = batches_.draw();
      const auto asked_count = static_cast<Index>(rows.size());
      for (const std::size_t rank : {k, k + 1}) {
        const std::vector<Index> anchors = draw(rank, anchor_count);
        rows.insert(rows.end(), anchors.begin(), anchors.end());
      }
      std::vector<Triplet> triplets;
      std::vector<double> answers;
      const auto anchor = [&] { return asked_count + static_cast<Index>(random_.below(anchor_count)); };
      for (Index i = 0; i < asked_count; ++i) {
        const int rank = ranks_[static_cast<std::size_t>(rows[static_cast<std::size_t>(i)])];
        for (int t = 0; t < triplets_per_row; ++t) {
          const Index below = anchor(), above = anchor() + anchor_count;
          triplets.push_back({below, i, above});
          answers.push_back(rank > static_cast<int>(k) ? 1 : -1);
        }
      }
      network.loss(objects_(Eigen::all, rows), triplets, answers, point, gradient);
    });
    const std::vector<Index> below = draw(k, vote_count), above = draw(k + 1, vote_count);
    return {std::move(parameters), objects_(Eigen::all, below), objects_(Eigen::all, above)};
  }

  // Rows of a rank, with replacement.
  std::vector<Index> draw(std::size_t rank, Index count) {
    std::vector<Index> rows(static_cast<std::size_t>(count));
    for (Index& row : rows) row = rows_of_rank_[rank][random_.below(rows_of_rank_[rank].size())];
    return rows;
  }

  MatrixXd objects_;          // one column each
  std::vector<int> classes_;  // that occur, ascending
  std::vector<int> ranks_;    // of the objects: the number of their class among those
  std::vector<std::vector<Index>> rows_of_rank_;
  double decay_;
  const Effort& effort_;
  Tower tower_;
  detail::Random random_;
  Batches batches_;
};

class Cnnor final : public Method {
 public:
  std::string name() const override { return "CNNOR"; }

  std::vector<Axis> grid() const override {
    return {{.name = "filter_count", .values = {8, 16}}, {.name = "weight_decay", .values = {0.1, 1}}};
  }

  std::unique_ptr<Predictor> fit(const Examples& examples, const Setting& setting,
                                 const Effort& effort) const override {
    return Training(examples, static_cast<Index>(setting.at(0)), setting.at(1), effort).run();
  }
};

}  // namespace

std::unique_ptr<Method> make_cnnor() { return std::make_unique<Cnnor>(); }

}  // namespace xofm::baselines
