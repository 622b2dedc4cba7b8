#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "core/edit/shape.hpp"
#include "core/encode/distribution.hpp"
#include "core/terms/purify.hpp"
#include "core/terms/term_table.hpp"
#include "core/terms/tidy.hpp"
#include "xofm/edit.hpp"
#include "xofm/error.hpp"

namespace xofm {

namespace {

[[noreturn]] void refuse(const std::string& what) { throw Error(ErrorCode::invalid_option, what); }

double finite(double value) {
  if (!std::isfinite(value)) refuse(fmt::format("the value is {}; it must be a finite number", value));
  return value;
}

// Applies one edit after the other to a copy of the model.
class Editor {
 public:
  explicit Editor(Model& model) : model_(model), terms_(*model.terms) {}

  void operator()(const SetValue& edit) {
    const std::size_t j = attribute(edit.attribute);
    curve(j)[stop(j, edit.at)] = finite(edit.value);
  }

  void operator()(const DrawCurve& edit) {
    const std::size_t j = numeric(edit.attribute);
    const auto& points = edit.points;
    if (points.size() < 2) refuse("a drawn curve needs at least two points");
    for (std::size_t i = 0; i < points.size(); ++i) {
      finite(points[i].first);
      finite(points[i].second);
      if (i > 0 && points[i].first <= points[i - 1].first) refuse("the points must be in ascending order");
    }
    for (const std::size_t k : knots_between(j, points.front().first, points.back().first, 1)) {
      const double knot = knots(j)[k];
      const auto next =
          std::find_if(points.begin() + 1, points.end() - 1, [&](const auto& p) { return p.first >= knot; });
      const auto [x, y] = *(next - 1);
      curve(j)[k] = y + (knot - x) / (next->first - x) * (next->second - y);
    }
  }

  void operator()(const FlattenCurve& edit) {
    const std::size_t j = numeric(edit.attribute);
    const std::vector<std::size_t> inside = knots_between(j, finite(edit.from), finite(edit.to), 2);
    const std::size_t first = inside.front();
    const std::vector<double> weights = detail::stop_weights(model_, j);
    const double mean = detail::mean_by(std::span(curve(j)).subspan(first, inside.size()),
                                        std::span(weights).subspan(first, inside.size()));
    for (const std::size_t k : inside) curve(j)[k] = mean;
  }

  void operator()(const MakeMonotone& edit) {
    const std::size_t j = numeric(edit.attribute);
    if (edit.direction == Direction::none) refuse("the direction must be increasing or decreasing");
    const std::size_t count = knots(j).size();
    if (count < 2) refuse(fmt::format("'{}' is constant", edit.attribute));
    std::vector<double> values(curve(j).begin(), curve(j).begin() + static_cast<std::ptrdiff_t>(count));
    std::vector<double> weights = detail::stop_weights(model_, j);
    weights.resize(count);
    std::vector<double> least_steps;
    for (const double step : detail::least_surface_steps(model_.encoder, terms_, j, edit.direction)) {
      least_steps.push_back(std::max(0.0, -step));
    }
    const bool is_down = edit.direction == Direction::decreasing;
    if (is_down) {
      std::reverse(values.begin(), values.end());
      std::reverse(weights.begin(), weights.end());
    }
    detail::raise_steps(values, weights, least_steps);
    if (is_down) std::reverse(values.begin(), values.end());
    std::copy(values.begin(), values.end(), curve(j).begin());
    detail::set_direction(model_, j, edit.direction);
  }

  void operator()(const SmoothCurve& edit) {
    const std::size_t j = numeric(edit.attribute);
    if (!(edit.strength > 0 && edit.strength <= 1)) {
      refuse(fmt::format("the strength is {}; it must be above 0 and at most 1", edit.strength));
    }
    const std::vector<double> before = curve(j);
    const std::vector<double>& at = knots(j);
    for (std::size_t k = 1; k + 1 < at.size(); ++k) {
      const double share = (at[k] - at[k - 1]) / (at[k + 1] - at[k - 1]);
      const double line = before[k - 1] + share * (before[k + 1] - before[k - 1]);
      curve(j)[k] += edit.strength * (line - before[k]);
    }
  }

