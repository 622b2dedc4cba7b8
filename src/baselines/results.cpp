#include "baselines/results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <tuple>

#include "io/csv_columns.hpp"
#include "io/csv_parse.hpp"
#include "io/csv_text.hpp"
#include "io/csv_write.hpp"
#include "io/output_file.hpp"
#include "xofm/error.hpp"

namespace xofm::baselines {

namespace {

// Columns of a CSV file by name.
class Columns {
 public:
  Columns(const std::string& path, const std::vector<std::string>& numbers, const std::vector<std::string>& texts,
          const std::string& purpose)
      : input_(path),
        file_(detail::input_name(path)),
        header_(detail::read_header(input_.view(), file_, '\0')),
        index_(header_, file_),
        table_(input_.view().substr(header_.size), header_, file_, 1 + header_.line_count, detail::default_block_bytes),
        tasks_(header_.names.size()) {
    for (const auto& name : numbers) {
      auto& values = numbers_[name];
      values.resize(row_count());
      tasks_[index_.at(name, purpose)] = {.role = detail::ColumnTask::Role::number, .values = values.data()};
    }
    for (const auto& name : texts) {
      auto& codes = codes_[name];
      codes.resize(row_count());
      tasks_[index_.at(name, purpose)] = {
          .role = detail::ColumnTask::Role::text, .codes = codes.data(), .keeps_missing = true};
    }
    detail::parse_columns(table_, tasks_, detail::MissingTokens({""}));
  }

  std::size_t row_count() const { return table_.row_count(); }
  double number(const std::string& name, std::size_t row) const {
    const double value = numbers_.at(name)[row];
    if (!std::isfinite(value)) refuse(row, name, "is not a number");
    return value;
  }
  // In 1 .. most.
  std::size_t whole(const std::string& name, std::size_t row, std::size_t most) const {
    const double value = number(name, row);
    if (!(value >= 1 && value <= static_cast<double>(most) && value == std::floor(value))) {
      refuse(row, name, fmt::format("is not allowed; it must be a whole number from 1 to {}", most));
    }
    return static_cast<std::size_t>(value);
  }
  const std::string& text(const std::string& name, std::size_t row) const {
    const auto& levels = tasks_[*index_.find(name)].levels;
    return levels[static_cast<std::size_t>(codes_.at(name)[row])].text;
  }
  [[noreturn]] void refuse(std::size_t row, const std::string& column, const std::string& what) const {
    const detail::Place place = table_.place(row, *index_.find(column));
    table_.refuse_cell(place.line, column, fmt::format("'{}' {}", place.cell, what));
  }

