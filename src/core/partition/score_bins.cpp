#include "core/partition/score_bins.hpp"

#include <algorithm>
#include <limits>

namespace xofm::detail {

namespace {

constexpr double farthest = 4503599627370496.0;  // 2^52 bins from zero: beyond, edges are no longer exact
constexpr std::uint64_t no_row = std::numeric_limits<std::uint64_t>::max();
constexpr std::int32_t most_levels = 2000;

std::int64_t number_of(double score, double width) { return static_cast<std::int64_t>(std::floor(score / width)); }

bool fits(std::int64_t first, std::int64_t last, std::size_t classes) {
  const auto most = std::max<std::size_t>(ScoreBins::most_cells / classes, 2);
  return static_cast<std::uint64_t>(last) - static_cast<std::uint64_t>(first) < most;
}

// Bins become twice as wide: of the two in a pair, the upper one's moments are taken about the lower one's edge.
void widen(ScoreBins& bins) {
  const double width = bins.width();
  const std::size_t classes = bins.classes;
  const std::int64_t first = bins.first >> 1;
  const std::int64_t last = (bins.first + static_cast<std::int64_t>(bins.bin_count()) - 1) >> 1;
  ScoreBins wide = bins;
  ++wide.level;
  wide.first = first;
  wide.cells.assign(static_cast<std::size_t>(last - first + 1) * classes, {});
  wide.rows.assign(bins.rows.empty() ? 0 : wide.cells.size(), no_row);
  for (std::size_t bin = 0; bin < bins.bin_count(); ++bin) {
    const std::int64_t number = bins.first + static_cast<std::int64_t>(bin);
    const double shift = (number & 1) != 0 ? width : 0.0;
    const auto target = static_cast<std::size_t>((number >> 1) - first) * classes;
    for (std::size_t h = 0; h < classes; ++h) {
      const Moments& from = bins.cells[bin * classes + h];
      Moments& to = wide.cells[target + h];
      to.weight += from.weight;
      to.first += from.first + shift * from.weight;
      to.second += from.second + shift * (2 * from.first + shift * from.weight);
      if (!wide.rows.empty()) wide.rows[target + h] = std::min(wide.rows[target + h], bins.rows[bin * classes + h]);
    }
  }
  bins = std::move(wide);
}

// Empty bins at either end until the range is covered.
void stretch(ScoreBins& bins, std::int64_t first, std::int64_t last) {
  const std::size_t count = static_cast<std::size_t>(last - first + 1) * bins.classes;
  const auto offset = static_cast<std::size_t>(bins.first - first) * bins.classes;
  if (count == bins.cells.size()) return;
  std::vector<Moments> cells(count);
  std::copy(bins.cells.begin(), bins.cells.end(), cells.begin() + static_cast<std::ptrdiff_t>(offset));
  bins.cells = std::move(cells);
  if (!bins.rows.empty()) {
    std::vector<std::uint64_t> rows(count, no_row);
    std::copy(bins.rows.begin(), bins.rows.end(), rows.begin() + static_cast<std::ptrdiff_t>(offset));
    bins.rows = std::move(rows);
  }
  bins.first = first;
}

}  // namespace

ScoreBins bin_scores(std::span<const double> scores, std::span<const std::uint8_t> labels,
                     std::span<const double> weights, std::uint32_t classes, double step,
                     std::optional<std::uint64_t> first_row) {
  ScoreBins bins{.step = step, .classes = classes};
  bins.least.assign(classes, std::numeric_limits<double>::infinity());
  bins.greatest.assign(classes, -std::numeric_limits<double>::infinity());
  if (scores.empty()) return bins;
  double least = scores[0];
  double greatest = scores[0];
  for (const double score : scores) {
    bins.is_finite = bins.is_finite && std::abs(score) <= std::numeric_limits<double>::max() / 4;
    least = std::min(least, score);
    greatest = std::max(greatest, score);
  }
  if (!bins.is_finite) return bins;
  const auto is_far = [&] { return std::max(std::abs(least), std::abs(greatest)) / bins.width() > farthest; };
  while (bins.level < most_levels && std::isfinite(bins.width()) &&
         (is_far() || !fits(number_of(least, bins.width()), number_of(greatest, bins.width()), classes))) {
    ++bins.level;
  }
  const double width = bins.width();
  bins.first = number_of(least, width);
  bins.cells.resize(static_cast<std::size_t>(number_of(greatest, width) - bins.first + 1) * classes);
  if (first_row) bins.rows.assign(bins.cells.size(), no_row);
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const std::int64_t number = number_of(scores[i], width);
    const std::size_t cell = static_cast<std::size_t>(number - bins.first) * classes + labels[i];
    const double r = scores[i] - static_cast<double>(number) * width;
    const double w = weights[i];
    bins.cells[cell].weight += w;
    bins.cells[cell].first += w * r;
    bins.cells[cell].second += w * r * r;
    if (!(w > 0)) continue;
    if (first_row) bins.rows[cell] = std::min(bins.rows[cell], *first_row + i);
    bins.least[labels[i]] = std::min(bins.least[labels[i]], scores[i]);
    bins.greatest[labels[i]] = std::max(bins.greatest[labels[i]], scores[i]);
  }
  return bins;
}

