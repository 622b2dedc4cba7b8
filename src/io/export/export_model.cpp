#include "io/export/export_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

#include "core/explain/effects.hpp"
#include "core/terms/term_table.hpp"
#include "io/csv_number.hpp"
#include "xofm/error.hpp"
#include "xofm/explain.hpp"

namespace xofm::detail {

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

void check_name(const std::string& name) {
  if (name.find('\0') == std::string::npos) return;
  throw Error(ErrorCode::invalid_model,
              fmt::format("the name {} has a zero byte, which no export can hold; rename it", shown(name)));
}

void check_finite(const std::vector<double>& values) {
  if (std::all_of(values.begin(), values.end(), [](double value) { return std::isfinite(value); })) return;
  throw Error(ErrorCode::invalid_model,
              "a part of the score is not a finite number: was the model damaged, or did training diverge?");
}

// Counted from the least knot up, whatever the direction.
StopPlace ascending_place(const AttributeEncoder& encoder, Position position) {
  const StopPosition stop = stop_position(encoder, position);
  if (stop.high >= stop.low) return {stop.low, stop.high > stop.low ? stop.fraction : 0};
  return {stop.high, 1 - stop.fraction};
}

ExportAttribute attribute_of(const Model& model, std::size_t j) {
  const Attribute& attribute = model.schema.attributes[j];
  const AttributeEncoder& encoder = model.encoder.attributes[j];
  ExportAttribute made;
  made.source = j;
  made.name = attribute.name;
  made.is_numeric = attribute.kind == AttributeKind::numeric;
  made.is_date = attribute.time == TimePart::days;
  made.from_indicators = !attribute.indicators.empty();
  made.columns = made.from_indicators ? attribute.indicators : std::vector<std::string>{attribute.name};
  made.knots = encoder.knots;
  made.levels = attribute.levels;
  made.has_missing = encoder.has_missing;
  made.typical = ascending_place(encoder, encoder.typical);
  for (const std::string& token : model.schema.missing_tokens) {
    double number = 0;
    if (read_number(token, number) == CellKind::number) made.missing_numbers.push_back(number);
    made.missing_texts.push_back(token);
  }
  if (!made.reads_numbers()) made.missing_numbers.clear();
  if (made.is_numeric) {  // special values of training have stops, all others are missing
    made.special = encoder.special;
    made.missing_numbers.insert(made.missing_numbers.end(), encoder.absent_special.begin(),
                                encoder.absent_special.end());
  }
  std::erase_if(made.missing_texts, [&](const std::string& token) {
    return std::find(made.levels.begin(), made.levels.end(), token) != made.levels.end();
  });
  for (const auto* const names : {&made.columns, &made.levels, &made.missing_texts}) {
    for (const std::string& name : *names) check_name(name);
  }
  return made;
}

ExportAxis axis_of(const ExportAttribute& attribute, const AttributeEncoder& encoder, std::size_t index,
                   const std::vector<std::size_t>& knots) {
  ExportAxis axis{.attribute = index, .stops = knots, .plain_count = knots.size()};
  const std::size_t from = attribute.is_numeric ? attribute.plain_count() : 0;
  for (std::size_t stop = from; stop < attribute.stop_count(); ++stop) axis.stops.push_back(stop);
  axis.places = places_on_axis(encoder, knots);
  return axis;
}

// What the attribute brings to curves and to products at each of its stops.
std::vector<Effect> stop_effects(const Effects& effects, std::size_t j, const ExportAttribute& attribute) {
  std::vector<Effect> stops = effects.stops(j);
  if (!attribute.is_numeric) stops.push_back(effects.at(j, Position{0, 0}));
  return stops;
}

struct Maker {
  const Model& model;
  const Effects effects{model};
  ExportModel made = {};
  std::vector<std::size_t> index = {};  // of the model's attributes among those exported

  void add_attributes() {
    for (std::size_t j = 0; j < model.schema.attributes.size(); ++j) {
      index.push_back(made.attributes.size());
      if (is_used(model, j)) made.attributes.push_back(attribute_of(model, j));
    }
  }

  void add_curves() {
    for (std::size_t j = 0; j < index.size(); ++j) {
      if (!is_used(model, j) || (model.terms && !has_curve(*model.terms, j))) continue;
      ExportPart part{.name = model.schema.attributes[j].name, .first = index[j], .second = index[j]};
      for (const Effect& stop : stop_effects(effects, j, made.attributes[index[j]])) {
        part.values.push_back(effects.curve(j, stop));
      }
      made.parts.push_back(std::move(part));
    }
  }

