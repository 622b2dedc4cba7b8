// The record of edits inside a model file: entries of who, when, why and what, each with the hash of the one before it
// and of the model's content before and after.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/base/sha256.hpp"
#include "io/edit_json.hpp"
#include "io/json_text.hpp"
#include "io/metrics_json.hpp"
#include "io/model_text.hpp"
#include "io/term_blocks.hpp"
#include "xofm/edit_file.hpp"
#include "xofm/error.hpp"
#include "xofm/model_file.hpp"

namespace xofm {

namespace {

using Json = nlohmann::json;  // sorted by name: a content has one text
using OrderedJson = nlohmann::ordered_json;

constexpr const char* member = "history";
constexpr std::size_t most_changes = 1000;  // rows that an entry names

Json parse(std::string_view text, const std::string& source) {
  const char* const problem = detail::text_problem(text);
  Json document = problem == nullptr ? Json::parse(text, nullptr, false) : Json();
  if (!document.is_object()) throw Error(ErrorCode::invalid_model, fmt::format("{}: not a model of xofm fit", source));
  return document;
}

// Of what the model is: not of its record, and not of what only guards the file.
std::string content_hash(Json document) {
  for (const char* const name : {member, "checksum", "sealed"}) document.erase(name);
  return detail::sha256(document.dump());
}

std::string entry_hash(Json entry) {
  entry.erase("hash");
  return detail::sha256(entry.dump());
}

Json history_of(const Json& document) {
  const auto found = document.find(member);
  return found == document.end() ? Json::array() : *found;
}

std::string text_of(const Json& entry, const char* name) {
  const auto found = entry.find(name);
  return found != entry.end() && found->is_string() ? found->get<std::string>() : std::string();
}

OrderedJson effect_json(const Schema& schema, const EditEffect& effect) {
  OrderedJson changes = OrderedJson::array();
  for (std::size_t i = 0; i < std::min(effect.changes.size(), most_changes); ++i) {
    const ClassChange& change = effect.changes[i];
    const auto name = [&](int h) { return schema.class_names[static_cast<std::size_t>(h)]; };
    changes.push_back({change.row + 1, name(change.first_label), name(change.second_label)});
  }
  OrderedJson json = {{"count", effect.row_count}, {"changed", effect.changes.size()}, {"changes", changes}};
  if (effect.before) json["before"] = detail::metrics_to_json(*effect.before);
  if (effect.after) json["after"] = detail::metrics_to_json(*effect.after);
  return json;
}

// What does not hold in the chain, and between it and the content.
std::vector<std::string> problems_of(const Json& document) {
  std::vector<std::string> problems;
  const Json history = history_of(document);
  if (!history.is_array()) return {"the record is no list"};
  std::string previous;
  std::string content;
  for (std::size_t i = 0; i < history.size(); ++i) {
    const Json& entry = history[i];
    const std::string where = fmt::format("entry {}", i + 1);
    if (!entry.is_object()) {
      problems.push_back(where + " is no object");
      continue;
    }
    if (text_of(entry, "hash") != entry_hash(entry)) problems.push_back(where + " was changed after it was written");
    if (text_of(entry, "previous") != previous) problems.push_back(where + " does not follow the one before it");
    if (i > 0 && text_of(entry, "before") != content) {
      problems.push_back(where + " begins with another model than the one before it ends with");
    }
    previous = text_of(entry, "hash");
    content = text_of(entry, "after");
  }
  if (!history.empty() && content != content_hash(document)) {
    problems.emplace_back("the model is not the one that the last entry ends with: it was changed without a record");
  }
  return problems;
}

std::vector<std::string> metric_lines(const Json& rows) {
  std::vector<std::string> lines;
  if (!rows.contains("before") || !rows.contains("after")) return lines;
  for (const char* const name : {"accuracy", "mae", "qwk"}) {
    const auto value = [&](const char* when) {
      const auto found = rows[when].find(name);
      return found != rows[when].end() && found->is_number() ? fmt::format("{:.4f}", found->get<double>()) : "-";
    };
    lines.push_back(fmt::format("{} {} -> {}", name, value("before"), value("after")));
  }
  return lines;
}

AuditEntry entry_of(const Json& json) {
  AuditEntry entry{text_of(json, "who"), text_of(json, "when"), text_of(json, "why"), {}, text_of(json, "hash")};
  if (const auto edits = json.find("edits"); edits != json.end() && edits->is_array()) {
    for (const Json& edit : *edits) {
      try {
        entry.edits.push_back(detail::edit_text(detail::edit_from_json(detail::JsonView(edit, "edit"))));
      } catch (const Error&) {
        entry.edits.push_back(edit.dump());  // of a later version, or damaged
      }
    }
  }
  if (const auto rows = json.find("rows"); rows != json.end() && rows->is_object()) {
    const auto count = [&](const char* name) {
      const auto found = rows->find(name);
      return found != rows->end() && found->is_number_unsigned() ? found->get<std::size_t>() : 0;
    };
    entry.row_count = count("count");
    entry.change_count = count("changed");
    entry.metrics = metric_lines(*rows);
  }
  return entry;
}

}  // namespace

EditResult edit_model(std::string_view text, const EditRequest& request, const Dataset* rows,
                      const std::string& source) {
  if (request.who.empty()) throw Error(ErrorCode::invalid_option, "an edit needs a name: who makes it? (--who)");
  if (request.why.empty()) throw Error(ErrorCode::invalid_option, "an edit needs a reason: why is it made? (--why)");
  if (request.edits.empty()) throw Error(ErrorCode::invalid_option, "there are no edits to make");
  const Model before = model_from_json(text, source);
  const Json document = parse(text, source);
  const std::vector<std::string> problems = problems_of(document);
  if (!problems.empty()) {
    throw Error(ErrorCode::invalid_model,
                fmt::format("{}: its record does not hold: {}; see xofm audit", source, problems.front()));
  }
  EditResult result{"", apply_edits(before, request.edits, rows), {}, {}};
  if (rows != nullptr) result.effect = edit_effect(before, result.model, *rows);
  for (std::size_t j = 0; j < before.certificate.attributes.size(); ++j) {
    const bool is_broken = before.certificate.attributes[j].holds && !result.model.certificate.attributes[j].holds;
    if (is_broken) result.broken.push_back(before.schema.attributes[j].name);
  }

  auto edited = OrderedJson::parse(model_to_json(result.model));
  if (document.contains("sealed")) edited["sealed"] = document["sealed"];
  OrderedJson edits = OrderedJson::array();
  for (const Edit& edit : request.edits) edits.push_back(detail::edit_to_json(edit));
  Json history = history_of(document);
  OrderedJson entry = {{"who", request.who},
                       {"when", request.when},
                       {"why", request.why},
                       {"edits", std::move(edits)},
                       {"before", content_hash(document)},
                       {"after", content_hash(Json::parse(detail::to_readable_text(edited)))}};
  if (rows != nullptr) entry["rows"] = effect_json(before.schema, result.effect);
  entry["previous"] = history.empty() ? std::string() : text_of(history.back(), "hash");
  // As it will be read.
  entry["hash"] = entry_hash(Json::parse(detail::to_readable_text(entry)));
  history.push_back(Json::parse(detail::to_readable_text(entry)));
  edited[member] = OrderedJson::parse(history.dump());
  edited["checksum"] = "";
  edited["checksum"] = detail::checksum(Json::parse(detail::to_readable_text(edited)));
  result.text = detail::to_readable_text(edited);
  detail::check_model_text(result.text);
  model_from_json(result.text, source);  // what load_model would refuse is not written
  return result;
}

Audit audit_model(std::string_view text, const std::string& source) {
  const Json document = parse(text, source);
  Audit audit{{}, content_hash(document), problems_of(document)};
  const Json history = history_of(document);
  if (history.is_array()) {
    for (const Json& entry : history) {
      if (entry.is_object()) audit.entries.push_back(entry_of(entry));
    }
  }
  if (!audit.entries.empty()) audit.hash = audit.entries.back().hash;
  try {
    model_from_json(text, source);
  } catch (const Error& error) {
    audit.problems.emplace_back(error.what());
  }
  return audit;
}

std::size_t edit_count(const std::string& path) {
  return history_of(parse(detail::read_model_text(path), path)).size();
}

}  // namespace xofm