  void operator()(const MergeLevels& edit) {
    const std::size_t j = attribute(edit.attribute);
    std::set<std::size_t> merged;
    for (const std::string& level : edit.levels) {
      merged.insert(stop(j, {EditPlace::Kind::level, 0, level}));
    }
    if (merged.size() < 2) refuse("at least two different levels can be merged");
    const std::vector<double> weights = detail::stop_weights(model_, j);
    average(curve(j), weights, merged, 1, 0);
    for (Surface& surface : terms_.surfaces) {
      const auto [rows, columns] = shape(surface);
      if (surface.first == j) {
        for (std::size_t k = 0; k < columns; ++k) average(surface.values, surface.row_weights, merged, columns, k);
      } else if (surface.second == j) {
        for (std::size_t i = 0; i < rows; ++i) average(surface.values, surface.row_weights, merged, 1, i * columns);
      }
    }
  }

  void operator()(const AddPair& edit) {
    const auto [first, second] = pair(edit.first, edit.second);
    if (edit.grid < 2 || edit.grid > 100) refuse(fmt::format("the grid is {}; it must be 2 to 100", edit.grid));
    if (find(first, second) != terms_.surfaces.end()) refuse("the model has this pair already");
    Surface surface{first, second, {}, {}, {}, {}};
    const auto grid = static_cast<std::size_t>(edit.grid);
    surface.first_knots = detail::even_knots(knots(first).size(), grid);
    surface.second_knots = detail::even_knots(knots(second).size(), grid);
    const auto [rows, columns] = shape(surface);
    surface.values.assign(rows * columns, 0.0);
    surface.row_weights.assign(rows * columns, 0.0);
    terms_.surfaces.push_back(std::move(surface));
  }

  void operator()(const SetCell& edit) {
    auto [first, second] = pair(edit.first, edit.second);
    EditPlace at_first = edit.at_first;
    EditPlace at_second = edit.at_second;
    if (attribute(edit.first) != first) std::swap(at_first, at_second);
    const auto surface = existing(first, second);
    const std::size_t row = node(first, surface->first_knots, at_first);
    const std::size_t column = node(second, surface->second_knots, at_second);
    surface->values[row * shape(*surface).second + column] = finite(edit.value);
  }

  void operator()(const RemovePair& edit) {
    const auto [first, second] = pair(edit.first, edit.second);
    terms_.surfaces.erase(existing(first, second));
  }

 private:
  std::vector<double>& curve(std::size_t j) { return terms_.curves[j]; }
  const std::vector<double>& knots(std::size_t j) const { return model_.encoder.attributes[j].knots; }

  std::size_t attribute(const std::string& name) const {
    const auto& attributes = model_.schema.attributes;
    const auto at = std::find_if(attributes.begin(), attributes.end(), [&](const auto& a) { return a.name == name; });
    if (at == attributes.end()) refuse(fmt::format("the model has no attribute '{}'", name));
    return static_cast<std::size_t>(at - attributes.begin());
  }

  std::size_t numeric(const std::string& name) const {
    const std::size_t j = attribute(name);
    if (model_.encoder.attributes[j].kind == AttributeKind::numeric) return j;
    refuse(fmt::format("'{}' has levels and no knots; set or merge its levels", name));
  }

  std::pair<std::size_t, std::size_t> pair(const std::string& first, const std::string& second) const {
    const std::size_t a = attribute(first);
    const std::size_t b = attribute(second);
    if (a == b) refuse(fmt::format("'{}' makes no pair with itself", first));
    return std::minmax(a, b);
  }

  std::vector<Surface>::iterator find(std::size_t first, std::size_t second) {
    return std::find_if(terms_.surfaces.begin(), terms_.surfaces.end(),
                        [&](const Surface& s) { return s.first == first && s.second == second; });
  }

