#include "xofm/monitor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/parallel.hpp"
#include "core/data/calendar.hpp"
#include "core/monitor/metric_shift.hpp"
#include "core/monitor/shift.hpp"
#include "xofm/error.hpp"

namespace xofm {

namespace {

constexpr std::size_t score_ranges = 20;

void check(const MonitorOptions& options) {
  for (const auto& [name, value] :
       {std::pair("psi", options.psi), std::pair("missing", options.missing), std::pair("unseen", options.unseen),
        std::pair("outside", options.outside), std::pair("metric", options.metric)}) {
    if (value >= 0) continue;
    throw Error(ErrorCode::invalid_option, fmt::format("{} is {}; it must be 0 or more", name, value));
  }
  if (!(options.confidence > 0 && options.confidence < 1)) {
    throw Error(ErrorCode::invalid_option,
                fmt::format("confidence is {}; it must be above 0 and below 1", options.confidence));
  }
  if (options.sample_rows == 0) throw Error(ErrorCode::invalid_option, "sample_rows is 0; it must be at least 1");
}

double weight_of(const std::vector<double>& classes) { return std::accumulate(classes.begin(), classes.end(), 0.0); }

// What the rows of one attribute are, by range.
struct AttributeCounts {
  std::vector<double> edges;               // of ranges of numbers
  std::vector<detail::RangeCount> ranges;  // of numbers or levels; special values; missing; not seen in training
  std::size_t missing = 0;                 // their places among the ranges
  std::size_t unseen = 0;
  std::size_t below = 0;
  std::size_t above = 0;
};

std::string number_text(const Attribute& attribute, double value) {
  return attribute.time == TimePart::days ? detail::date_text(value) : fmt::format("{:.6g}", value);
}

AttributeCounts make_counts(const Model& model, std::size_t j) {
  const Attribute& attribute = model.schema.attributes[j];
  const AttributeEncoder& encoder = model.encoder.attributes[j];
  const auto& histogram = model.distribution.class_histogram;
  const std::size_t offset = model.encoder.offsets[j];
  AttributeCounts counts;
  if (attribute.kind == AttributeKind::categorical) {
    for (std::size_t c = 0; c < attribute.levels.size(); ++c) {
      counts.ranges.push_back({attribute.levels[c], weight_of(histogram[offset + c]), 0});
    }
  } else {
    TrainingBins bins;
    if (model.distribution.bins.empty()) {
      // A model of an earlier version: the segments of its curve.
      const auto segments = static_cast<std::size_t>(encoder.segment_count());
      for (std::size_t c = 0; c < segments; ++c) {
        const std::size_t k = encoder.direction == Direction::decreasing ? segments - 1 - c : c;
        bins.edges.push_back(encoder.knots[std::min(c + 1, encoder.knots.size() - 1)]);
        bins.weights.push_back(weight_of(histogram[offset + k]));
      }
    } else {
      bins = model.distribution.bins[j];
    }
    counts.edges = bins.edges;
    for (std::size_t b = 0; b < bins.edges.size(); ++b) {
      const std::string to = number_text(attribute, bins.edges[b]);
      counts.ranges.push_back({b == 0 ? fmt::format("up to {}", to)
                                      : fmt::format("{} to {}", number_text(attribute, bins.edges[b - 1]), to),
                               bins.weights[b], 0});
    }
    for (std::size_t k = 0; k < encoder.special.size(); ++k) {
      const std::size_t n = offset + static_cast<std::size_t>(encoder.segment_count()) + k;
      counts.ranges.push_back({fmt::format("{}", encoder.special[k]), weight_of(histogram[n]), 0});
    }
  }
  const double missing = encoder.has_missing ? weight_of(histogram[model.encoder.offsets[j + 1] - 1]) : 0;
  counts.missing = counts.ranges.size();
  counts.ranges.push_back({"missing", missing, 0});
  if (attribute.kind == AttributeKind::categorical) {
    counts.unseen = counts.ranges.size();
    counts.ranges.push_back({"not seen in training", 0, 0});
  }
  return counts;
}

void count_value(const AttributeEncoder& encoder, double value, AttributeCounts& counts) {
  const auto in = [&](std::size_t range) { counts.ranges[range].new_count += 1; };
  if (std::isnan(value) || std::binary_search(encoder.absent_special.begin(), encoder.absent_special.end(), value)) {
    return in(counts.missing);
  }
  if (encoder.kind == AttributeKind::categorical) {
    const bool is_known = value >= 0 && value < encoder.level_count;
    return in(is_known ? static_cast<std::size_t>(value) : counts.unseen);
  }
  const auto special = std::lower_bound(encoder.special.begin(), encoder.special.end(), value);
  if (special != encoder.special.end() && *special == value) {
    return in(counts.edges.size() + static_cast<std::size_t>(special - encoder.special.begin()));
  }
  if (counts.edges.empty()) return in(counts.missing);
  counts.below += value < encoder.knots.front() ? 1 : 0;
  counts.above += value > encoder.knots.back() ? 1 : 0;
  const auto at = std::lower_bound(counts.edges.begin(), counts.edges.end(), value) - counts.edges.begin();
  in(std::min(static_cast<std::size_t>(at), counts.edges.size() - 1));
}

// The training scores in ranges of about equal weight, and the classes that the model gives them.
void add_reference(const Model& model, std::vector<double>& edges, std::vector<detail::RangeCount>& scores,
                   std::vector<detail::RangeCount>& classes) {
  struct Point {
    double score;
    double weight;
  };
  std::vector<Point> points;
  const Assigner assigner(model.assignment);
  const auto class_count = model.schema.class_names.size();
  std::vector<double> support(class_count);
  std::vector<double> probabilities(class_count);
  for (const auto& name : model.schema.class_names) classes.push_back({name, 0, 0});
  double total = 0;
  for (const auto& of_class : model.assignment.reference.classes) {
    for (const ReferencePoint& point : of_class) {
      points.push_back({point.score, point.weight});
      total += point.weight;
      const int label = assigner.assign(point.score, support, probabilities).label;
      classes[static_cast<std::size_t>(label)].old_weight += point.weight;
    }
  }
  std::sort(points.begin(), points.end(), [](const Point& a, const Point& b) { return a.score < b.score; });
  double weight = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    weight += points[i].weight;
    const bool is_last = i + 1 == points.size();
    const bool is_tied = !is_last && points[i + 1].score == points[i].score;
    if (!is_last && (is_tied || weight * static_cast<double>(score_ranges) < total)) continue;
    const std::string to = fmt::format("{:.4g}", points[i].score);
    scores.push_back({edges.empty() ? "up to " + to : fmt::format("{:.4g} to {}", edges.back(), to), weight, 0});
    edges.push_back(points[i].score);
    weight = 0;
  }
}

}  // namespace

