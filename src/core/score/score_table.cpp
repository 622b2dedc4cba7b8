#include "core/score/score_table.hpp"

#include <algorithm>
#include <array>

#include "core/base/clones.hpp"

namespace xofm::detail {

namespace {

constexpr std::size_t head = 4;  // cells before the factors
constexpr int max_unrolled = 16;

int padded_count(int factor_count) {
  for (const int padded : {0, 4, 8, max_unrolled}) {
    if (factor_count <= padded) return padded;
  }
  return (factor_count + 3) / 4 * 4;
}

// Calls f with the padded factor count as a compile-time constant, or -1 where it is too long to unroll.
template <class F>
void with_padded(int padded, F f) {
  switch (padded) {
    case 0:
      return f.template operator()<0>();
    case 4:
      return f.template operator()<4>();
    case 8:
      return f.template operator()<8>();
    case max_unrolled:
      return f.template operator()<max_unrolled>();
    default:
      return f.template operator()<-1>();
  }
}

// Scratch for one row's factor sum: on the stack where its length is known.
template <int Padded>
struct FactorSum {
  explicit FactorSum(int /*padded*/) {}
  static constexpr int size() { return Padded; }
  double* data() { return values.data(); }
  alignas(32) std::array<double, Padded == 0 ? 1 : Padded> values{};
};
template <>
struct FactorSum<-1> {
  explicit FactorSum(int padded) : values(static_cast<std::size_t>(padded)) {}
  int size() const { return static_cast<int>(values.size()); }
  double* data() { return values.data(); }
  std::vector<double> values;
};

// The part of the score outside the factor sum; the factor sum itself goes to `sum`.
template <int Padded, class Fraction>
[[gnu::always_inline]] inline double accumulate_row(const double* table, std::size_t stride,
                                                    const std::uint32_t* offsets, const std::uint16_t* coordinates,
                                                    const Fraction* fractions, std::size_t attribute_count,
                                                    FactorSum<Padded>& sum) {
  const int size = sum.size();
  double* const s = sum.data();
  for (int f = 0; f < size; ++f) s[f] = 0;
  double direct = 0;
  for (std::size_t j = 0; j < attribute_count; ++j) {
    const double* const cell = table + (offsets[j] + coordinates[j]) * stride;
    const auto fraction = static_cast<double>(fractions[j]);
    direct += cell[0] + fraction * (cell[1] + fraction * cell[2]);
    for (int f = 0; f < size; ++f) s[f] += cell[head + f] + fraction * cell[head + size + f];
  }
  return direct;
}

template <int Padded, class Fraction>
[[gnu::always_inline]] inline void score_range(const double* table, std::size_t stride, const std::uint32_t* offsets,
                                               const EncodedRows& rows, const Fraction* all_fractions, Range range,
                                               int padded, double* scores) {
  const std::size_t m = rows.attribute_count;
  FactorSum<Padded> sum(padded);
  for (std::size_t i = range.begin; i < range.end; ++i) {
    const double direct =
        accumulate_row<Padded>(table, stride, offsets, rows.coordinates.data() + i * m, all_fractions + i * m, m, sum);
    double square = 0;
    for (int f = 0; f < sum.size(); ++f) square += sum.data()[f] * sum.data()[f];
    scores[i] = direct + 0.5 * square;
  }
}

template <int Padded, class Fraction>
[[gnu::always_inline]] inline void gradient_range(const double* table, std::size_t stride, const std::uint32_t* offsets,
                                                  const EncodedRows& rows, const Fraction* all_fractions, Range range,
                                                  int padded, const double* row_weights, double* sums) {
  const std::size_t m = rows.attribute_count;
  FactorSum<Padded> sum(padded);
  const int size = sum.size();
  for (std::size_t i = range.begin; i < range.end; ++i) {
    const double g = row_weights[i];
    if (g == 0) continue;
    const std::uint16_t* const coordinates = rows.coordinates.data() + i * m;
    const Fraction* const fractions = all_fractions + i * m;
    if (size != 0) {
      accumulate_row<Padded>(table, stride, offsets, coordinates, fractions, m, sum);
      for (int f = 0; f < size; ++f) sum.data()[f] *= g;
    }
    for (std::size_t j = 0; j < m; ++j) {
      double* const cell = sums + (offsets[j] + coordinates[j]) * stride;
      const auto fraction = static_cast<double>(fractions[j]);
      const double g_fraction = g * fraction;
      cell[0] += g;
      cell[1] += g_fraction;
      cell[2] += g_fraction * fraction;
      for (int f = 0; f < size; ++f) {
        cell[head + f] += sum.data()[f];
        cell[head + size + f] += fraction * sum.data()[f];
      }
    }
  }
}

}  // namespace

ScoreTable::ScoreTable(const Encoder& encoder, int factor_count)
    : encoder_(&encoder),
      factor_count_(factor_count),
      padded_(padded_count(factor_count)),
      stride_(head + 2 * static_cast<std::size_t>(padded_)),
      table_(encoder.coordinate_count() * stride_),
      squared_norms_(encoder.coordinate_count()) {}

void ScoreTable::load(std::span<const double> increments, std::span<const double> factors) {
  const auto k = static_cast<std::size_t>(factor_count_);
  const auto padded = static_cast<std::size_t>(padded_);
  loaded_factors_.assign(factors.begin(), factors.end());
  std::vector<double> before(head + padded);  // running sums: u, |v|^2, then v
  for (std::size_t j = 0; j < encoder_->attributes.size(); ++j) {
    const auto& attribute = encoder_->attributes[j];
    std::fill(before.begin(), before.end(), 0.0);
    for (int c = 0; c < attribute.coordinate_count(); ++c) {
      const std::size_t n = encoder_->offsets[j] + static_cast<std::size_t>(c);
      const bool segment = attribute.is_segment(c);
      const double* const v = factors.data() + n * k;
      double square = 0;
      for (std::size_t f = 0; f < k; ++f) square += v[f] * v[f];
      squared_norms_[n] = square;
      double* const cell = table_.data() + n * stride_;
      cell[0] = segment ? before[0] - 0.5 * before[1] : 0.0;
      cell[1] = increments[n];
      cell[2] = -0.5 * square;
      for (std::size_t f = 0; f < k; ++f) {
        cell[head + f] = segment ? before[head + f] : 0.0;
        cell[head + padded + f] = v[f];
        before[head + f] += v[f];
      }
      before[0] += increments[n];
      before[1] += square;
    }
  }
}

// One clone per instruction set for each kernel; the generic bodies above are inlined into them.
template <int Padded, class Fraction>
XOFM_CLONES void ScoreTable::score_rows(const EncodedRows& rows, const Fraction* fractions, Range range,
                                        double* scores) const {
  score_range<Padded>(table_.data(), stride_, encoder_->offsets.data(), rows, fractions, range, padded_, scores);
}

template <int Padded, class Fraction>
XOFM_CLONES void ScoreTable::gradient_rows(const EncodedRows& rows, const Fraction* fractions, Range range,
                                           const double* row_weights, double* sums) const {
  gradient_range<Padded>(table_.data(), stride_, encoder_->offsets.data(), rows, fractions, range, padded_, row_weights,
                         sums);
}

void ScoreTable::score(const EncodedRows& rows, Range range, std::span<double> scores) const {
  rows.fractions.visit([&](const auto* fractions) {
    with_padded(padded_, [&]<int Padded>() { score_rows<Padded>(rows, fractions, range, scores.data()); });
  });
}

void ScoreTable::add_gradient(const EncodedRows& rows, Range range, std::span<const double> row_weights,
                              std::span<double> sums) const {
  rows.fractions.visit([&](const auto* fractions) {
    with_padded(padded_,
                [&]<int Padded>() { gradient_rows<Padded>(rows, fractions, range, row_weights.data(), sums.data()); });
  });
}

void ScoreTable::gradient(const EncodedRows& rows, std::span<const double> row_weights, std::span<double> increments,
                          std::span<double> factors) const {
  const std::size_t block_count = block_count_for(rows.row_count, 2048, 16);
  std::vector<std::vector<double>> sums(block_count);
  parallel_for(block_count, [&](std::size_t block) {
    sums[block].resize(table_.size());
    add_gradient(rows, block_range(rows.row_count, block_count, block), row_weights, sums[block]);
  });
  for (std::size_t block = 1; block < block_count; ++block) {
    for (std::size_t c = 0; c < table_.size(); ++c) sums[0][c] += sums[block][c];
  }
  spread(sums[0], increments, factors);
}

void ScoreTable::spread(std::span<const double> sums, std::span<double> increments, std::span<double> factors) const {
  const auto k = static_cast<std::size_t>(factor_count_);
  const auto padded = static_cast<std::size_t>(padded_);
  std::vector<double> after(head + k);  // sums over the rows that fill this coordinate and go on: g, then g S
  for (std::size_t j = 0; j < encoder_->attributes.size(); ++j) {
    const auto& attribute = encoder_->attributes[j];
    std::fill(after.begin(), after.end(), 0.0);
    for (int c = attribute.coordinate_count() - 1; c >= 0; --c) {
      const std::size_t n = encoder_->offsets[j] + static_cast<std::size_t>(c);
      const double* const cell = sums.data() + n * stride_;
      const bool segment = attribute.is_segment(c);
      const double full = segment ? after[0] : 0.0;
      increments[n] = full + cell[1];
      for (std::size_t f = 0; f < k; ++f) {
        const double full_sum = segment ? after[head + f] : 0.0;
        // dU/dv_n = Phi_n S - v_n Phi_n^2; a full coordinate has Phi_n = Phi_n^2 = 1.
        factors[n * k + f] = full_sum + cell[head + padded + f] - loaded_factors_[n * k + f] * (full + cell[2]);
        if (segment) after[head + f] += cell[head + f];
      }
      if (segment) after[0] += cell[0];
    }
  }
}

std::vector<double> score_rows(const Encoder& encoder, const Parameters& parameters, const EncodedRows& rows) {
  ScoreTable table(encoder, parameters.factor_count);
  table.load(parameters.increments, parameters.factors);
  std::vector<double> scores(rows.row_count);
  const std::size_t block_count = block_count_for(rows.row_count, 1024, 256);
  parallel_for(block_count,
               [&](std::size_t block) { table.score(rows, block_range(rows.row_count, block_count, block), scores); });
  return scores;
}

}  // namespace xofm::detail
