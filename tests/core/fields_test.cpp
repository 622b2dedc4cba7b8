#include "core/options/fields.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <string>

#include "xofm/error.hpp"

namespace xofm {
namespace {

// What is said of options, or "accepted".
template <class Options>
std::string refusal(const Options& options) {
  try {
    detail::check(options);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::invalid_option);
    return error.what();
  }
  return "accepted";
}

TEST(OptionFields, NamesAreDifferentAndEveryOneHasAHelp) {
  std::set<std::string_view> names;
  detail::for_each_train_field([&](const auto& field) {
    EXPECT_TRUE(names.insert(field.name).second) << field.name;
    EXPECT_GE(field.help.size(), 10U) << field.name;
    EXPECT_FALSE(field.group.empty()) << field.name;
  });
}

TEST(OptionFields, DefaultsAreWithinTheirBounds) {
  EXPECT_EQ(refusal(TrainOptions{}), "accepted");
  EXPECT_EQ(refusal(paper_preset()), "accepted");
  EXPECT_EQ(refusal(SearchOptions{}), "accepted");
}

TEST(OptionFields, EveryNumberBelowItsBoundIsRefusedByName) {
  std::size_t checked = 0;
  detail::for_each_train_field([&](const auto& field) {
    using Field = std::remove_cvref_t<decltype(field)>;
    using Value = typename Field::Value;
    if constexpr (std::is_arithmetic_v<Value> && std::is_signed_v<Value>) {
      TrainOptions options;
      auto& value = detail::within<typename Field::Options>(options).*field.member;
      value = static_cast<Value>(field.bounds.least - 1);
      const std::string said = refusal(options);
      EXPECT_TRUE(said.starts_with(std::string(field.name) + " is ")) << said;
      EXPECT_NE(said.find("must be " + detail::text_of(field.bounds)), std::string::npos) << said;
      if constexpr (std::is_floating_point_v<Value>) {
        for (const double bad : {std::nan(""), HUGE_VAL}) {
          value = bad;
          EXPECT_NE(refusal(options), "accepted") << field.name;
        }
      }
      ++checked;
    }
  });
  EXPECT_GT(checked, 15U);
}

TEST(OptionFields, BoundsInWords) {
  EXPECT_EQ(detail::text_of(detail::from_to(2, 100)), "2 to 100");
  EXPECT_EQ(detail::text_of(detail::at_least(0)), "0 or more");
  EXPECT_EQ(detail::text_of(detail::at_least(2)), "at least 2");
  EXPECT_EQ(detail::text_of(detail::positive), "a positive number");
  EXPECT_TRUE(detail::from_to(0, 1).contain(1.0));
  EXPECT_FALSE(detail::from_to(0, 1).contain(std::nan("")));
  EXPECT_FALSE(detail::positive.contain(0.0));
}

TEST(OptionFields, TheWeightsOfThePartsAddUpToSomething) {
  TrainOptions options;
  options.parts = {{.weight = 0}, {.weight = 0.5}};
  EXPECT_EQ(refusal(options), "accepted");
  options.parts[1].weight = 0;
  EXPECT_NE(refusal(options).find("add up to 0"), std::string::npos);
  options.parts = {};
  EXPECT_NE(refusal(options).find("parts is empty"), std::string::npos);
}

TEST(OptionFields, ASearchVariesWhatItsListsSay) {
  std::size_t varied = 0;
  const SearchSpace space;
  detail::for_each_varied([&](auto list, auto member) {
    ++varied;
    Recipe recipe;
    for (const auto& value : space.*list) {
      recipe.*member = value;
      EXPECT_NO_THROW(detail::check(recipe));
    }
  });
  EXPECT_EQ(varied, 9U);  // all lists of the space but methods, epochs, rules and reference scores
}

}  // namespace
}  // namespace xofm
