#include "core/train/gibbs.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>

#include "core/sample/draw.hpp"
#include "core/sample/mixing.hpp"
#include "core/score/score_table.hpp"
#include "support/random_rows.hpp"
#include "xofm/bands.hpp"
#include "xofm/error.hpp"
#include "xofm/explain.hpp"
#include "xofm/generate.hpp"
#include "xofm/threads.hpp"
#include "xofm/train.hpp"

namespace xofm::detail {
namespace {

using test_support::random_rows;

// Four standard errors: once in 16,000 draws of the seed by chance, and the seed is fixed.
constexpr double standard_errors = 4;

// --- The pieces.

TEST(Draw, TruncatedNormalsHaveTheMomentsOfTheirDistribution) {
  // Mean (phi(a) - phi(b)) / (Phi(b) - Phi(a)); tails, short and long intervals, both sides.
  const std::pair<double, double> cases[] = {
      {-HUGE_VAL, HUGE_VAL}, {-1, 0.5},  {-8, 8}, {0.5, HUGE_VAL}, {4, HUGE_VAL}, {4, 4.1},
      {-HUGE_VAL, -3},       {-5, -4.9}, {2, 9},  {-0.1, 6}};
  for (const auto& [low, high] : cases) {
    Random random(1, static_cast<std::uint64_t>(10 + low + high));
    constexpr int count = 40000;
    double sum = 0;
    double squares = 0;
    for (int i = 0; i < count; ++i) {
      const double z = truncated_normal(low, high, random);
      ASSERT_TRUE(z >= low && z <= high);
      sum += z;
      squares += z * z;
    }
    const auto density = [](double x) { return std::exp(-x * x / 2) / std::sqrt(2 * std::numbers::pi); };
    const double expected = (density(low) - density(high)) / std::exp(log_normal_share(low, high));
    const double mean = sum / count;
    const double error = std::sqrt((squares / count - mean * mean) / count);
    EXPECT_NEAR(mean, expected, standard_errors * error) << low << " to " << high;
  }
}

TEST(Draw, SlicesFollowTheDensity) {
  // Exponential with mean 1: variance 1, and a share of exp(-2) above 2.
  Random random(5, 0);
  const auto log_density = [](double x) { return x >= 0 ? -x : -HUGE_VAL; };
  double x = 1;
  double sum = 0;
  double above = 0;
  constexpr int count = 60000;
  for (int i = 0; i < count; ++i) {
    x = slice_sample(x, 2, log_density, random);
    sum += x;
    above += x > 2 ? 1 : 0;
  }
  EXPECT_NEAR(sum / count, 1, 0.03);  // neighbours are correlated: some 10,000 independent ones
  EXPECT_NEAR(above / count, std::exp(-2), 0.015);
}

TEST(BandMatrix, IsTheDenseMatrixAndDrawsFromItsNormal) {
  constexpr std::size_t size = 5;
  Random random(2, 2);
  Eigen::MatrixXd dense = Eigen::MatrixXd::Zero(size, size);
  BandMatrix band(size);
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t b = 0; b <= std::min<std::size_t>(i, 2); ++b) {
      const double value = b == 0 ? 4 + random.uniform() : random.normal() * 0.5;
      band.at(i, b) = value;
      dense(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(i - b)) = value;
      dense(static_cast<Eigen::Index>(i - b), static_cast<Eigen::Index>(i)) = value;
    }
  }
  const Eigen::VectorXd x = Eigen::VectorXd::LinSpaced(size, -1, 2);
  EXPECT_NEAR(band.form({x.data(), size}), x.dot(dense * x), 1e-12);
  const Eigen::MatrixXd covariance = dense.inverse();
  band.factorize();
  EXPECT_NEAR(band.log_determinant(), std::log(dense.determinant()), 1e-12);
  // The conjugate case: the posterior mean and covariance are known.
  const Eigen::VectorXd mean = covariance * x;
  constexpr int count = 40000;
  Eigen::VectorXd sum = Eigen::VectorXd::Zero(size);
  Eigen::MatrixXd squares = Eigen::MatrixXd::Zero(size, size);
  for (int i = 0; i < count; ++i) {
    Eigen::VectorXd draw = x;
    band.draw({draw.data(), size}, random);
    sum += draw;
    squares += (draw - mean) * (draw - mean).transpose();
  }
  for (Eigen::Index i = 0; i < static_cast<Eigen::Index>(size); ++i) {
    EXPECT_NEAR(sum(i) / count, mean(i), standard_errors * std::sqrt(covariance(i, i) / count));
    for (Eigen::Index j = 0; j <= i; ++j) EXPECT_NEAR(squares(i, j) / count, covariance(i, j), 0.01);
  }
}

