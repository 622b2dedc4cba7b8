// Edits as files, and their record: every change of a model with who, when and why, append-only and chained by hashes
// inside the model file (docs/reference/edits.md). A chain shows accidents and careless changes, not forgery: for that
// a hash is kept elsewhere and compared.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "xofm/edit.hpp"

namespace xofm {

// A file of edits: {"who": ..., "why": ..., "edits": [...]}; "who" and "why" may be missing.
struct EditFile {
  std::string who;
  std::string why;
  std::vector<Edit> edits;
};
// Throws Error{invalid_data} with the place.
EditFile edits_from_json(std::string_view text, const std::string& source = "edits");

struct EditRequest {
  std::string who;   // not empty
  std::string why;   // not empty
  std::string when;  // such as 2026-01-31T12:00:00Z
  std::vector<Edit> edits;
};

struct EditResult {
  std::string text;  // of the model file after the edits, with its record
  Model model;
  EditEffect effect;                // on the rows that were given; without any: nothing
  std::vector<std::string> broken;  // attributes that were proved monotone and are not any more
};
// `text` is the model file before. Throws as apply_edits, and Error{invalid_model} if its record does not hold.
EditResult edit_model(std::string_view text, const EditRequest& request, const Dataset* rows = nullptr,
                      const std::string& source = "model");

// An entry of the record as a person reads it.
struct AuditEntry {
  std::string who;
  std::string when;
  std::string why;
  std::vector<std::string> edits;  // one line each
  std::string hash;
  std::size_t row_count = 0;              // of the rows that were given; 0: none
  std::size_t change_count = 0;           // of them, those whose class changed
  std::vector<std::string> metrics = {};  // "accuracy 0.81 -> 0.82"
};

struct Audit {
  std::vector<AuditEntry> entries;
  std::string hash;                   // of the last entry, or of the content where nothing was edited
  std::vector<std::string> problems;  // empty: the record holds
};
// Reads also a file whose content does not fit its record, and says so in `problems`; throws Error{invalid_model} if it
// is no model at all.
Audit audit_model(std::string_view text, const std::string& source = "model");

// How often the model of a file was edited.
std::size_t edit_count(const std::string& path);

}  // namespace xofm
