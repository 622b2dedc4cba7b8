#include "core/sample/chain.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/sample/draw.hpp"

namespace xofm::detail {

namespace {

constexpr double cut_spread = 10;
constexpr double shrink_rate = 0.2;
constexpr std::size_t few_nodes = 160;  // a sweep costs (nodes)^3 / 3 more
constexpr double infinity = std::numeric_limits<double>::infinity();

// widths of the segments of an attribute in the order in which they are filled, as shares of the range.
std::vector<double> widths_of(const AttributeEncoder& attribute) {
  std::vector<double> widths;
  if (attribute.kind != AttributeKind::numeric) return widths;
  const double range = attribute.knots.back() - attribute.knots.front();
  for (std::size_t k = 0; k + 1 < attribute.knots.size(); ++k) {
    widths.push_back((attribute.knots[k + 1] - attribute.knots[k]) / range);
  }
  if (attribute.direction == Direction::decreasing) std::reverse(widths.begin(), widths.end());
  widths.resize(static_cast<std::size_t>(attribute.segment_count()), 1.0);  // of a constant: one without a width
  return widths;
}

// The first-order random walk from zero; beyond the segments every value for itself.
BandMatrix first_order(const std::vector<double>& widths, std::size_t count) {
  BandMatrix matrix(count);
  for (std::size_t n = 0; n < count; ++n) {
    const double precision = n < widths.size() ? 1 / widths[n] : 1.0;
    matrix.at(n, 0) += precision;
    if (n == 0 || n >= widths.size()) continue;
    matrix.at(n - 1, 0) += precision;
    matrix.at(n, 1) -= precision;
  }
  return matrix;
}

// The second-order one: neighbouring slopes (g_n - g_n-1) / w_n differ by a normal with variance (w_n-1 + w_n) / 2.
BandMatrix second_order(const std::vector<double>& widths, std::size_t count) {
  BandMatrix matrix(count);
  for (std::size_t n = 1; n < widths.size(); ++n) {
    const double precision = 2 / (widths[n - 1] + widths[n]);
    const double now = 1 / widths[n];
    const double before = 1 / widths[n - 1];
    // The difference of slopes is now g_n - (now + before) g_n-1 + before g_n-2.
    const double c[3] = {now, -(now + before), before};
    for (std::size_t a = 0; a < 3; ++a) {
      for (std::size_t b = a; b < 3 && b <= n; ++b) matrix.at(n - a, b - a) += precision * c[a] * c[b];
    }
  }
  return matrix;
}

double curve_at(std::span<const double> values, const Nodes::Cell& cell) {
  double value = cell.share * values[cell.node];
  if (cell.share_before != 0) value += cell.share_before * values[cell.node - 1u];
  return value;
}

// Adds to a precision and to what it is multiplied with.
void add_cell(const Nodes::Cell& cell, double weight, BandMatrix& matrix) {
  matrix.at(cell.node, 0) += weight * cell.share * cell.share;
  if (cell.share_before == 0) return;
  matrix.at(cell.node - 1u, 0) += weight * cell.share_before * cell.share_before;
  matrix.at(cell.node, 1) += weight * cell.share * cell.share_before;
}
void add_cell(const Nodes::Cell& cell, double weight, std::span<double> sums) {
  sums[cell.node] += weight * cell.share;
  if (cell.share_before != 0) sums[cell.node - 1u] += weight * cell.share_before;
}

}  // namespace

Nodes make_nodes(const Encoder& encoder, const EncodedRows& rows, std::span<const int> labels, int class_count,
                 std::span<const double> weights) {
  Nodes nodes;
  nodes.class_count = class_count;
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < rows.row_count; ++i) {
    if (!weights.empty() && weights[i] == 0) continue;
    kept.push_back(i);
    nodes.labels.push_back(labels[i]);
  }
  nodes.row_count = kept.size();
  for (std::size_t j = 0; j < encoder.attributes.size(); ++j) {
    const AttributeEncoder& attribute = encoder.attributes[j];
    Nodes::Attribute& made = nodes.attributes.emplace_back();
    made.first = nodes.node_count;
    made.count = static_cast<std::size_t>(attribute.coordinate_count());
    nodes.node_count += made.count;
    made.widths = widths_of(attribute);
    made.sizes = first_order(made.widths, made.count);
    made.bends = second_order(made.widths, made.count);
    made.squares = BandMatrix(made.count);
    for (const std::size_t i : kept) {
      const std::size_t at = i * rows.attribute_count + j;
      const std::uint16_t coordinate = rows.coordinates[at];
      const double fraction = rows.fractions[at];
      const bool has_before = coordinate > 0 && attribute.is_segment(coordinate);
      made.cells.push_back({coordinate, fraction, has_before ? 1 - fraction : 0.0});
      add_cell(made.cells.back(), 1, made.squares);
    }
  }
  if (nodes.node_count > few_nodes) return nodes;
  const auto size = static_cast<Eigen::Index>(nodes.node_count);
  nodes.squares = Eigen::MatrixXd::Zero(size, size);
  std::vector<std::pair<Eigen::Index, double>> filled;
  for (std::size_t i = 0; i < nodes.row_count; ++i) {
    filled.clear();
    for (const Nodes::Attribute& attribute : nodes.attributes) {
      const Nodes::Cell& cell = attribute.cells[i];
      const auto at = static_cast<Eigen::Index>(attribute.first + cell.node);
      filled.emplace_back(at, cell.share);
      if (cell.share_before != 0) filled.emplace_back(at - 1, cell.share_before);
    }
    for (const auto& [a, share_a] : filled) {
      for (const auto& [b, share_b] : filled) nodes.squares(a, b) += share_a * share_b;
    }
  }
  return nodes;
}

