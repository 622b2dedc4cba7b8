// Table 2 of the paper's supplement. Every attribute of the universities is better the more there is of it, as the
// supplement says.
#include <fmt/format.h>

#include "baselines/registry.hpp"
#include "baselines/results.hpp"
#include "baselines/table.hpp"
#include "baselines/xofm_contender.hpp"
#include "data_files.hpp"
#include "paper_figures.hpp"
#include "run.hpp"
#include "xofm/csv.hpp"

namespace xofm::compare {

namespace {

constexpr int most_segments = 5;

std::string column_name(int segment_count) {
  return fmt::format("{} segment{}", segment_count, segment_count == 1 ? "" : "s");
}

std::optional<double> figure_of(const std::string& method, const std::string& column, baselines::Measure measure) {
  const auto which = method == "UTADIS" ? experiments::SupplementMethod::utadis : experiments::SupplementMethod::xofm;
  const auto figure = experiments::supplement_figure(which, std::stoi(column));
  return measure == baselines::Measure::accuracy ? figure.accuracy : figure.mae;
}

std::vector<baselines::Contender> contenders_with(int segment_count) {
  std::vector<baselines::Contender> contenders;
  if (const auto utadis = baselines::find_method("UTADIS")) {
    contenders.push_back(baselines::tuned(utadis, "segment", segment_count));
  }
  contenders.push_back(baselines::xofm_paper_monotone_contender(segment_count));
  contenders.push_back(baselines::xofm_monotone_contender(segment_count));
  return contenders;
}

}  // namespace

int run_supplement(const Arguments& arguments) {
  const std::vector<std::string> wanted =
      arguments.sets.empty() ? std::vector<std::string>{"chinese_university"} : arguments.sets;
  const Dataset data = read_csv(experiments::data_files(arguments.folder, wanted).front().string());
  std::filesystem::create_directories(arguments.output);
  std::vector<baselines::ComparedSet> columns;
  for (int segment_count = 1; segment_count <= most_segments; ++segment_count) {
    columns.push_back({.name = column_name(segment_count),
                       .data = data,
                       .trials = k_fold_trials(data, 5, 1, arguments.seed),
                       .directions = std::vector<int>(data.attribute_count(), 1)});
  }
  const std::string csv = fmt::format("{}/supplement_{}_seed_{}.csv", arguments.output, wanted.front(), arguments.seed);
  std::vector<baselines::TrialScore> scores = baselines::read_scores(csv);
  std::vector<std::string> methods;
  for (const auto& contender : baselines::select(contenders_with(1), arguments.methods)) {
    methods.push_back(contender.name);
  }
  const auto table = [&] { return baselines::tabulate(methods, columns, scores, "XOFM monotone"); };
  const auto keep = [&] {
    baselines::write_scores(csv, scores);
    write_text(arguments.output + "/supplement.md", baselines::markdown(table(), figure_of));
    write_text(arguments.output + "/supplement.tex", baselines::latex(table(), figure_of));
  };
  bool finished = true;
  for (int segment_count = 1; finished && segment_count <= most_segments; ++segment_count) {
    const auto contenders = baselines::select(contenders_with(segment_count), arguments.methods);
    finished =
        run_jobs({&columns[static_cast<std::size_t>(segment_count - 1)], 1}, contenders, arguments, scores, keep);
  }
  fmt::print("{}", baselines::markdown(table(), figure_of));
  return finished ? 0 : 130;
}

}  // namespace xofm::compare
