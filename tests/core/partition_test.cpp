#include "xofm/partition.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "core/base/random.hpp"
#include "core/optimize/objective.hpp"
#include "core/partition/bytes.hpp"
#include "core/partition/partition_rows.hpp"
#include "core/partition/score_bins.hpp"
#include "core/scale/part_learner.hpp"
#include "core/train/average.hpp"
#include "support/gradient_check.hpp"
#include "support/parted_rows.hpp"
#include "support/random_rows.hpp"
#include "xofm/error.hpp"
#include "xofm/threads.hpp"

namespace xofm {
namespace {

using detail::Request;
using detail::Task;
using test_support::part;
using test_support::random_rows;

// Half a step of a fraction in 16 bits.
constexpr double fraction_rounding = 0.5 / 65535 + 1e-12;
// Partners in the one bin that straddles the margin are taken as evenly spread: bins are 1 / 8192 of the margin.
constexpr double bin_rounding = 1e-6;

struct Case {
  Dataset data;
  Encoder encoder;
  EncodedRows rows;
};

Case make_case(std::uint64_t seed, bool weighted = true, std::size_t row_count = 400) {
  Case c;
  c.data = random_rows({.row_count = row_count,
                        .class_count = 4,
                        .constant_count = 1,
                        .categorical_count = 1,
                        .missing_share = 0.1,
                        .special = true,
                        .weighted = weighted,
                        .absent_class = 2},
                       seed);
  c.data.columns.back()[7] = unseen_level;
  c.encoder = fit_encoder(c.data, {.segment_count = 6, .attributes = {.directions = {{"t0", Direction::decreasing}}}});
  c.rows = encode(c.encoder, c.data);
  return c;
}

// The rows as a partition tells them.
EncodedRows decoded(const Bytes& bytes) {
  const detail::PartitionRows rows(bytes);
  EncodedRows all;
  rows.decode({0, rows.row_count()}, all);
  return all;
}

Request loss_request(const Case& c, int factor_count, std::uint64_t seed) {
  Request request{.task = Task::pair_loss, .encoder = c.encoder, .class_count = 4};
  request.between = std::vector<double>(16, 1e-5);
  detail::Random random(seed);
  request.parameters.factor_count = factor_count;
  const std::size_t n = c.encoder.coordinate_count();
  for (std::size_t i = 0; i < n; ++i) request.parameters.increments.push_back(random.normal());
  for (std::size_t i = 0; i < n * static_cast<std::size_t>(factor_count); ++i) {
    request.parameters.factors.push_back(0.3 * random.normal());
  }
  return request;
}

TEST(Partition, KeepsPositionsWithinTheRoundingOfAFraction) {
  const Case c = make_case(1);
  const EncodedRows rows = decoded(make_partition(c.encoder, c.data));
  ASSERT_EQ(rows.row_count, c.rows.row_count);
  EXPECT_EQ(rows.coordinates, c.rows.coordinates);
  for (std::size_t cell = 0; cell < c.rows.fractions.size(); ++cell) {
    ASSERT_NEAR(rows.fractions[cell], c.rows.fractions[cell], fraction_rounding) << cell;
    if (c.rows.fractions[cell] == 0 || c.rows.fractions[cell] == 1) {
      ASSERT_EQ(rows.fractions[cell], c.rows.fractions[cell]);
    }
  }
}

TEST(Partition, TakesThreeBytesANumberAndOneALevel) {
  Case c = make_case(2, false, 1000);
  const std::size_t bytes = make_partition(c.encoder, c.data).size();
  const std::size_t body = 1000 * (3 * 3 + 1 + 1 + 1);  // n0, n1, t0; the constant; the levels; the label
  EXPECT_EQ(bytes, body + 80 + 8 * 5);
}

TEST(Partition, ManyLevelsTakeTwoBytes) {
  Dataset data = random_rows({.row_count = 600, .categorical_count = 1}, 3);
  Attribute& attribute = data.schema.attributes.back();
  attribute.levels.clear();
  for (int level = 0; level < 600; ++level) attribute.levels.push_back(std::to_string(level));
  for (std::size_t i = 0; i < 600; ++i) data.columns.back()[i] = static_cast<double>(599 - i);
  const Encoder encoder = fit_encoder(data);
  EXPECT_EQ(decoded(make_partition(encoder, data)).coordinates, encode(encoder, data).coordinates);
}

TEST(Partition, IsReadAtAnyAlignment) {
  const Case c = make_case(4);
  const Bytes bytes = make_partition(c.encoder, c.data);
  const Bytes request = write_request(loss_request(c, 3, 1));
  const Bytes expected = run_partition(bytes, request);
  for (std::size_t shift = 1; shift < 8; ++shift) {
    Bytes moved(bytes.size() + shift);
    std::memcpy(moved.data() + shift, bytes.data(), bytes.size());
    Bytes asked(request.size() + shift);
    std::memcpy(asked.data() + shift, request.data(), request.size());
    EXPECT_EQ(run_partition(ByteView(moved).subspan(shift), ByteView(asked).subspan(shift)), expected);
  }
}

TEST(Partition, AnswersWithTheSameBitsForAnyNumberOfThreads) {
  const Case c = make_case(5, true, 40'000);
  const std::vector<Bytes> parts = part(c.encoder, c.data, {30'000});
  const Bytes request = write_request(loss_request(c, 3, 2));
  std::vector<Bytes> found;
  for (const int threads : {1, 2, 7}) {
    const ThreadLimit limit(threads);
    found.push_back(test_support::sums_of(parts)(request));
  }
  EXPECT_EQ(found[0], found[1]);
  EXPECT_EQ(found[0], found[2]);
}

TEST(Partition, TheTallyCountsWhatIsThere) {
  const Case c = make_case(6);
  const auto parts = part(c.encoder, c.data, {100, 0, 250});
  const detail::PartedRows rows = detail::make_parted_rows(test_support::sums_of(parts), c.encoder, 4);
  EXPECT_EQ(rows.tally.row_count, 400);
  std::vector<double> weights(4);
  std::vector<double> mean(c.encoder.coordinate_count());
  for (std::size_t i = 0; i < 400; ++i) weights[static_cast<std::size_t>(c.data.labels[i])] += c.data.weights[i];
  for (std::size_t h = 0; h < 4; ++h) EXPECT_NEAR(rows.tally.class_weights[h], weights[h], 1e-9);
  EXPECT_EQ(rows.tally.class_counts[2], 0);
  for (std::size_t i = 0; i < 400; ++i) {
    for (std::size_t j = 0; j < c.rows.attribute_count; ++j) {
      const std::size_t cell = i * c.rows.attribute_count + j;
      for (int n = 0; n < c.encoder.attributes[j].coordinate_count(); ++n) {
        const bool is_own = n == c.rows.coordinates[cell];
        const bool is_before = n < c.rows.coordinates[cell] && c.encoder.attributes[j].is_segment(n) &&
                               c.encoder.attributes[j].is_segment(c.rows.coordinates[cell]);
        const double filled = is_own ? c.rows.fractions[cell] : is_before ? 1.0 : 0.0;
        mean[c.encoder.offsets[j] + static_cast<std::size_t>(n)] += c.data.weights[i] * filled / rows.tally.total();
      }
    }
  }
  for (std::size_t n = 0; n < mean.size(); ++n) EXPECT_NEAR(rows.tally.mean_encoding[n], mean[n], 1e-5) << n;
}

// All that an objective needs, in memory and in partitions.
struct Objectives {
  Objectives(const Case& given, const Encoder& recipe_encoder, PairWeighting weighting, int factor_count,
             const std::vector<std::size_t>& sizes)
      : c(given),
        parts(part(c.encoder, c.data, sizes)),
        rows(detail::make_parted_rows(test_support::sums_of(parts), c.encoder, 4)),
        encoder(recipe_encoder),
        exact_rows(encode(encoder, c.data)),
        constraints(detail::find_constraints(encoder, factor_count)),
        recipe{.factor_count = factor_count, .pair_weighting = weighting},
        loss(c.data.labels, 4, c.data.weights, margin, weighting),
        slow(encoder, exact_rows, loss, constraints, factor_count, penalties),
        fast(rows, encoder, constraints, recipe, margin, penalties) {
    slow.set_form(LossForm::sweep);
    fast.set_step(margin * detail::fine_step);
    detail::Random random(99);
    Parameters start = detail::random_start(encoder, recipe, constraints, 5, 1);
    for (double& increment : start.increments) increment = random.normal();
    constraints.project(start);
    point = start.increments;
    point.insert(point.end(), start.factors.begin(), start.factors.end());
  }
  static constexpr double margin = 0.7;
  const Case& c;
  std::vector<Bytes> parts;
  detail::PartedRows rows;
  Encoder encoder;
  EncodedRows exact_rows;
  detail::Constraints constraints;
  Recipe recipe;
  detail::Penalties penalties{0.01, 0.02, 0.001, 0.001, 0.001};
  PairLoss loss;
  detail::TrainingObjective slow;
  detail::PartObjective fast;
  std::vector<double> point;
};

TEST(PartObjective, IsTheObjectiveInMemoryWithinTheRoundingOfFractionsAndBins) {
  for (const PairWeighting weighting : {PairWeighting::uniform, PairWeighting::balanced, PairWeighting::adjacent}) {
    for (const int factor_count : {0, 3, 20}) {
      const Case c = make_case(11);
      Objectives both(c, c.encoder, weighting, factor_count, {150, 30});
      std::vector<double> expected(both.point.size());
      std::vector<double> found(both.point.size());
      const double value = both.slow(both.point, expected);
      // A fraction is off by 8e-6 at most, and 400 rows cannot even that out as many would.
      EXPECT_NEAR(both.fast(both.point, found), value, 1e-5 * value);
      double largest = 0;
      for (const double slope : expected) largest = std::max(largest, std::abs(slope));
      for (std::size_t n = 0; n < found.size(); ++n) EXPECT_NEAR(found[n], expected[n], 1e-4 * largest) << n;
    }
  }
}

TEST(PartObjective, IsTheObjectiveOfTheDecodedRowsWithinTheRoundingOfBins) {
  const Case c = make_case(12);
  Objectives both(c, c.encoder, PairWeighting::uniform, 3, {150, 30});
  const EncodedRows rows = decoded(make_partition(c.encoder, c.data));
  detail::TrainingObjective slow(c.encoder, rows, both.loss, both.constraints, 3, both.penalties);
  slow.set_form(LossForm::sweep);
  std::vector<double> expected(both.point.size());
  std::vector<double> found(both.point.size());
  const double value = slow(both.point, expected);
  EXPECT_NEAR(both.fast(both.point, found), value, bin_rounding * value);
  for (std::size_t n = 0; n < found.size(); ++n) EXPECT_NEAR(found[n], expected[n], 1e-4 * std::abs(value)) << n;
}

TEST(PartObjective, RowsOnFinerKnotsGiveTheSameValueAndGradient) {
  for (const Direction direction : {Direction::none, Direction::increasing, Direction::decreasing}) {
    Case c = make_case(13);
    AttributeOptions attributes{.directions = {{"n1", direction}, {"t0", Direction::decreasing}}};
    const Encoder coarse = fit_encoder(c.data, {.segment_count = 3, .attributes = attributes});
    const Encoder other = fit_encoder(c.data, {.segment_count = 7, .attributes = attributes});
    c.encoder = detail::unite({&coarse, &other});
    Objectives both(c, coarse, PairWeighting::uniform, 3, {200});
    std::vector<double> expected(both.point.size());
    std::vector<double> found(both.point.size());
    const double value = both.slow(both.point, expected);
    EXPECT_NEAR(both.fast(both.point, found), value, 1e-5 * value);
    for (std::size_t n = 0; n < found.size(); ++n) EXPECT_NEAR(found[n], expected[n], 1e-4 * std::abs(value)) << n;
  }
}

TEST(PartObjective, TheGradientPassesTheCheckByDifferences) {
  const Case c = make_case(14, true, 200);
  Objectives both(c, c.encoder, PairWeighting::distance, 2, {120});
  both.constraints.increments.assign(both.constraints.increments.size(), detail::Bound::free);
  both.constraints.factors.assign(both.constraints.factors.size(), detail::Bound::free);
  both.fast.set_step(both.margin * detail::coarse_step);
  // Partners enter and leave bins as scores move: the value has kinks a bin apart, so steps are a few bins long.
  const auto report = test_support::check_gradient(
      [&](std::span<const double> x, std::span<double> gradient) { return both.fast(x, gradient); }, both.point, 1e-3);
  EXPECT_LT(report.largest_error, 5e-3) << report.worst_coordinate;
}

TEST(PartObjective, HowRowsArePartedChangesNoMoreThanRounding) {
  const Case c = make_case(15);
  std::vector<double> values;
  for (const auto& sizes : std::vector<std::vector<std::size_t>>{{}, {1}, {0, 399, 0}, {50, 50, 50, 50, 50, 50}}) {
    Objectives both(c, c.encoder, PairWeighting::uniform, 2, sizes);
    std::vector<double> gradient(both.point.size());
    values.push_back(both.fast(both.point, gradient));
  }
  for (const double value : values) EXPECT_NEAR(value, values[0], 1e-12 * values[0]);
}

TEST(PartObjective, ScoresWithoutEndGiveAnInfiniteLossAndNoGradient) {
  const Case c = make_case(16);
  Objectives both(c, c.encoder, PairWeighting::uniform, 0, {150});
  std::vector<double> gradient(both.point.size());
  for (double& value : both.point) value *= 1e308;
  EXPECT_EQ(both.fast(both.point, gradient), HUGE_VAL);
}

TEST(PartObjective, TrainingEndsWhereTrainingInMemoryEnds) {
  const Case c = make_case(17, true, 1500);
  const auto parts = part(c.encoder, c.data, {400, 700});
  const auto rows = detail::make_parted_rows(test_support::sums_of(parts), c.encoder, 4);
  TrainOptions options;
  options.optimizer.tolerance = 1e-9;
  options.recipe() = {.factor_count = 2, .increment_penalty = 1e-3, .factor_penalty = 1e-3, .max_epochs = 400};
  const detail::Learned far = detail::learn_parts(rows, c.encoder, options, options.recipe(), 7, {});
  const detail::LearningRows near{c.encoder, c.rows, c.data.labels, 4, c.data.weights};
  const detail::Learned here = detail::learn(near, options, options.recipe(), 7);
  EXPECT_NEAR(far.objective, here.objective, 1e-5 * here.objective);
}

TEST(TreeSum, AddsNeighboursWhateverTheirNumber) {
  const Case c = make_case(21);
  const Bytes request = write_request(loss_request(c, 1, 3));
  for (std::size_t count = 1; count <= 11; ++count) {
    const auto parts = part(c.encoder, c.data, std::vector<std::size_t>(count - 1, 400 / count));
    std::vector<Bytes> results;
    TreeSum sum;
    for (const Bytes& bytes : parts) {
      results.push_back(run_partition(bytes, request));
      sum.add(results.back());
    }
    EXPECT_EQ(sum.take(), test_support::slow_tree_sum(results)) << count;
  }
}

TEST(PairSums, OfAScoreThatIsNoNumberAreNoNumbers) {
  const std::vector<double> scores = {0.1, 0.4, 0.9};
  const std::vector<std::uint8_t> labels = {0, 1, 2};
  const detail::ScoreBins bins = detail::bin_scores(scores, labels, std::vector<double>{1, 1, 1}, 3, 0.1);
  const std::vector<double> between(9, 0.1);
  const detail::PairSums sums(bins, between, 0.5);
  EXPECT_TRUE(std::isfinite(sums.of(0.4, 0).loss));
  EXPECT_TRUE(std::isnan(sums.of(std::nan(""), 0).loss));
  EXPECT_TRUE(std::isnan(detail::PairSums(bins, between, std::nan("")).of(0.4, 0).loss));
}

TEST(ScoreBins, AreTheSameFunctionOfTheScoresHoweverTheyAreMerged) {
  detail::Random random(3);
  std::vector<double> scores;
  std::vector<std::uint8_t> labels;
  std::vector<double> weights;
  for (int i = 0; i < 900; ++i) {
    scores.push_back(100 * random.normal() * (i < 600 ? 1e-3 : 50.0));  // the last third needs wider bins
    labels.push_back(static_cast<std::uint8_t>(random.below(3)));
    weights.push_back(static_cast<double>(random.below(3)));
  }
  const auto bins_of = [&](std::size_t begin, std::size_t end) {
    return detail::bin_scores(std::span(scores).subspan(begin, end - begin),
                              std::span(labels).subspan(begin, end - begin),
                              std::span(weights).subspan(begin, end - begin), 3, 1.0 / 1024, begin);
  };
  const detail::ScoreBins all = bins_of(0, 900);
  ASSERT_GT(all.level, 0);
  for (const std::size_t cut : {0, 1, 300, 650, 900}) {
    detail::ScoreBins left = bins_of(0, cut);
    detail::ScoreBins right = bins_of(cut, 900);
    detail::ScoreBins turned = right;
    detail::add_bins(turned, left);
    detail::add_bins(left, right);
    for (const auto& merged : {left, turned}) {
      ASSERT_EQ(merged.level, all.level);
      ASSERT_EQ(merged.first, all.first);
      ASSERT_EQ(merged.cells.size(), all.cells.size());
      EXPECT_EQ(merged.rows, all.rows);
      EXPECT_EQ(merged.least, all.least);
      EXPECT_EQ(merged.greatest, all.greatest);
      for (std::size_t n = 0; n < all.cells.size(); ++n) {
        ASSERT_EQ(merged.cells[n].weight, all.cells[n].weight);
        ASSERT_NEAR(merged.cells[n].first, all.cells[n].first, 1e-9);
        ASSERT_NEAR(merged.cells[n].second, all.cells[n].second, 1e-9);
      }
    }
  }
}

// Damage.

TEST(Partition, DamagedBytesAreRefusedWhereverTheyAre) {
  const Case c = make_case(31, true, 40);
  const Bytes good = make_partition(c.encoder, c.data);
  EXPECT_EQ(check_partition(good).row_count, 40U);
  for (std::size_t at = 0; at < good.size(); ++at) {
    Bytes bad = good;
    bad[at] ^= std::byte{0x41};
    EXPECT_THROW(check_partition(bad), Error) << at;
  }
  for (std::size_t size = 0; size < good.size(); size += 7) {
    EXPECT_THROW(check_partition(ByteView(good).first(size)), Error) << size;
  }
  Bytes longer = good;
  longer.push_back(std::byte{0});
  EXPECT_THROW(check_partition(longer), Error);
}

TEST(Partition, AnEncoderOfOtherKnotsIsRefused) {
  const Case c = make_case(32);
  Request request = loss_request(c, 0, 1);
  request.encoder.attributes[0].knots[1] += 1e-9;
  const Bytes bytes = make_partition(c.encoder, c.data);
  EXPECT_THROW(run_partition(bytes, write_request(request)), Error);
  request = loss_request(c, 0, 1);
  request.class_count = 5;
  request.between.assign(25, 1.0);
  EXPECT_THROW(run_partition(bytes, write_request(request)), Error);
}

TEST(Partition, RequestsThatAreCutOffOrChangedAreRefusedOrAnswered) {
  const Case c = make_case(33, true, 30);
  const Bytes bytes = make_partition(c.encoder, c.data);
  Request asked = loss_request(c, 1, 1);
  asked.step = 0.25;
  const Bytes request = write_request(asked);
  const Bytes carry = run_partition(bytes, request);
  for (std::size_t size = 0; size < request.size(); size += 3) {
    EXPECT_THROW(run_partition(bytes, ByteView(request).first(size)), Error) << size;
  }
  for (std::size_t at = 0; at < request.size(); at += 3) {
    Bytes bad = request;
    bad[at] ^= std::byte{0x81};
    try {
      run_partition(bytes, bad);
      run_partition(bytes, bad, carry);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::invalid_data);
    }
  }
  for (std::size_t at = 0; at < carry.size(); at += 5) {
    Bytes bad = carry;
    bad[at] ^= std::byte{0x81};
    try {
      run_partition(bytes, request, bad);
      merge_results(carry, bad);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::invalid_data);
    }
  }
}

TEST(Partition, ResultsOfDifferentRequestsAreNotAdded) {
  const Case c = make_case(34);
  const Bytes bytes = make_partition(c.encoder, c.data);
  const Bytes request = write_request(loss_request(c, 1, 1));
  const Bytes bins = run_partition(bytes, request);
  const Bytes sums = run_partition(bytes, request, bins);
  EXPECT_THROW(merge_results(bins, sums), Error);
  EXPECT_THROW(merge_results(sums, run_partition(bytes, write_request(loss_request(c, 2, 1)), bins)), Error);
}

}  // namespace
}  // namespace xofm