TEST(Mixing, TellsChainsThatAgreeFromThoseThatDoNot) {
  Random random(3, 3);
  std::vector<std::vector<double>> chains(4, std::vector<double>(500));
  for (auto& chain : chains) {
    for (double& value : chain) value = random.normal();
  }
  const auto independent = mixing_of(chains);
  EXPECT_NEAR(independent.r_hat, 1, 0.01);
  EXPECT_GT(independent.effective_count, 1500);
  // Autoregressive with 0.8: draws are worth (1 - 0.8) / (1 + 0.8) = 1/9 of their number.
  auto slow = chains;
  for (auto& chain : slow) {
    for (std::size_t i = 1; i < chain.size(); ++i) chain[i] = 0.8 * chain[i - 1] + 0.6 * chain[i];
  }
  EXPECT_NEAR(mixing_of(slow).effective_count, 2000.0 / 9, 80);
  auto apart = chains;
  for (double& value : apart[2]) value += 3;
  EXPECT_GT(mixing_of(apart).r_hat, 1.5);
  EXPECT_LT(mixing_of(apart).effective_count, 20);
  EXPECT_EQ(mixing_of({{7, 7, 7, 7, 7, 7}}).r_hat, 1);
  EXPECT_TRUE(std::isnan(mixing_of({{1, 2}, {2, 3}}).r_hat));
}

// --- A posterior that is known.

struct Case {
  Dataset data;
  Encoder encoder;
  EncodedRows rows;
  LearningRows learning() const { return {encoder, rows, data.labels, data.schema.class_count(), data.weights}; }
};

Case make_case(Dataset data, int segment_count = 3) {
  Case c{std::move(data), {}, {}};
  c.encoder = fit_encoder(c.data, {.segment_count = segment_count});
  c.rows = encode(c.encoder, c.data);
  return c;
}

TEST(Chain, HasThePosteriorThatQuadratureGives) {
  // One attribute of one segment with the values 0 and 1: the score is 0 or g. With size integrated out the prior of g
  // is (1 + g^2 / 2)^(-3/2) up to a factor; the cut is normal with spread 10.
  Dataset data;
  data.schema.attributes = {{.name = "x"}};
  data.schema.class_names = {"1", "2"};
  data.columns = {{0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1}};
  data.labels = {0, 0, 0, 0, 1, 0, 1, 1, 0, 1, 1, 1};
  const Case c = make_case(data, 1);
  double total = 0, g1 = 0, g2 = 0, c1 = 0, c2 = 0;
  for (double g = -6; g <= 12; g += 0.02) {
    for (double cut = -8; cut <= 8; cut += 0.02) {
      double log_density = -1.5 * std::log(1 + g * g / 2) - cut * cut / 200;
      // Of six rows at 0 one is of class 2, of six at g five are.
      log_density += 5 * log_normal_share(-HUGE_VAL, cut) + log_normal_share(cut, HUGE_VAL);
      log_density += log_normal_share(-HUGE_VAL, cut - g) + 5 * log_normal_share(cut - g, HUGE_VAL);
      const double p = std::exp(log_density);
      total += p;
      g1 += p * g;
      g2 += p * g * g;
      c1 += p * cut;
      c2 += p * cut * cut;
    }
  }
  g1 /= total;
  c1 /= total;
  const double g_spread = std::sqrt(g2 / total - g1 * g1);
  const double c_spread = std::sqrt(c2 / total - c1 * c1);
  const Nodes nodes = make_nodes(c.encoder, c.rows, c.data.labels, 2, {});
  Chain chain(nodes, 0, 0.1, 1, 0);
  for (int i = 0; i < 500; ++i) chain.sweep();
  std::vector<std::vector<double>> g(1), cut(1);
  for (int i = 0; i < 60000; ++i) {
    chain.sweep();
    g[0].push_back(chain.draw().curves[0]);
    cut[0].push_back(chain.draw().cuts[0]);
  }
  const auto check = [](const std::vector<std::vector<double>>& draws, double mean, double spread) {
    const auto count = static_cast<double>(draws[0].size());
    const double own = std::accumulate(draws[0].begin(), draws[0].end(), 0.0) / count;
    double squares = 0;
    for (const double x : draws[0]) squares += (x - own) * (x - own);
    const double effective = mixing_of({{draws[0].begin(), draws[0].begin() + 6000}}).effective_count * 10;
    EXPECT_NEAR(own, mean, standard_errors * spread / std::sqrt(effective));
    EXPECT_NEAR(std::sqrt(squares / count), spread, 2 * standard_errors * spread / std::sqrt(effective));
  };
  check(g, g1, g_spread);
  check(cut, c1, c_spread);
}

