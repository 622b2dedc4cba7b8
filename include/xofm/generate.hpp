// Before stage 1: rows of any number from a known truth, to test scale and recovery of what was put in.
//
// Every attribute j has a quantity t_j, uniform on [0, 1]; the data show it on a scale of its own (Scale), so t is also
// the share of rows with a smaller value. The true score of a row is
//
//   sum over attributes of weight_j * curve_j(t_j)
//   + sum over products of strength * 4 * (t_first - 1/2) * (t_second - 1/2)
//
// and its class is the number of cuts at or below the true score plus normal noise. Row i depends on the options and
// on i alone, not on row_count: rows can be made in any blocks, in any order, on any number of threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "xofm/dataset.hpp"

namespace xofm {

// Shapes on [0, 1] with least value 0 and greatest value 1; flat is 0.
enum class Curve {
  flat,        // 0: the attribute is irrelevant, unless a product uses it
  linear,      // t
  falling,     // 1 - t
  step,        // 0 up to 0.4, 1 from 0.6 on, straight between: a threshold that piecewise linear curves can follow
  hump,        // 1 - (2t - 1)^2
  valley,      // (2t - 1)^2
  saturating,  // 5t / (1 + 4t): steep, then level
  wave,        // (1 + sin(2 pi t)) / 2: up, down, up
};

// How an attribute shows its t, rounded to six decimals. Uneven scales make quantile knots matter.
enum class Scale {
  unit,         // t, in [0, 1]
  cubic,        // 1000 t^3, in [0, 1000]: half the rows below 125
  exponential,  // 1000^t, in [1, 1000]: half the rows below 31.7
  centred,      // 200 t - 100, in [-100, 100]
  levels,       // categorical: levels a, b, c, d, equally frequent, with t = 0, 1, 1/3, 2/3
};

// Zero mean along either attribute, in [-|strength|, |strength|]: range 2 |strength|.
struct Product {
  int first = 0;  // attribute numbers, from 0: x1 is 0; two different numeric attributes
  int second = 0;
  double strength = 0;

  bool operator==(const Product&) const = default;
};

struct GenerateOptions {
  std::size_t row_count = 1000;  // at least 1
  int attribute_count = 10;      // at least 1; named x1, x2, ...
  int class_count = 5;           // at least 2; named 1, 2, ...
  // One per attribute. Empty: linear, step, hump, flat, falling, saturating, valley, wave in turn, and linear for the
  // categorical attributes.
  std::vector<Curve> curves = {};
  std::vector<double> weights = {};  // height of each attribute's curve, negative turns it over; empty: 1
  // Not given: those of x1*x2:1, x3*x5:-0.5, x6*x7:0.5 whose attributes exist and are numeric. Empty: none.
  std::optional<std::vector<Product>> products = {};
  double noise = 0.1;  // standard deviation of the noise, in those of the true score (in 1 if that is 0)
  std::vector<double> class_shares = {};  // positive, any sum; empty: equal
  int categorical_count = 0;              // so many of the last attributes are categorical
  double missing_share = 0;               // in [0, 1): chance of a cell to be missing; the class knows the hidden value
  std::uint64_t seed = 1;
};

class Generator {
 public:
  // Throws Error{invalid_option} for values not allowed, or if the score cannot be cut into the shares wanted (no
  // noise and too few different scores). Costs a pilot sample of 65,536 rows, which fixes the noise and the cuts:
  // shares are met within its sampling error, 0.002 for a fifth.
  explicit Generator(GenerateOptions options);

  // The options with every default filled in: curves, weights, products, shares (sum 1).
  const GenerateOptions& options() const { return options_; }
  const Schema& schema() const { return schema_; }
  const std::vector<double>& cuts() const { return cuts_; }  // ascending, class_count - 1
  double noise_stddev() const { return noise_stddev_; }      // absolute

  // Rows first .. first + count - 1. Rows from row_count on are fresh ones of the same truth: a natural hold-out.
  // O(count * (attributes + products)), in parallel.
  Dataset rows(std::size_t first, std::size_t count) const;

  // The noiseless score of one row's values (a level is its code in schema()). A missing or unknown value counts as its
  // curve's mean, and its products as 0.
  double true_score(std::span<const double> values) const;

  // The class of a score: the number of cuts at or below it.
  int class_of(double score) const;

  // What attribute `attribute` adds to the score at value x, products apart: weight * curve(t). NaN: its mean.
  double curve(int attribute, double x) const;
  Scale scale(int attribute) const;
  double share_below(int attribute, double x) const;  // t of the value x; beyond the scale's ends: 0 or 1

 private:
  double make_row(std::uint64_t row, std::span<double> values, double& noise) const;
  void fix_cuts();

  GenerateOptions options_;
  Schema schema_;
  std::vector<Scale> scales_;
  std::vector<double> mean_effects_;  // what a missing value of the attribute adds
  std::vector<double> cuts_;
  double noise_stddev_ = 0;
};

// Rows 0 .. row_count - 1.
Dataset generate(const GenerateOptions& options);

// The names as written above, in the order of the enumerators.
std::span<const std::string_view> curve_names();
std::string_view name_of(Curve curve);
std::string_view name_of(Scale scale);
std::optional<Curve> curve_from(std::string_view name);

double curve_value(Curve curve, double t);  // t in [0, 1]
double curve_mean(Curve curve);             // over uniform t

// The notation of products: "x1*x2:0.5". Throws Error{invalid_option} that shows it; whether the attributes exist is
// the Generator's to check.
Product product_from(std::string_view text);
std::string text_of(const Product& product);

}  // namespace xofm
