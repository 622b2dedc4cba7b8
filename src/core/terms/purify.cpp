#include "core/terms/purify.hpp"

#include <Eigen/Dense>
#include <Eigen/Eigenvalues>
#include <vector>

#include "core/terms/term_table.hpp"

namespace xofm::detail {

namespace {

double weight_of(std::span<const double> weights, std::size_t i) { return weights.empty() ? 1.0 : weights[i]; }

// Adds a function given at the nodes of an axis to the curve of its attribute.
void add_to_curve(const NodeAxis& axis, const double* nodes, std::vector<double>& curve) {
  for (std::size_t stop = 0; stop < curve.size(); ++stop) {
    const AxisPosition at = axis_position(axis.places[stop], axis.count);
    curve[stop] += nodes[at.node] + at.fraction * (nodes[at.next] - nodes[at.node]);
  }
}

void purify_surface(const Encoder& encoder, const EncodedRows& rows, std::span<const double> weights, Surface& surface,
                    Terms& terms) {
  const NodeAxis first(encoder, surface.first, surface.first_knots);
  const NodeAxis second(encoder, surface.second, surface.second_knots);
  const std::size_t size = first.count + second.count;
  const auto side = static_cast<Eigen::Index>(size);
  Eigen::MatrixXd matrix = Eigen::MatrixXd::Zero(side, side);
  Eigen::VectorXd sums = Eigen::VectorXd::Zero(side);
  for (std::size_t i = 0; i < rows.row_count; ++i) {
    const double w = weight_of(weights, i);
    const AxisPosition a = first.at(rows, i);
    const AxisPosition b = second.at(rows, i);
    const double* const near = surface.values.data() + a.node * second.count;
    const double* const far = surface.values.data() + a.next * second.count;
    const double at_near = near[b.node] + b.fraction * (near[b.next] - near[b.node]);
    const double at_far = far[b.node] + b.fraction * (far[b.next] - far[b.node]);
    const double value = at_near + a.fraction * (at_far - at_near);
    const std::size_t nodes[] = {a.node, a.next, first.count + b.node, first.count + b.next};
    const double hats[] = {1 - a.fraction, a.fraction, 1 - b.fraction, b.fraction};
    for (std::size_t x = 0; x < 4; ++x) {
      const auto row = static_cast<Eigen::Index>(nodes[x]);
      sums(row) += w * hats[x] * value;
      for (std::size_t y = 0; y < 4; ++y) matrix(row, static_cast<Eigen::Index>(nodes[y])) += w * hats[x] * hats[y];
    }
  }
  // Nodes without rows, and a constant that could go to either side, leave the matrix without full rank.
  constexpr double nothing = 1e-10;
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(matrix);
  const double least = nothing * std::max(solver.eigenvalues()(side - 1), 0.0);
  Eigen::VectorXd turned = solver.eigenvectors().transpose() * sums;
  for (Eigen::Index n = 0; n < side; ++n) {
    turned(n) = solver.eigenvalues()(n) > least ? turned(n) / solver.eigenvalues()(n) : 0.0;
  }
  const Eigen::VectorXd alone = solver.eigenvectors() * turned;
  for (std::size_t x = 0; x < first.count; ++x) {
    for (std::size_t y = 0; y < second.count; ++y) {
      surface.values[x * second.count + y] -=
          alone(static_cast<Eigen::Index>(x)) + alone(static_cast<Eigen::Index>(first.count + y));
    }
  }
  add_to_curve(first, alone.data(), terms.curves[surface.first]);
  add_to_curve(second, alone.data() + first.count, terms.curves[surface.second]);
}

}  // namespace

void purify(const Encoder& encoder, const EncodedRows& rows, std::span<const double> weights, Terms& terms) {
  for (Surface& surface : terms.surfaces) purify_surface(encoder, rows, weights, surface, terms);
  for (std::size_t j = 0; j < terms.curves.size(); ++j) {
    const NodeAxis axis(encoder, j);
    const std::vector<double>& curve = terms.curves[j];
    double sum = 0;
    double total = 0;
    for (std::size_t i = 0; i < rows.row_count; ++i) {
      const AxisPosition at = axis.at(rows, i);
      sum += weight_of(weights, i) * (curve[at.node] + at.fraction * (curve[at.next] - curve[at.node]));
      total += weight_of(weights, i);
    }
    for (double& value : terms.curves[j]) value -= sum / total;
    terms.base += sum / total;
  }
}

void add_row_weights(const Encoder& encoder, const EncodedRows& rows, std::span<const double> weights, Terms& terms) {
  for (Surface& surface : terms.surfaces) {
    const NodeAxis first(encoder, surface.first, surface.first_knots);
    const NodeAxis second(encoder, surface.second, surface.second_knots);
    surface.row_weights.resize(first.count * second.count);
    for (std::size_t i = 0; i < rows.row_count; ++i) {
      const std::size_t cell = first.at(rows, i).node * second.count + second.at(rows, i).node;
      surface.row_weights[cell] += weight_of(weights, i);
    }
  }
}

}  // namespace xofm::detail