  std::vector<Surface>::iterator existing(std::size_t first, std::size_t second) {
    const auto found = find(first, second);
    if (found != terms_.surfaces.end()) return found;
    refuse(fmt::format("the model has no pair of '{}' and '{}'; add it first", model_.schema.attributes[first].name,
                       model_.schema.attributes[second].name));
  }

  std::pair<std::size_t, std::size_t> shape(const Surface& surface) const {
    return {node_count(model_.encoder.attributes[surface.first], surface.first_knots),
            node_count(model_.encoder.attributes[surface.second], surface.second_knots)};
  }

  // The knots from one number to the other, which must be so many.
  std::vector<std::size_t> knots_between(std::size_t j, double from, double to, std::size_t least) const {
    std::vector<std::size_t> found;
    for (std::size_t k = 0; k < knots(j).size(); ++k) {
      if (knots(j)[k] >= from && knots(j)[k] <= to) found.push_back(k);
    }
    if (found.size() >= least) return found;
    refuse(fmt::format("'{}' has {} of its knots from {} to {}; at least {} must be there. Its knots: {}",
                       model_.schema.attributes[j].name, found.size(), from, to, least, fmt::join(knots(j), ", ")));
  }

  // Behind the knots or levels: special values, missing, other.
  std::size_t stop_behind(std::size_t j, std::size_t plain, const EditPlace& place) const {
    const AttributeEncoder& own = model_.encoder.attributes[j];
    const std::string& name = model_.schema.attributes[j].name;
    if (place.kind == EditPlace::Kind::missing) {
      if (own.has_missing) return plain + own.special.size();
      refuse(fmt::format("'{}' was never missing in training and has no value for it", name));
    }
    if (place.kind == EditPlace::Kind::other) {
      if (own.kind == AttributeKind::categorical) return stop_count(own) - 1;
      refuse(fmt::format("'{}' has knots; 'other' is for levels that training has not seen", name));
    }
    const auto& levels = model_.schema.attributes[j].levels;
    const auto at = std::find(levels.begin(), levels.end(), place.level);
    if (own.kind == AttributeKind::categorical && at != levels.end()) {
      return static_cast<std::size_t>(at - levels.begin());
    }
    refuse(fmt::format("'{}' has no level '{}'", name, place.level));
  }

  // On a curve a number is a special value or a knot.
  std::size_t stop(std::size_t j, const EditPlace& place) const {
    const AttributeEncoder& own = model_.encoder.attributes[j];
    const std::size_t plain =
        own.kind == AttributeKind::categorical ? model_.schema.attributes[j].levels.size() : own.knots.size();
    if (place.kind != EditPlace::Kind::number) return stop_behind(j, plain, place);
    const auto special = std::find(own.special.begin(), own.special.end(), place.number);
    if (special != own.special.end()) return plain + static_cast<std::size_t>(special - own.special.begin());
    const auto knot = std::find(own.knots.begin(), own.knots.end(), place.number);
    if (own.kind == AttributeKind::numeric && knot != own.knots.end()) {
      return static_cast<std::size_t>(knot - own.knots.begin());
    }
    refuse(fmt::format("{} is no knot of '{}'. Its knots: {}", place.number, model_.schema.attributes[j].name,
                       fmt::join(own.knots, ", ")));
  }

  // On a surface a number is a special value or takes the nearest node.
  std::size_t node(std::size_t j, const std::vector<std::size_t>& grid, const EditPlace& place) const {
    const AttributeEncoder& own = model_.encoder.attributes[j];
    const bool is_number = place.kind == EditPlace::Kind::number && own.kind == AttributeKind::numeric;
    if (!is_number) {
      const std::size_t plain =
          own.kind == AttributeKind::categorical ? model_.schema.attributes[j].levels.size() : grid.size();
      return place.kind == EditPlace::Kind::number ? stop(j, place) : stop_behind(j, plain, place);
    }
    const auto special = std::find(own.special.begin(), own.special.end(), place.number);
    if (special != own.special.end()) return grid.size() + static_cast<std::size_t>(special - own.special.begin());
    return detail::nearest_node(own, grid, finite(place.number));
  }

