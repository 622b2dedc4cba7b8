#include "report/quality_json.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <string>
#include <vector>

#include "core/encode/distribution.hpp"
#include "xofm/explain.hpp"

namespace xofm::detail {

namespace {

using Json = nlohmann::ordered_json;

constexpr int reliability_bins = 10;
constexpr std::size_t quartile_count = 4;
constexpr std::size_t most_groups = 12;

Json validation_json(const ValidationSummary& validation) {
  std::size_t row_count = 0;  // a row counts once for every trial that held it out
  for (const auto& counts : validation.confusion) row_count = std::reduce(counts.begin(), counts.end(), row_count);
  Json json = {{"source", "validation"},
               {"row_count", row_count},
               {"trial_count", validation.trial_count},
               {"measures", Json::object()},
               {"confusion", validation.confusion}};
  for (std::size_t m = 0; m < validation.metrics.size(); ++m) {
    const MetricSummary& summary = validation.metrics[m];
    json["measures"][std::string(metric_fields[m].name)] = {{"value", number_or_null(summary.mean)},
                                                            {"spread", number_or_null(summary.spread)}};
  }
  return json;
}

Json quality_json(const char* source, const Metrics& metrics) {
  Json json = {{"source", source}, {"row_count", metrics.row_count}, {"measures", Json::object()}};
  for (const auto& field : metric_fields) {
    json["measures"][std::string(field.name)] = {{"value", number_or_null(metrics.*field.value)}};
  }
  json["confusion"] = metrics.confusion;
  return json;
}

// Where the rows of a group end: at quartiles of the numbers that differ, or after every level.
std::vector<double> group_ends(const Attribute& attribute, const Column& column) {
  std::vector<double> values;
  for (const double value : column) {
    if (!std::isnan(value)) values.push_back(value);
  }
  std::sort(values.begin(), values.end());
  std::vector<double> ends;
  if (attribute.kind == AttributeKind::numeric) {
    for (std::size_t q = 1; q <= quartile_count && !values.empty(); ++q) {
      ends.push_back(values[(values.size() * q + quartile_count - 1) / quartile_count - 1]);
    }
  } else {
    ends = values;
  }
  ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
  return ends;
}

// How often the class is right, and how far off it is on average, by the values of one attribute: the largest groups.
Json groups_json(const Dataset& rows, const std::vector<int>& classes, std::size_t attribute) {
  struct Group {
    double from = std::nan("");
    double to = std::nan("");  // both NaN: missing
    std::size_t count = 0;
    std::size_t right = 0;
    std::size_t distance = 0;
  };
  const Column& column = rows.columns[attribute];
  const std::vector<double> ends = group_ends(rows.schema.attributes[attribute], column);
  std::vector<Group> groups(ends.size() + 1);
  for (std::size_t i = 0; i < column.size(); ++i) {
    const double value = column[i];
    const auto end = std::isnan(value) ? ends.end() : std::lower_bound(ends.begin(), ends.end(), value);
    Group& group = groups[static_cast<std::size_t>(end - ends.begin())];
    if (!std::isnan(value)) {
      group.from = std::fmin(group.from, value);
      group.to = std::fmax(group.to, value);
    }
    const auto off = static_cast<std::size_t>(std::abs(rows.labels[i] - classes[i]));
    ++group.count;
    group.right += off == 0 ? 1 : 0;
    group.distance += off;
  }
  std::erase_if(groups, [](const Group& group) { return group.count == 0; });
  std::stable_sort(groups.begin(), groups.end(), [](const Group& a, const Group& b) { return a.count > b.count; });
  groups.resize(std::min(groups.size(), most_groups));
  const auto place = [](const Group& group) { return std::isnan(group.from) ? HUGE_VAL : group.from; };
  std::stable_sort(groups.begin(), groups.end(), [&](const Group& a, const Group& b) { return place(a) < place(b); });
  Json json = {{"attribute", attribute}, {"groups", Json::array()}};
  for (const Group& group : groups) {
    const auto count = static_cast<double>(group.count);
    json["groups"].push_back({number_or_null(group.from), number_or_null(group.to), group.count,
                              static_cast<double>(group.right) / count, static_cast<double>(group.distance) / count});
  }
  return json;
}

}  // namespace

Json quality_list(const Model& model, const Dataset* rows) {
  Json list = Json::array();
  if (model.validation) list.push_back(validation_json(*model.validation));
  if (model.holdout) list.push_back(quality_json("holdout", *model.holdout));
  if (rows != nullptr && !rows->labels.empty()) {
    const Predictions predictions = model.predict(*rows);
    Json json = quality_json("data", evaluate(model.schema.class_count(), rows->labels, predictions.classes,
                                              predictions.scores, predictions.probabilities));
    json["is_training_data"] = fingerprint(*rows) == model.summary.data_fingerprint;
    json["reliability"] = Json::array();
    for (const ReliabilityBin& bin :
         reliability(predictions.class_count, rows->labels, predictions.probabilities, reliability_bins)) {
      if (bin.count > 0) json["reliability"].push_back({bin.mean_probability, bin.observed_share, bin.count});
    }
    json["groups"] = Json::array();
    for (std::size_t j = 0; j < model.schema.attributes.size(); ++j) {
      if (is_used(model, j)) json["groups"].push_back(groups_json(*rows, predictions.classes, j));
    }
    list.push_back(std::move(json));
  }
  return list;
}

}  // namespace xofm::detail
