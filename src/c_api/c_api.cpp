#include "xofm/c_api.h"

#include <fmt/format.h>

#include <cstring>
#include <memory>
#include <nlohmann/json.hpp>

#include "c_api/arrow.hpp"
#include "c_api/calls.hpp"
#include "c_api/export_options.hpp"
#include "c_api/handles.hpp"
#include "c_api/json_in.hpp"
#include "c_api/json_out.hpp"
#include "c_api/options.hpp"
#include "xofm/explain.hpp"
#include "xofm/export.hpp"
#include "xofm/model_file.hpp"
#include "xofm/report.hpp"
#include "xofm/threads.hpp"

namespace {

using namespace xofm;
using c_api::guarded;

void need(bool condition, const char* message) {
  if (!condition) throw Error(ErrorCode::invalid_option, message);
}

// A struct of the caller as this library knows it: what an older caller does not have is zero.
template <class Struct>
Struct known(const Struct* given, const char* name) {
  Struct result{};
  need(given != nullptr, name);
  need(given->struct_size >= sizeof(std::uint32_t) && given->struct_size % alignof(void*) == 0,
       "a struct does not say its size: set struct_size to sizeof");
  std::memcpy(&result, given, std::min<std::size_t>(given->struct_size, sizeof result));
  return result;
}

struct Call {
  explicit Call(const xofm_control* given)
      : control(given != nullptr ? known(given, "control") : xofm_control{}), limit(c_api::thread_count(&control)) {}
  xofm_control control;
  ThreadLimit limit;
};

xofm_status give(std::string value, xofm_text** text) {
  need(text != nullptr, "text is null");
  *text = new xofm_text{std::move(value)};
  return XOFM_OK;
}

xofm_status give(Model value, xofm_model** model) {
  need(model != nullptr, "model is null");
  const bool is_stopped = value.record.interrupted;
  *model = new xofm_model{std::move(value)};
  return is_stopped ? XOFM_STOPPED : XOFM_OK;
}

// Texts of the caller.
std::vector<std::string> texts_of(const char* const* given, std::size_t count, const char* message) {
  need(given != nullptr || count == 0, message);
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < count; ++i) {
    need(given[i] != nullptr, message);
    texts.emplace_back(given[i]);
  }
  return texts;
}

c_api::Column column_of(const xofm_column& given, std::size_t row_count) {
  constexpr c_api::CellType types[] = {
      c_api::CellType::float64,      c_api::CellType::float32,      c_api::CellType::int8,
      c_api::CellType::int16,        c_api::CellType::int32,        c_api::CellType::int64,
      c_api::CellType::uint8,        c_api::CellType::uint16,       c_api::CellType::uint32,
      c_api::CellType::uint64,       c_api::CellType::byte_boolean, c_api::CellType::int32,
      c_api::CellType::days32,       c_api::CellType::seconds,      c_api::CellType::milliseconds,
      c_api::CellType::microseconds, c_api::CellType::nanoseconds};
  need(given.name != nullptr, "a column has no name");
  need(given.type >= XOFM_FLOAT64 && given.type <= XOFM_NANOSECONDS, "a column has an unknown type");
  need(given.values != nullptr || row_count == 0, "a column has no values");
  c_api::Chunk chunk{.type = types[given.type], .length = row_count, .values = given.values, .stride = given.stride};
  chunk.validity = given.validity;
  if (given.type == XOFM_LEVELS) {
    chunk.levels = std::make_shared<std::vector<std::string>>(
        texts_of(given.levels, given.level_count, "a column's levels are null"));
    chunk.has_negative_codes = true;
  }
  return {given.name, {std::move(chunk)}};
}

c_api::Labels labels_of(const xofm_labels* given) {
  const xofm_labels labels = known(given, "labels is null");
  need(labels.codes != nullptr || labels.count == 0, "the labels have no codes");
  c_api::Labels result{.codes = {labels.codes, labels.count},
                       .label_name = labels.label_name != nullptr ? labels.label_name : "class"};
  result.class_names = texts_of(labels.class_names, labels.class_count, "the names of the classes are null");
  if (labels.weights != nullptr) result.weights = {labels.weights, labels.count};
  return result;
}

}  // namespace

