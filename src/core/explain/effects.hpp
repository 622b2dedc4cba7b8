// What every value of an attribute brings to the score.
//
// For a numeric attribute Phi_n1 Phi_n2 = Phi_n2 for n1 < n2 (all before a filled segment is full), and of levels and
// missing values only one is filled. So the products inside an attribute are linear in Phi too:
//   own_j = u_j + self_j = sum_n Phi_n (u_n + <v_n, sum of v before n>),
// and so is its mean over the training rows in the mean of Phi: no second moments are needed.
//
// A model of curves and surfaces has the same form: S of a surface's first attribute says how much of each of its nodes
// the value is, S of the second what the surface says at those nodes, and their product is the surface.
#pragma once

#include <utility>
#include <vector>

#include "xofm/model.hpp"

namespace xofm::detail {

struct Effect {
  double raw = 0;           // u_j; of a model of curves and surfaces: nothing
  double own = 0;           // u_j and the products of the attribute with itself; or its curve
  std::vector<double> sum;  // S_j
};

double dot(const std::vector<double>& a, const std::vector<double>& b);
void add(std::vector<double>& a, const std::vector<double>& b);
std::vector<double> difference(const std::vector<double>& a, const std::vector<double>& b);

// The pairs of attributes that may bring something together: all of them, or those that have a surface.
std::vector<std::pair<std::size_t, std::size_t>> pairs_of(const Model& model);

// Curves and surfaces are pure as they are, over the training rows; models are compared by means over independent
// attributes, which is how u and V are purified too.
enum class Purity { as_stored, independent };

// Keeps a pointer to the model.
class Effects {
 public:
  explicit Effects(const Model& model, Purity purity = Purity::as_stored);

  std::size_t attribute_count() const { return means_.size(); }
  Effect at(std::size_t attribute, Position position) const;
  Effect at(std::size_t attribute, double value) const;
  // At the knots, ascending, or levels; then of special values and of a missing one if training had any.
  std::vector<Effect> stops(std::size_t attribute) const;

  const Effect& mean(std::size_t attribute) const { return means_[attribute]; }
  // S_j - E S_j
  std::vector<double> deviation(std::size_t attribute, const Effect& effect) const;
  double curve(std::size_t attribute, const Effect& effect) const;  // purified
  double base() const;

 private:
  void add_parameters();
  void add_terms();
  std::vector<Effect> stop_effects(std::size_t attribute) const;
  void add_means(Purity purity);

  const Model* model_;
  std::size_t length_;                       // of S
  std::vector<Effect> before_;               // per coordinate: of all segments before it filled
  std::vector<Effect> step_;                 // per coordinate: of filling it
  std::vector<Effect> means_;                // per attribute, over the training rows
  std::vector<std::vector<double>> others_;  // per attribute: sum of E S over the other attributes
};

}  // namespace xofm::detail
