// Curves and surfaces as a linear map: from the values at their nodes to the scores of given rows.
//
// Numbers that are searched for ("weights") are the node values themselves, or, along a monotone attribute, the value
// at the first node and the steps to the next ones: then a direction is a lower bound of zero. Of a surface with two
// monotone attributes the steps of steps are bounded too, as in the paper, where all products are not negative
// (Section 3.5).
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "core/terms/term_table.hpp"
#include "xofm/terms.hpp"

namespace xofm::detail {

// Which curves and surfaces a model has, without their values.
struct Skeleton {
  Encoder encoder;
  std::vector<char> has_curve;    // per attribute
  std::vector<Surface> surfaces;  // values are empty
  // Per attribute: which of the encoder's knots the curve has, as in Surface; none at all: curves have all knots.
  std::vector<std::vector<std::size_t>> curve_knots = {};
};

class Design {
 public:
  // Keeps references to the skeleton. Rows are encoded by the skeleton's encoder.
  Design(const Skeleton& skeleton, const EncodedRows& rows);

  std::size_t weight_count() const { return weight_count_; }
  std::size_t row_count() const { return row_count_; }
  std::vector<double> lower_bounds() const;  // empty: there are none

  // scores = design * weights
  void apply(std::span<const double> weights, std::span<double> scores) const;
  // gradient = design' * row_weights
  void transpose(std::span<const double> row_weights, std::span<double> gradient) const;

  // How much of the rows lies at each node, for weights of rows that add up to 1.
  std::vector<double> masses(std::span<const double> row_weights) const;

  // Adds curvature * squared second differences of curves and of surfaces along both axes, and level * squared values
  // of surfaces and of levels, all at the nodes; returns it and adds its gradient with respect to the weights.
  struct Roughness {
    double curve = 0;    // on second differences of curves
    double surface = 0;  // on those of surfaces
    double size = 0;     // on values of surfaces, levels and missing
  };
  double add_roughness(const Roughness& roughness, std::span<const double> weights, std::span<double> gradient) const;

  Terms terms(std::span<const double> weights) const;

  // What a run of weights is about: an attribute's curve, or a pair's surface and how fine it is.
  struct Block {
    std::size_t first = 0;
    std::size_t second = 0;  // of a curve the same as the first
    std::size_t count = 0;
    auto operator<=>(const Block&) const = default;
  };
  using Memory = std::map<Block, std::vector<double>>;
  // The weights that are remembered for the same curves and surfaces; zero for the others.
  std::vector<double> recall(const Memory& memory) const;
  void remember(std::span<const double> weights, Memory& memory) const;

 private:
  struct Term {
    std::size_t offset = 0;
    NodeAxis first;
    NodeAxis second;  // of a curve: one node
    bool is_surface = false;
  };
  // The nodes along an axis that have an order (knots), from the lowest up.
  struct Line {
    std::size_t start = 0;
    std::size_t stride = 1;
    std::size_t count = 0;
    Direction direction = Direction::none;
    bool is_surface = false;
  };

  void add_term(NodeAxis first, NodeAxis second, bool is_surface);
  void add_rows(const EncodedRows& rows);
  static Block block_of(const Term& term);
  void to_nodes(std::span<double> values) const;    // steps to values
  void to_steps(std::span<double> gradient) const;  // its transpose

  const Skeleton* skeleton_;
  std::size_t row_count_;
  std::size_t weight_count_ = 0;
  std::vector<Term> terms_;
  std::vector<Line> lines_;
  std::vector<std::size_t> sized_;  // nodes whose values are kept small
  std::vector<std::size_t> begin_;  // per row, and the end: its entries, those of the design that are not zero
  std::vector<std::uint32_t> nodes_;
  std::vector<double> entries_;
};

}  // namespace xofm::detail
