// A model as an ONNX graph in double precision: an attribute's value becomes a weight for each of its stops, and all
// else is a product with a table.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "io/export/onnx_graph.hpp"
#include "io/export/writers.hpp"
#include "xofm/error.hpp"

namespace xofm::detail {

namespace {

using Names = std::vector<std::string>;
using Numbers = std::vector<double>;

std::int64_t count_of(const auto& values) { return static_cast<std::int64_t>(values.size()); }

class OnnxModel {
 public:
  explicit OnnxModel(const ExportModel& made) : made_(made), graph_(unused_prefix(made)) {}

  std::string bytes() {
    for (const ExportAttribute& attribute : made_.attributes) add_attribute(attribute);
    add_parts();
    add_class();
    add_probabilities();
    add_reasons();
    std::vector<std::pair<std::string, std::string>> notes = {{"label", made_.label_name}};
    for (std::size_t h = 0; h < made_.class_count(); ++h) {
      notes.emplace_back(fmt::format("class_{}", h), made_.class_names[h]);
    }
    return graph_.model(notes);
  }

 private:
  static std::string unused_prefix(const ExportModel& made) {
    std::string prefix = "xofm_";
    for (const ExportAttribute& attribute : made.attributes) {
      for (const std::string& column : attribute.columns) {
        while (column.starts_with(prefix)) prefix += '_';
      }
    }
    return prefix;
  }

  void output(const std::string& tensor, std::string name, OnnxType type, std::vector<std::int64_t> more = {}) {
    while (inputs_.contains(name)) name += '_';
    graph_.output(tensor, name, type, std::move(more));
  }

  std::string scalar(double value) { return graph_.constant(Numbers{value}, {1, 1}); }
  std::string row(const Numbers& values) { return graph_.constant(values, {1, count_of(values)}); }
  std::string as_column(const std::string& tensor) {
    return graph_.node("Unsqueeze", {tensor, graph_.whole_constant({1})});
  }
  std::string sum_of_row(const std::string& matrix, bool keeps = true) {
    return graph_.node("ReduceSum", {matrix, graph_.whole_constant({1})}, {{"keepdims", keeps ? 1 : 0}});
  }
  std::string as_numbers(const std::string& conditions) {
    return graph_.node("Cast", {conditions}, {{"to", static_cast<int>(OnnxType::real)}});
  }
  std::string is_equal(const std::string& matrix, double value) {
    return graph_.node("Equal", {matrix, scalar(value)});
  }

  // Of each cell whether it means "no value".
  std::string gaps(const std::string& matrix, const ExportAttribute& attribute) {
    std::string gap = graph_.node("IsNaN", {matrix});
    for (const double number : attribute.missing_numbers) gap = graph_.node("Or", {gap, is_equal(matrix, number)});
    return gap;
  }

  void add_attribute(const ExportAttribute& attribute) {
    for (const std::string& column : attribute.columns) {
      graph_.input(column, attribute.reads_numbers() ? OnnxType::real : OnnxType::string);
      inputs_.insert(column);
    }
    values_.push_back(attribute.is_numeric        ? stop_weights(attribute)
                      : attribute.from_indicators ? indicator_stops(attribute)
                                                  : text_stops(attribute));
  }

  // [row, stop]
  std::string stop_weights(const ExportAttribute& attribute) {
    const std::string x = as_column(attribute.columns.front());
    const std::string gap = gaps(x, attribute);
    const std::string number = graph_.node("Where", {gap, scalar(attribute.typical_number()), x});
    const auto one_hot = [&](std::size_t stop) {
      Numbers weights(attribute.stop_count());
      weights[stop] = 1;
      return row(weights);
    };
    std::string weights = one_hot(0);
    const Numbers& knots = attribute.knots;
    if (knots.size() > 1) weights = graph_.node("Add", {hats(attribute, number), weights});
    // In the shape of all rows, also of a constant attribute.
    weights = graph_.node("Add", {weights, as_numbers(graph_.node("IsNaN", {number}))});
    for (std::size_t k = 0; k < attribute.special.size(); ++k) {
      const std::string is_special = is_equal(x, attribute.special[k]);
      weights = graph_.node("Where", {is_special, one_hot(attribute.special_stop(k)), weights});
    }
    if (!attribute.has_missing) return weights;
    return graph_.node("Where", {gap, one_hot(attribute.missing_stop()), weights});
  }

