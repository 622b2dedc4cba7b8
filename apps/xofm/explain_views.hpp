// What xofm explain knows, and the forms in which it says it.
#pragma once

#include <string>
#include <vector>

#include "xofm/explain.hpp"

namespace xofm::app {

// The model as a whole.
struct GlobalView {
  Importance importance;
  std::string source;  // of the mean absolute contributions, in words
};

// One row of the data.
struct LocalView {
  std::size_t row = 0;         // of the data, from 1
  std::vector<double> values;  // by attribute
  LocalExplanation local;
  NextClasses next;
};

// For people; at most `top` attributes or parts.
std::string global_text(const Model& model, const GlobalView& view, std::size_t top);
std::string local_text(const Model& model, const LocalView& view, std::size_t top);

// Everything.
std::string global_json(const Model& model, const GlobalView& view);
std::string local_json(const Model& model, const std::vector<LocalView>& views);

// The curves: one line per knot, level and missing value.
std::string global_csv(const Model& model);
// The contributions: one line per part of a row's score.
std::string local_csv(const Model& model, const std::vector<LocalView>& views);

}  // namespace xofm::app