  // Those at begin + member * stride get their weighted mean.
  static void average(std::vector<double>& values, const std::vector<double>& weights,
                      const std::set<std::size_t>& members, std::size_t stride, std::size_t begin) {
    std::vector<double> own;
    std::vector<double> own_weights;
    for (const std::size_t member : members) {
      own.push_back(values[begin + member * stride]);
      own_weights.push_back(weights[begin + member * stride]);
    }
    const double mean = detail::mean_by(own, own_weights);
    for (const std::size_t member : members) values[begin + member * stride] = mean;
  }

  Model& model_;
  Terms& terms_;
};

// The scores that objects are compared with move by as much as the row's own score does.
void move_reference(const Model& before, const Dataset& rows, Model& after) {
  const std::vector<double> old_scores = before.score(rows);
  const std::vector<double> new_scores = after.score(rows);
  Reference& reference = after.assignment.reference;
  for (std::size_t h = 0; h < reference.classes.size(); ++h) {
    std::vector<ReferencePoint>& points = reference.classes[h];
    std::vector<std::size_t> order(points.size());
    for (std::size_t i = 0; i < points.size(); ++i) {
      order[i] = i;
      const std::size_t row = points[i].row - 1;
      if (row < new_scores.size()) points[i].score += new_scores[row] - old_scores[row];
    }
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return points[a].score < points[b].score; });
    const std::vector<ReferencePoint> moved = points;
    for (std::size_t i = 0; i < order.size(); ++i) points[i] = moved[order[i]];
    if (reference.ids.empty()) continue;
    const std::vector<std::string> ids = reference.ids[h];
    for (std::size_t i = 0; i < order.size(); ++i) reference.ids[h][i] = ids[order[i]];
  }
}

}  // namespace

Model apply_edits(const Model& model, std::span<const Edit> edits, const Dataset* rows) {
  if (!model.terms) {
    throw Error(ErrorCode::invalid_model,
                "only models of curves and pairs can be edited; this one has u and V: fit it without --pairs all");
  }
  Model edited = model;
  for (std::size_t i = 0; i < edits.size(); ++i) {
    try {
      std::visit(Editor(edited), edits[i]);
    } catch (const Error& error) {
      throw Error(error.code(), fmt::format("edit {}: {}", i + 1, error.what()));
    }
  }
  edited.certificate = detail::certify(edited.encoder, *edited.terms);
  edited.validation.reset();
  edited.holdout.reset();
  edited.bands.reset();
  edited.path.reset();
  edited.assignment.conformity.clear();
  if (rows != nullptr && detail::fingerprint(*rows) == model.summary.data_fingerprint) {
    const EncodedRows encoded = encode(edited.encoder, *rows);
    for (Surface& surface : edited.terms->surfaces)
      std::fill(surface.row_weights.begin(), surface.row_weights.end(), 0);
    detail::add_row_weights(edited.encoder, encoded, rows->weights, *edited.terms);
    move_reference(model, *rows, edited);
  }
  return edited;
}

EditEffect edit_effect(const Model& before, const Model& after, const Dataset& rows) {
  const Predictions was = before.predict(rows);
  const Predictions is = after.predict(rows);
  EditEffect effect{rows.row_count(), {}, std::nullopt, std::nullopt};
  for (std::size_t i = 0; i < was.classes.size(); ++i) {
    if (was.classes[i] == is.classes[i]) continue;
    effect.changes.push_back({i, was.classes[i], is.classes[i], was.scores[i], is.scores[i]});
  }
  if (rows.labels.empty()) return effect;
  const auto measure = [&](const Predictions& predictions) {
    return evaluate(predictions.class_count, rows.labels, predictions.classes, predictions.scores,
                    predictions.probabilities);
  };
  effect.before = measure(was);
  effect.after = measure(is);
  return effect;
}

}  // namespace xofm
