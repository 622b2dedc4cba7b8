// One object's class in words: how its score adds up, whom it was compared with, what would change it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "explain_views.hpp"
#include "terminal.hpp"
#include "wording.hpp"

namespace xofm::app {

namespace {

constexpr std::size_t bar_width = 12;

struct Part {
  double value = 0;
  std::string text;
};

// Who has settled the class, where it was not the rule.
std::string decider_text(const Decision& decision, int label) {
  if (label == no_class) {
    return decision.least_probability > 0 && decision.most_classes == 0
               ? fmt::format("  No class is as probable as {:g}: it is left to a person.\n", decision.least_probability)
               : std::string("  The case is not clear enough: it is left to a person.\n");
  }
  if (!decision.costs.empty()) return "  The class is that of least expected cost.\n";
  if (decision.preference == Preference::none) return "";
  return fmt::format("  Of the classes that the training rows allow, the {} is preferred.\n",
                     decision.preference == Preference::lower ? "lowest" : "highest");
}

std::string decision_text(const Model& model, const LocalExplanation& local) {
  const Schema& schema = model.schema;
  std::string text;
  if (!model.assignment.conformity.empty()) {
    const ClassInterval covering = covering_interval(model.assignment, local.probabilities, usual_coverage);
    text += fmt::format("  I{}.\n", covering_text(model, local.label, covering, usual_coverage).substr(1));
  }
  text += fmt::format("  P{}.\n", possible_text(model, local.label, local.interval).substr(1));
  const auto [lowest, highest] = local.interval;
  text += "  Probability";
  for (int h = 0; h < schema.class_count(); ++h) {
    const double probability = local.probabilities[static_cast<std::size_t>(h)];
    if (probability >= 0.005) text += fmt::format("   {}: {:.0f} %", class_text(schema, h), 100 * probability);
  }
  text += "\n  Support    ";
  for (int h = lowest; h <= highest; ++h) {
    text += fmt::format("   {}: {:.2f}", class_text(schema, h), local.support[static_cast<std::size_t>(h)]);
  }
  text += '\n';
  for (const RowNote& note : local.notes) {
    text += fmt::format("  Note: {} is {}.\n", printable(schema.attributes[note.attribute].name), note_text(note.note));
  }
  return text;
}

// The greatest parts first; of the others only how many there are and their sum.
struct Parts {
  std::vector<Part> shown;
  std::size_t other_count = 0;
  double others = 0;
};

Parts parts_of(const Model& model, const LocalView& view, std::size_t top) {
  const Schema& schema = model.schema;
  struct Entry {
    double value;
    std::size_t first;
    std::size_t second;  // the same: an attribute alone
  };
  std::vector<Entry> entries;
  for (std::size_t j = 0; j < schema.attributes.size(); ++j) {
    if (is_used(model, j)) entries.push_back({view.local.attributes[j], j, j});
  }
  for (const PairContribution& pair : view.local.pairs) entries.push_back({pair.value, pair.first, pair.second});
  std::stable_sort(entries.begin(), entries.end(),
                   [](const Entry& a, const Entry& b) { return std::abs(a.value) > std::abs(b.value); });
  Parts parts{{}, view.local.other_pair_count, view.local.other_pairs};
  const auto name = [&](std::size_t j) { return printable(schema.attributes[j].name); };
  for (const auto& [value, first, second] : entries) {
    if (parts.shown.size() >= top) {
      ++parts.other_count;
      parts.others += value;
    } else if (first != second) {
      parts.shown.push_back({value, fmt::format("{} and {} together", name(first), name(second))});
    } else {
      const Attribute& attribute = schema.attributes[first];
      const std::string about = printable(attribute.description);
      parts.shown.push_back({value, fmt::format("{} = {}{}{}", name(first), value_text(attribute, view.values[first]),
                                                about.empty() ? "" : "   ", about)});
    }
  }
  return parts;
}

std::string bar(double value, double greatest) {
  const double share = greatest > 0 ? std::abs(value) / greatest : 0.0;
  const auto length = static_cast<std::size_t>(std::lround(share * static_cast<double>(bar_width)));
  std::string blocks;
  for (std::size_t i = 0; i < length; ++i) blocks += value < 0 ? "░" : "█";
  return blocks + std::string(bar_width - length, ' ');
}

std::string contributions_text(const Model& model, const LocalView& view, std::size_t top) {
  const Parts parts = parts_of(model, view, top);
  const double greatest = parts.shown.empty() ? 0.0 : std::abs(parts.shown.front().value);
  std::string text = "\n  How the score adds up\n";
  text += fmt::format("    {:>8.3f}  {}  where every row starts, near the mean score\n", view.local.base,
                      std::string(bar_width, ' '));
  for (const Part& part : parts.shown) {
    text += fmt::format("    {:>+8.3f}  {}  {}\n", part.value, bar(part.value, greatest), part.text);
  }
  if (parts.other_count > 0) {
    text += fmt::format("    {:>+8.3f}  {}  {} (--top)\n", parts.others, std::string(bar_width, ' '),
                        parts.other_count == 1 ? std::string("the one other part")
                                               : fmt::format("the {} other parts together", parts.other_count));
  }
  return text + fmt::format("    {:>8.3f}  {}  the score\n", view.local.score, std::string(bar_width, ' '));
}

// "row 17", or with its name: "row 17 (C-0042)".
std::string row_text(const ReferenceObject& object) {
  return object.id.empty() ? fmt::format("row {}", object.row)
                           : fmt::format("row {} ({})", object.row, printable(object.id));
}

std::string reference_text(const Model& model, const LocalExplanation& local) {
  const Schema& schema = model.schema;
  std::string text = "\n  Among the training rows\n";
  std::size_t width = 0;
  for (const auto& name : schema.class_names) width = std::max(width, std::min<std::size_t>(display_width(name), 20));
  for (std::size_t h = 0; h < schema.class_names.size(); ++h) {
    const std::string name = fit_width(schema.class_names[h], width);
    if (model.assignment.reference.classes[h].empty()) {
      text += fmt::format("    class {}  has no training rows\n", name);
    } else {
      text += fmt::format("    class {}  {:>3.0f} % of its rows score lower\n", name, 100 * local.share_below[h]);
    }
  }
  const auto bound = [&](const char* what, const std::optional<ReferenceObject>& object, const char* side) {
    if (!object) return;
    const std::string name = class_text(schema, object->label);
    text += fmt::format("    At {} class {}, since training {} of class {} scores no {} ({:.3f})\n", what, name,
                        row_text(*object), name, side, object->score);
  };
  bound("least", local.sets_best, "more");
  bound("most", local.sets_worst, "less");
  if (local.sets_best && local.sets_worst && local.sets_best->label > local.sets_worst->label) {
    text += "    These two contradict each other, so all classes between them stay possible: hence the width.\n";
  }
  if (local.nearest.empty()) return text;
  text += "    Nearest in score: training";
  for (std::size_t i = 0; i < local.nearest.size(); ++i) {
    const ReferenceObject& object = local.nearest[i];
    text += fmt::format("{} {} (class {}, {:.3f})", i == 0 ? "" : ",", row_text(object),
                        class_text(schema, object.label), object.score);
  }
  return text + '\n';
}

// What is printed is what reaches the class: all digits of the new value, which are few.
std::string change_text(const Schema& schema, const Counterfactual& change) {
  std::string text;
  for (const ValueChange& value : change.changes) {
    const Attribute& attribute = schema.attributes[value.attribute];
    text += fmt::format("{}{} from {} to {}", text.empty() ? "" : ", and ", printable(attribute.name),
                        value_text(attribute, value.from), exact_value_text(attribute, value.to));
  }
  return text;
}

void add_changes(std::string& text, const Schema& schema, const char* side, const std::optional<int>& target,
                 const Counterfactuals& found) {
  if (!target) {
    text += fmt::format("    There is no {} class to go to.\n", side);
    return;
  }
  const std::string name = class_text(schema, *target);
  if (!found.one && !found.two) {
    text += fmt::format("    No change of one or two attributes leads to the next {} class, {}.\n", side, name);
    return;
  }
  text += fmt::format("    For the next {} class, {}:\n", side, name);
  text += found.one ? fmt::format("      one attribute:   {}\n", change_text(schema, *found.one))
                    : "      one attribute:   no single change is enough\n";
  const bool cheaper = found.two && (!found.one || found.two->changes.size() > 1);
  text += cheaper ? fmt::format("      two attributes:  {}\n", change_text(schema, *found.two))
                  : "      two attributes:  no smaller change than this one\n";
}

}  // namespace

std::string local_text(const Model& model, const LocalView& view, std::size_t top) {
  const Schema& schema = model.schema;
  std::string text = fmt::format("Row {}: {} {}, score {:.3f}\n", view.row, printable(schema.label_name),
                                 class_text(schema, view.local.label), view.local.score);
  if (view.by_hand) {
    text += fmt::format("  Decided by hand: class {}{}\n", class_text(schema, view.by_hand->label),
                        view.by_hand->reason.empty() ? "." : ", " + printable(view.by_hand->reason));
  }
  text += decider_text(model.assignment.decision, view.local.label);
  text += decision_text(model, view.local);
  text += contributions_text(model, view, top);
  text += reference_text(model, view.local);
  text += "\n  What would have to change\n";
  add_changes(text, schema, "better (higher)", view.next.better, view.next.to_better);
  add_changes(text, schema, "worse (lower)", view.next.worse, view.next.to_worse);
  return text;
}

}  // namespace xofm::app