Chain::Chain(const Nodes& nodes, int factor_count, double init_stddev, std::uint64_t seed, std::uint64_t number)
    : nodes_(&nodes),
      k_(static_cast<std::size_t>(factor_count)),
      random_(seed, number),
      labels_(nodes.labels),
      precisions_(nodes.attributes.size()),
      residuals_(nodes.row_count),
      sums_(k_ * nodes.row_count) {
  Draw start;
  for (std::size_t n = 0; n < nodes.node_count; ++n) start.curves.push_back(random_.normal() * init_stddev);
  for (std::size_t n = 0; n < nodes.node_count * k_; ++n) start.factors.push_back(random_.normal() * init_stddev);
  // Cuts that would give nearly the class shares if the scores were logistic.
  const auto classes = static_cast<std::size_t>(nodes.class_count);
  std::vector<double> shares(classes, 1.0);
  for (const int label : labels_) shares[static_cast<std::size_t>(label)] += 1;
  const auto total = static_cast<double>(labels_.size() + classes);
  double below = 0;
  for (std::size_t h = 0; h + 1 < classes; ++h) {
    below += shares[h] / total;
    start.cuts.push_back(std::log(below / (1 - below)) / 1.7);
  }
  for (Precisions& precision : precisions_) {
    for (double* const value : {&precision.bend, &precision.size, &precision.shrink}) {
      *value = std::exp(random_.normal());
    }
  }
  set(start);
}

void Chain::set(const Draw& draw) {
  draw_ = draw;
  score();
  draw_latent();
}

void Chain::set_labels(const std::vector<int>& labels) {
  labels_ = labels;
  draw_latent();
}

void Chain::score() {
  const std::size_t count = nodes_->row_count;
  draw_.scores.assign(count, 0.0);
  std::fill(sums_.begin(), sums_.end(), 0.0);
  std::vector<double> values;
  std::vector<double> squares(count);
  for (const Nodes::Attribute& attribute : nodes_->attributes) {
    const std::span<const double> curve(&draw_.curves[attribute.first], attribute.count);
    for (std::size_t i = 0; i < count; ++i) draw_.scores[i] += curve_at(curve, attribute.cells[i]);
    for (std::size_t f = 0; f < k_; ++f) {
      values.clear();
      for (std::size_t n = 0; n < attribute.count; ++n) values.push_back(draw_.factors[(attribute.first + n) * k_ + f]);
      for (std::size_t i = 0; i < count; ++i) {
        const double s = curve_at(values, attribute.cells[i]);
        draw_.scores[i] += s * sums_[f * count + i];  // with all attributes before
        sums_[f * count + i] += s;
      }
    }
  }
}

void Chain::draw_cuts() {
  auto& cuts = draw_.cuts;
  std::vector<std::vector<double>> scores(cuts.size() + 1);
  for (std::size_t i = 0; i < labels_.size(); ++i) {
    scores[static_cast<std::size_t>(labels_[i])].push_back(draw_.scores[i]);
  }
  for (std::size_t c = 0; c < cuts.size(); ++c) {
    const double low = c == 0 ? -infinity : cuts[c - 1];
    const double high = c + 1 == cuts.size() ? infinity : cuts[c + 1];
    const auto log_density = [&](double cut) {
      if (!(cut > low && cut < high)) return -infinity;
      double sum = -cut * cut / (2 * cut_spread * cut_spread);
      for (const double s : scores[c]) sum += log_normal_share(low - s, cut - s);
      for (const double s : scores[c + 1]) sum += log_normal_share(cut - s, high - s);
      return sum;
    };
    const auto rows = static_cast<double>(scores[c].size() + scores[c + 1].size());
    cuts[c] = slice_sample(cuts[c], 4 / std::sqrt(1 + rows), log_density, random_);
  }
}

