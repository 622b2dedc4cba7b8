#include "core/monitor/metric_shift.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/parallel.hpp"

namespace xofm::detail {

namespace {

constexpr std::size_t most_groups = 40;

// The quantile of the normal distribution, by halving: it is asked for once.
double normal_quantile(double share) {
  double low = -10;
  double high = 10;
  for (int step = 0; step < 80; ++step) {
    const double middle = (low + high) / 2;
    (std::erfc(-middle / std::sqrt(2.0)) / 2 < share ? low : high) = middle;
  }
  return (low + high) / 2;
}

// Student's, from the normal one (Abramowitz and Stegun 26.7.5); within 0.1 % from ten degrees of freedom on.
double student_quantile(double share, double degrees) {
  const double x = normal_quantile(share);
  const double x2 = x * x;
  return x + x * (x2 + 1) / (4 * degrees) + x * (5 * x2 * x2 + 16 * x2 + 3) / (96 * degrees * degrees) +
         x * (3 * x2 * x2 * x2 + 19 * x2 * x2 + 17 * x2 - 15) / (384 * degrees * degrees * degrees);
}

bool is_better_high(std::string_view name) {
  for (const std::string_view high : {"accuracy", "within_one", "qwk", "kendall_tau_b", "c_index"}) {
    if (name == high) return true;
  }
  return false;
}

}  // namespace

void MetricSample::add(const std::vector<int>& labels, const Predictions& predictions) {
  const auto class_count = static_cast<std::size_t>(predictions.class_count);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    std::size_t place = labels_.size();
    if (place < options_.sample_rows) {
      labels_.push_back(0);
      classes_.push_back(0);
      scores_.push_back(0);
      probabilities_.resize(probabilities_.size() + class_count);
    } else {
      place = random_.below(seen_ + 1);
    }
    ++seen_;
    if (place >= labels_.size()) continue;
    labels_[place] = labels[i];
    classes_[place] = predictions.classes[i];
    scores_[place] = predictions.scores[i];
    const auto from = predictions.probabilities.begin() + static_cast<std::ptrdiff_t>(i * class_count);
    std::copy(from, from + static_cast<std::ptrdiff_t>(class_count),
              probabilities_.begin() + static_cast<std::ptrdiff_t>(place * class_count));
  }
}

Metrics MetricSample::evaluate_without(std::size_t group, std::size_t group_count, int class_count) const {
  std::vector<int> labels;
  std::vector<int> classes;
  std::vector<double> scores;
  std::vector<double> probabilities;
  const auto width = static_cast<std::ptrdiff_t>(class_count);
  for (std::size_t i = 0; i < labels_.size(); ++i) {
    if (i % group_count == group) continue;
    labels.push_back(labels_[i]);
    classes.push_back(classes_[i]);
    scores.push_back(scores_[i]);
    const auto from = probabilities_.begin() + static_cast<std::ptrdiff_t>(i) * width;
    probabilities.insert(probabilities.end(), from, from + width);
  }
  return evaluate(class_count, labels, classes, scores, probabilities);
}

// The spread of a metric by the jackknife over groups of rows: each is left out once, and the figures of the rest
// differ by (groups - 1) times less than figures of as many new rows would (Efron and Stein 1981).
std::vector<MetricShift> MetricSample::metrics(const Model& model) const {
  const int class_count = model.schema.class_count();
  const std::size_t group_count = std::min(labels_.size(), most_groups);
  std::vector<Metrics> without(group_count > 1 ? group_count : 0);
  parallel_for(without.size(), [&](std::size_t g) { without[g] = evaluate_without(g, group_count, class_count); });
  const Metrics whole = evaluate(class_count, labels_, classes_, scores_, probabilities_);
  const auto groups = static_cast<double>(group_count);
  const double width = group_count > 1 ? student_quantile((1 + options_.confidence) / 2, groups - 1) : 0;
  std::vector<MetricShift> shifts;
  for (std::size_t m = 0; m < std::size(metric_fields); ++m) {
    const MetricField& field = metric_fields[m];
    MetricShift shift;
    shift.name = field.name;
    shift.value = whole.*field.value;
    double mean = 0;
    for (const Metrics& metrics : without) mean += metrics.*field.value / groups;
    double squares = 0;
    for (const Metrics& metrics : without) squares += std::pow(metrics.*field.value - mean, 2);
    const double error = group_count > 1 ? std::sqrt((groups - 1) / groups * squares) : Metrics::undefined;
    shift.low = shift.value - width * error;
    shift.high = shift.value + width * error;
    if (model.validation && m < model.validation->metrics.size()) {
      const MetricSummary& summary = model.validation->metrics[m];
      if (!std::isnan(summary.mean)) shift.validation = summary.mean;
      if (!std::isnan(summary.spread)) shift.spread = summary.spread;
    } else if (model.holdout && !std::isnan((*model.holdout).*field.value)) {
      shift.validation = (*model.holdout).*field.value;
    }
    if (shift.validation) {
      const double allowed = options_.metric * std::abs(*shift.validation);
      shift.is_alarm = is_better_high(field.name) ? shift.high < *shift.validation - allowed
                                                  : shift.low > *shift.validation + allowed;
    }
    shifts.push_back(shift);
  }
  return shifts;
}

}  // namespace xofm::detail
