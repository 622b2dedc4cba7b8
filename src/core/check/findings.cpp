// What a check has found, in sentences.
#include <fmt/format.h>

#include <algorithm>

#include "xofm/check.hpp"

namespace xofm {

namespace {

std::string counted(std::size_t count, const char* noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string percent(std::size_t part, std::size_t whole) {
  return fmt::format("{:.3g} %", 100 * static_cast<double>(part) / static_cast<double>(whole));
}

}  // namespace

std::vector<std::string> findings(const Dataset& data, const DataCheck& check) {
  std::vector<std::string> list;
  const std::size_t rows = check.row_count;
  for (const AloneAccuracy& leak : check.leaks) list.push_back(leak_text(data.schema, leak));
  for (std::size_t j = 0; j < check.attributes.size(); ++j) {
    const std::string& name = data.schema.attributes[j].name;
    std::string values;
    for (const SpecialCandidate& candidate : check.attributes[j].candidates) {
      values += fmt::format("{}{}", values.empty() ? "" : ",", candidate.value);
      list.push_back(fmt::format("{} is {} in {} ({}), {}", name, candidate.value, counted(candidate.count, "row"),
                                 percent(candidate.count, rows), candidate.why));
    }
    if (!values.empty()) {
      list.back() += fmt::format(
          ": if this stands for something else, add --special {}={}, or --missing if for nothing", name, values);
    }
    if (check.attributes[j].outlier_count > 0) {
      list.push_back(
          fmt::format("{} lies far from most others in {}", name, counted(check.attributes[j].outlier_count, "row")));
    }
  }
  const RepeatCheck& repeats = check.repeats;
  if (repeats.duplicate_count > 0) {
    list.push_back(
        fmt::format("{} a copy of an earlier one, class included; a cross-validation that has one of two in "
                    "each part is too good",
                    counted(repeats.duplicate_count, "row") + (repeats.duplicate_count == 1 ? " is" : " are")));
  }
  if (repeats.contradictory_count > 0) {
    list.push_back(
        fmt::format("{} the attributes of another one and not its class; so no model can be right in more "
                    "than {:.1f} % of the rows, or have a lower MAE than {:.3f}",
                    counted(repeats.contradictory_count, "row") + (repeats.contradictory_count == 1 ? " has" : " have"),
                    100 * repeats.best_accuracy, repeats.best_mae));
  }
  const auto [least, most] = std::minmax_element(check.class_counts.begin(), check.class_counts.end());
  if (*least == 0 || *most > 20 * *least) {
    list.push_back(fmt::format(
        "class {} has {} and class {} has {}",
        data.schema.class_names[static_cast<std::size_t>(least - check.class_counts.begin())], counted(*least, "row"),
        data.schema.class_names[static_cast<std::size_t>(most - check.class_counts.begin())], *most));
  }
  return list;
}

}  // namespace xofm
