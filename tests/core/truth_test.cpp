#include "core/data/truth.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "xofm/error.hpp"

namespace xofm {
namespace {

constexpr int grid_count = 10000;

std::vector<double> on_grid(Curve curve) {
  std::vector<double> values;
  for (int k = 0; k <= grid_count; ++k) values.push_back(curve_value(curve, static_cast<double>(k) / grid_count));
  return values;
}

TEST(Curve, EveryCurveButFlatRangesFromZeroToOne) {
  for (const std::string_view name : curve_names()) {
    const auto values = on_grid(*curve_from(name));
    const auto [least, greatest] = std::minmax_element(values.begin(), values.end());
    EXPECT_NEAR(*least, 0, 1e-15) << name;
    EXPECT_NEAR(*greatest, name == "flat" ? 0 : 1, 1e-15) << name;
  }
}

TEST(Curve, TheMeanIsTheIntegral) {
  for (const std::string_view name : curve_names()) {
    const Curve curve = *curve_from(name);
    const auto values = on_grid(curve);
    double integral = -(values.front() + values.back()) / 2;
    for (const double value : values) integral += value;
    // The trapezoid rule's error: second derivatives are below 50, over 12 * 10^8.
    EXPECT_NEAR(integral / grid_count, curve_mean(curve), 5e-8) << name;
  }
}

TEST(Curve, MonotoneCurvesAreMonotone) {
  for (const Curve curve : {Curve::linear, Curve::step, Curve::saturating}) {
    const auto values = on_grid(curve);
    EXPECT_TRUE(std::is_sorted(values.begin(), values.end())) << name_of(curve);
  }
  const auto falling = on_grid(Curve::falling);
  EXPECT_TRUE(std::is_sorted(falling.rbegin(), falling.rend()));
  for (const Curve curve : {Curve::hump, Curve::valley}) {
    const auto values = on_grid(curve);
    const auto middle = values.begin() + grid_count / 2;
    EXPECT_EQ(std::is_sorted(values.begin(), middle), curve == Curve::hump);
    EXPECT_EQ(std::is_sorted(middle, values.end()), curve == Curve::valley);
  }
}

TEST(Curve, KnownValues) {
  EXPECT_EQ(curve_value(Curve::step, 0.4), 0);
  EXPECT_NEAR(curve_value(Curve::step, 0.5), 0.5, 1e-15);
  EXPECT_EQ(curve_value(Curve::hump, 0.5), 1);
  EXPECT_EQ(curve_value(Curve::valley, 0.5), 0);
  EXPECT_EQ(curve_value(Curve::saturating, 0.25), 0.625);
  EXPECT_EQ(curve_value(Curve::wave, 0.25), 1);
}

TEST(Curve, NamesAreReadBackAndOthersAreNot) {
  for (const std::string_view name : curve_names()) EXPECT_EQ(name_of(*curve_from(name)), name);
  EXPECT_EQ(curve_names().size(), 8U);
  EXPECT_EQ(curve_from("wave"), Curve::wave);
  for (const std::string_view name : {"", "Linear", "linear ", "line"}) EXPECT_FALSE(curve_from(name)) << name;
}

TEST(Scale, ValuesLieInTheRangeTheirNamePromises) {
  struct Expected {
    Scale scale;
    std::string_view name;
    double least, greatest;
  };
  for (const auto& [scale, name, least, greatest] : {Expected{Scale::unit, "unit", 0, 1},
                                                     {Scale::cubic, "cubic", 0, 1000},
                                                     {Scale::exponential, "exponential", 1, 1000},
                                                     {Scale::centred, "centred", -100, 100},
                                                     {Scale::levels, "levels", 0, 3}}) {
    EXPECT_EQ(name_of(scale), name);
    detail::Random random(3);
    std::vector<double> values;
    for (int i = 0; i < 20000; ++i) values.push_back(detail::draw_value(scale, random));
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    EXPECT_GE(*low, least) << name;
    EXPECT_LE(*high, greatest) << name;
    EXPECT_LE(detail::share_below(scale, *low), 0.001) << name;
    EXPECT_TRUE(std::isnan(detail::share_below(scale, std::nan("")))) << name;
    // Six decimals: writing and reading a value in a file gives the same bits.
    for (const double x : values) ASSERT_EQ(std::round(x * 1e6) / 1e6, x) << name;
  }
}

TEST(Scale, ALevelThatDoesNotExistHasNoShare) {
  EXPECT_EQ(detail::share_below(Scale::levels, 1), 1);
  for (const double code : {-1.0, 4.0, 1e300}) EXPECT_TRUE(std::isnan(detail::share_below(Scale::levels, code)));
}

TEST(Product, TheNotationIsReadAndWritten) {
  EXPECT_EQ(product_from("x1*x2:0.5"), (Product{0, 1, 0.5}));
  EXPECT_EQ(product_from("x10*x3:-2e-1"), (Product{9, 2, -0.2}));
  EXPECT_EQ(text_of({0, 1, 0.5}), "x1*x2:0.5");
  EXPECT_EQ(product_from(text_of({4, 11, -1.0 / 3})), (Product{4, 11, -1.0 / 3}));
}

TEST(Product, OtherNotationsAreShownInTheError) {
  for (const std::string_view text : {"", "x1", "x1*x2", "x1*x2:", "x1*x2:a", "x1*x2:1 ", "1*2:1", "x0*x1:1",
                                      "x1*x-2:1", "x1*x2:nan", "x1*x2:inf", "x99999999999*x1:1", "x1+x2:1"}) {
    try {
      product_from(text);
      ADD_FAILURE() << "\"" << text << "\" was read";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::invalid_option);
      EXPECT_NE(std::string(error.what()).find("\"" + std::string(text) + "\""), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace xofm