  // The share of each segment that is filled goes from the stop below to the one above.
  std::string hats(const ExportAttribute& attribute, const std::string& number) {
    const Numbers& knots = attribute.knots;
    Numbers low;
    Numbers width;
    for (std::size_t k = 0; k + 1 < knots.size(); ++k) {
      low.push_back(knots[k] / 2);  // halves: a difference may be too large
      width.push_back(knots[k + 1] / 2 - knots[k] / 2);
    }
    const std::string half = graph_.node("Mul", {number, scalar(0.5)});
    const std::string filled = graph_.node("Div", {graph_.node("Sub", {half, row(low)}), row(width)});
    const std::string shares =
        graph_.node("Clip", {filled, graph_.constant(Numbers{0}, {}), graph_.constant(Numbers{1}, {})});
    const std::size_t stops = attribute.stop_count();
    Numbers moves(low.size() * stops);
    for (std::size_t k = 0; k < low.size(); ++k) {
      moves[k * stops + k] = -1;
      moves[k * stops + k + 1] = 1;
    }
    const std::string table = graph_.constant(moves, {count_of(low), static_cast<std::int64_t>(stops)});
    return graph_.node("MatMul", {shares, table});
  }

  static std::int64_t missing_code(const ExportAttribute& attribute) {
    return static_cast<std::int64_t>(place_of(attribute, std::nan("")).low);
  }

  // [row], number of the stop
  std::string text_stops(const ExportAttribute& attribute) {
    Names keys = attribute.levels;
    std::vector<std::int64_t> stops;
    for (std::size_t k = 0; k < keys.size(); ++k) stops.push_back(static_cast<std::int64_t>(k));
    Names missing = attribute.missing_texts;
    missing.emplace_back();  // a tensor of texts knows no other gap
    for (const std::string& text : missing) {
      if (std::find(keys.begin(), keys.end(), text) != keys.end()) continue;
      keys.push_back(text);
      stops.push_back(missing_code(attribute));
    }
    return graph_.label_encoder(attribute.columns.front(), keys, stops,
                                static_cast<std::int64_t>(attribute.other_stop()));
  }

  std::string indicator_stops(const ExportAttribute& attribute) {
    Names columns;
    for (const std::string& column : attribute.columns) columns.push_back(as_column(column));
    const std::string x = graph_.concat(columns, 1);
    const auto count = static_cast<double>(columns.size());
    const std::string gap = gaps(x, attribute);
    const std::string is_one = graph_.node("And", {is_equal(x, 1), graph_.node("Not", {gap})});
    const std::string is_zero = graph_.node("And", {is_equal(x, 0), graph_.node("Not", {gap})});
    const auto number_of = [&](const std::string& conditions) { return sum_of_row(as_numbers(conditions), false); };
    const auto is_count = [&](const std::string& conditions, double wanted) {
      return graph_.node("Equal", {number_of(conditions), graph_.constant(Numbers{wanted}, {1})});
    };
    Numbers levels;
    for (std::size_t k = 0; k < columns.size(); ++k) levels.push_back(static_cast<double>(k));
    const std::string level = sum_of_row(graph_.node("Mul", {as_numbers(is_one), row(levels)}), false);
    const std::string is_clear = graph_.node("And", {is_count(is_one, 1), is_count(is_zero, count - 1)});
    const std::string whole = graph_.node("Cast", {level}, {{"to", static_cast<int>(OnnxType::int64)}});
    const auto other = static_cast<std::int64_t>(attribute.other_stop());
    const std::string known = graph_.node("Where", {is_clear, whole, graph_.whole_constant({other})});
    return graph_.node("Where", {is_count(gap, count), graph_.whole_constant({missing_code(attribute)}), known});
  }

  // The attribute's rows of a table with a line for each stop.
  std::string looked_up(std::size_t j, const Numbers& table) {
    const auto stops = static_cast<std::int64_t>(made_.attributes[j].stop_count());
    const std::string lines = graph_.constant(table, {stops, count_of(table) / stops});
    return made_.attributes[j].is_numeric ? graph_.node("MatMul", {values_[j], lines})
                                          : graph_.node("Gather", {lines, values_[j]}, {{"axis", 0}});
  }

  // How much of each node of the axis every stop is.
  Numbers axis_weights(const ExportAxis& axis) const {
    const std::size_t nodes = axis.stops.size();
    Numbers weights(axis.places.size() * nodes);
    for (std::size_t stop = 0; stop < axis.places.size(); ++stop) {
      const auto node = std::min(static_cast<std::size_t>(axis.places[stop]), nodes - 1);
      const double share = axis.places[stop] - static_cast<double>(node);
      weights[stop * nodes + node] += 1 - share;
      if (share > 0) weights[stop * nodes + node + 1] += share;
    }
    return weights;
  }

  std::string surface(const ExportPart& part) {
    const Numbers first = axis_weights(part.first_axis);
    const std::size_t nodes = part.first_axis.stops.size();
    const std::size_t width = part.second_axis.stops.size();
    Numbers lines(part.first_axis.places.size() * width);
    for (std::size_t stop = 0; stop < part.first_axis.places.size(); ++stop) {
      for (std::size_t node = 0; node < nodes; ++node) {
        const double weight = first[stop * nodes + node];
        if (weight == 0) continue;
        for (std::size_t b = 0; b < width; ++b) lines[stop * width + b] += weight * part.values[node * width + b];
      }
    }
    const std::string line = looked_up(part.first, lines);
    const std::string weights = looked_up(part.second, axis_weights(part.second_axis));
    return sum_of_row(graph_.node("Mul", {line, weights}));
  }