  ExportPart pair(std::size_t first, std::size_t second, PartKind kind) const {
    const auto& attributes = model.schema.attributes;
    return {.kind = kind,
            .name = fmt::format("{} x {}", attributes[first].name, attributes[second].name),
            .first = index[first],
            .second = index[second]};
  }

  void add_surfaces() {
    for (const Surface& surface : model.terms->surfaces) {
      ExportPart part = pair(surface.first, surface.second, PartKind::surface);
      part.first_axis = axis_of(made.attributes[part.first], model.encoder.attributes[surface.first], part.first,
                                surface.first_knots);
      part.second_axis = axis_of(made.attributes[part.second], model.encoder.attributes[surface.second], part.second,
                                 surface.second_knots);
      part.values = surface.values;
      made.parts.push_back(std::move(part));
    }
  }

  void add_products() {
    if (model.parameters.factor_count == 0 || index.size() < 2) return;
    constexpr std::size_t most_attributes = 1500;  // beyond, a million pairs and more, each by name
    if (index.size() > most_attributes) {
      throw Error(ErrorCode::invalid_option,
                  fmt::format("the model has products of all pairs of {} attributes, too many to be named in one file "
                              "({} attributes at most); train it with few pairs (fit --pairs auto)",
                              index.size(), most_attributes));
    }
    made.factor_count = static_cast<std::size_t>(model.parameters.factor_count);
    for (std::size_t j = 0; j < index.size(); ++j) {
      auto& values = made.factors.emplace_back();
      for (const Effect& stop : stop_effects(effects, j, made.attributes[j])) {
        const std::vector<double> deviation = effects.deviation(j, stop);
        values.insert(values.end(), deviation.begin(), deviation.end());
      }
    }
    for (const auto& [a, b] : pairs_of(model)) made.parts.push_back(pair(a, b, PartKind::product));
  }

  void add_classes() {
    const Calibration& calibration = model.assignment.calibration;
    made.label_name = model.schema.label_name;
    made.class_names = model.schema.class_names;
    made.steps = class_steps(model.assignment);
    made.calibration = calibration;
    made.floor = calibration.floor;
    made.floor.resize(made.class_names.size());
    made.logistic_share = 1 - std::accumulate(calibration.floor.begin(), calibration.floor.end(), 0.0);
    for (const std::string& name : made.class_names) check_name(name);
  }
};

// Laid out by the model's schema.
Dataset probe_rows(const Model& model) {
  Dataset rows;
  rows.schema = model.schema;
  constexpr std::size_t row_count = 24;
  for (std::size_t j = 0; j < model.schema.attributes.size(); ++j) {
    const AttributeEncoder& encoder = model.encoder.attributes[j];
    std::vector<double> values = {nan};
    if (encoder.kind == AttributeKind::categorical) {
      for (int level = 0; level < encoder.level_count; ++level) values.push_back(level);
      values.push_back(unseen_level);
    } else {
      const auto& knots = encoder.knots;
      for (std::size_t k = 0; k < knots.size(); ++k) {
        values.push_back(knots[k]);
        if (k + 1 < knots.size()) values.push_back(std::lerp(knots[k], knots[k + 1], 0.375));
      }
      constexpr double half = std::numeric_limits<double>::max() / 2;
      values.push_back(std::max(knots.front(), -half) - 1 - std::abs(knots.front()));
      values.push_back(std::min(knots.back(), half) + 1 + std::abs(knots.back()));
    }
    // Different attributes run through their values at different steps.
    auto& column = rows.columns.emplace_back();
    for (std::size_t i = 0; i < row_count; ++i) {
      const std::size_t spread = values.size() > row_count ? values.size() / row_count : 1;
      column.push_back(values[(i * (2 * j + 1) * spread + j) % values.size()]);
    }
  }
  return rows;
}

}  // namespace

double ExportAttribute::typical_number() const {
  if (typical.fraction == 0) return knots[typical.low];
  return std::lerp(knots[typical.low], knots[typical.low + 1], typical.fraction);
}