// Scores and cuts times exp(x): curves and cuts likewise, factors, whose products count, by its root. The density along
// the orbit has the Jacobian's exponent of x as a factor.
void Chain::draw_scale() {
  double linear_form = 0;  // of what scales like the score; in the exponent with the square of the scale
  double factor_form = 0;
  std::vector<double> values;
  for (std::size_t j = 0; j < nodes_->attributes.size(); ++j) {
    const Nodes::Attribute& attribute = nodes_->attributes[j];
    const std::span<const double> curve(&draw_.curves[attribute.first], attribute.count);
    linear_form +=
        precisions_[j].bend * attribute.bends.form(curve) + precisions_[j].size * attribute.sizes.form(curve);
    for (std::size_t f = 0; f < k_; ++f) {
      values.clear();
      for (std::size_t n = 0; n < attribute.count; ++n) values.push_back(draw_.factors[(attribute.first + n) * k_ + f]);
      factor_form += precisions_[j].shrink * attribute.sizes.form(values);
    }
  }
  for (const double cut : draw_.cuts) linear_form += cut * cut / (cut_spread * cut_spread);
  const double dimension =
      static_cast<double>(draw_.curves.size() + draw_.cuts.size()) + static_cast<double>(draw_.factors.size()) / 2;
  const auto log_density = [&](double x) {
    const double scale = std::exp(x);
    double sum = dimension * x - (scale * scale * linear_form + scale * factor_form) / 2;
    for (std::size_t i = 0; i < labels_.size(); ++i) {
      const auto label = static_cast<std::size_t>(labels_[i]);
      const double low = label == 0 ? -infinity : scale * (draw_.cuts[label - 1] - draw_.scores[i]);
      const double high = label == draw_.cuts.size() ? infinity : scale * (draw_.cuts[label] - draw_.scores[i]);
      sum += log_normal_share(low, high);
    }
    return sum;
  };
  const double width = 4 / std::sqrt(1 + static_cast<double>(labels_.size()));
  const double scale = std::exp(slice_sample(0.0, width, log_density, random_));
  for (auto* const numbers : {&draw_.curves, &draw_.cuts}) {
    for (double& number : *numbers) number *= scale;
  }
  for (double& factor : draw_.factors) factor *= std::sqrt(scale);
  // Anew, not times the scale: what rounding has left in the sums would be multiplied sweep by sweep, without bound.
  score();
}

void Chain::draw_latent() {
  for (std::size_t i = 0; i < labels_.size(); ++i) {
    const auto label = static_cast<std::size_t>(labels_[i]);
    const double low = label == 0 ? -infinity : draw_.cuts[label - 1] - draw_.scores[i];
    const double high = label == draw_.cuts.size() ? infinity : draw_.cuts[label] - draw_.scores[i];
    residuals_[i] = truncated_normal(low, high, random_);
  }
}

void Chain::draw_curves() {
  if (nodes_->squares.size() == 0) {
    for (std::size_t j = 0; j < nodes_->attributes.size(); ++j) draw_curve(j);
    return;
  }
  const std::size_t count = nodes_->row_count;
  std::vector<double> old(count);
  const auto add_curves = [&](double sign) {
    for (const Nodes::Attribute& attribute : nodes_->attributes) {
      const std::span<const double> curve(&draw_.curves[attribute.first], attribute.count);
      for (std::size_t i = 0; i < count; ++i) old[i] += sign * curve_at(curve, attribute.cells[i]);
    }
  };
  add_curves(1);
  Eigen::VectorXd sums = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(nodes_->node_count));
  Eigen::MatrixXd precision = nodes_->squares;
  for (std::size_t j = 0; j < nodes_->attributes.size(); ++j) {
    const Nodes::Attribute& attribute = nodes_->attributes[j];
    const std::span<double> own(sums.data() + attribute.first, attribute.count);
    for (std::size_t i = 0; i < count; ++i) add_cell(attribute.cells[i], residuals_[i] + old[i], own);
    for (std::size_t n = 0; n < attribute.count; ++n) {
      const auto at = static_cast<Eigen::Index>(attribute.first + n);
      for (std::size_t back = 0; back <= std::min<std::size_t>(n, 2); ++back) {
        const auto before = at - static_cast<Eigen::Index>(back);
        const double value =
            precisions_[j].bend * attribute.bends.at(n, back) + precisions_[j].size * attribute.sizes.at(n, back);
        precision(at, before) += value;
      }
    }
  }
  const Eigen::LLT<Eigen::MatrixXd> root(precision);  // takes the lower half
  root.matrixL().solveInPlace(sums);
  for (double& number : sums) number += random_.normal();
  root.matrixU().solveInPlace(sums);
  std::copy(sums.begin(), sums.end(), draw_.curves.begin());
  add_curves(-1);  // the change, with the other sign
  for (std::size_t i = 0; i < count; ++i) {
    residuals_[i] += old[i];
    draw_.scores[i] -= old[i];
  }
}

