#include "core/explain/change_search.hpp"

#include <algorithm>
#include <cmath>

namespace xofm::detail {

namespace {

std::vector<std::vector<Stop>> numeric_sides(const ChangeTrial& trial, const Effects& effects, std::size_t j,
                                             const AttributeEncoder& encoder) {
  const std::vector<double>& knots = encoder.knots;
  const double own = trial.value(j);
  std::vector<double> up;
  std::vector<double> down;
  // Outside the training range the score stays as at its end: a change starts there.
  if (own >= knots.front() && own <= knots.back()) {
    up.push_back(own);
    down.push_back(own);
  }
  for (const double knot : knots) {
    if (knot > own) up.push_back(knot);
    if (knot < own) down.push_back(knot);
  }
  // Down so far: the object's value, then the knots ascending.
  std::sort(down.rbegin(), down.rend());
  std::vector<std::vector<Stop>> sides;
  for (const auto& values : {up, down}) {
    if (values.size() < 2) continue;
    auto& side = sides.emplace_back();
    for (const double value : values) {
      ValueNote note{};
      side.push_back({value, trial.cost({j, value}), effects.at(j, encoder.locate_on_curve(value, note))});
    }
  }
  return sides;
}

// Whether a change was found where it was looked for, and not some way on: a piece may be too narrow to be hit.
bool is_as_planned(double cost, double planned) { return cost <= planned + 1e-9 * (1 + planned); }

}  // namespace

double ChangeSearch::Context::score(const Effect& a, const Effect& b) const {
  return constant + a.own + b.own + dot(a.sum, b.sum) + dot(a.sum, rest) + dot(b.sum, rest);
}

ChangeSearch::ChangeSearch(const Model& model, const Dataset& object, ClassInterval target,
                           const std::vector<ScorePiece>& pieces, const std::vector<bool>& may_change)
    : target_(pieces, target), trial_(model, object, target), score_(model.score(object).front()) {
  const Effects effects(model);
  for (std::size_t j = 0; j < effects.attribute_count(); ++j) {
    const AttributeEncoder& encoder = model.encoder.attributes[j];
    const double own = trial_.value(j);
    effects_.push_back(effects.at(j, own));
    const bool is_special = std::binary_search(encoder.special.begin(), encoder.special.end(), own) ||
                            std::binary_search(encoder.absent_special.begin(), encoder.absent_special.end(), own);
    if (!may_change[j] || std::isnan(own) || is_special) continue;
    Choices choices{j, effects_.back(), {}, {}};
    for (int level = 0; level < encoder.level_count; ++level) {
      if (level != own) choices.levels.push_back({double(level), 1, effects.at(j, double(level))});
    }
    if (encoder.knots.size() > 1) choices.sides = numeric_sides(trial_, effects, j, encoder);
    choices_.push_back(std::move(choices));
  }
}

// `b` may be `a` with an effect of nothing: then it is the score as a function of one.
ChangeSearch::Context ChangeSearch::context(std::size_t a, const Effect& current_a, std::size_t b,
                                            const Effect& current_b) const {
  Context context{0, std::vector<double>(current_a.sum.size())};
  for (std::size_t j = 0; j < effects_.size(); ++j) {
    if (j != a && j != b) add(context.rest, effects_[j].sum);
  }
  context.constant = score_ - context.score(current_a, current_b);
  return context;
}

void ChangeSearch::keep(std::optional<Counterfactual> found) {
  if (found && found->cost < best_cost()) best_ = std::move(found);
}

// A second attribute must earn its place: no smaller gain than rounding could feign.
double ChangeSearch::best_cost() const { return best_ ? best_->cost * (1 - 1e-12) : HUGE_VAL; }

// On each piece the score is linear: the first entry into a target piece is the nearest.
void ChangeSearch::search_side(const std::vector<Stop>& side, std::size_t attribute, const Context& context,
                               const Setting* other, const Effect& other_effect) {
  const double other_cost = other != nullptr ? trial_.cost(*other) : 0;
  double near = context.score(side.front().effect, other_effect);
  for (std::size_t i = 0; i + 1 < side.size(); ++i) {
    if (side[i].cost + other_cost >= best_cost()) return;
    const double far = context.score(side[i + 1].effect, other_effect);
    for (const double entry : target_.entries(near, far)) {
      const double share = entry == near ? 0 : std::clamp((entry - near) / (far - near), 0.0, 1.0);
      std::vector<Setting> settings = {{attribute, between(side[i], side[i + 1], share)}};
      std::vector<double> limits = {side[i + 1].value};
      if (other != nullptr) {
        settings.push_back(*other);
        limits.push_back(other->value);  // a level stays
      }
      const double planned = other_cost + trial_.cost(settings.front());
      auto found = trial_.attempt_near(settings, limits);
      const bool entered = found && is_as_planned(found->cost, planned);
      keep(std::move(found));
      if (entered) return;
    }
    near = far;
  }
}

Reach ChangeSearch::reach_of(const Choices& a, const Context& alone) const {
  const Effect nothing{0, 0, std::vector<double>(a.current.sum.size())};
  const double own = alone.score(a.current, nothing);
  Reach reach;
  const auto add_stop = [&](const Stop& stop) {
    if (!(stop.cost > 0)) return;
    const double gain = alone.score(stop.effect, nothing) - own;
    const std::vector<double> moved = difference(stop.effect.sum, a.current.sum);
    const double length = std::sqrt(dot(moved, moved));
    reach.up = std::max(reach.up, gain);
    reach.down = std::max(reach.down, -gain);
    reach.up_rate = std::max(reach.up_rate, gain / stop.cost);
    reach.down_rate = std::max(reach.down_rate, -gain / stop.cost);
    reach.length = std::max(reach.length, length);
    reach.length_rate = std::max(reach.length_rate, length / stop.cost);
  };
  for (const Stop& level : a.levels) add_stop(level);
  for (const auto& side : a.sides) {
    for (const Stop& stop : side) add_stop(stop);
  }
  return reach;
}

// Costs that add up to c: gains are at most the greater rate times c, and the product of lengths is greatest with c / 2
// each.
bool ChangeSearch::may_reach(const Reach& a, const Reach& b) const {
  constexpr double rounding = 1 + 1e-9;
  const auto [need_up, need_down] = target_.distances(score_);
  const double slack = 1e-9 * (1 + std::abs(score_));
  const double cost = best_cost();
  const auto reaches = [&](double need, double gains, double rate) {
    double most = gains + a.length * b.length;
    if (std::isfinite(cost)) most = std::min(most, rate * cost + a.length_rate * b.length_rate * cost * cost / 4);
    return most * rounding + slack >= need;
  };
  return reaches(need_up, a.up + b.up, std::max(a.up_rate, b.up_rate)) ||
         reaches(need_down, a.down + b.down, std::max(a.down_rate, b.down_rate));
}

void ChangeSearch::search_one(const Choices& a) {
  for (const Stop& level : a.levels) {
    if (1 < best_cost()) keep(trial_.attempt({{a.attribute, level.value}}));
  }
  const Effect nothing{0, 0, std::vector<double>(a.current.sum.size())};
  const Context alone = context(a.attribute, a.current, a.attribute, nothing);
  reaches_.push_back(reach_of(a, alone));
  for (const auto& side : a.sides) search_side(side, a.attribute, alone, nullptr, nothing);
}

void ChangeSearch::search_two(const Choices& a, const Choices& b) {
  for (const Stop& x : a.levels) {
    for (const Stop& y : b.levels) {
      if (2 < best_cost()) keep(trial_.attempt({{a.attribute, x.value}, {b.attribute, y.value}}));
    }
  }
  const Context both = context(a.attribute, a.current, b.attribute, b.current);
  const auto with_level = [&](const Choices& numeric, const Choices& categorical) {
    for (const Stop& level : categorical.levels) {
      const Setting setting{categorical.attribute, level.value};
      for (const auto& side : numeric.sides) {
        search_side(side, numeric.attribute, both, &setting, level.effect);
      }
    }
  };
  with_level(a, b);
  with_level(b, a);
  for (const auto& side_a : a.sides) {
    for (const auto& side_b : b.sides) search_sides(side_a, a.attribute, side_b, b.attribute, both);
  }
}

void ChangeSearch::search_sides(const std::vector<Stop>& side_a, std::size_t a, const std::vector<Stop>& side_b,
                                std::size_t b, const Context& context) {
  for (std::size_t i = 0; i + 1 < side_a.size(); ++i) {
    for (std::size_t k = 0; k + 1 < side_b.size(); ++k) {
      if (side_a[i].cost + side_b[k].cost >= best_cost()) break;
      const CellScores scores = {context.score(side_a[i].effect, side_b[k].effect),
                                 context.score(side_a[i + 1].effect, side_b[k].effect),
                                 context.score(side_a[i].effect, side_b[k + 1].effect),
                                 context.score(side_a[i + 1].effect, side_b[k + 1].effect)};
      search_cell({a, b, side_a[i], side_a[i + 1], side_b[k], side_b[k + 1], scores});
    }
  }
}

// Going out from the near corner, where the cost is least, the score meets the target pieces above in their order, and
// those below in theirs; the cheapest point of the first that can be entered is the cheapest of all in that sense.
void ChangeSearch::search_cell(const ChangeCell& cell) {
  const auto [least, greatest] = std::minmax({cell.scores.near, cell.scores.far_a, cell.scores.far_b, cell.scores.far});
  const double near_cost = cell.near_a.cost + cell.near_b.cost;
  const double width_a = cell.far_a.cost - cell.near_a.cost;
  const double width_b = cell.far_b.cost - cell.near_b.cost;
  for (const double end : {greatest, least}) {
    for (const double entry : target_.entries(cell.scores.near, end)) {
      bool entered = false;
      const auto points = level_points(cell.scores, entry, width_a, width_b);
      for (std::size_t i = 0; i < points.size(); ++i) {
        const double planned = near_cost + points[i].a * width_a + points[i].b * width_b;
        if (planned >= best_cost()) {
          if (i == 0) entered = true;  // the pieces beyond cost more still
          break;
        }
        auto found = trial_.attempt_near({{cell.a, between(cell.near_a, cell.far_a, points[i].a)},
                                          {cell.b, between(cell.near_b, cell.far_b, points[i].b)}},
                                         {cell.far_a.value, cell.far_b.value});
        if (found && is_as_planned(found->cost, planned)) entered = true;
        keep(std::move(found));
      }
      if (entered) break;
    }
  }
}

Counterfactuals ChangeSearch::run() {
  Counterfactuals result;
  for (const Choices& a : choices_) search_one(a);
  result.one = best_;
  for (std::size_t i = 0; i < choices_.size(); ++i) {
    for (std::size_t k = i + 1; k < choices_.size(); ++k) {
      if (may_reach(reaches_[i], reaches_[k])) search_two(choices_[i], choices_[k]);
    }
  }
  result.two = best_;
  return result;
}

}  // namespace xofm::detail
