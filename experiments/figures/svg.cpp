#include "svg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>

#include "xofm/error.hpp"

namespace xofm::figures {

namespace {

constexpr double title_height = 34;

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else if (c == '"') {
      out += "&quot;";
    } else {
      out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
  }
  return out;
}

class Drawing {
 public:
  Drawing(double width, double height, const std::string& title) {
    fmt::format_to(
        std::back_inserter(text_),
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:g} {1:g}\" width=\"{0:g}\" "
        "height=\"{1:g}\" font-family=\"sans-serif\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
        width, height);
    text(width / 2, 22, title, 15, "middle");
  }
  void text(double x, double y, const std::string& what, double size, const char* anchor) {
    fmt::format_to(std::back_inserter(text_),
                   "<text x=\"{:.1f}\" y=\"{:.1f}\" font-size=\"{:g}\" text-anchor=\"{}\">{}</text>\n", x, y, size,
                   anchor, escaped(what));
  }
  void rectangle(double x, double y, double width, double height, const std::string& fill, const char* stroke) {
    fmt::format_to(std::back_inserter(text_),
                   "<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\" fill=\"{}\" stroke=\"{}\"/>\n",
                   x, y, width, height, fill, stroke);
  }
  void line(const std::vector<std::pair<double, double>>& points, const char* stroke, double width) {
    text_ += "<polyline fill=\"none\" points=\"";
    for (const auto& [x, y] : points) fmt::format_to(std::back_inserter(text_), "{:.2f},{:.2f} ", x, y);
    fmt::format_to(std::back_inserter(text_), "\" stroke=\"{}\" stroke-width=\"{:g}\"/>\n", stroke, width);
  }
  void dot(double x, double y) {
    fmt::format_to(std::back_inserter(text_), "<circle cx=\"{:.2f}\" cy=\"{:.2f}\" r=\"2.2\" fill=\"#1f5fa8\"/>\n", x,
                   y);
  }
  std::string finish() { return std::move(text_) + "</svg>\n"; }

 private:
  std::string text_;
};

// White at zero; blue and orange can be told apart by all eyes.
std::string colour(double share) {
  static constexpr int negative[] = {31, 95, 168};
  static constexpr int positive[] = {194, 90, 0};
  const auto& end = share < 0 ? negative : positive;
  const double depth = std::clamp(std::abs(share), 0.0, 1.0);
  const auto mixed = [&](int channel) { return static_cast<int>(std::lround(255 + depth * (channel - 255))); };
  return fmt::format("#{:02x}{:02x}{:02x}", mixed(end[0]), mixed(end[1]), mixed(end[2]));
}

}  // namespace

std::string draw_curves(const std::string& title, const std::vector<CurvePanel>& panels) {
  constexpr std::size_t across = 3;
  constexpr double width = 300;
  constexpr double height = 210;
  double least = 0;
  double greatest = 0;
  for (const CurvePanel& panel : panels) {
    for (const double value : panel.values) {
      least = std::min(least, value);
      greatest = std::max(greatest, value);
    }
  }
  const double span = greatest > least ? greatest - least : 1.0;
  const std::size_t down = (panels.size() + across - 1) / across;
  Drawing drawing(width * across, title_height + height * static_cast<double>(down), title);
  for (std::size_t i = 0; i < panels.size(); ++i) {
    const CurvePanel& panel = panels[i];
    const double left = width * static_cast<double>(i % across) + 46;
    const double top = title_height + height * static_cast<double>(i / across) + 36;
    const double inner_width = width - 60;
    const double inner_height = height - 66;
    drawing.text(left + inner_width / 2, top - 20, panel.title, 12, "middle");
    drawing.text(left + inner_width / 2, top - 7, panel.subtitle, 9, "middle");
    drawing.rectangle(left, top, inner_width, inner_height, "none", "#888");
    const auto y = [&](double value) { return top + inner_height * (greatest - value) / span; };
    drawing.line({{left, y(0)}, {left + inner_width, y(0)}}, "#bbb", 1);
    drawing.text(left - 4, y(greatest) + 8, fmt::format("{:.3g}", greatest), 9, "end");
    drawing.text(left - 4, y(least), fmt::format("{:.3g}", least), 9, "end");
    const double scale = panel.knots.back() > panel.knots.front() ? panel.knots.back() - panel.knots.front() : 1.0;
    std::vector<std::pair<double, double>> points;
    for (std::size_t k = 0; k < panel.knots.size(); ++k) {
      points.emplace_back(left + inner_width * (panel.knots[k] - panel.knots.front()) / scale, y(panel.values[k]));
    }
    drawing.line(points, "#1f5fa8", 1.6);
    for (const auto& [px, py] : points) drawing.dot(px, py);
    drawing.text(left, top + inner_height + 13, fmt::format("{:.6g}", panel.knots.front()), 9, "start");
    drawing.text(left + inner_width, top + inner_height + 13, fmt::format("{:.6g}", panel.knots.back()), 9, "end");
  }
  return drawing.finish();
}

