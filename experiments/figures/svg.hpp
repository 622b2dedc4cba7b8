// Pictures as SVG files: panels of curves, and heat-maps with one colour scale.
#pragma once

#include <string>
#include <vector>

namespace xofm::figures {

struct CurvePanel {
  std::string title;
  std::string subtitle;
  std::vector<double> knots;   // ascending
  std::vector<double> values;  // at each knot
};

// Panels in rows of three, all with the same vertical scale.
std::string draw_curves(const std::string& title, const std::vector<CurvePanel>& panels);

struct HeatPanel {
  std::string row_name;
  std::string column_name;
  std::vector<double> row_knots;            // ends of the segments, ascending; may be empty: no numbers
  std::vector<double> column_knots;         // likewise
  std::vector<std::vector<double>> values;  // [row segment][column segment]
};

// Panels in rows of `across`. Blue is negative, orange positive, white zero; the darkest is +-`greatest`.
std::string draw_heat_maps(const std::string& title, const std::vector<HeatPanel>& panels, int across, double greatest);

void write_file(const std::string& path, const std::string& text);

}  // namespace xofm::figures