ExportModel make_export_model(const Model& model, bool highest_reasons) {
  Maker maker{model};
  maker.add_attributes();
  maker.add_curves();
  if (model.terms) {
    maker.add_surfaces();
  } else {
    maker.add_products();
  }
  maker.add_classes();
  ExportModel made = std::move(maker.made);
  std::stable_sort(made.parts.begin(), made.parts.end(), [](const ExportPart& a, const ExportPart& b) {
    return std::pair(a.first, a.second) < std::pair(b.first, b.second);
  });
  made.base = maker.effects.base();
  made.highest_reasons = highest_reasons;
  check_finite({made.base, made.calibration.slope, made.logistic_share});
  check_finite(made.calibration.thresholds);
  for (const ExportPart& part : made.parts) check_finite(part.values);
  for (const auto& values : made.factors) check_finite(values);
  return made;
}

void refuse_products(const ExportModel& made, const char* target) {
  if (!made.has_products()) return;
  throw Error(
      ErrorCode::invalid_option,
      fmt::format("the model has products of all pairs of attributes, which {} can list; train it with few pairs "
                  "(fit --pairs auto), or export it to c, python or onnx",
                  target));
}

StopPlace place_of(const ExportAttribute& attribute, double value) {
  if (std::isnan(value)) return attribute.has_missing ? StopPlace{attribute.missing_stop(), 0} : attribute.typical;
  if (!attribute.is_numeric) {
    const bool is_known = value >= 0 && value < static_cast<double>(attribute.levels.size());
    return {is_known ? static_cast<std::size_t>(value) : attribute.other_stop(), 0};
  }
  const auto special = std::lower_bound(attribute.special.begin(), attribute.special.end(), value);
  if (special != attribute.special.end() && *special == value) {
    return {attribute.special_stop(static_cast<std::size_t>(special - attribute.special.begin())), 0};
  }
  const std::vector<double>& knots = attribute.knots;
  if (!(value > knots.front())) return {0, 0};
  if (!(value < knots.back())) return {knots.size() - 1, 0};
  const auto above = std::upper_bound(knots.begin(), knots.end(), value);
  const auto low = static_cast<std::size_t>(above - knots.begin()) - 1;
  return {low, (value / 2 - knots[low] / 2) / (*above / 2 - knots[low] / 2)};
}

std::vector<ExportCell> cells_of(const ExportAttribute& attribute, double value) {
  if (attribute.is_numeric) return {{.number = value, .is_missing = std::isnan(value)}};
  const bool is_missing = std::isnan(value);
  const bool is_known = !is_missing && value >= 0 && value < static_cast<double>(attribute.levels.size());
  if (attribute.from_indicators) {
    std::vector<ExportCell> cells(attribute.columns.size());
    for (std::size_t k = 0; k < cells.size(); ++k) {
      cells[k].is_missing = is_missing;
      cells[k].number = is_missing ? nan : is_known && value == static_cast<double>(k) ? 1 : 0;
    }
    return cells;
  }
  if (is_missing) return {{.is_text = true, .is_missing = true}};
  if (is_known) return {{.text = attribute.levels[static_cast<std::size_t>(value)], .is_text = true}};
  std::string unseen = "another level";
  const auto is_taken = [&](const std::vector<std::string>& texts) {
    return std::find(texts.begin(), texts.end(), unseen) != texts.end();
  };
  while (is_taken(attribute.levels) || is_taken(attribute.missing_texts)) unseen += '*';
  return {{.text = unseen, .is_text = true}};
}

ExportTests export_tests(const Model& model, const ExportModel& made) {
  const Dataset rows = probe_rows(model);
  const Predictions predicted = model.predict(rows);
  ExportTests tests{.rows = {}, .scores = predicted.scores, .classes = predicted.classes};
  for (std::size_t i = 0; i < rows.row_count(); ++i) {
    auto& cells = tests.rows.emplace_back();
    for (const ExportAttribute& attribute : made.attributes) {
      const std::vector<ExportCell> own = cells_of(attribute, rows.columns[attribute.source][i]);
      cells.insert(cells.end(), own.begin(), own.end());
    }
  }
  // Of their spread; a model may also give all of them one score.
  const auto [least, greatest] = std::minmax_element(tests.scores.begin(), tests.scores.end());
  constexpr double share = 1e-9;
  constexpr double digits = 1e-12;
  tests.tolerance = share * (*greatest - *least) + digits * std::max(std::abs(*least), std::abs(*greatest));
  return tests;
}

}  // namespace xofm::detail