  void add_parts() {
    Names columns;
    for (const ExportPart& part : made_.parts) {
      if (part.kind == PartKind::curve) columns.push_back(looked_up(part.first, part.values));
      if (part.kind == PartKind::surface) columns.push_back(surface(part));
    }
    if (made_.has_products()) {
      columns.push_back(products());
      // From the curves and the whole matrix of products, in the order of the parts.
      const std::size_t curves = columns.size() - 1;
      std::vector<std::int64_t> order;
      std::size_t curve = 0;
      for (const ExportPart& part : made_.parts) {
        const std::size_t product = curves + part.first * made_.attributes.size() + part.second;
        order.push_back(static_cast<std::int64_t>(part.kind == PartKind::curve ? curve++ : product));
      }
      parts_ = graph_.node("Gather", {graph_.concat(columns, 1), graph_.whole_constant(order)}, {{"axis", 1}});
    } else {
      parts_ = graph_.concat(columns, 1);
    }
    score_ = graph_.node("Add", {sum_of_row(parts_), scalar(made_.base)});
    output(graph_.node("Squeeze", {score_, graph_.whole_constant({1})}), "score", OnnxType::real);
  }

  std::string products() {
    Names factors;
    for (std::size_t j = 0; j < made_.attributes.size(); ++j)
      factors.push_back(as_column(looked_up(j, made_.factors[j])));
    const std::string all = graph_.concat(factors, 1);
    const std::string matrix = graph_.node("MatMul", {all, graph_.transpose_last(all)});
    return graph_.node("Reshape", {matrix, graph_.whole_constant({0, -1})});
  }

  void add_class() {
    Numbers starts = made_.steps.starts;
    Names names;
    for (const int h : made_.steps.classes) names.push_back(made_.class_names[static_cast<std::size_t>(h)]);
    if (starts.empty()) {  // one class for all
      starts.push_back(std::numeric_limits<double>::max());
      names.push_back(names.front());
    }
    const std::string passed = graph_.node("GreaterOrEqual", {score_, row(starts)});
    const std::string whole = graph_.node("Cast", {passed}, {{"to", static_cast<int>(OnnxType::int64)}});
    output(graph_.node("Gather", {graph_.text_constant(names), sum_of_row(whole, false)}), "class", OnnxType::string);
  }

  void add_probabilities() {
    const std::string position = graph_.node("Mul", {score_, scalar(made_.calibration.slope)});
    const std::string above =
        graph_.node("Sigmoid", {graph_.node("Sub", {position, row(made_.calibration.thresholds)})});
    const std::string zero = graph_.node("Sub", {score_, score_});
    const std::string one = graph_.node("Add", {zero, scalar(1)});
    const std::string shares = graph_.node("Sub", {graph_.concat({one, above}, 1), graph_.concat({above, zero}, 1)});
    const std::string scaled = graph_.node("Mul", {shares, scalar(made_.logistic_share)});
    output(graph_.node("Add", {scaled, row(made_.floor)}), "probabilities", OnnxType::real,
           {static_cast<std::int64_t>(made_.class_count())});
  }

  void add_reasons() {
    const std::size_t count = std::min(export_reason_count, made_.parts.size());
    std::string order = graph_.node("TopK", {parts_, graph_.whole_constant({static_cast<std::int64_t>(count)})},
                                    {{"axis", 1}, {"largest", made_.highest_reasons ? 1 : 0}, {"sorted", 1}});
    Names names;
    for (const ExportPart& part : made_.parts) names.push_back(part.name);
    names.emplace_back();  // where there are fewer parts
    const std::string zero =
        graph_.node("Cast", {graph_.node("Sub", {score_, score_})}, {{"to", static_cast<int>(OnnxType::int64)}});
    const std::string none = graph_.node("Add", {zero, graph_.whole_constant({count_of(made_.parts)})});
    for (std::size_t r = count; r < export_reason_count; ++r) order = graph_.concat({order, none}, 1);
    output(graph_.node("Gather", {graph_.text_constant(names), order}), "reasons", OnnxType::string,
           {export_reason_count});
  }

  const ExportModel& made_;
  OnnxGraph graph_;
  std::set<std::string> inputs_;
  Names values_;  // of each attribute: weights of its stops, or the number of one
  std::string parts_;
  std::string score_;
};

}  // namespace

std::string onnx_model(const ExportModel& made) {
  if (made.parts.empty()) {
    throw Error(ErrorCode::invalid_option,
                "the model gives all rows the same score: there is nothing that ONNX could compute");
  }
  return OnnxModel(made).bytes();
}

}  // namespace xofm::detail