std::string draw_heat_maps(const std::string& title, const std::vector<HeatPanel>& panels, int across,
                           double greatest) {
  const auto columns = static_cast<std::size_t>(across);
  const bool numbered = !panels.empty() && !panels.front().row_knots.empty();
  const double size = numbered ? 420 : 108;
  const double left_margin = numbered ? 80 : 14;
  const double bottom_margin = numbered ? 70 : 6;
  const double top_margin = numbered ? 10 : 16;
  const double width = left_margin + size + (numbered ? 30 : 10);
  const double height = top_margin + size + bottom_margin;
  const std::size_t down = (panels.size() + columns - 1) / columns;
  Drawing drawing(width * across, title_height + height * static_cast<double>(down) + 40, title);
  for (std::size_t i = 0; i < panels.size(); ++i) {
    const HeatPanel& panel = panels[i];
    const double left = width * static_cast<double>(i % columns) + left_margin;
    const double top = title_height + height * static_cast<double>(i / columns) + top_margin;
    const double cell_height = size / static_cast<double>(panel.values.size());
    const double cell_width = size / static_cast<double>(panel.values.front().size());
    for (std::size_t r = 0; r < panel.values.size(); ++r) {
      for (std::size_t c = 0; c < panel.values[r].size(); ++c) {
        const double share = greatest > 0 ? panel.values[r][c] / greatest : 0.0;
        // Ascending from the bottom, as on an axis.
        drawing.rectangle(left + cell_width * static_cast<double>(c),
                          top + size - cell_height * static_cast<double>(r + 1), cell_width, cell_height, colour(share),
                          numbered ? "#ddd" : "none");
      }
    }
    drawing.rectangle(left, top, size, size, "none", "#888");
    if (!numbered) {
      drawing.text(left + size / 2, top - 4, panel.column_name + " x " + panel.row_name, 8, "middle");
      continue;
    }
    for (std::size_t k = 0; k < panel.row_knots.size(); ++k) {
      const double share = static_cast<double>(k) / static_cast<double>(panel.row_knots.size() - 1);
      drawing.text(left - 4, top + size * (1 - share) + 3, fmt::format("{:.2f}", panel.row_knots[k]), 8, "end");
    }
    for (std::size_t k = 0; k < panel.column_knots.size(); k += 2) {
      const double share = static_cast<double>(k) / static_cast<double>(panel.column_knots.size() - 1);
      drawing.text(left + size * share, top + size + 12, fmt::format("{:.0f}", panel.column_knots[k]), 8, "middle");
    }
    drawing.text(left + size / 2, top + size + 30, panel.column_name + " (across), " + panel.row_name + " (up)", 12,
                 "middle");
  }
  const double y = title_height + height * static_cast<double>(down) + 10;
  for (int i = -20; i <= 20; ++i) drawing.rectangle(140 + 4 * i, y, 4, 12, colour(i / 20.0), "none");
  drawing.text(52, y + 10, fmt::format("{:.2g}", -greatest), 9, "end");
  drawing.text(232, y + 10, fmt::format("{:.2g}", greatest), 9, "start");
  return drawing.finish();
}

void write_file(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text << std::flush;
  if (!file) throw Error(ErrorCode::io, fmt::format("cannot write '{}': {}", path, std::strerror(errno)));
}

}  // namespace xofm::figures
