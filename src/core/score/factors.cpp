#include "core/score/factors.hpp"

#include <Eigen/Dense>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <vector>

#include "core/base/parallel.hpp"

namespace xofm::detail {

namespace {

using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

}  // namespace

void factorize(const Products& products, Parameters& parameters) {
  constexpr double rounding = 1e-13;  // of the greatest eigenvalue: what the solver leaves of a zero
  std::vector<std::size_t> used;
  for (const auto& [pair, product] : products) {
    used.push_back(pair.first);
    used.push_back(pair.second);
  }
  std::sort(used.begin(), used.end());
  used.erase(std::unique(used.begin(), used.end()), used.end());
  const auto place = [&](std::size_t n) { return std::lower_bound(used.begin(), used.end(), n) - used.begin(); };
  const auto size = static_cast<Eigen::Index>(used.size());
  parameters.factor_count = 0;
  parameters.factors.clear();
  if (used.empty()) return;
  Eigen::MatrixXd matrix = Eigen::MatrixXd::Zero(size, size);
  for (const auto& [pair, product] : products) {
    matrix(place(pair.first), place(pair.second)) = product;
    matrix(place(pair.second), place(pair.first)) = product;
  }
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(matrix);
  const Eigen::VectorXd eigenvalues = solver.eigenvalues().array() - solver.eigenvalues()(0);  // ascending from zero
  const auto dropped = std::count_if(eigenvalues.begin(), eigenvalues.end(),
                                     [&](double value) { return value <= rounding * eigenvalues(size - 1); });
  const Eigen::MatrixXd root = solver.eigenvectors().rightCols(size - dropped) *
                               eigenvalues.tail(size - dropped).array().sqrt().matrix().asDiagonal();
  const auto k = static_cast<std::size_t>(root.cols());
  parameters.factor_count = static_cast<int>(k);
  parameters.factors.assign(parameters.increments.size() * k, 0.0);
  for (std::size_t row = 0; row < used.size(); ++row) {
    for (std::size_t f = 0; f < k; ++f) {
      parameters.factors[used[row] * k + f] = root(static_cast<Eigen::Index>(row), static_cast<Eigen::Index>(f));
    }
  }
}

void drop_idle_factors(Parameters& parameters) {
  constexpr double idle = 1e-9;
  if (parameters.factor_count == 0) return;
  const Eigen::Map<const RowMatrix> factors(
      parameters.factors.data(), static_cast<Eigen::Index>(parameters.increments.size()), parameters.factor_count);
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(factors.transpose() * factors);
  const Eigen::VectorXd& squares = solver.eigenvalues();  // ascending: what each turned factor carries
  Eigen::Index dropped = 0;
  for (double sum = squares(0); dropped + 1 < squares.size() && sum < idle * squares.sum(); sum += squares(dropped)) {
    ++dropped;
  }
  const RowMatrix turned = factors * solver.eigenvectors().rightCols(squares.size() - dropped);
  parameters.factor_count = static_cast<int>(turned.cols());
  parameters.factors.assign(turned.data(), turned.data() + turned.size());
}

void add_products(const Encoder& encoder, const Products& products, const EncodedRows& rows, std::span<double> scores) {
  if (products.empty()) return;
  struct Place {
    std::size_t attribute;
    std::uint32_t coordinate;
    bool is_segment;
  };
  const auto place_of = [&](std::size_t n) {
    const auto next = std::upper_bound(encoder.offsets.begin(), encoder.offsets.end(), n);
    const auto j = static_cast<std::size_t>(next - encoder.offsets.begin()) - 1;
    const auto coordinate = static_cast<std::uint32_t>(n - encoder.offsets[j]);
    return Place{j, coordinate, encoder.attributes[j].is_segment(static_cast<int>(coordinate))};
  };
  // How much of a coordinate is filled.
  const auto filling = [&](std::size_t row, const Place& place) {
    const std::size_t cell = row * rows.attribute_count + place.attribute;
    const std::uint32_t at = rows.coordinates[cell];
    if (at == place.coordinate) return rows.fractions[cell];
    const bool is_before = place.is_segment && place.coordinate < at;
    return is_before && encoder.attributes[place.attribute].is_segment(static_cast<int>(at)) ? 1.0 : 0.0;
  };
  std::vector<std::pair<std::pair<Place, Place>, double>> placed;
  for (const auto& [pair, product] : products) {
    placed.push_back({{place_of(pair.first), place_of(pair.second)}, product});
  }
  const std::size_t block_count = block_count_for(rows.row_count, 256, 64);
  parallel_for(block_count, [&](std::size_t block) {
    const auto [begin, end] = block_range(rows.row_count, block_count, block);
    for (std::size_t i = begin; i < end; ++i) {
      for (const auto& [places, product] : placed) {
        const double first = filling(i, places.first);
        if (first != 0) scores[i] += product * first * filling(i, places.second);
      }
    }
  });
}

}  // namespace xofm::detail