 private:
  detail::Text input_;
  std::string file_;
  detail::Header header_;
  detail::ColumnIndex index_;
  detail::Table table_;
  std::map<std::string, std::vector<double>> numbers_;
  std::map<std::string, std::vector<int>> codes_;
  std::vector<detail::ColumnTask> tasks_;
};

bool has_column(const std::string& path, const std::string& name) {
  const detail::Text input(path);
  const auto header = detail::read_header(input.view(), detail::input_name(path), '\0');
  return std::find(header.names.begin(), header.names.end(), name) != header.names.end();
}

std::string listed_names(const std::vector<std::string>& names) { return fmt::format("{}", fmt::join(names, ", ")); }

// The predictions of one method on one trial, by the position of a row in the trial's holdout.
using TrialClasses = std::vector<std::optional<int>>;

}  // namespace

void write_scores(const std::string& path, std::span<const TrialScore> scores) {
  std::string text = "method,set,split,accuracy,mae,seconds,cut,setting\n";
  for (const TrialScore& score : scores) {
    detail::append_csv_field(text, score.method, ',');
    text += ',';
    detail::append_csv_field(text, score.set, ',');
    fmt::format_to(std::back_inserter(text), ",{},{},{},{:.2f},{},", score.trial, score.accuracy, score.mae,
                   score.core_seconds, score.cut ? 1 : 0);
    detail::append_csv_field(text, score.setting, ',');
    text += '\n';
  }
  detail::OutputFile file(path);
  file.write(text);
  file.commit();
}

std::vector<TrialScore> read_scores(const std::string& path) {
  std::vector<TrialScore> scores;
  if (!std::filesystem::exists(path)) return scores;
  const Columns columns(path, {"split", "accuracy", "mae", "seconds", "cut"}, {"method", "set", "setting"},
                        "the results of a comparison");
  for (std::size_t i = 0; i < columns.row_count(); ++i) {
    TrialScore& score = scores.emplace_back();
    score.method = columns.text("method", i);
    score.set = columns.text("set", i);
    score.trial = columns.whole("split", i, std::numeric_limits<int>::max());
    score.accuracy = columns.number("accuracy", i);
    score.mae = columns.number("mae", i);
    score.core_seconds = columns.number("seconds", i);
    score.cut = columns.number("cut", i) != 0;
    score.setting = columns.text("setting", i);
  }
  return scores;
}

std::vector<TrialScore> read_outside(const std::string& path, std::span<const ComparedSet> sets) {
  const bool names_sets = sets.size() != 1 || has_column(path, "set");
  std::vector<std::string> texts = {"method", "class"};
  if (names_sets) texts.emplace_back("set");
  const Columns columns(path, {"trial", "row"}, texts, "predictions from outside");
  std::vector<std::string> set_names;
  for (const ComparedSet& set : sets) set_names.push_back(set.name);

  std::vector<std::string> methods;                                                 // in the order of the file
  std::map<std::tuple<std::string, std::size_t, std::size_t>, TrialClasses> given;  // by method, set and trial
  for (std::size_t i = 0; i < columns.row_count(); ++i) {
    std::size_t s = 0;
    if (names_sets) {
      const auto found = std::find(set_names.begin(), set_names.end(), columns.text("set", i));
      if (found == set_names.end()) {
        columns.refuse(i, "set", fmt::format("is none of the data sets, which are {}", listed_names(set_names)));
      }
      s = static_cast<std::size_t>(found - set_names.begin());
    }
    const ComparedSet& set = sets[s];
    const std::string& method = columns.text("method", i);
    if (method.empty()) columns.refuse(i, "method", "is no name");
    if (std::find(methods.begin(), methods.end(), method) == methods.end()) methods.push_back(method);
    const std::size_t trial = columns.whole("trial", i, set.trials.size()) - 1;
    const std::size_t row = columns.whole("row", i, set.data.row_count()) - 1;
    const std::vector<std::size_t>& holdout = set.trials[trial].holdout;  // ascending
    const auto at = std::lower_bound(holdout.begin(), holdout.end(), row);
    if (at == holdout.end() || *at != row) {
      columns.refuse(i, "row", fmt::format("is not a test row of trial {} of {}", trial + 1, set.name));
    }
    const std::vector<std::string>& names = set.data.schema.class_names;
    const auto name = std::find(names.begin(), names.end(), columns.text("class", i));
    if (name == names.end()) {
      columns.refuse(i, "class", fmt::format("is none of the classes, which are {}", listed_names(names)));
    }
    TrialClasses& classes = given[{method, s, trial}];
    classes.resize(holdout.size());
    std::optional<int>& place = classes[static_cast<std::size_t>(at - holdout.begin())];
    if (place) columns.refuse(i, "row", fmt::format("has two classes by {} in trial {}", method, trial + 1));
    place = static_cast<int>(name - names.begin());
  }

  std::vector<TrialScore> scores;
  for (const std::string& method : methods) {
    for (std::size_t s = 0; s < sets.size(); ++s) {
      const auto trial_count = sets[s].trials.size();
      const auto has = [&](std::size_t t) { return given.count({method, s, t}) > 0; };
      bool any = false;
      for (std::size_t t = 0; t < trial_count; ++t) any = any || has(t);
      for (std::size_t t = 0; any && t < trial_count; ++t) {
        const auto& holdout = sets[s].trials[t].holdout;
        const TrialClasses classes = has(t) ? given[{method, s, t}] : TrialClasses(holdout.size());
        const auto missing = std::find(classes.begin(), classes.end(), std::nullopt);
        if (missing != classes.end()) {
          throw Error(
              ErrorCode::invalid_data,
              fmt::format("{}: {} has no class for row {} in trial {} of {} ({} of {} test rows have none)", path,
                          method, holdout[static_cast<std::size_t>(missing - classes.begin())] + 1, t + 1, sets[s].name,
                          std::count(classes.begin(), classes.end(), std::nullopt), classes.size()));
        }
        std::vector<int> plain;
        for (const auto& value : classes) plain.push_back(*value);
        TrialScore& score = scores.emplace_back(score_trial(sets[s], t, {plain, plain}));
        score.method = method;
        score.core_seconds = std::nan("");
        score.setting = "from outside";
      }
    }
  }
  return scores;
}

}  // namespace xofm::baselines
