#include "report/report_data.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>
#include <string_view>

#include "core/options/fields.hpp"
#include "io/check_json.hpp"
#include "report/quality_json.hpp"
#include "xofm/error.hpp"
#include "xofm/explain.hpp"
#include "xofm/model_file.hpp"

namespace xofm::detail {

namespace {

using Json = nlohmann::ordered_json;

// A page with more pairs than this would be slow, and nobody reads that far.
constexpr std::size_t pair_limit = 5000;

// Numbers as the base64 text (RFC 4648) of their 8-byte little-endian forms: half as long as digits, and exact.
std::string packed(std::span<const double> numbers) {
  constexpr std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  std::uint32_t bits = 0;  // not written yet
  int bit_count = 0;
  for (const double number : numbers) {
    const auto word = std::bit_cast<std::uint64_t>(number);
    for (int byte = 0; byte < 8; ++byte) {
      bits = (bits << 8) | static_cast<std::uint32_t>((word >> (8 * byte)) & 0xff);
      for (bit_count += 8; bit_count >= 6; bit_count -= 6) text += letters[(bits >> (bit_count - 6)) & 63];
    }
  }
  if (bit_count > 0) text += letters[(bits << (6 - bit_count)) & 63];
  while (text.size() % 4 != 0) text += '=';
  return text;
}

// What the options of the model do, by name.
Json option_help() {
  Json json = Json::object();
  for_each_train_field([&](const auto& field) { json[std::string(field.name)] = field.help; });
  return json;
}

// The factors are most of a large model; curves and surfaces are small. Recipes that have no part in the model are not
// shown.
Json model_json(const Model& model) {
  Json json = Json::parse(model_to_json(model));
  if (model.record.search) json["record"]["search"].erase("tried");
  if (model.terms) return json;
  const auto k = static_cast<std::size_t>(model.parameters.factor_count);
  for (std::size_t j = 0; j < model.schema.attributes.size(); ++j) {
    const std::size_t begin = model.encoder.offsets[j] * k;
    const std::size_t end = model.encoder.offsets[j + 1] * k;
    json["attributes"][j]["factors"] = packed({model.parameters.factors.data() + begin, end - begin});
  }
  return json;
}

// At most `limit` of `count` row numbers, evenly spread.
std::vector<std::size_t> spread_rows(std::size_t count, std::size_t limit) {
  const std::size_t kept = std::min(count, limit);
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < kept; ++i) rows.push_back(i * count / kept);
  return rows;
}

Json attributes_json(const Model& model) {
  Json json = Json::array();
  for (const AttributeImportance& attribute : training_importance(model, 0).attributes) {
    json.push_back(
        {{"raw_range", attribute.raw_range}, {"range", attribute.range}, {"mean_absolute", attribute.mean_absolute}});
  }
  return json;
}

Json rows_json(const Dataset& rows, const ReportOptions& options) {
  const std::vector<std::size_t> kept = spread_rows(rows.row_count(), options.row_limit);
  const Dataset shown = subset(rows, kept);
  Json json = {{"file", options.data_name}, {"total", rows.row_count()}, {"numbers", Json::array()}};
  for (const std::size_t row : kept) json["numbers"].push_back(row + 1);
  json["columns"] = Json::array();
  for (const auto& column : shown.columns) {
    Json values = Json::array();
    for (const double value : column) values.push_back(number_or_null(value));
    json["columns"].push_back(std::move(values));
  }
  if (!shown.ids.empty()) json["ids"] = shown.ids;
  json["labels"] = shown.labels.empty() ? Json() : Json(shown.labels);
  return json;
}

}  // namespace

Json report_data(const Model& model, const Dataset* rows, const ReportOptions& options) {
  if (options.row_limit == 0) throw Error(ErrorCode::invalid_option, "row_limit is 0; it must be at least 1");
  Json json = {{"title", options.title.empty() ? model.schema.label_name : options.title},
               {"model", model_json(model)},
               {"quality", quality_list(model, rows)},
               {"attributes", attributes_json(model)},
               {"pairs", Json::array()},
               {"pieces", Json::array()},
               {"option_help", option_help()},
               {"check", rows != nullptr && rows->row_count() > 0 && !rows->labels.empty()
                             ? check_to_json(*rows, check_data(*rows))
                             : Json()},
               {"rows", rows != nullptr && rows->row_count() > 0 ? rows_json(*rows, options) : Json()}};
  const bool has_pairs = model.terms || model.parameters.factor_count > 0;
  const std::vector<PairStrength> pairs = has_pairs ? pair_strengths(model, pair_limit) : std::vector<PairStrength>{};
  json["pair_count"] = has_pairs ? pair_count(model) : 0;
  for (const PairStrength& pair : pairs) json["pairs"].push_back({pair.first, pair.second, pair.range});
  for (const ScorePiece& piece : score_pieces(model.assignment)) {
    json["pieces"].push_back({piece.lowest, piece.highest, piece.label});
  }
  return json;
}

}  // namespace xofm::detail
