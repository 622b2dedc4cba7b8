#include "core/loss/pair_edges.hpp"

namespace xofm::detail {

namespace {

// Turns moments about the lower edge into moments of the distance from the upper edge.
Moments from_upper_edge(const Moments& bin, double width) {
  return {bin.weight, width * bin.weight - bin.first, width * width * bin.weight - 2 * width * bin.first + bin.second};
}

// Moves the reference edge up by `width`, then takes in the bin that has been passed.
void pass_bin(Moments& below, const Moments& bin, double width) {
  below.second += width * (2 * below.first + width * below.weight) + bin.second;
  below.first += width * below.weight + bin.first;
  below.weight += bin.weight;
}

}  // namespace

std::vector<Edge> edges_of(double width, std::span<const Moments> filled, std::span<const double> weights,
                           std::size_t classes, bool is_upper) {
  const std::size_t bin_count = filled.size() / classes;
  std::vector<Edge> all(filled.size());
  std::vector<Moments> below(classes);
  for (std::size_t step = 0; step < bin_count; ++step) {
    const std::size_t bin = is_upper ? bin_count - 1 - step : step;
    const Moments* const here = filled.data() + bin * classes;
    Edge* const edges = all.data() + bin * classes;
    for (std::size_t own = 0; own < classes; ++own) {
      const double* const between = weights.data() + own * classes;
      const std::size_t first = is_upper ? 0 : own + 1;
      const std::size_t last = is_upper ? own : classes;
      for (std::size_t h = first; h < last; ++h) {
        edges[own].below.weight += between[h] * below[h].weight;
        edges[own].below.first += between[h] * below[h].first;
        edges[own].below.second += between[h] * below[h].second;
        edges[own].here += between[h] * here[h].weight;
      }
    }
    for (std::size_t h = 0; h < classes; ++h) {
      pass_bin(below[h], is_upper ? here[h] : from_upper_edge(here[h], width), width);
    }
  }
  return all;
}

}  // namespace xofm::detail
