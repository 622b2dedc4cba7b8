#include "io/csv_columns.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "io/closest_name.hpp"
#include "io/csv_number.hpp"
#include "xofm/error.hpp"

namespace xofm::detail {

namespace {

[[noreturn]] void refuse(const std::string& file, const std::string& what) {
  throw Error(ErrorCode::invalid_data, fmt::format("{}: {}", file, what));
}

// Ends a sentence about an unknown name.
std::string suggestion(std::string_view name, const std::vector<std::string>& names) {
  const std::string* const closest = closest_name(name, names);
  return closest == nullptr ? "." : fmt::format("; did you mean {}?", shown(*closest));
}

std::size_t default_label(const Header& header, const std::vector<bool>& left_out, const std::string& file) {
  for (std::size_t j = header.names.size(); j-- > 0;) {
    if (!left_out[j]) return j;
  }
  refuse(file, "no column is left for the label; every column is ignored, names the rows or holds the weights");
}

void set_kinds(ColumnPlan& plan, const ColumnIndex& index, const CsvOptions& options, const std::string& file) {
  std::unordered_map<std::size_t, AttributeKind> kinds;
  for (const auto& name : options.numeric) kinds[index.at(name, "--numeric")] = AttributeKind::numeric;
  for (const auto& name : options.categorical) {
    const std::size_t column = index.at(name, "--categorical");
    if (!kinds.try_emplace(column, AttributeKind::categorical).second && kinds[column] != AttributeKind::categorical) {
      refuse(file, fmt::format("the column {} is given as numeric and as categorical; choose one", shown(name)));
    }
    if (column == plan.label || column == plan.weight) {
      refuse(file, fmt::format("the column {} is given as categorical, but it is the {}", shown(name),
                               column == plan.label ? "label" : "weight"));
    }
  }
  for (auto& attribute : plan.attributes) {
    const auto found = kinds.find(attribute.column);
    if (found == kinds.end()) continue;
    attribute.kind = found->second;
    attribute.is_asked_for = true;
  }
}

}  // namespace

std::string listed(const std::vector<std::string>& names, std::size_t most) {
  std::string result;
  for (std::size_t i = 0; i < std::min(names.size(), most); ++i) {
    result += (i == 0 ? "" : ", ") + shown(names[i]);
  }
  if (names.size() > most) result += fmt::format(", ... ({} in all)", names.size());
  return result;
}

ColumnIndex::ColumnIndex(const Header& header, std::string file) : header_(header), file_(std::move(file)) {
  for (std::size_t j = 0; j < header.names.size(); ++j) columns_.emplace(header.names[j], j);
}

std::optional<std::size_t> ColumnIndex::find(std::string_view name) const {
  const auto found = columns_.find(name);
  return found == columns_.end() ? std::nullopt : std::optional(found->second);
}

std::size_t ColumnIndex::at(std::string_view name, std::string_view purpose) const {
  if (const auto column = find(name)) return *column;
  refuse(file_, fmt::format("{}: there is no column {}{} The columns are {}", purpose, shown(name),
                            suggestion(name, header_.names), listed(header_.names, 20)));
}

namespace {

// A file without a header would lose its first row and get numbers for names.
void refuse_numbers_as_names(const Header& header, const MissingTokens& missing, const std::string& file) {
  bool has_number = false;
  const bool all_numbers = std::all_of(header.names.begin(), header.names.end(),
                                       [&](const std::string& name) {
                                         double value = 0;
                                         const CellKind kind = read_cell(name, missing, value);
                                         has_number = has_number || kind == CellKind::number;
                                         return kind == CellKind::number || kind == CellKind::missing;
                                       }) &&
                           has_number;
  if (!all_numbers) return;
  refuse(file, fmt::format("line 1 has only numbers ({}), so the header seems to be missing; put a line with the "
                           "names of the columns above it. If these are the names, say which is the label: --label {}",
                           listed(header.names, 5), header.names.back()));
}

}  // namespace

ColumnPlan plan_training(const Header& header, const CsvOptions& options, const std::string& file) {
  const ColumnIndex index(header, file);
  std::vector<bool> left_out(header.names.size());
  for (const auto& name : options.ignore) left_out[index.at(name, "--ignore")] = true;
  ColumnPlan plan;
  if (!options.weight.empty()) {
    plan.weight = index.at(options.weight, "the weight column");
    if (left_out[*plan.weight]) refuse(file, fmt::format("the weight column {} is ignored", shown(options.weight)));
    left_out[*plan.weight] = true;
  }
  if (!options.id.empty()) {
    plan.id = index.at(options.id, "the id column");
    if (plan.id == plan.weight)
      refuse(file, fmt::format("the column {} is given as id and as weight", shown(options.id)));
    left_out[*plan.id] = true;
  }
  if (options.label.empty()) {
    refuse_numbers_as_names(header, MissingTokens(options.missing), file);
    plan.label = default_label(header, left_out, file);
  } else {
    plan.label = index.at(options.label, "the label column");
    if (plan.label == plan.weight) {
      refuse(file, fmt::format("the column {} is given as label and as weight", shown(options.label)));
    }
    if (plan.label == plan.id) {
      refuse(file, fmt::format("the column {} is given as label and as id", shown(options.label)));
    }
    if (left_out[*plan.label]) refuse(file, fmt::format("the label column {} is ignored", shown(options.label)));
  }
  std::vector<bool> used(header.names.size(), options.use.empty());
  for (const auto& name : options.use) {
    const std::size_t column = index.at(name, "--use");
    if (column == plan.label) {
      refuse(file, fmt::format("the label column {} cannot be used as an attribute{}", shown(name),
                               options.label.empty() ? "; it is the last column: name the label with --label" : ""));
    }
    if (column == plan.weight) {
      refuse(file, fmt::format("the weight column {} cannot be used as an attribute", shown(name)));
    }
    if (column == plan.id) {
      refuse(file, fmt::format("the id column {} cannot be used as an attribute", shown(name)));
    }
    if (left_out[column]) refuse(file, fmt::format("the column {} is both used and ignored", shown(name)));
    used[column] = true;
  }
  for (std::size_t j = 0; j < header.names.size(); ++j) {
    if (used[j] && !left_out[j] && j != *plan.label) {
      plan.attributes.push_back({j, std::nullopt, !options.use.empty() || options.keep_useless});
    }
  }
  if (plan.attributes.empty()) {
    refuse(file, fmt::format("no attribute is left beside the label {}; the columns are {}",
                             shown(header.names[*plan.label]), listed(header.names, 20)));
  }
  if (plan.attributes.size() > most_attributes) {
    refuse(file, fmt::format("{} attributes; at most {} can be used: choose them with --use, or check the separator",
                             plan.attributes.size(), most_attributes));
  }
  set_kinds(plan, index, options, file);
  std::vector<std::string> named = options.apart;
  for (const auto& [name, values] : options.special) named.push_back(name);
  named.insert(named.end(), options.cyclic.begin(), options.cyclic.end());
  for (auto& attribute : plan.attributes) {
    attribute.is_asked_for =
        attribute.is_asked_for || std::find(named.begin(), named.end(), header.names[attribute.column]) != named.end();
  }
  return plan;
}

ColumnPlan plan_by_schema(const Header& header, const Schema& schema, const CsvReaderOptions& options,
                          const std::string& file) {
  const ColumnIndex index(header, file);
  ColumnPlan plan;
  std::vector<std::string> absent;
  for (const auto& attribute : schema.attributes) {
    const auto column = index.find(attribute.name);
    if (column) {
      plan.attributes.push_back({*column, attribute.kind, true});
    } else {
      absent.push_back(attribute.name);
    }
  }
  if (!absent.empty()) {
    refuse(file, fmt::format("the model needs {} that the file does not have: {}{} The columns are {}",
                             absent.size() == 1 ? "a column" : "columns", listed(absent, 20),
                             suggestion(absent.front(), header.names), listed(header.names, 20)));
  }
  if (options.read_labels) {
    plan.label =
        options.labels_optional ? index.find(schema.label_name) : index.at(schema.label_name, "the label column");
  }
  if (!options.weight.empty()) plan.weight = index.at(options.weight, "the weight column");
  if (plan.weight && plan.weight == plan.label) {
    refuse(file, fmt::format("the column {} is given as weight, but it is the label", shown(options.weight)));
  }
  for (const auto& attribute : plan.attributes) {
    if (attribute.column == plan.label || attribute.column == plan.weight) {
      refuse(file,
             fmt::format("the column {} is an attribute of the model; it cannot be the {} as well",
                         shown(header.names[attribute.column]), attribute.column == plan.label ? "label" : "weight"));
    }
  }
  return plan;
}

}  // namespace xofm::detail
