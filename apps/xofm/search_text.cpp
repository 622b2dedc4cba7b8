#include "search_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <string_view>
#include <vector>

#include "core/options/fields.hpp"
#include "core/train/learner.hpp"
#include "terminal.hpp"
#include "xofm/names.hpp"

namespace xofm::app {

namespace {

constexpr std::string_view weight = "weight";  // of a recipe; it has a place of its own in all texts

// Calls visit(name, text) for each field of a recipe but its weight.
template <class Visit>
void for_each_value(const Recipe& recipe, Visit visit) {
  detail::for_each_field<Recipe>([&](const auto& field) {
    if (field.name != weight) visit(field.name, detail::value_text(recipe.*field.member));
  });
}

double weight_sum(const SearchRecord& record) {
  double sum = 0;
  for (const TriedRecipe& tried : record.tried) sum += tried.recipe.weight;
  return sum;
}

using Row = std::vector<std::string>;

// Columns as wide as their widest cell, numbers and all aligned to the right.
void print_rows(const std::vector<Row>& rows) {
  std::vector<std::size_t> widths(rows.front().size());
  for (const Row& row : rows) {
    for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], row[c].size());
  }
  for (const Row& row : rows) {
    std::string line;
    for (std::size_t c = 0; c < row.size(); ++c) line += fmt::format("{:>{}}  ", row[c], widths[c]);
    fmt::print("{}\n", line.substr(0, line.find_last_not_of(' ') + 1));
  }
}

// "increment_penalty" as a heading of two lines.
std::pair<std::string, std::string> heading(std::string_view name) {
  const std::size_t at = name.rfind('_');
  if (at == std::string_view::npos) return {"", std::string(name)};
  return {std::string(name.substr(0, at)), std::string(name.substr(at + 1))};
}

}  // namespace

std::string recipe_text(const Recipe& r) {
  const auto count = [](int number, const char* noun) { return counted(static_cast<std::size_t>(number), noun); };
  const bool has_few = detail::traits_of(r.method).has_few_settings;
  std::string text = fmt::format("{} knots, {}", name_of(r.knots), count(r.segment_count, "segment"));
  if (r.method != Recipe{}.method) text += ", " + name_of(r.method);
  text += ", " + (r.factor_count == 0 ? "no pairs" : has_few ? "pairs" : count(r.factor_count, "factor"));
  text += fmt::format(", increment_penalty {}", r.increment_penalty);
  if (!has_few && r.factor_count > 0) text += fmt::format(", factor_penalty {}", r.factor_penalty);
  text += ", " + count(r.max_epochs, "epoch");
  // What the sentence has not said, where it is not the default.
  const std::set<std::string_view> said = {
      "method", "knots", "segment_count", "factor_count", "increment_penalty", "factor_penalty", "max_epochs"};
  detail::for_each_field<Recipe>([&](const auto& field) {
    const auto& value = r.*field.member;
    if (value == Recipe{}.*field.member || said.contains(field.name) || field.name == weight) return;
    text += fmt::format(", {} {}", field.name, detail::value_text(value));
  });
  return text;
}

std::string choice_text(const SearchRecord& record, bool interrupted) {
  if (record.recipe_count == 0) {
    return fmt::format("no recipe: {} before one was judged. The model is what the search would have started from",
                       record.out_of_time ? "the time was up" : "stopped");
  }
  std::string parts;
  for (const TriedRecipe& tried : record.tried) {
    if (tried.recipe.weight == 0) continue;
    fmt::format_to(std::back_inserter(parts), "\n  {:3.0f} % {}", 100 * tried.recipe.weight / weight_sum(record),
                   recipe_text(tried.recipe));
    if (tried.margin > 0) fmt::format_to(std::back_inserter(parts), ", margin {}", tried.margin);
  }
  return fmt::format("{}, {:.0f} training passes{}:{}", counted(record.recipe_count, "recipe"), record.passes,
                     record.out_of_time ? " until the time was up"
                     : interrupted      ? " until interrupted"
                                        : "",
                     parts);
}

void print_tried(const SearchRecord& record, std::size_t count) {
  std::vector<Row> rows(2);
  const auto head = [&](std::string_view name) {
    const auto [above, below] = heading(name);
    rows[0].push_back(above);
    rows[1].push_back(below);
  };
  head("share");
  for_each_value(Recipe{}, [&](std::string_view name, const std::string&) { head(name); });
  const bool has_margins = record.tried.front().margin > 0;
  if (has_margins) head("margin");
  for (const char* const name : {"loss", "accuracy", "mae"}) head(name);
  std::size_t left_out = 0;
  for (std::size_t c = 0; c < record.tried.size(); ++c) {
    const TriedRecipe& tried = record.tried[c];
    const double share = tried.recipe.weight / weight_sum(record);
    // Those of the model are shown wherever they are.
    if (c >= count && share == 0) {
      ++left_out;
      continue;
    }
    Row& row = rows.emplace_back();
    row.push_back(share > 0 ? fmt::format("{:.0f} %", 100 * share) : "");
    for_each_value(tried.recipe, [&](std::string_view, const std::string& value) { row.push_back(value); });
    if (has_margins) row.push_back(fmt::format("{}", tried.margin));
    for (const double value : {tried.loss, tried.accuracy, tried.mae}) row.push_back(fmt::format("{:.4f}", value));
  }
  print_rows(rows);
  if (left_out > 0) fmt::print("and {} more\n", left_out);
}

std::string tried_csv(const SearchRecord& record) {
  std::string text = "rank,weight";
  for_each_value(Recipe{}, [&](std::string_view name, const std::string&) { text += fmt::format(",{}", name); });
  const bool has_margins = record.tried.front().margin > 0;
  text += has_margins ? ",margin,loss,accuracy,mae\n" : ",loss,accuracy,mae\n";
  for (std::size_t c = 0; c < record.tried.size(); ++c) {
    const TriedRecipe& tried = record.tried[c];
    text += fmt::format("{},{}", c + 1, tried.recipe.weight);
    for_each_value(tried.recipe, [&](std::string_view, const std::string& value) { text += "," + value; });
    if (has_margins) text += fmt::format(",{}", tried.margin);
    text += fmt::format(",{},{},{}\n", tried.loss, tried.accuracy, tried.mae);
  }
  return text;
}

std::string progress_text(const Progress& progress) {
  const std::string_view phase = progress.phase;
  std::string text(phase == "choose" ? "curves and pairs" : phase);
  const auto add = [&](const std::string& more) { text += (text.empty() ? "" : ", ") + more; };
  if (phase == "search" && progress.count > 0) add(counted(progress.count, "recipe"));
  if (progress.epoch > 0) add(fmt::format("epoch {:.0f}, objective {:.5f}", progress.epoch, progress.objective));
  return text;
}

}  // namespace xofm::app