void Chain::draw_curve(std::size_t j) {
  const Nodes::Attribute& attribute = nodes_->attributes[j];
  const std::span<double> curve(&draw_.curves[attribute.first], attribute.count);
  std::vector<double> sums(attribute.count);
  std::vector<double> old(nodes_->row_count);
  for (std::size_t i = 0; i < old.size(); ++i) {
    old[i] = curve_at(curve, attribute.cells[i]);
    add_cell(attribute.cells[i], residuals_[i] + old[i], sums);
  }
  BandMatrix precision = attribute.squares;
  precision.add(attribute.bends, precisions_[j].bend);
  precision.add(attribute.sizes, precisions_[j].size);
  precision.factorize();
  precision.draw(sums, random_);
  std::copy(sums.begin(), sums.end(), curve.begin());
  for (std::size_t i = 0; i < old.size(); ++i) {
    const double change = curve_at(curve, attribute.cells[i]) - old[i];
    residuals_[i] -= change;
    draw_.scores[i] += change;
  }
}

// The score has s (T - s) of the factor, with s its part of this attribute and T the sum over all of them.
void Chain::draw_factor(std::size_t j, std::size_t f) {
  const Nodes::Attribute& attribute = nodes_->attributes[j];
  const std::size_t count = nodes_->row_count;
  double* const sums_of_rows = &sums_[f * count];
  std::vector<double> values;
  for (std::size_t n = 0; n < attribute.count; ++n) values.push_back(draw_.factors[(attribute.first + n) * k_ + f]);
  std::vector<double> sums(attribute.count);
  std::vector<double> old(count);
  BandMatrix precision(attribute.count);
  precision.add(attribute.sizes, precisions_[j].shrink);
  for (std::size_t i = 0; i < count; ++i) {
    old[i] = curve_at(values, attribute.cells[i]);
    const double others = sums_of_rows[i] - old[i];
    add_cell(attribute.cells[i], others * others, precision);
    add_cell(attribute.cells[i], others * (residuals_[i] + others * old[i]), sums);
  }
  precision.factorize();
  precision.draw(sums, random_);
  for (std::size_t n = 0; n < attribute.count; ++n) draw_.factors[(attribute.first + n) * k_ + f] = sums[n];
  for (std::size_t i = 0; i < count; ++i) {
    const double others = sums_of_rows[i] - old[i];
    const double now = curve_at(sums, attribute.cells[i]);
    const double change = others * (now - old[i]);
    residuals_[i] -= change;
    draw_.scores[i] += change;
    sums_of_rows[i] = others + now;
  }
}

void Chain::draw_precisions(std::size_t j) {
  constexpr double width = 2;  // of slices over logarithms
  const Nodes::Attribute& attribute = nodes_->attributes[j];
  const std::span<const double> curve(&draw_.curves[attribute.first], attribute.count);
  const double bend_form = attribute.bends.form(curve);
  const double size_form = attribute.sizes.form(curve);
  // Of the logarithms; Exponential(1) priors.
  const auto log_density = [&](double log_bend, double log_size) {
    const double bend = std::exp(log_bend);
    const double size = std::exp(log_size);
    BandMatrix precision(attribute.count);
    precision.add(attribute.bends, bend);
    precision.add(attribute.sizes, size);
    precision.factorize();
    return (precision.log_determinant() - bend * bend_form - size * size_form) / 2 + log_bend - bend + log_size - size;
  };
  Precisions& own = precisions_[j];
  double log_bend = std::log(own.bend);
  double log_size = std::log(own.size);
  if (attribute.widths.size() > 1) {
    log_bend = slice_sample(
        log_bend, width, [&](double x) { return log_density(x, log_size); }, random_);
  }
  log_size = slice_sample(
      log_size, width, [&](double x) { return log_density(log_bend, x); }, random_);
  own.bend = std::exp(log_bend);
  own.size = std::exp(log_size);
  if (k_ == 0) return;
  double form = 0;
  std::vector<double> values(attribute.count);
  for (std::size_t f = 0; f < k_; ++f) {
    for (std::size_t n = 0; n < attribute.count; ++n) values[n] = draw_.factors[(attribute.first + n) * k_ + f];
    form += attribute.sizes.form(values);
  }
  const auto number = static_cast<double>(attribute.count * k_);
  own.shrink = std::exp(slice_sample(
      std::log(own.shrink), width,
      [&](double x) { return (1 + number / 2) * x - std::exp(x) * (form / 2 + shrink_rate); }, random_));
}

void Chain::sweep() {
  draw_cuts();
  draw_scale();
  draw_latent();
  draw_curves();
  for (std::size_t j = 0; j < nodes_->attributes.size(); ++j) {
    for (std::size_t f = 0; f < k_; ++f) draw_factor(j, f);
    draw_precisions(j);
  }
}

}  // namespace xofm::detail
