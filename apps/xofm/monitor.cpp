// xofm monitor: new rows against those of training.
#include "xofm/monitor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "commands.hpp"
#include "io/monitor_page.hpp"
#include "io/output_file.hpp"
#include "options.hpp"
#include "terminal.hpp"
#include "xofm/csv.hpp"
#include "xofm/error.hpp"
#include "xofm/model_file.hpp"

namespace xofm::app {

namespace {

constexpr std::size_t name_width = 20;

struct MonitorArguments {
  std::string model;
  std::string data;
  std::string page;
  Dialect dialect;
  MonitorOptions options;
  int top = 10;
  bool json = false;
};

std::string shift_text(const Shift& shift) {
  std::string text =
      fmt::format("  {} {:6.3f} ({:.3f})   {:5.1f} % ({:.1f} ± {:.1f})", fit_width(shift.name, name_width), shift.psi,
                  shift.psi_chance, 100 * shift.distance, 100 * shift.distance_chance, 100 * shift.distance_error);
  for (const std::string& alarm : shift.alarms) text += fmt::format("\n    ALARM: {}", alarm);
  return text + '\n';
}

void print_metrics(const MonitorReport& report, double confidence) {
  fmt::print("\nHow good the model is on them, with {:g} % intervals{}, and in validation\n", 100 * confidence,
             report.sample_count < report.labelled_count
                 ? fmt::format(" (from a sample of {} rows)", report.sample_count)
                 : "");
  for (const MetricShift& metric : report.metrics) {
    fmt::print("  {:<16} {:8.4f}  {:8.4f} to {:8.4f}", metric.name, metric.value, metric.low, metric.high);
    if (metric.validation) fmt::print("   {:8.4f}", *metric.validation);
    if (metric.validation && metric.spread) fmt::print(" (spread {:.4f})", *metric.spread);
    fmt::print("{}\n", metric.is_alarm ? "  ALARM: worse than in validation" : "");
  }
}

void print_report(const MonitorReport& report, const MonitorArguments& arguments) {
  fmt::print("{} against the training rows; {:.3g} % have notes\n", counted(report.row_count, "new row"),
             100 * report.with_notes);
  fmt::print("\nStability index (by chance), and the share of rows that would have to move (by chance)\n");
  std::string text = shift_text(report.score) + shift_text(report.classes);
  if (report.labels) text += shift_text(*report.labels);
  std::vector<const Shift*> order;
  for (const Shift& shift : report.attributes) order.push_back(&shift);
  std::stable_sort(order.begin(), order.end(), [](const Shift* a, const Shift* b) {
    if (a->alarms.empty() != b->alarms.empty()) return b->alarms.empty();
    return a->psi > b->psi;
  });
  const auto top = static_cast<std::size_t>(arguments.top);
  std::size_t shown = 0;
  for (const Shift* const shift : order) {
    if (shown >= top && shift->alarms.empty()) break;
    text += shift_text(*shift);
    ++shown;
  }
  if (shown < order.size()) text += fmt::format("  … and {} more, less shifted (--top)\n", order.size() - shown);
  fmt::print("{}", text);
  if (!report.metrics.empty()) print_metrics(report, arguments.options.confidence);
  fmt::print("\n{}\n", report.alarm_count == 0
                           ? "No threshold is passed."
                           : fmt::format("{} passed.", counted(report.alarm_count, "threshold") +
                                                           (report.alarm_count == 1 ? " is" : " are")));
}

int run_monitor(const MonitorArguments& arguments) {
  if (!(arguments.top >= 1)) {
    throw Error(ErrorCode::invalid_option, fmt::format("--top is {}; it must be at least 1", arguments.top));
  }
  const Model model = load_model(arguments.model);
  Monitor monitor(model, arguments.options);
  std::optional<detail::OutputFile> page;
  if (!arguments.page.empty()) page.emplace(arguments.page);
  CsvReader reader(arguments.data, model.schema,
                   arguments.dialect.in(CsvReaderOptions{.read_labels = true, .labels_optional = true}));
  const InterruptGuard guard;
  Dataset rows;
  while (reader.next(rows)) {
    if (InterruptGuard::interrupted()) return exit_interrupted;
    monitor.add(rows);
  }
  const MonitorReport report = monitor.report();
  if (page) page->write(detail::monitor_page(model, report));
  if (arguments.json) {
    fmt::print("{}\n", json_text(detail::monitor_to_json(report).dump()));
  } else if (arguments.page != "-") {
    print_report(report, arguments);
  }
  if (page) page->commit();  // last: whatever fails before, the old page stays
  return report.alarm_count > 0 ? exit_shifted : exit_ok;
}

}  // namespace

void add_monitor(CLI::App& app, const Common& /*common*/, Run& run) {
  auto arguments = std::make_shared<MonitorArguments>();
  MonitorOptions& options = arguments->options;
  CLI::App* const monitor = app.add_subcommand("monitor", "Compare new rows with those that a model was trained on");
  monitor->footer(
      R"(For each attribute, the score and the class: the population stability index and the share of rows that would have to
move, each beside what chance alone makes of it; missing values, unseen levels and numbers outside the training range.
If the file has the label, also every metric with a confidence interval, beside that of the model's validation.
The exit status is 6 if a threshold is passed. Files of any length are read in bounded memory.

Examples:
  xofm monitor model.json october.csv
  xofm monitor model.json october.csv --psi 0.1 --json
  xofm monitor model.json october.csv --page october.html)");
  monitor->add_option("model", arguments->model, "Model made by fit")->required()->type_name("MODEL");
  monitor->add_option("data", arguments->data, "New rows: CSV with a header, also .gz or .zst; - for standard input")
      ->required()
      ->type_name("FILE");
  monitor->add_flag("--json", arguments->json, "Print all figures as JSON");
  monitor->add_option("--page", arguments->page, "Also write a page to open in a browser")->type_name("FILE");
  add_number(*monitor, "--top", arguments->top, "Attributes to list, the most shifted first, beside those with alarms");
  const char* const group = "Thresholds";
  add_number(*monitor, "--psi", options.psi, "Greatest stability index")->group(group);
  add_number(*monitor, "--missing", options.missing, "Share of rows with a missing value beyond that of training")
      ->group(group);
  add_number(*monitor, "--unseen", options.unseen, "Share of rows with a level that training has not seen")
      ->group(group);
  add_number(*monitor, "--outside", options.outside, "Share of rows outside the training range")->group(group);
  add_number(*monitor, "--metric", options.metric,
             "How much worse than in validation a metric may be, as a share of its value there")
      ->group(group);
  add_number(*monitor, "--confidence", options.confidence, "Of the intervals of the metrics");
  add_dialect(*monitor, arguments->dialect);
  monitor->callback([arguments, &run] { run = [arguments] { return run_monitor(*arguments); }; });
}

}  // namespace xofm::app