extern "C" {

uint32_t xofm_abi_version(void) { return XOFM_ABI_VERSION; }
const char* xofm_version(void) { return XOFM_VERSION; }

const char* xofm_text_data(const xofm_text* text) { return text->value.c_str(); }
size_t xofm_text_size(const xofm_text* text) { return text->value.size(); }
void xofm_text_free(xofm_text* text) { delete text; }

xofm_status xofm_option_table(xofm_text** table, xofm_text** error) {
  return guarded(error, [&] { return give(c_api::option_table_json(), table); });
}

xofm_status xofm_frame_from_columns(const xofm_column* columns, size_t column_count, size_t row_count,
                                    xofm_frame** frame, xofm_text** error) {
  return guarded(error, [&] {
    need(frame != nullptr, "frame is null");
    need(columns != nullptr || column_count == 0, "columns is null");
    auto made = std::make_unique<xofm_frame>();
    made->value.row_count = row_count;
    const std::size_t width = column_count > 0 ? columns[0].struct_size : 0;
    for (size_t j = 0; j < column_count; ++j) {
      const auto* const at = reinterpret_cast<const char*>(columns) + j * width;
      made->value.columns.push_back(column_of(known(reinterpret_cast<const xofm_column*>(at), "columns"), row_count));
    }
    *frame = made.release();
    return XOFM_OK;
  });
}

xofm_status xofm_frame_from_arrow(struct ArrowArrayStream* stream, xofm_frame** frame, xofm_text** error) {
  return guarded(error, [&] {
    need(stream != nullptr && frame != nullptr, "stream or frame is null");
    *frame = new xofm_frame{c_api::frame_from_arrow(*stream)};
    return XOFM_OK;
  });
}

size_t xofm_frame_row_count(const xofm_frame* frame) { return frame->value.row_count; }
size_t xofm_frame_column_count(const xofm_frame* frame) { return frame->value.columns.size(); }
const char* xofm_frame_column_name(const xofm_frame* frame, size_t column) {
  return column < frame->value.columns.size() ? frame->value.columns[column].name.c_str() : nullptr;
}
xofm_status xofm_frame_rename(xofm_frame* frame, const char* const* names, size_t count, xofm_text** error) {
  return guarded(error, [&] {
    need(frame != nullptr && (names != nullptr || count == 0), "frame or names are null");
    need(count == frame->value.columns.size(), "there must be a name for each column");
    const std::vector<std::string> given = texts_of(names, count, "a name is null");
    for (size_t j = 0; j < count; ++j) frame->value.columns[j].name = given[j];
    return XOFM_OK;
  });
}
int32_t xofm_frame_column_is_text(const xofm_frame* frame, size_t column) {
  return column < frame->value.columns.size() && frame->value.columns[column].has_texts() ? 1 : 0;
}
void xofm_frame_free(xofm_frame* frame) { delete frame; }

xofm_status xofm_fit(const xofm_frame* frame, const xofm_labels* labels, const char* options,
                     const xofm_control* control, xofm_model** model, xofm_text** error) {
  return guarded(error, [&] {
    need(frame != nullptr && model != nullptr, "frame or model is null");
    *model = nullptr;
    const Call call(control);
    return give(c_api::fit_frame(frame->value, labels_of(labels), options, &call.control), model);
  });
}

xofm_status xofm_model_load(const char* path, xofm_model** model, xofm_text** error) {
  return guarded(error, [&] {
    need(path != nullptr, "path is null");
    give(load_model(path), model);
    return XOFM_OK;
  });
}

xofm_status xofm_model_save(const xofm_model* model, const char* path, xofm_text** error) {
  return guarded(error, [&] {
    need(model != nullptr && path != nullptr, "model or path is null");
    save_model(model->value, path);
    return XOFM_OK;
  });
}

xofm_status xofm_model_from_text(const char* data, size_t size, xofm_model** model, xofm_text** error) {
  return guarded(error, [&] {
    need(data != nullptr, "data is null");
    give(model_from_json({data, size}), model);
    return XOFM_OK;
  });
}

xofm_status xofm_model_to_text(const xofm_model* model, xofm_text** text, xofm_text** error) {
  return guarded(error, [&] {
    need(model != nullptr, "model is null");
    return give(model_to_json(model->value), text);
  });
}

void xofm_model_free(xofm_model* model) { delete model; }

xofm_status xofm_model_describe(const xofm_model* model, xofm_text** text, xofm_text** error) {
  return guarded(error, [&] {
    need(model != nullptr, "model is null");
    return give(c_api::describe_json(model->value), text);
  });
}

xofm_status xofm_predict(const xofm_model* model, const xofm_frame* frame, const xofm_prediction* prediction,
                         const xofm_control* control, xofm_text** error) {
  return guarded(error, [&] {
    need(model != nullptr && frame != nullptr, "model or frame is null");
    const Call call(control);
    c_api::predict_frame(model->value, frame->value, known(prediction, "prediction is null"));
    return XOFM_OK;
  });
}

xofm_status xofm_explain_local(const xofm_model* model, const xofm_frame* frame,
                               const xofm_contributions* contributions, const xofm_control* control,
                               xofm_text** error) {
  return guarded(error, [&] {
    need(model != nullptr && frame != nullptr, "model or frame is null");
    const Call call(control);
    c_api::explain_frame(model->value, frame->value, known(contributions, "contributions is null"));
    return XOFM_OK;
  });
}

xofm_status xofm_explain_global(const xofm_model* model, const xofm_frame* frame, const xofm_control* control,
                                xofm_text** text, xofm_text** error) {
  return guarded(error, [&] {
    need(model != nullptr, "model is null");
    const Call call(control);
    if (frame == nullptr) return give(c_api::global_json(model->value, nullptr), text);
    const Dataset rows = c_api::RowReader(frame->value, model->value.schema).read_all();
    return give(c_api::global_json(model->value, &rows), text);
  });
}

xofm_status xofm_recourse(const xofm_model* model, const xofm_frame* frame, int32_t lowest, int32_t highest,
                          const char* options, const xofm_control* control, xofm_text** text, xofm_text** error) {
  return guarded(error, [&] {
    need(model != nullptr && frame != nullptr, "model or frame is null");
    const Call call(control);
    CounterfactualOptions wanted;
    bool is_rounded = true;
    c_api::read_json_options(options, [&](const detail::JsonView& json, const nlohmann::json&) {
      c_api::check_option_names(json, {"fixed", "round"});
      if (json.has("fixed")) wanted.fixed = json["fixed"].texts();
      if (json.has("round")) is_rounded = json["round"].boolean();
    });
    const Dataset rows = c_api::RowReader(frame->value, model->value.schema).read_all();
    return give(c_api::recourse_json(model->value, rows, {lowest, highest}, wanted, is_rounded), text);
  });
}

xofm_status xofm_evaluate(int32_t class_count, size_t row_count, const int32_t* labels, const int32_t* classes,
                          const double* scores, const double* probabilities, xofm_text** text, xofm_text** error) {
  return guarded(error, [&] {
    need((labels != nullptr && classes != nullptr) || row_count == 0, "labels or classes are null");
    using Numbers = std::span<const double>;
    const auto width = static_cast<std::size_t>(std::max(class_count, 0));
    return give(
        c_api::metrics_json(evaluate(class_count, {labels, row_count}, {classes, row_count},
                                     scores != nullptr ? Numbers(scores, row_count) : Numbers(),
                                     probabilities != nullptr ? Numbers(probabilities, row_count * width) : Numbers())),
        text);
  });
}

xofm_status xofm_report(const xofm_model* model, const xofm_frame* frame, const int32_t* labels, const char* options,
                        const xofm_control* control, xofm_text** text, xofm_text** error) {
  return guarded(error, [&] {
    need(model != nullptr, "model is null");
    const Call call(control);
    ReportOptions wanted;
    c_api::read_json_options(options, [&](const detail::JsonView& json, const nlohmann::json&) {
      c_api::check_option_names(json, {"title", "data_name", "row_limit"});
      if (json.has("title")) wanted.title = json["title"].text();
      if (json.has("data_name")) wanted.data_name = json["data_name"].text();
      if (json.has("row_limit")) wanted.row_limit = json["row_limit"].integer(std::size_t{0}, detail::greatest_count);
    });
    if (frame == nullptr) return give(report_html(model->value, nullptr, wanted), text);
    Dataset rows = c_api::RowReader(frame->value, model->value.schema).read_all();
    if (labels != nullptr) rows.labels.assign(labels, labels + rows.row_count());
    return give(report_html(model->value, &rows, wanted), text);
  });
}

xofm_status xofm_export(const xofm_model* model, const char* options, xofm_text** text, xofm_text** error) {
  return guarded(error, [&] {
    need(model != nullptr, "model is null");
    ExportOptions wanted;
    c_api::read_json_options(options, [&](const detail::JsonView& json, const nlohmann::json& document) {
      wanted = c_api::export_options(json, document);
    });
    return give(export_model(model->value, wanted), text);
  });
}

xofm_status xofm_check(const xofm_frame* frame, const xofm_labels* labels, const char* options,
                       const xofm_control* control, xofm_text** text, xofm_text** error) {
  return guarded(error, [&] {
    need(frame != nullptr, "frame is null");
    const Call call(control);
    return give(c_api::check_frame(frame->value, labels_of(labels), options), text);
  });
}

xofm_status xofm_monitor(const xofm_model* model, const xofm_frame* frame, const int32_t* labels, const char* options,
                         const xofm_control* control, xofm_text** text, xofm_text** error) {
  return guarded(error, [&] {
    need(model != nullptr, "model is null");
    need(frame != nullptr, "frame is null");
    const Call call(control);
    return give(c_api::monitor_frame(model->value, frame->value, labels, options), text);
  });
}

}  // extern "C"
