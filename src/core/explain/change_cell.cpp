#include "core/explain/change_cell.hpp"

namespace xofm::detail {

std::vector<CellPoint> level_points(const CellScores& scores, double score, double width_a, double width_b) {
  if (score == scores.near) return {{0, 0}};
  const double rise = score - scores.near;
  const double slope_a = scores.far_a - scores.near;
  const double slope_b = scores.far_b - scores.near;
  const double bend = (scores.far - scores.far_b) - slope_a;

  std::vector<CellPoint> points;
  // A crossing a rounding error outside the cell is taken to its edge.
  const auto put = [&](double a, double b) {
    constexpr double slack = 1e-9;
    if (!(a >= -slack && a <= 1 + slack && b >= -slack && b <= 1 + slack)) return;
    points.push_back({std::clamp(a, 0.0, 1.0), std::clamp(b, 0.0, 1.0)});
  };
  put(rise / slope_a, 0);
  put((rise - slope_b) / (scores.far - scores.far_b), 1);
  put(0, rise / slope_b);
  put(1, (rise - slope_a) / (scores.far - scores.far_a));
  // bend == 0 gives infinities or NaN, which are not put.
  const double touch = std::sqrt((bend * rise + slope_a * slope_b) * width_b / width_a);
  for (const double across : {touch, -touch}) {  // slope in b there; the one in a is in proportion to the widths
    put((across - slope_b) / bend, (across * width_a / width_b - slope_a) / bend);
  }
  std::stable_sort(points.begin(), points.end(), [&](const CellPoint& x, const CellPoint& y) {
    return x.a * width_a + x.b * width_b < y.a * width_a + y.b * width_b;
  });
  return points;
}

}  // namespace xofm::detail
