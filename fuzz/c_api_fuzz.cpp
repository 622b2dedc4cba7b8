// The C interface as a careless caller uses it; the first byte says how: an Arrow stream, columns with strides, a
// model's text, options as JSON. Every call gives a status, never a mistake of the library's own; a model that there is
// predicts numbers.
#include <xofm/c_api.h>

#include <array>
#include <cmath>
#include <cstdlib>

#include "arrow_stream.hpp"
#include "sealed_text.hpp"

namespace {

using namespace xofm::fuzzing;

void need(bool condition) {
  if (!condition) std::abort();
}

class Answer {
 public:
  xofm_text** error() { return &error_; }
  // Whether the call gave what was asked for.
  bool is_good(xofm_status status) {
    need(status >= XOFM_OK && status < XOFM_INTERNAL);
    need((status == XOFM_OK || status == XOFM_STOPPED) == (error_ == nullptr));
    xofm_text_free(std::exchange(error_, nullptr));
    return status == XOFM_OK || status == XOFM_STOPPED;
  }
  bool is_good_text(xofm_status status, xofm_text*& text) {
    const bool is_good_status = is_good(status);
    need(is_good_status == (text != nullptr));
    if (text != nullptr) need(nlohmann::json::accept(xofm_text_data(text)));
    xofm_text_free(std::exchange(text, nullptr));
    return is_good_status;
  }

 private:
  xofm_text* error_ = nullptr;
};

// Asks to stop when it has been called so many times.
struct Patience {
  int calls_left = 0;
  xofm_control control{sizeof(xofm_control), 1, 0,
                       [](const xofm_progress*, void* user) -> std::int32_t {
                         return static_cast<Patience*>(user)->calls_left-- > 0 ? 1 : 0;
                       },
                       this};
};

xofm_model* fit(const xofm_frame* frame, Decisions& decide, const char* options) {
  constexpr const char* names[] = {"low", "medium", "high", "low", "\xff"};
  std::array<std::int32_t, 4 * most_rows> codes{};
  std::array<double, 4 * most_rows> weights{};
  for (std::size_t i = 0; i < codes.size(); ++i) {
    codes[i] = decide.is_rare() ? decide.value<std::int32_t>() : static_cast<std::int32_t>(i % 3);
    weights[i] = decide.is_rare() ? decide.value<double>() : static_cast<double>(decide.below(3));
  }
  xofm_labels labels{};
  labels.struct_size = decide.is_rare() ? decide.value<std::uint8_t>() : sizeof labels;
  labels.codes = decide.is_rare() ? nullptr : codes.data();
  labels.count = decide.is_rare() ? decide.below(codes.size()) : xofm_frame_row_count(frame);
  labels.class_names = decide.is_rare() ? nullptr : names;
  labels.class_count = decide.is_rare() ? decide.below(6) : 3;
  labels.weights = decide.below(2) == 0 ? nullptr : weights.data();
  Patience patience{.calls_left = 3 + static_cast<int>(decide.below(20))};
  xofm_model* model = nullptr;
  Answer answer;
  const bool is_good = answer.is_good(xofm_fit(frame, &labels, options, &patience.control, &model, answer.error()));
  need(is_good == (model != nullptr));
  return model;
}

nlohmann::json describe(const xofm_model* model) {
  xofm_text* text = nullptr;
  need(xofm_model_describe(model, &text, nullptr) == XOFM_OK);
  nlohmann::json about = nlohmann::json::parse(xofm_text_data(text));
  xofm_text_free(text);
  return about;
}

void use(const xofm_model* model, const xofm_frame* frame, Decisions& decide) {
  Answer answer;
  xofm_text* text = nullptr;
  need(answer.is_good_text(xofm_model_to_text(model, &text, answer.error()), text));
  const nlohmann::json about = describe(model);
  const std::size_t rows = xofm_frame_row_count(frame);
  const std::size_t classes = about["class_names"].size();
  const std::size_t attributes = about["attributes"].size();
  std::vector<double> scores(rows), support(rows * classes), probabilities(rows * classes);
  std::vector<double> parts(rows * attributes), pairs(rows * about["pairs"].size());
  std::vector<std::int32_t> covering(rows), predicted(rows);
  std::vector<std::uint8_t> notes(rows * attributes);
  double base = 0;
  xofm_prediction wanted{
      sizeof wanted,   scores.data(),  predicted.data(),     nullptr,
      covering.data(), support.data(), probabilities.data(), decide.is_rare() ? decide.value<double>() : 0.9,
      covering.data(), nullptr,        notes.data()};
  if (answer.is_good(xofm_predict(model, frame, &wanted, nullptr, answer.error()))) {
    for (const double score : scores) need(std::isfinite(score));
    for (const double share : support) need(share >= 0 && share <= 1);
    for (const double share : probabilities) need(share >= 0 && share <= 1 + 1e-9);  // rounding
    for (const std::int32_t code : predicted) need(code >= 0 && static_cast<std::size_t>(code) < classes);
  }
  const xofm_contributions contributions{sizeof contributions, &base, parts.data(), pairs.data()};
  static_cast<void>(answer.is_good(xofm_explain_local(model, frame, &contributions, nullptr, answer.error())));
  answer.is_good_text(
      xofm_explain_global(model, decide.below(2) == 0 ? nullptr : frame, nullptr, &text, answer.error()), text);
  const auto lowest = static_cast<std::int32_t>(decide.value<std::int8_t>());
  const std::string options = decide.is_rare() ? decide.text(20) : "";
  answer.is_good_text(xofm_recourse(model, frame, lowest, lowest, options.c_str(), nullptr, &text, answer.error()),
                      text);
  const auto class_count = decide.is_rare() ? decide.value<std::int32_t>() : static_cast<std::int32_t>(classes);
  const double* const given = static_cast<std::size_t>(class_count) == classes ? probabilities.data() : nullptr;
  answer.is_good_text(
      xofm_evaluate(class_count, rows, predicted.data(), predicted.data(), scores.data(), given, &text, answer.error()),
      text);
}

// Rows that any fit can learn from.
xofm_frame* plain_frame() {
  static const auto values = [] {
    std::array<std::array<double, 2>, 30> made{};
    for (std::size_t i = 0; i < made.size(); ++i) {
      made[i] = {static_cast<double>(i * 7 % 30), static_cast<double>(i % 3) + 0.01 * static_cast<double>(i)};
    }
    return made;
  }();
  xofm_column columns[2] = {};
  for (std::size_t j = 0; j < 2; ++j) {
    columns[j].struct_size = sizeof columns[j];
    columns[j].name = j == 0 ? "size" : "other";
    columns[j].values = &values[0][j];
    columns[j].stride = sizeof values[0];
  }
  xofm_frame* frame = nullptr;
  need(xofm_frame_from_columns(columns, 2, values.size(), &frame, nullptr) == XOFM_OK);
  return frame;
}

constexpr const char* quick = R"({"tune": false, "factor_count": 0, "max_epochs": 3, "reference_scores": "training"})";
constexpr const char* quick_dates = R"({"tune": false, "factor_count": 0, "max_epochs": 3,
                                        "reference_scores": "training", "cyclic": ["size"], "id": "colour"})";

