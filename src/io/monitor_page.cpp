#include "io/monitor_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace xofm::detail {

namespace {

using Json = nlohmann::ordered_json;

Json number_or_null(double value) { return std::isfinite(value) ? Json(value) : Json(); }

Json shift_json(const Shift& shift) {
  Json json = {{"name", shift.name},
               {"psi", shift.psi},
               {"psi_chance", shift.psi_chance},
               {"distance", shift.distance},
               {"distance_chance", shift.distance_chance},
               {"distance_error", shift.distance_error},
               {"missing_old", shift.missing_old},
               {"missing_new", shift.missing_new},
               {"unseen", shift.unseen},
               {"below", shift.below},
               {"above", shift.above},
               {"ranges", Json::array()},
               {"alarms", shift.alarms}};
  for (const ShiftRange& range : shift.ranges) {
    json["ranges"].push_back({{"name", range.name}, {"old", range.old_share}, {"new", range.new_share}});
  }
  return json;
}

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

constexpr const char* style = R"(
:root { color-scheme: light dark; --new: #c2571a; --old: #7a8a99; }
body { font: 15px/1.45 system-ui, sans-serif; margin: 2rem auto; max-width: 60rem; padding: 0 1rem; }
table { border-collapse: collapse; width: 100%; margin: .5rem 0 1.5rem; }
th, td { text-align: right; padding: .2rem .5rem; border-bottom: 1px solid #8884; }
th:first-child, td:first-child { text-align: left; }
.alarm { color: #b3261e; font-weight: 600; }
.bar { display: inline-block; height: .55rem; vertical-align: middle; }
.old { background: var(--old); } .new { background: var(--new); }
details { margin: .4rem 0; } summary { cursor: pointer; }
td.bars { text-align: left; width: 45%; } td.bars div { line-height: .7rem; }
)";

std::string shift_rows(const Shift& shift) {
  std::string rows;
  double most = 0;
  for (const ShiftRange& range : shift.ranges) most = std::max({most, range.old_share, range.new_share});
  for (const ShiftRange& range : shift.ranges) {
    const auto width = [&](double share) { return most > 0 ? 100 * share / most : 0; };
    rows += fmt::format(
        "<tr><td>{}</td><td>{:.1f} %</td><td>{:.1f} %</td><td class=\"bars\"><div><span class=\"bar old\" "
        "style=\"width:{:.1f}%\"></span></div><div><span class=\"bar new\" "
        "style=\"width:{:.1f}%\"></span></div></td></tr>\n",
        escaped(range.name), 100 * range.old_share, 100 * range.new_share, width(range.old_share),
        width(range.new_share));
  }
  return rows;
}

std::string shift_section(const Shift& shift) {
  std::string text = fmt::format(
      "<details{}><summary>{}: stability index {:.3f} (by chance {:.3f}), {:.1f} % of the rows "
      "would have to move (by chance {:.1f} ± {:.1f})</summary>\n",
      shift.alarms.empty() ? "" : " open", escaped(shift.name), shift.psi, shift.psi_chance, 100 * shift.distance,
      100 * shift.distance_chance, 100 * shift.distance_error);
  for (const std::string& alarm : shift.alarms) text += fmt::format("<p class=\"alarm\">{}</p>\n", escaped(alarm));
  return text + "<table><tr><th>range</th><th>training</th><th>new</th><th></th></tr>\n" + shift_rows(shift) +
         "</table></details>\n";
}

std::string metric_rows(const MonitorReport& report) {
  std::string rows;
  for (const MetricShift& metric : report.metrics) {
    rows += fmt::format("<tr{}><td>{}</td><td>{:.4f}</td><td>{:.4f} to {:.4f}</td><td>{}</td></tr>\n",
                        metric.is_alarm ? " class=\"alarm\"" : "", metric.name, metric.value, metric.low, metric.high,
                        metric.validation ? fmt::format("{:.4f}", *metric.validation) : "");
  }
  return rows;
}

}  // namespace

Json monitor_to_json(const MonitorReport& report) {
  Json json = {{"row_count", report.row_count},     {"labelled_count", report.labelled_count},
               {"with_notes", report.with_notes},   {"alarm_count", report.alarm_count},
               {"score", shift_json(report.score)}, {"class", shift_json(report.classes)}};
  if (report.labels) json["true_class"] = shift_json(*report.labels);
  json["attributes"] = Json::array();
  for (const Shift& shift : report.attributes) json["attributes"].push_back(shift_json(shift));
  json["metrics"] = Json::array();
  for (const MetricShift& metric : report.metrics) {
    json["metrics"].push_back({{"name", metric.name},
                               {"value", number_or_null(metric.value)},
                               {"low", number_or_null(metric.low)},
                               {"high", number_or_null(metric.high)},
                               {"validation", metric.validation ? Json(*metric.validation) : Json()},
                               {"spread", metric.spread ? Json(*metric.spread) : Json()},
                               {"is_alarm", metric.is_alarm}});
  }
  if (report.sample_count < report.labelled_count) json["metrics_from_rows"] = report.sample_count;
  return json;
}

std::string monitor_page(const Model& model, const MonitorReport& report) {
  std::string text = fmt::format(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
      "content=\"width=device-width\"><title>{0}: new rows</title><style>{1}</style></head><body>\n<h1>{0}: {2} new "
      "rows</h1>\n<p{3}>{4}</p>\n<p>{5:.3g} % of the rows have a value that training has not seen. The model has "
      "learned "
      "from {6} rows.</p>\n",
      escaped(model.schema.label_name), style, report.row_count, report.alarm_count > 0 ? " class=\"alarm\"" : "",
      report.alarm_count == 0   ? "No threshold is passed."
      : report.alarm_count == 1 ? "1 threshold is passed."
                                : fmt::format("{} thresholds are passed.", report.alarm_count),
      100 * report.with_notes, model.summary.row_count);
  text += "<h2>Score and classes</h2>\n" + shift_section(report.score) + shift_section(report.classes);
  if (report.labels) text += shift_section(*report.labels);
  if (!report.metrics.empty()) {
    text +=
        "<h2>How good the model is on them</h2>\n<table><tr><th>metric</th><th>new rows</th><th>confidence "
        "interval</th><th>in validation</th></tr>\n" +
        metric_rows(report) + "</table>\n";
  }
  text += "<h2>Attributes</h2>\n";
  std::vector<const Shift*> order;
  for (const Shift& shift : report.attributes) order.push_back(&shift);
  std::stable_sort(order.begin(), order.end(), [](const Shift* a, const Shift* b) {
    if (a->alarms.empty() != b->alarms.empty()) return b->alarms.empty();
    return a->psi > b->psi;
  });
  for (const Shift* const shift : order) text += shift_section(*shift);
  return text + "</body></html>\n";
}

}  // namespace xofm::detail