void add_bins(ScoreBins& bins, ScoreBins other) {
  if (bins.step != other.step || bins.classes != other.classes) {
    throw Error(ErrorCode::invalid_data, "two histograms of scores cannot be added: their bins or classes differ");
  }
  bins.is_finite = bins.is_finite && other.is_finite;
  if (!bins.is_finite) {
    bins.cells.clear();
    bins.rows.clear();
    return;
  }
  if (other.cells.empty()) return;
  if (bins.cells.empty()) {
    bins = std::move(other);
    return;
  }
  if (bins.rows.empty() != other.rows.empty()) {
    throw Error(ErrorCode::invalid_data, "two histograms of scores cannot be added: one of them has no rows");
  }
  for (;;) {
    while (bins.level < other.level) widen(bins);
    while (other.level < bins.level) widen(other);
    const auto end_of = [](const ScoreBins& of) { return of.first + static_cast<std::int64_t>(of.bin_count()) - 1; };
    const std::int64_t first = std::min(bins.first, other.first);
    const std::int64_t last = std::max(end_of(bins), end_of(other));
    if (fits(first, last, bins.classes)) {
      stretch(bins, first, last);
      stretch(other, first, last);
      break;
    }
    widen(bins);
  }
  for (std::size_t c = 0; c < bins.cells.size(); ++c) {
    bins.cells[c].weight += other.cells[c].weight;
    bins.cells[c].first += other.cells[c].first;
    bins.cells[c].second += other.cells[c].second;
    if (!bins.rows.empty()) bins.rows[c] = std::min(bins.rows[c], other.rows[c]);
  }
  for (std::size_t h = 0; h < bins.classes; ++h) {
    bins.least[h] = std::min(bins.least[h], other.least[h]);
    bins.greatest[h] = std::max(bins.greatest[h], other.greatest[h]);
  }
}

void write_bins(ByteWriter& out, const ScoreBins& bins) {
  out.put(bins.step);
  out.put(bins.level);
  out.put(bins.classes);
  out.put(bins.first);
  out.put<std::uint64_t>(bins.is_finite ? 1 : 0);
  out.put_all(bins.cells);
  out.put_all(bins.rows);
  out.put_all(bins.least);
  out.put_all(bins.greatest);
}

ScoreBins read_bins(ByteReader& in) {
  ScoreBins bins;
  bins.step = in.get<double>();
  bins.level = in.get<std::int32_t>();
  bins.classes = in.get<std::uint32_t>();
  bins.first = in.get<std::int64_t>();
  bins.is_finite = in.get<std::uint64_t>() != 0;
  bins.cells = in.get_all<Moments>();
  bins.rows = in.get_all<std::uint64_t>();
  bins.least = in.get_all<double>();
  bins.greatest = in.get_all<double>();
  in.need(bins.step > 0 && std::isfinite(bins.step) && bins.level >= 0 && bins.level <= most_levels &&
              std::isfinite(bins.width()),
          "its bins have no width");
  in.need(bins.classes >= 2 && bins.classes <= 255, "it has an impossible number of classes");
  in.need(bins.cells.size() % bins.classes == 0 && (bins.rows.empty() || bins.rows.size() == bins.cells.size()) &&
              bins.least.size() == bins.classes && bins.greatest.size() == bins.classes,
          "its parts do not belong together");
  constexpr std::int64_t most = std::int64_t{1} << 53;
  in.need(bins.first >= -most && bins.first <= most && bins.cells.size() <= 2 * ScoreBins::most_cells,
          "its bins are impossible");
  return bins;
}

PairSums::PairSums(const ScoreBins& bins, std::span<const double> between, double margin)
    : classes_(bins.classes),
      margin_(margin),
      width_(bins.width()),
      first_(bins.first - 1),
      count_(bins.bin_count() + 2) {
  std::vector<Moments> cells(count_ * classes_);
  std::copy(bins.cells.begin(), bins.cells.end(), cells.begin() + static_cast<std::ptrdiff_t>(classes_));
  lower_ = edges_of(width_, cells, between, classes_, false);
  upper_ = edges_of(width_, cells, between, classes_, true);
}

std::size_t PairSums::bin_of(double score) const {
  const double number = std::floor(score / width_) - static_cast<double>(first_);
  // No number, as damaged requests can ask for: the first bin, and sums that are no numbers either.
  return number > 0 ? static_cast<std::size_t>(std::min(number, static_cast<double>(count_ - 1))) : 0;
}

double PairSums::lower_edge(std::size_t bin) const {
  return static_cast<double>(first_ + static_cast<std::int64_t>(bin)) * width_;
}

PairSums::RowSums PairSums::of(double score, std::size_t label) const {
  const double a = score + margin_;
  const double b = score - margin_;
  const std::size_t a_bin = bin_of(a);
  const std::size_t b_bin = bin_of(b);
  const Found as_lower = look_up(lower_[a_bin * classes_ + label], std::max(a - lower_edge(a_bin), 0.0), width_);
  const Found as_upper = look_up(upper_[b_bin * classes_ + label], std::max(lower_edge(b_bin + 1) - b, 0.0), width_);
  return {as_lower.second, 2 * (as_lower.first - as_upper.first)};
}

}  // namespace xofm::detail