// --- Calibration by simulation (Cook, Gelman and Rubin 2006; Talts et al. 2018): of parameters drawn from the prior
// and labels drawn from them, the rank of the truth among draws of its posterior is uniform.

double exponential(double rate, Random& random) { return -std::log(1 - random.uniform()) / rate; }

Draw draw_prior(const Nodes& nodes, std::size_t k, std::vector<Chain::Precisions>& precisions, Random& random) {
  Draw draw;
  draw.curves.assign(nodes.node_count, 0.0);
  draw.factors.assign(nodes.node_count * k, 0.0);
  for (std::size_t j = 0; j < nodes.attributes.size(); ++j) {
    const Nodes::Attribute& attribute = nodes.attributes[j];
    Chain::Precisions& own = precisions[j];
    own = {exponential(1, random), exponential(1, random), exponential(0.2, random)};
    BandMatrix precision(attribute.count);
    precision.add(attribute.bends, own.bend);
    precision.add(attribute.sizes, own.size);
    precision.factorize();
    precision.draw({&draw.curves[attribute.first], attribute.count}, random);
    for (std::size_t f = 0; f < k; ++f) {
      BandMatrix of_factor(attribute.count);
      of_factor.add(attribute.sizes, own.shrink);
      of_factor.factorize();
      std::vector<double> values(attribute.count);
      of_factor.draw(values, random);
      for (std::size_t n = 0; n < values.size(); ++n) draw.factors[(attribute.first + n) * k + f] = values[n];
    }
  }
  for (int h = 1; h < nodes.class_count; ++h) draw.cuts.push_back(10 * random.normal());
  std::sort(draw.cuts.begin(), draw.cuts.end());
  return draw;
}

