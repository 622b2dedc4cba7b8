// One chain of draws from the posterior of Equation 4 as an ordered probit model.
//
//   y = h  where  cut_h < z <= cut_h+1,  z = U(x) + e,  e standard normal                (Albert and Chib 1993)
//   U(x) = sum_j g_j(x_j) + sum_{j < j'} <S_j(x_j), S_j'(x_j')>
//
// g_j are curves and S_j curves of factors, both by their values at the knots, levels and other coordinates ("nodes"),
// zero at the first knot; a row then has two nodes of an attribute at most. Products of an attribute with itself are
// left out: they are piecewise linear in it, so its curve has them. Priors:
//
//   curves   second-order random walk over the knots: a slope changes by N(0, h / bend) over a distance h (of the
//   range);
//            and a first-order one, the curve by N(0, h / size); levels N(0, 1 / size). bend, size ~ Exponential(1), of
//            each attribute its own
//   factors  first-order random walk, N(0, h / shrink), levels N(0, 1 / shrink); shrink ~ Exponential(1/5): pairs are
//            small unless the data say otherwise
//   cuts     normal, spread 10, in their order
//
// All curves are drawn at once where the nodes are few, since correlated attributes know of each other, else one by
// one; and so is each factor of an attribute: normal, with a precision that is a band matrix. Cuts are drawn with z
// integrated out (Cowles 1996 says why), precisions by slices. Where classes are well apart, the scale of scores and
// cuts together would hardly move that way: it is drawn by itself, along the orbit of all scales (Liu and Sabatti
// 2000). A sweep costs O(rows * attributes * factors).
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/random.hpp"
#include "core/sample/band_matrix.hpp"
#include "xofm/encoder.hpp"

namespace xofm::detail {

// Where the rows stand among the nodes; shared by all chains.
struct Nodes {
  struct Cell {
    std::uint16_t node = 0;   // of the attribute
    double share = 0;         // of its value
    double share_before = 0;  // of the node before it; 0: no part
  };
  struct Attribute {
    std::size_t first = 0;  // node, among all
    std::size_t count = 0;
    std::vector<double> widths;  // of the segments, as shares of the range; nodes beyond them are levels and the like
    BandMatrix bends{0};         // prior precision of the values for bend = 1
    BandMatrix sizes{0};         // for size = 1, and of a factor for shrink = 1
    BandMatrix squares{0};       // sum over the rows of their shares, squared
    std::vector<Cell> cells;     // [row]
  };
  std::size_t row_count = 0;
  std::size_t node_count = 0;
  std::vector<Attribute> attributes;
  Eigen::MatrixXd squares;  // the same over all nodes; of many nodes none
  std::vector<int> labels;
  int class_count = 0;
};

// Of the rows with a weight; `weights` empty: of all.
Nodes make_nodes(const Encoder& encoder, const EncodedRows& rows, std::span<const int> labels, int class_count,
                 std::span<const double> weights);

// All that a draw consists of.
struct Draw {
  std::vector<double> curves;   // by node
  std::vector<double> factors;  // [node * factor_count + factor]
  std::vector<double> cuts;
  std::vector<double> scores;  // of the rows
};

class Chain {
 public:
  // Keeps a reference to the nodes. Chains of one seed and different numbers start far apart.
  Chain(const Nodes& nodes, int factor_count, double init_stddev, std::uint64_t seed, std::uint64_t number);

  void sweep();
  const Draw& draw() const { return draw_; }

  // The state of the chain, for tests.
  struct Precisions {
    double bend = 1;
    double size = 1;
    double shrink = 1;
  };
  std::vector<Precisions>& precisions() { return precisions_; }
  void set(const Draw& draw);                       // scores follow from the others
  void set_labels(const std::vector<int>& labels);  // in place of those of the nodes

 private:
  void draw_cuts();
  void draw_scale();
  void draw_latent();
  void draw_curves();
  void draw_curve(std::size_t attribute);
  void draw_factor(std::size_t attribute, std::size_t factor);
  void draw_precisions(std::size_t attribute);
  void score();

  const Nodes* nodes_;
  std::size_t k_;
  Random random_;
  std::vector<int> labels_;
  Draw draw_;
  std::vector<Precisions> precisions_;
  std::vector<double> residuals_;  // z - U
  std::vector<double> sums_;       // [factor][row]: sum of S_j over the attributes
};

}  // namespace xofm::detail
