// The search for the cheapest change of one attribute, or of two, over the pieces on which the score is bilinear.
#pragma once

#include <vector>

#include "core/explain/change_cell.hpp"
#include "core/explain/change_trial.hpp"

namespace xofm::detail {

// The values of one attribute that a change may reach.
struct Choices {
  std::size_t attribute;
  Effect current;
  std::vector<Stop> levels;              // categorical: all but the object's own
  std::vector<std::vector<Stop>> sides;  // numeric: from the object's value up, and down; knots between pieces
};

// How far changes of one attribute alone can move the score, up and down, and how fast for their cost; likewise S. With
// two attributes a and b the score moves by what either does alone and <S_a - own S_a, S_b - own S_b>.
struct Reach {
  double up = 0;  // greatest gain
  double down = 0;
  double up_rate = 0;  // greatest gain for its cost: between stops both are linear, so it is met at one of them
  double down_rate = 0;
  double length = 0;  // of S less its own
  double length_rate = 0;
};

class ChangeSearch {
 public:
  // `may_change` per attribute.
  ChangeSearch(const Model& model, const Dataset& object, ClassInterval target, const std::vector<ScorePiece>& pieces,
               const std::vector<bool>& may_change);

  Counterfactuals run();

 private:
  // The score as a function of two attributes, all others as they are:
  //   constant + own_a + own_b + <S_a, S_b> + <S_a + S_b, rest>
  struct Context {
    double constant;
    std::vector<double> rest;
    double score(const Effect& a, const Effect& b) const;
  };

  Context context(std::size_t a, const Effect& current_a, std::size_t b, const Effect& current_b) const;
  void keep(std::optional<Counterfactual> found);
  double best_cost() const;
  Reach reach_of(const Choices& a, const Context& alone) const;
  // Whether the two could bring the score to a target piece at less than the best cost so far; in doubt yes.
  bool may_reach(const Reach& a, const Reach& b) const;
  void search_one(const Choices& a);
  void search_two(const Choices& a, const Choices& b);
  void search_side(const std::vector<Stop>& side, std::size_t attribute, const Context& context, const Setting* other,
                   const Effect& other_effect);
  void search_sides(const std::vector<Stop>& side_a, std::size_t a, const std::vector<Stop>& side_b, std::size_t b,
                    const Context& context);
  void search_cell(const ChangeCell& cell);

  TargetScores target_;
  ChangeTrial trial_;
  double score_;                 // of the object as it is
  std::vector<Effect> effects_;  // of its values
  std::vector<Choices> choices_;
  std::vector<Reach> reaches_;  // of the choices
  std::optional<Counterfactual> best_;
};

}  // namespace xofm::detail