TEST(Chain, IsCalibratedBySimulation) {
  constexpr int replications = 320;
  constexpr int draws = 31;  // ranks 0 .. 31, in 8 bins of 4
  constexpr int thin = 12;
  constexpr std::size_t bins = 8;
  const Case c = make_case(random_rows({.row_count = 24,
                                        .class_count = 3,
                                        .numeric_count = 2,
                                        .tied_count = 0,
                                        .constant_count = 0,
                                        .categorical_count = 1},
                                       11));
  const Nodes nodes = make_nodes(c.encoder, c.rows, c.data.labels, 3, {});
  // Watched: three scores less their mean, a contrast of an attribute's curve, its logarithmic size, a product, the
  // cuts' distance from the mean score.
  constexpr std::size_t k = 1;
  const auto watched = [&](const Draw& draw, const std::vector<Chain::Precisions>& precisions) {
    const double mean = std::accumulate(draw.scores.begin(), draw.scores.end(), 0.0) / 24;
    const std::size_t second = nodes.attributes[1].first;
    return std::array{draw.scores[0] - mean, draw.scores[9] - mean, draw.curves[2] - draw.curves[0],
                      precisions[0].size,    precisions[1].shrink,  draw.factors[1] * draw.factors[second + 2],
                      draw.cuts[0] - mean,   draw.cuts[1] - mean};
  };
  std::array<std::array<int, bins>, 8> counts{};
  Random random(17, 1);
  for (int r = 0; r < replications; ++r) {
    Chain chain(nodes, k, 0.5, 23, static_cast<std::uint64_t>(r));
    const Draw truth = draw_prior(nodes, k, chain.precisions(), random);
    const std::vector<Chain::Precisions> true_precisions = chain.precisions();
    chain.set(truth);
    const Draw scored = chain.draw();
    std::vector<int> labels;
    for (const double score : scored.scores) {
      const double z = score + random.normal();
      labels.push_back(
          static_cast<int>(std::upper_bound(truth.cuts.begin(), truth.cuts.end(), z) - truth.cuts.begin()));
    }
    // The truth itself is a draw of the posterior, so a chain that starts there needs no time to find it; where it
    // starts is forgotten before the first draw that counts.
    chain.set_labels(labels);
    const auto expected = watched(scored, true_precisions);
    std::array<int, 8> ranks{};
    for (int d = 0; d < draws; ++d) {
      for (int t = 0; t < thin; ++t) chain.sweep();
      const auto now = watched(chain.draw(), chain.precisions());
      for (std::size_t q = 0; q < now.size(); ++q) ranks[q] += now[q] < expected[q] ? 1 : 0;
    }
    for (std::size_t q = 0; q < ranks.size(); ++q) ++counts[q][static_cast<std::size_t>(ranks[q]) * bins / (draws + 1)];
  }
  // Chi-squared with 7 degrees of freedom: above 29.9 once in 10,000. Draws of one chain lean on each other, which
  // spreads the ranks a little.
  for (std::size_t q = 0; q < counts.size(); ++q) {
    double chi_squared = 0;
    const double expected = static_cast<double>(replications) / bins;
    for (const int count : counts[q]) chi_squared += (count - expected) * (count - expected) / expected;
    EXPECT_LT(chi_squared, 29.9) << "quantity " << q << ": " << ::testing::PrintToString(counts[q]);
  }
}

// --- The learner.

TrainOptions by_gibbs(int sweeps = 120) {
  return {.parts = {{.method = Optimizer::gibbs, .segment_count = 4, .factor_count = 2, .max_epochs = sweeps}}};
}

Case rows_of_three_classes() {
  return make_case(random_rows({.row_count = 60, .class_count = 3, .categorical_count = 1, .missing_share = 0.1}, 3));
}

TEST(Gibbs, TheMeanScoreIsTheMeanOfTheDrawsScores) {
  const Case c = rows_of_three_classes();
  const TrainOptions options = by_gibbs(60);
  Gibbs gibbs(c.learning(), options, options.recipe(), 1);
  gibbs.advance(60, {});
  const std::vector<Parameters> draws = gibbs.draws();
  std::vector<double> mean(c.data.row_count());
  for (const Parameters& draw : draws) {
    const std::vector<double> scores = score_rows(c.encoder, draw, c.rows);
    for (std::size_t i = 0; i < mean.size(); ++i) mean[i] += scores[i] / static_cast<double>(draws.size());
  }
  const std::vector<double> scores = score_rows(c.encoder, gibbs.learned().parameters, c.rows);
  for (std::size_t i = 0; i < mean.size(); ++i) {
    EXPECT_NEAR(scores[i], mean[i], 1e-4) << "factors that carry 1e-10 of all are left out";
  }
}

TEST(Gibbs, ADrawsParametersGiveTheScoresOfItsChain) {
  const Case c = rows_of_three_classes();
  const TrainOptions options = by_gibbs(1);
  const Nodes nodes = make_nodes(c.encoder, c.rows, c.data.labels, 3, {});
  Chain chain(nodes, 2, options.recipe().init_stddev, 7, 0);
  chain.sweep();
  TrainOptions one = options;
  one.optimizer.chain_count = 1;
  Gibbs gibbs(c.learning(), one, one.recipe(), 7);
  gibbs.advance(1, {});
  const std::vector<double> scores = score_rows(c.encoder, gibbs.draws().front(), c.rows);
  for (std::size_t i = 0; i < scores.size(); ++i) EXPECT_NEAR(scores[i], chain.draw().scores[i], 1e-9);
}

