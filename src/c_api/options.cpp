#include "c_api/options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "c_api/json_in.hpp"
#include "core/options/fields.hpp"
#include "core/train/directions.hpp"
#include "io/option_blocks.hpp"
#include "xofm/error.hpp"

namespace xofm::c_api {

namespace {

using detail::JsonView;

[[noreturn]] void refuse(const std::string& message) { throw Error(ErrorCode::invalid_option, message); }

// Beside the table.
const std::vector<std::string> other_names = {"tune",        "preset",        "pairs",        "band_count",
                                              "increasing",  "decreasing",    "categorical",  "segment_counts",
                                              "given_knots", "class_weights", "descriptions", "units",
                                              "special",     "cyclic",        "id",           "keep_indicators"};

// A field that has a meaning of its own beside `pairs`, `aim` and `fold_count`, which stand for several.
template <class Field>
constexpr bool stands_alone(const Field& field) {
  return field.name != "pairs" && field.name != "pair_count" && field.name != "weight";
}

template <class Visit>
void for_each_option(Visit visit) {
  detail::for_each_train_field(visit);
  detail::for_each_field<SearchOptions>([&](const auto& field) {
    if (field.name != "aim" && field.name != "fold_count") visit(field);
  });
}

std::vector<std::string> known_names() {
  std::vector<std::string> names = other_names;
  for_each_option([&](const auto& field) {
    if (stands_alone(field)) names.emplace_back(field.name);
  });
  return names;
}

void read_pairs(const JsonView& json, const JsonView::Json& value, TermOptions& terms) {
  if (value.is_number()) {
    terms.pairs = PairChoice::count;
    terms.pair_count = json.integer(0, std::numeric_limits<int>::max());
  } else if (value.is_array()) {
    terms.pairs = PairChoice::listed;
    terms.listed = json.list([](const JsonView& pair) {
      pair.need(pair.size() == 2, "must be two names");
      return std::pair(pair[std::size_t{0}].text(), pair[std::size_t{1}].text());
    });
  } else {
    const std::string text = json.text();
    if (text != "auto" && text != "all" && text != "none") {
      json.fail(fmt::format("is '{}'; it must be auto, none, all, a number or a list of pairs of names", text));
    }
    terms.pairs = text == "auto" ? PairChoice::automatic : text == "all" ? PairChoice::all : PairChoice::count;
  }
}

void read_named(const JsonView& json, FitRequest& request) {
  TrainOptions& train = request.train;
  const auto each = [&](const char* key, auto read) {
    if (!json.has(key)) return;
    for (const auto& [name, value] : json[key].members()) read(name, value);
  };
  each("segment_counts", [&](const std::string& name, const JsonView& count) {
    train.attributes.segment_counts[name] = count.integer(1, std::numeric_limits<int>::max());
  });
  each("given_knots",
       [&](const std::string& name, const JsonView& knots) { train.attributes.given_knots[name] = knots.numbers(); });
  each("class_weights",
       [&](const std::string& name, const JsonView& weight) { train.class_weights[name] = weight.number(); });
  each("descriptions",
       [&](const std::string& name, const JsonView& text) { request.descriptions[name] = text.text(); });
  each("units", [&](const std::string& name, const JsonView& text) { request.units[name] = text.text(); });
  for (const Direction direction : {Direction::increasing, Direction::decreasing}) {
    const std::string key = name_of(direction);
    if (!json.has(key.c_str())) continue;
    for (const auto& name : json[key.c_str()].texts()) {
      if (train.attributes.directions.try_emplace(name, direction).first->second != direction) {
        refuse(fmt::format("'{}' stands in increasing and in decreasing; choose one", name));
      }
    }
  }
}

void read_fields(const JsonView& json, FitRequest& request) {
  const auto read = [&](const auto& field, auto& options) {
    const std::string name(field.name);
    if (!stands_alone(field) || !json.has(name.c_str())) return;
    using Value = typename std::remove_cvref_t<decltype(field)>::Value;
    options.*field.member = detail::read_value<Value>(json[name.c_str()], field.bounds);
  };
  detail::for_each_train_field([&](const auto& field) {
    using Options = typename std::remove_cvref_t<decltype(field)>::Options;
    read(field, detail::within<Options>(request.train));
  });
  detail::for_each_field<SearchOptions>([&](const auto& field) { read(field, request.search); });
}

void read_request(const JsonView& json, const JsonView::Json& document, FitRequest& request) {
  static const std::vector<std::string> known = known_names();
  check_option_names(json, known);
  for (const auto& [name, value] : json.members()) request.given.insert(name);
  if (json.has("preset")) {
    const std::string preset = json["preset"].text();
    if (preset != "default" && preset != "paper") json["preset"].fail("must be default or paper");
    request.is_preset = preset == "paper";
    if (request.is_preset) request.train = paper_preset();
  }
  read_fields(json, request);
  if (json.has("pairs")) read_pairs(json["pairs"], document["pairs"], request.train.terms);
  if (json.has("tune")) request.tune = json["tune"].boolean();
  if (json.has("band_count")) {
    request.band_count = json["band_count"].integer(0, 1000);
    if (request.band_count == 1) json["band_count"].fail("must be 2 to 1000, or 0 for no bands");
  }
  if (json.has("special")) {
    for (const auto& [name, values] : json["special"].members()) request.special[name] = values.numbers();
  }
  ColumnRequest& columns = request.columns;
  if (json.has("categorical")) columns.categorical = json["categorical"].texts();
  if (json.has("cyclic")) columns.cyclic = json["cyclic"].texts();
  if (json.has("id")) columns.id = json["id"].text();
  if (json.has("keep_indicators")) columns.keep_indicators = json["keep_indicators"].boolean();
  read_named(json, request);
  // Columns that are spoken of by name stay what they are.
  columns.apart = detail::named_attributes(request.train);
  for (const auto& [name, text] : request.descriptions) columns.apart.push_back(name);
  for (const auto& [name, text] : request.units) columns.apart.push_back(name);
  for (const auto& [name, values] : request.special) columns.apart.push_back(name);
  TermOptions& terms = request.train.terms;
  if (terms.most_terms > 0 && terms.pairs == PairChoice::all) {
    if (request.given.contains("pairs")) {
      refuse("most_terms counts curves and chosen pairs, pairs 'all' has every pair; leave one of them out");
    }
    terms.pairs = PairChoice::automatic;
  }
}

SearchOptions search_options(const FitRequest& request) {
  if (request.given.contains("bag_count")) {
    refuse("bag_count needs tune false: a search averages the fits of its folds already");
  }
  SearchOptions search = request.search;
  search.aim = request.train.assignment.aim;
  search.fold_count = request.train.assignment.fold_count;
  detail::for_each_train_field([&](const auto& field) {
    using Options = typename std::remove_cvref_t<decltype(field)>::Options;
    if (field.list == nullptr || !request.given.contains(std::string(field.name))) return;
    search.space.*field.list = {detail::within<Options>(request.train).*field.member};
  });
  if (request.is_preset) {
    PaperGrid& grid = search.paper.emplace();
    if (request.given.contains("segment_count")) grid.segment_counts = {request.train.recipe().segment_count};
    if (request.given.contains("margin")) grid.margins = {request.train.margin};
    if (request.given.contains("method")) grid.most_pairs = std::numeric_limits<double>::infinity();
  }
  detail::check(search);
  return search;
}

}  // namespace

FitRequest read_fit_request(const char* text) {
  FitRequest request;
  // Null stands for an option that is not given.
  read_json_options(
      text, [&](const JsonView& json, const JsonView::Json& document) { read_request(json, document, request); });
  detail::check(request.train);
  return request;
}

FitOptions fit_options(const FitRequest& request, const Dataset& data) {
  FitOptions options{.train = request.train, .search = std::nullopt, .band_count = request.band_count};
  const bool is_wanted = !request.is_preset && request.train.recipe().method == Optimizer::lbfgs && suits_search(data);
  if (request.tune.value_or(is_wanted)) {
    options.search = search_options(request);
    if (!request.given.contains("pairs") && !options.search->paper) options.train.terms.pairs = PairChoice::automatic;
    return options;
  }
  detail::for_each_field<SearchOptions>([&](const auto& field) {
    const bool is_own = field.name != "aim" && field.name != "fold_count";
    if (!is_own || !request.given.contains(std::string(field.name)) || !request.tune) return;
    refuse(fmt::format("{} belongs to the search that tune false forbids; leave one of the two out", field.name));
  });
  return options;
}

void set_special(const FitRequest& request, Schema& schema) {
  for (const auto& [name, values] : request.special) {
    const auto at = std::find_if(schema.attributes.begin(), schema.attributes.end(),
                                 [&, &wanted = name](const Attribute& attribute) { return attribute.name == wanted; });
    if (at == schema.attributes.end()) refuse(fmt::format("special: there is no attribute '{}'", name));
    if (at->kind != AttributeKind::numeric) {
      refuse(fmt::format("special: '{}' is categorical; each of its levels has its own value already", name));
    }
    at->special = values;
    std::sort(at->special.begin(), at->special.end());
    at->special.erase(std::unique(at->special.begin(), at->special.end()), at->special.end());
  }
}

void describe_attributes(const FitRequest& request, Schema& schema) {
  const auto set = [&](const std::map<std::string, std::string>& texts, std::string Attribute::*member,
                       const char* option) {
    for (const auto& [name, text] : texts) {
      const auto found = std::find_if(schema.attributes.begin(), schema.attributes.end(),
                                      [&, &wanted = name](const Attribute& a) { return a.name == wanted; });
      if (found == schema.attributes.end()) refuse(fmt::format("{}: there is no attribute '{}'", option, name));
      (*found).*member = text;
    }
  };
  set(request.descriptions, &Attribute::description, "descriptions");
  set(request.units, &Attribute::unit, "units");
}

std::string option_table_json() {
  using Json = nlohmann::ordered_json;
  const TrainOptions train;
  const SearchOptions search;
  Json table = Json::array();
  for_each_option([&](const auto& field) {
    using Field = std::remove_cvref_t<decltype(field)>;
    using Value = typename Field::Value;
    if (!stands_alone(field)) return;
    Json entry = {{"name", field.name}, {"group", field.group}};
    Value value{};
    if constexpr (std::is_same_v<typename Field::Options, SearchOptions>) {
      value = search.*field.member;
    } else {
      value = detail::within<typename Field::Options>(train).*field.member;
    }
    if constexpr (std::is_enum_v<Value>) {
      entry["type"] = "choice";
      entry["default"] = name_of(value);
      for (const auto& [choice, name] : enum_names<Value>) entry["choices"].push_back(name);
    } else {
      entry["type"] = std::is_integral_v<Value> ? "integer" : "number";
      entry["default"] = value;
      const detail::Bounds none;
      if (field.bounds.least != none.least) entry["least"] = field.bounds.least;
      if (field.bounds.most != none.most) entry["most"] = field.bounds.most;
      if (field.bounds.is_open) entry["is_open"] = true;
      if (const std::string text = detail::text_of(field.bounds); !text.empty()) entry["allowed"] = text;
    }
    if (field.list != nullptr) entry["is_searched"] = true;
    entry["help"] = field.help;
    table.push_back(std::move(entry));
  });
  return table.dump();
}

}  // namespace xofm::c_api
