#include "c_api/calls.hpp"

#include <algorithm>
#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>

#include "c_api/json_in.hpp"
#include "c_api/options.hpp"
#include "core/base/parallel.hpp"
#include "core/explain/effects.hpp"
#include "core/train/directions.hpp"
#include "io/check_json.hpp"
#include "io/monitor_page.hpp"
#include "xofm/error.hpp"
#include "xofm/fit.hpp"

namespace xofm::c_api {

namespace {

// Rows that are looked at together: results and encoded rows take some megabytes, whatever the frame's size.
constexpr std::size_t chunk_rows = 65536;

template <class Value>
void copy_to(const std::vector<Value>& values, Value* out, std::size_t at) {
  if (out != nullptr) std::copy(values.begin(), values.end(), out + at);
}

void copy_covering(const Model& model, const Predictions& found, const xofm_prediction& out, std::size_t begin) {
  if (out.covering_lowest == nullptr && out.covering_highest == nullptr) return;
  const auto classes = static_cast<std::size_t>(found.class_count);
  for (std::size_t i = 0; i < found.row_count(); ++i) {
    const ClassInterval interval =
        covering_interval(model.assignment, {&found.probabilities[i * classes], classes}, out.coverage);
    if (out.covering_lowest != nullptr) out.covering_lowest[begin + i] = interval.lowest;
    if (out.covering_highest != nullptr) out.covering_highest[begin + i] = interval.highest;
  }
}

void copy_predictions(const Model& model, const Predictions& found, const xofm_prediction& out, std::size_t begin) {
  const auto classes = static_cast<std::size_t>(found.class_count);
  copy_to(found.scores, out.scores, begin);
  copy_to(found.support, out.support, begin * classes);
  copy_to(found.probabilities, out.probabilities, begin * classes);
  for (std::size_t i = 0; i < found.row_count(); ++i) {
    if (out.classes != nullptr) out.classes[begin + i] = found.classes[i];
    if (out.lowest != nullptr) out.lowest[begin + i] = found.intervals[i].lowest;
    if (out.highest != nullptr) out.highest[begin + i] = found.intervals[i].highest;
  }
  copy_covering(model, found, out, begin);
  if (out.notes == nullptr) return;
  const std::size_t attributes = model.schema.attributes.size();
  std::fill_n(out.notes + begin * attributes, found.row_count() * attributes, std::uint8_t{0});
  for (const RowNote& note : found.notes) {
    out.notes[(begin + note.row) * attributes + note.attribute] = static_cast<std::uint8_t>(note.note);
  }
}

bool wants_more_than_scores(const xofm_prediction& out) {
  return out.classes != nullptr || out.lowest != nullptr || out.highest != nullptr || out.support != nullptr ||
         out.probabilities != nullptr || out.covering_lowest != nullptr || out.covering_highest != nullptr ||
         out.notes != nullptr;
}

// Calls use(rows, index of the first) for all rows of the frame.
template <class Use>
void for_each_chunk(const Model& model, const Frame& frame, Use use) {
  const RowReader reader(frame, model.schema);
  Dataset rows;
  rows.schema = model.schema;
  for (std::size_t begin = 0; begin < frame.row_count; begin += chunk_rows) {
    reader.read(begin, std::min(begin + chunk_rows, frame.row_count), rows);
    use(rows, begin);
  }
}

}  // namespace

int thread_count(const xofm_control* control) { return control != nullptr ? control->thread_count : 0; }

ProgressCallback progress_of(const xofm_control* control) {
  using Clock = std::chrono::steady_clock;
  if (control == nullptr || control->progress == nullptr) return {};
  auto last = std::make_shared<Clock::time_point>();
  auto goes_on = std::make_shared<bool>(true);
  return [control, last, goes_on](const Progress& p) {
    const auto now = Clock::now();
    if (std::chrono::duration<double>(now - *last).count() < control->interval_seconds) return *goes_on;
    *last = now;
    const xofm_progress progress = {sizeof progress, p.share, p.phase, p.count};
    *goes_on = *goes_on && control->progress(&progress, control->user) != 0;
    return *goes_on;
  };
}

Model fit_frame(const Frame& frame, const Labels& labels, const char* options, const xofm_control* control) {
  const FitRequest request = read_fit_request(options);
  // Columns that are spoken of by name stay what they are.
  std::vector<std::string> named = detail::named_attributes(request.train);
  for (const auto& [name, text] : request.descriptions) named.push_back(name);
  for (const auto& [name, text] : request.units) named.push_back(name);
  for (const auto& [name, values] : request.special) named.push_back(name);
  TrainingRows rows = training_rows(frame, labels, request.categorical, named);
  set_special(request, rows.data.schema);
  describe_attributes(request, rows.data.schema);
  Model model = fit(rows.data, fit_options(request, rows.data), progress_of(control)).model;
  for (auto& points : model.assignment.reference.classes) {
    for (auto& point : points) point.row = rows.origins[point.row - 1] + 1;  // rows as they were given
  }
  return model;
}

std::string check_frame(const Frame& frame, const Labels& labels, const char* options) {
  const FitRequest request = read_fit_request(options);
  std::vector<std::string> named;
  for (const auto& [name, values] : request.special) named.push_back(name);
  TrainingRows rows = training_rows(frame, labels, request.categorical, named);
  set_special(request, rows.data.schema);
  return detail::check_to_json(rows.data, check_data(rows.data)).dump();
}

std::string monitor_frame(const Model& model, const Frame& frame, const std::int32_t* labels, const char* options) {
  MonitorOptions wanted;
  bool is_page = false;
  read_json_options(options, [&](const detail::JsonView& json, const nlohmann::json&) {
    const auto read = [&](const char* name, double& value) {
      if (json.has(name)) value = json[name].number();
    };
    read("psi", wanted.psi);
    read("missing", wanted.missing);
    read("unseen", wanted.unseen);
    read("outside", wanted.outside);
    read("metric", wanted.metric);
    read("confidence", wanted.confidence);
    if (json.has("page")) is_page = json["page"].boolean();
  });
  Monitor monitor(model, wanted);
  for_each_chunk(model, frame, [&](Dataset& rows, std::size_t begin) {
    rows.labels.clear();
    if (labels != nullptr) rows.labels.assign(labels + begin, labels + begin + rows.row_count());
    check(rows);
    monitor.add(rows);
  });
  const MonitorReport report = monitor.report();
  return is_page ? detail::monitor_page(model, report) : detail::monitor_to_json(report).dump();
}

void predict_frame(const Model& model, const Frame& frame, const xofm_prediction& out) {
  for_each_chunk(model, frame, [&](const Dataset& rows, std::size_t begin) {
    if (wants_more_than_scores(out)) {
      copy_predictions(model, model.predict(rows), out, begin);
    } else {
      copy_to(model.score(rows), out.scores, begin);
    }
  });
}

void explain_frame(const Model& model, const Frame& frame, const xofm_contributions& out) {
  const detail::Effects effects(model);
  const auto pairs = detail::pairs_of(model);
  const std::size_t attributes = effects.attribute_count();
  if (out.base != nullptr) *out.base = effects.base();
  for_each_chunk(model, frame, [&](const Dataset& rows, std::size_t begin) {
    const std::size_t count = rows.row_count();
    const std::size_t block_count = detail::block_count_for(count, 64, 256);
    detail::parallel_for(block_count, [&](std::size_t block) {
      const auto [from, to] = detail::block_range(count, block_count, block);
      std::vector<std::vector<double>> deviations(attributes);
      for (std::size_t i = from; i < to; ++i) {
        for (std::size_t j = 0; j < attributes; ++j) {
          const detail::Effect effect = effects.at(j, rows.columns[j][i]);
          if (out.attributes != nullptr) out.attributes[(begin + i) * attributes + j] = effects.curve(j, effect);
          deviations[j] = effects.deviation(j, effect);
        }
        for (std::size_t p = 0; out.pairs != nullptr && p < pairs.size(); ++p) {
          out.pairs[(begin + i) * pairs.size() + p] =
              detail::dot(deviations[pairs[p].first], deviations[pairs[p].second]);
        }
      }
    });
  });
}

}  // namespace xofm::c_api