struct Monitor::State {
  State(const Model& of, const MonitorOptions& given) : model(&of), options(given), sample(given) {
    check(options);
    for (std::size_t j = 0; j < of.schema.attributes.size(); ++j) attributes.push_back(make_counts(of, j));
    add_reference(of, score_edges, scores, classes);
    for (std::size_t h = 0; h < of.schema.class_names.size(); ++h) {
      labels.push_back({of.schema.class_names[h], of.summary.class_weights[h], 0});
    }
  }

  const Model* model;
  MonitorOptions options;
  std::vector<AttributeCounts> attributes;
  std::vector<double> score_edges;
  std::vector<detail::RangeCount> scores;
  std::vector<detail::RangeCount> classes;
  std::vector<detail::RangeCount> labels;
  detail::MetricSample sample;
  std::size_t row_count = 0;
  std::size_t noted_count = 0;

  void add_alarms(Shift& shift) const;
};

Monitor::Monitor(const Model& model, const MonitorOptions& options) : state_(std::make_unique<State>(model, options)) {}
Monitor::~Monitor() = default;
Monitor::Monitor(Monitor&&) noexcept = default;
Monitor& Monitor::operator=(Monitor&&) noexcept = default;

void Monitor::add(const Dataset& rows) {
  State& s = *state_;
  const Predictions predictions = s.model->predict(rows);
  detail::parallel_for(s.attributes.size(), [&](std::size_t j) {
    const AttributeEncoder& encoder = s.model->encoder.attributes[j];
    for (const double value : rows.columns[j]) count_value(encoder, value, s.attributes[j]);
  });
  for (std::size_t i = 0; i < predictions.row_count(); ++i) {
    const auto at = std::lower_bound(s.score_edges.begin(), s.score_edges.end(), predictions.scores[i]);
    const auto range = static_cast<std::size_t>(at - s.score_edges.begin());
    s.scores[std::min(range, s.scores.size() - 1)].new_count += 1;
    s.classes[static_cast<std::size_t>(predictions.classes[i])].new_count += 1;
  }
  std::size_t last = predictions.row_count();
  for (const RowNote& note : predictions.notes) {
    s.noted_count += note.row != last ? 1 : 0;
    last = note.row;
  }
  s.row_count += predictions.row_count();
  for (const int label : rows.labels) s.labels[static_cast<std::size_t>(label)].new_count += 1;
  if (!rows.labels.empty()) s.sample.add(rows.labels, predictions);
}