void learn_and_use(xofm_frame* frame, Decisions& decide, const char* options) {
  xofm_model* const model = fit(frame, decide, options);
  if (model != nullptr) use(model, frame, decide);
  xofm_model_free(model);
}

void try_stream(Decisions& decide) {
  ArrowStream made(decide);
  Answer answer;
  xofm_frame* frame = nullptr;
  if (answer.is_good(xofm_frame_from_arrow(&made.stream, &frame, answer.error()))) {
    for (std::size_t j = 0; j < xofm_frame_column_count(frame); ++j) {
      need(xofm_frame_column_name(frame, j) != nullptr);
      static_cast<void>(xofm_frame_column_is_text(frame, j));
    }
    learn_and_use(frame, decide, decide.below(3) == 0 ? quick_dates : quick);
  }
  need(made.stream.release == nullptr);
  xofm_frame_free(frame);
}

void try_columns(Decisions& decide) {
  constexpr std::size_t most_stride = 24;
  constexpr const char* names[] = {"size", "make", "colour", "size", "", "\xc3("};
  constexpr const char* levels[] = {"red", "blue", "", "red"};
  std::vector<xofm_column> columns(1 + decide.below(4));
  std::vector<std::vector<char>> memory;
  for (xofm_column& column : columns) {
    std::string given = decide.text(decide.below(200));
    given.resize(2 * most_rows * most_stride + 8);
    memory.emplace_back(given.begin(), given.end());
    column.struct_size = sizeof column;
    column.type = decide.is_rare() ? decide.value<std::int32_t>() : static_cast<std::int32_t>(decide.below(17));
    column.name = decide.is_rare() ? nullptr : names[decide.is_rare() ? decide.below(6) : memory.size() % 3];
    column.values = decide.is_rare() ? nullptr : memory.back().data() + most_rows * most_stride;
    column.stride = static_cast<std::int64_t>(decide.below(2 * most_stride)) - static_cast<std::int64_t>(most_stride);
    column.validity = decide.below(3) == 0 ? reinterpret_cast<const std::uint8_t*>(memory.back().data()) : nullptr;
    column.levels = decide.is_rare() ? nullptr : levels;
    column.level_count = decide.below(5);
  }
  if (columns.size() == 1 && decide.is_rare()) columns[0].struct_size = decide.value<std::uint8_t>();
  Answer answer;
  xofm_frame* frame = nullptr;
  const std::size_t rows = decide.below(most_rows + 1);
  if (answer.is_good(xofm_frame_from_columns(columns.data(), columns.size(), rows, &frame, answer.error()))) {
    const char* const others[] = {"a", "b", nullptr, "d"};
    if (decide.is_rare())
      static_cast<void>(answer.is_good(xofm_frame_rename(frame, others, decide.below(5), answer.error())));
    learn_and_use(frame, decide, decide.below(3) == 0 ? quick_dates : quick);
  }
  xofm_frame_free(frame);
}

void try_model(Decisions& decide) {
  const std::string text = sealed(decide.text(decide.left()));
  Answer answer;
  xofm_model* model = nullptr;
  xofm_frame* const frame = plain_frame();
  if (answer.is_good(xofm_model_from_text(text.data(), text.size(), &model, answer.error()))) {
    const nlohmann::json attributes = describe(model)["attributes"];
    std::vector<std::string> names;
    for (std::size_t j = 0; j < 2; ++j) {
      names.push_back(j < attributes.size() ? attributes[j]["name"].get<std::string>() : "none");
    }
    const char* const given[] = {names[0].c_str(), names[1].c_str()};
    if (answer.is_good(xofm_frame_rename(frame, given, 2, answer.error()))) use(model, frame, decide);
  }
  xofm_model_free(model);
  xofm_frame_free(frame);
}

void try_options(Decisions& decide) {
  const std::string text = decide.text(decide.left());
  xofm_frame* const frame = plain_frame();
  learn_and_use(frame, decide, text.c_str());
  xofm_frame_free(frame);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  Decisions decide(data + 1, size - 1);
  switch (data[0] % 4) {
    case 0:
      try_stream(decide);
      break;
    case 1:
      try_columns(decide);
      break;
    case 2:
      try_model(decide);
      break;
    default:
      try_options(decide);
  }
  return 0;
}
