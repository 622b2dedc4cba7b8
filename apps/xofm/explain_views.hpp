// What xofm explain knows, and the forms in which it says it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "io/decision_csv.hpp"
#include "xofm/explain.hpp"

namespace xofm::app {

// Of more pairs than this the strongest are listed; a file of millions of lines serves no one.
inline constexpr std::size_t most_listed_pairs = 5000;

// The model as a whole.
struct GlobalView {
  Importance importance;  // of at most most_listed_pairs pairs
  std::string source;     // of the mean absolute contributions, in words
};

// One row of the data.
struct LocalView {
  std::size_t row = 0;         // of the data, from 1
  std::vector<double> values;  // by attribute
  LocalExplanation local;
  NextClasses next;
  std::optional<detail::HandDecision> by_hand = {};  // in place of the class above
};

// For people; at most `top` attributes or parts.
std::string global_text(const Model& model, const GlobalView& view, std::size_t top);
std::string local_text(const Model& model, const LocalView& view, std::size_t top);

// Everything.
std::string global_json(const Model& model, const GlobalView& view);
std::string local_json(const Model& model, const std::vector<LocalView>& views);

// `raw_cells`: names and levels as they are, even if a spreadsheet would run them.
// The curves: one line per knot, level and missing value.
std::string global_csv(const Model& model, bool raw_cells);
// The contributions: one line per part of a row's score.
std::string local_csv(const Model& model, const std::vector<LocalView>& views, bool raw_cells);

}  // namespace xofm::app