void Monitor::State::add_alarms(Shift& shift) const {
  // What chance alone makes is no alarm, however few rows there are.
  if (shift.psi > options.psi && shift.psi > 2 * shift.psi_chance) {
    shift.alarms.push_back(fmt::format("stability index {:.3f} above {:g}", shift.psi, options.psi));
  }
  const double more_missing = shift.missing_new - shift.missing_old;
  if (more_missing > options.missing) {
    shift.alarms.push_back(fmt::format("missing in {:.3g} % of the rows, in training in {:.3g} %",
                                       100 * shift.missing_new, 100 * shift.missing_old));
  }
  if (shift.unseen > options.unseen) {
    shift.alarms.push_back(
        fmt::format("levels that training has not seen in {:.3g} % of the rows", 100 * shift.unseen));
  }
  if (shift.below + shift.above > options.outside) {
    shift.alarms.push_back(
        fmt::format("outside the training range in {:.3g} % of the rows", 100 * (shift.below + shift.above)));
  }
}

MonitorReport Monitor::report() const {
  const State& s = *state_;
  if (s.row_count == 0) throw Error(ErrorCode::invalid_data, "there are no rows to compare with those of training");
  const auto old_rows = static_cast<double>(s.model->summary.row_count);
  const auto new_rows = static_cast<double>(s.row_count);
  MonitorReport report;
  report.row_count = s.row_count;
  report.with_notes = static_cast<double>(s.noted_count) / new_rows;
  for (std::size_t j = 0; j < s.attributes.size(); ++j) {
    const AttributeCounts& counts = s.attributes[j];
    Shift shift = detail::measure_shift(s.model->schema.attributes[j].name, counts.ranges, old_rows, new_rows);
    shift.missing_old = shift.ranges.empty() ? 0 : shift.ranges[counts.missing].old_share;
    shift.missing_new = shift.ranges.empty() ? 0 : shift.ranges[counts.missing].new_share;
    shift.unseen = counts.unseen > 0 && !shift.ranges.empty() ? shift.ranges[counts.unseen].new_share : 0;
    shift.below = static_cast<double>(counts.below) / new_rows;
    shift.above = static_cast<double>(counts.above) / new_rows;
    s.add_alarms(shift);
    report.attributes.push_back(std::move(shift));
  }
  report.score = detail::measure_shift("score", s.scores, old_rows, new_rows);
  report.classes = detail::measure_shift("class", s.classes, old_rows, new_rows);
  s.add_alarms(report.score);
  s.add_alarms(report.classes);
  report.labelled_count = s.sample.seen();
  if (s.sample.seen() > 0) {
    report.labels = detail::measure_shift("true class", s.labels, old_rows, static_cast<double>(s.sample.seen()));
    s.add_alarms(*report.labels);
    report.sample_count = s.sample.size();
    report.metrics = s.sample.metrics(*s.model);
  }
  for (const Shift& shift : report.attributes) report.alarm_count += shift.alarms.size();
  report.alarm_count += report.score.alarms.size() + report.classes.alarms.size();
  if (report.labels) report.alarm_count += report.labels->alarms.size();
  for (const MetricShift& metric : report.metrics) report.alarm_count += metric.is_alarm ? 1 : 0;
  return report;
}

}  // namespace xofm