TEST(Gibbs, PredictiveProbabilitiesAreTheDrawsMean) {
  const Case c = rows_of_three_classes();
  TrainOptions options = by_gibbs(1);
  options.optimizer.chain_count = 2;
  Gibbs gibbs(c.learning(), options, options.recipe(), 7);
  gibbs.advance(1, {});
  const Nodes nodes = make_nodes(c.encoder, c.rows, c.data.labels, 3, {});
  std::vector<double> expected(c.data.row_count() * 3);
  for (std::uint64_t number = 0; number < 2; ++number) {
    Chain chain(nodes, 2, options.recipe().init_stddev, 7, number);
    chain.sweep();
    const auto& [curves, factors, cuts, scores] = chain.draw();
    const auto below = [](double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); };
    for (std::size_t i = 0; i < scores.size(); ++i) {
      expected[3 * i] += below(cuts[0] - scores[i]) / 2;
      expected[3 * i + 1] += (below(cuts[1] - scores[i]) - below(cuts[0] - scores[i])) / 2;
      expected[3 * i + 2] += (1 - below(cuts[1] - scores[i])) / 2;
    }
  }
  const std::vector<double> found = gibbs.probabilities(c.rows);
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], 1e-9);
}

TEST(Gibbs, GoingOnIsTheSameAsALongerRun) {
  const Case c = rows_of_three_classes();
  const TrainOptions options = by_gibbs();
  Gibbs at_once(c.learning(), options, options.recipe(), 4), in_steps(c.learning(), options, options.recipe(), 4);
  at_once.advance(50, {});
  in_steps.advance(13, {});
  in_steps.advance(50, {});
  EXPECT_EQ(at_once.learned().parameters.increments, in_steps.learned().parameters.increments);
}

TEST(Gibbs, FindsWhatMadeTheLabels) {
  const Dataset data = generate({.row_count = 300, .attribute_count = 4, .class_count = 4, .noise = 0.5, .seed = 5});
  TrainOptions options = by_gibbs(400);
  options.recipe().factor_count = 0;
  options.assignment.reference_scores = ReferenceScores::training;
  const Fit fit = train(data, options);
  const Dataset others = generate({.row_count = 300, .attribute_count = 4, .class_count = 4, .noise = 0.5, .seed = 6});
  const Predictions p = fit.model.predict(others);
  const Metrics metrics = evaluate(4, others.labels, p.classes, p.scores, p.probabilities);
  EXPECT_GT(metrics.kendall_tau_b, 0.5);
  ASSERT_TRUE(fit.model.record.sampling.has_value());
  EXPECT_EQ(fit.model.record.sampling->chain_count, 4);
  EXPECT_LT(fit.model.record.sampling->scores.r_hat, 1.2);
  EXPECT_GT(fit.model.record.sampling->scores.effective_count, 20);
}

TEST(Gibbs, BandsOfThePosteriorHoldItsMeanAndComeFromOneTraining) {
  const Dataset data = generate({.row_count = 200, .attribute_count = 3, .class_count = 3, .seed = 5});
  TrainOptions options = by_gibbs(80);
  options.assignment.reference_scores = ReferenceScores::training;
  const Model model = train(data, options).model;
  const std::optional<CurveBands> bands = fit_bands(model, data, {.refit_count = 1000});
  ASSERT_TRUE(bands.has_value());
  EXPECT_EQ(bands->refit_count, 4 * 40);  // the second half of four chains
  const AttributeCurves curves = attribute_curves(model);
  for (std::size_t j = 0; j < bands->attributes.size(); ++j) {
    for (std::size_t s = 0; s < bands->attributes[j].lower.size(); ++s) {
      EXPECT_LE(bands->attributes[j].lower[s], curves.purified[j].values[s]);
      EXPECT_GE(bands->attributes[j].upper[s], curves.purified[j].values[s]);
    }
  }
}

TEST(Gibbs, WeightsAreRefused) {
  Dataset data = random_rows({.row_count = 40, .weighted = true}, 3);
  EXPECT_THROW(train(data, by_gibbs(5)), Error);
}

}  // namespace
}  // namespace xofm::detail
