#include "baselines/results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <limits>
#include <map>
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

// The predictions of one file, by method and trial.
class Outside {
 public:
  Outside(const std::string& path, std::span<const ComparedSet> sets)
      : path_(path),
        sets_(sets),
        names_sets_(sets.size() != 1 || has_column(path, "set")),
        columns_(path, {"trial", "row"},
                 names_sets_ ? std::vector<std::string>{"method", "class", "set"}
                             : std::vector<std::string>{"method", "class"},
                 "predictions from outside") {}

  std::vector<TrialScore> scores(std::vector<std::string>& taken) {
    for (std::size_t i = 0; i < columns_.row_count(); ++i) take(i, taken);
    taken.insert(taken.end(), methods_.begin(), methods_.end());
    std::vector<TrialScore> scores;
    for (const std::string& method : methods_) {
      for (std::size_t s = 0; s < sets_.size(); ++s) {
        const auto first = given_.lower_bound({method, s, 0});
        if (first == given_.end() || std::get<0>(first->first) != method || std::get<1>(first->first) != s) continue;
        for (std::size_t t = 0; t < sets_[s].trials.size(); ++t) scores.push_back(score(method, s, t));
      }
    }
    return scores;
  }

 private:
  // One line of the file.
  void take(std::size_t line, const std::vector<std::string>& taken) {
    const std::string& method = columns_.text("method", line);
    if (method.empty() || std::find(taken.begin(), taken.end(), method) != taken.end()) {
      columns_.refuse(line, "method", "is no free name; the table has a method of that name");
    }
    if (std::find(methods_.begin(), methods_.end(), method) == methods_.end()) methods_.push_back(method);
    const std::size_t s = names_sets_ ? set_of(line) : 0;
    const ComparedSet& set = sets_[s];
    const std::size_t trial = columns_.whole("trial", line, set.trials.size()) - 1;
    const std::size_t row = columns_.whole("row", line, set.data.row_count()) - 1;
    const std::vector<std::size_t>& holdout = set.trials[trial].holdout;  // ascending
    const auto at = std::lower_bound(holdout.begin(), holdout.end(), row);
    if (at == holdout.end() || *at != row) {
      columns_.refuse(line, "row", fmt::format("is not a test row of trial {} of {}", trial + 1, set.name));
    }
    std::vector<int>& classes = given_[{method, s, trial}];
    classes.resize(holdout.size(), no_class);
    int& place = classes[static_cast<std::size_t>(at - holdout.begin())];
    if (place != no_class)
      columns_.refuse(line, "row", fmt::format("stands twice in trial {} of {}", trial + 1, method));
    place = class_of(line, set.data.schema.class_names);
  }

  std::size_t set_of(std::size_t line) const {
    std::vector<std::string> names;
    for (const ComparedSet& set : sets_) names.push_back(set.name);
    return static_cast<std::size_t>(index_of(line, "set", names, "data sets"));
  }
  int class_of(std::size_t line, const std::vector<std::string>& names) const {
    return index_of(line, "class", names, "classes");
  }
  int index_of(std::size_t line, const char* column, const std::vector<std::string>& names, const char* what) const {
    const auto found = std::find(names.begin(), names.end(), columns_.text(column, line));
    if (found == names.end()) {
      columns_.refuse(line, column, fmt::format("is none of the {}, which are {}", what, fmt::join(names, ", ")));
    }
    return static_cast<int>(found - names.begin());
  }

  TrialScore score(const std::string& method, std::size_t s, std::size_t trial) {
    const ComparedSet& set = sets_[s];
    const std::vector<std::size_t>& holdout = set.trials[trial].holdout;
    std::vector<int>& classes = given_[{method, s, trial}];
    classes.resize(holdout.size(), no_class);
    const auto missing = std::find(classes.begin(), classes.end(), no_class);
    if (missing != classes.end()) {
      throw Error(ErrorCode::invalid_data,
                  fmt::format("{}: {} has no class for row {} in trial {} of {}; {} of {} test rows have none", path_,
                              method, holdout[static_cast<std::size_t>(missing - classes.begin())] + 1, trial + 1,
                              set.name, std::count(classes.begin(), classes.end(), no_class), classes.size()));
    }
    TrialScore score = score_trial(set, trial, {classes, classes});
    score.method = method;
    score.core_seconds = std::nan("");
    score.setting = "from outside";
    return score;
  }

  static constexpr int no_class = -1;

  std::string path_;
  std::span<const ComparedSet> sets_;
  bool names_sets_;
  Columns columns_;
  std::vector<std::string> methods_;                                                     // in the order of the file
  std::map<std::tuple<std::string, std::size_t, std::size_t>, std::vector<int>> given_;  // by method, set and trial
};

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

std::vector<TrialScore> read_outside(std::span<const std::string> paths, std::span<const ComparedSet> sets,
                                     std::span<const std::string> taken) {
  std::vector<std::string> names(taken.begin(), taken.end());
  std::vector<TrialScore> scores;
  for (const std::string& path : paths) {
    const std::vector<TrialScore> more = Outside(path, sets).scores(names);
    scores.insert(scores.end(), more.begin(), more.end());
  }
  return scores;
}

}  // namespace xofm::baselines
