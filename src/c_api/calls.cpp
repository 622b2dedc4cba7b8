#include "c_api/calls.hpp"

#include <algorithm>
#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>

#include "c_api/json_in.hpp"
#include "c_api/options.hpp"
#include "core/assign/predictor.hpp"
#include "core/base/parallel.hpp"
#include "core/explain/effects.hpp"
#include "io/check_json.hpp"
#include "io/monitor_page.hpp"
#include "xofm/error.hpp"
#include "xofm/fit.hpp"

namespace xofm::c_api {

namespace {

// Calls use(rows of a tile, its range in the frame) for all rows, on all threads.
template <class Use>
void for_each_tile(const Model& model, const Frame& frame, Use use) {
  const RowReader reader(frame, model.schema);
  detail::parallel_for(detail::tile_count(frame.row_count), [&](std::size_t tile) {
    const detail::Range range = detail::tile_range(frame.row_count, tile);
    use(reader.read(range.begin, range.end), range);
  });
}

template <class Value>
Value* at(Value* values, std::size_t place) {
  return values != nullptr ? values + place : nullptr;
}

void put_notes(const std::vector<RowNote>& found, std::size_t count, std::size_t attributes, std::uint8_t* notes) {
  if (notes == nullptr) return;
  std::fill_n(notes, count * attributes, std::uint8_t{0});
  for (const RowNote& note : found)
    notes[note.row * attributes + note.attribute] = static_cast<std::uint8_t>(note.note);
}

bool wants_more_than_scores(const xofm_prediction& out) {
  return out.classes != nullptr || out.lowest != nullptr || out.highest != nullptr || out.support != nullptr ||
         out.probabilities != nullptr || out.covering_lowest != nullptr || out.covering_highest != nullptr;
}

void put(int value, std::int32_t* values, std::size_t place) {
  if (values != nullptr) values[place] = value;
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
  TrainingRows rows = training_rows(frame, labels, request.columns);
  set_special(request, rows.data.schema);
  describe_attributes(request, rows.data.schema);
  Model model = fit(rows.data, fit_options(request, rows.data), progress_of(control)).model;
  for (auto& points : model.assignment.reference.classes) {
    for (auto& point : points) point.row = std::size_t{(*rows.origins)[point.row - 1]} + 1;  // rows as they were given
  }
  return model;
}

std::string check_frame(const Frame& frame, const Labels& labels, const char* options) {
  const FitRequest request = read_fit_request(options);
  TrainingRows rows = training_rows(frame, labels, request.columns);
  set_special(request, rows.data.schema);
  return detail::check_to_json(rows.data, check_data(rows.data)).dump();
}

std::string monitor_frame(const Model& model, const Frame& frame, const std::int32_t* labels, const char* options) {
  MonitorOptions wanted;
  bool is_page = false;
  read_json_options(options, [&](const detail::JsonView& json, const nlohmann::json&) {
    check_option_names(json, {"psi", "missing", "unseen", "outside", "metric", "confidence", "page"});
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
  constexpr std::size_t added_rows = 65536;  // some megabytes, whatever the frame's size
  Monitor monitor(model, wanted);
  const RowReader reader(frame, model.schema);
  for (std::size_t begin = 0; begin < frame.row_count; begin += added_rows) {
    const std::size_t end = std::min(begin + added_rows, frame.row_count);
    Dataset rows = reader.read(begin, end);
    rows.schema = model.schema;
    if (labels != nullptr) rows.labels.assign(labels + begin, labels + end);
    check(rows);
    monitor.add(rows);
  }
  const MonitorReport report = monitor.report();
  return is_page ? detail::monitor_page(model, report) : detail::monitor_to_json(report).dump();
}

void predict_frame(const Model& model, const Frame& frame, const xofm_prediction& out) {
  const detail::Predictor predictor(model);
  const auto classes = static_cast<std::size_t>(model.schema.class_count());
  const std::size_t attributes = model.schema.attributes.size();
  const bool has_covering = out.covering_lowest != nullptr || out.covering_highest != nullptr;
  for_each_tile(model, frame, [&](const Dataset& rows, detail::Range range) {
    const std::size_t count = range.size();
    std::vector<RowNote> found;
    std::vector<RowNote>* const notes = out.notes != nullptr ? &found : nullptr;
    if (!wants_more_than_scores(out)) {
      const std::vector<double> scores = predictor.score(rows, {0, count}, notes);
      if (out.scores != nullptr) std::copy(scores.begin(), scores.end(), out.scores + range.begin);
    } else {
      const detail::Shares shares{at(out.support, range.begin * classes), at(out.probabilities, range.begin * classes)};
      predictor.predict(rows, {0, count}, range.begin, shares, notes,
                        [&](std::size_t i, const AssignedRow& assigned, std::span<const double> probabilities) {
                          const std::size_t row = range.begin + i;
                          if (out.scores != nullptr) out.scores[row] = assigned.score;
                          put(assigned.label, out.classes, row);
                          put(assigned.interval.lowest, out.lowest, row);
                          put(assigned.interval.highest, out.highest, row);
                          if (!has_covering) return;
                          const ClassInterval covering =
                              covering_interval(model.assignment, probabilities, out.coverage);
                          put(covering.lowest, out.covering_lowest, row);
                          put(covering.highest, out.covering_highest, row);
                        });
    }
    put_notes(found, count, attributes, at(out.notes, range.begin * attributes));
  });
}

void explain_frame(const Model& model, const Frame& frame, const xofm_contributions& out) {
  const detail::Effects effects(model);
  const auto pairs = detail::pairs_of(model);
  const std::size_t attributes = effects.attribute_count();
  if (out.base != nullptr) *out.base = effects.base();
  for_each_tile(model, frame, [&](const Dataset& rows, detail::Range range) {
    std::vector<std::vector<double>> deviations(attributes);
    for (std::size_t i = 0; i < range.size(); ++i) {
      const std::size_t row = range.begin + i;
      for (std::size_t j = 0; j < attributes; ++j) {
        const detail::Effect effect = effects.at(j, rows.columns[j][i]);
        if (out.attributes != nullptr) out.attributes[row * attributes + j] = effects.curve(j, effect);
        deviations[j] = effects.deviation(j, effect);
      }
      for (std::size_t p = 0; out.pairs != nullptr && p < pairs.size(); ++p) {
        out.pairs[row * pairs.size() + p] = detail::dot(deviations[pairs[p].first], deviations[pairs[p].second]);
      }
    }
  });
}

}  // namespace xofm::c_api
