// What exports hold, without running them: tests/exports has the engines.
#include "xofm/export.hpp"

#include <gtest/gtest.h>

#include "support/explained_model.hpp"
#include "xofm/error.hpp"

namespace xofm {
namespace {

// Numbers, one of them dates; texts, and columns of 0 and 1; names that would be run where they are not quoted.
Model hostile_model() {
  Model model = test_support::terms_model(1, 60).model;
  constexpr const char* names[] = {"=cmd|' /C calc'!A0", "</DataField><evil/>&", "\"; DROP TABLE t; --", "*/ #error"};
  std::vector<Attribute>& attributes = model.schema.attributes;
  for (std::size_t j = 0; j < attributes.size(); ++j) {
    attributes[j].name = fmt::format("{} {}", names[j % std::size(names)], j);
    for (std::string& level : attributes[j].levels) level = "=1+" + level;
  }
  attributes.front().time = TimePart::days;
  for (const std::string& level : attributes.back().levels) attributes.back().indicators.push_back("@is " + level);
  for (std::string& name : model.schema.class_names) name = "=HYPERLINK(\"x\") <b> " + name;
  return model;
}

TEST(Export, EveryTargetIsTheSameEachTimeAndSaysNothingOfItsOwnForNames) {
  const Model model = hostile_model();
  for (const auto& [target, name] : enum_names<ExportTarget>) {
    for (const bool highest : {false, true}) {
      const ExportOptions options{.target = target, .highest_reasons = highest, .table = "t"};
      const std::string text = export_model(model, options);
      EXPECT_GT(text.size(), 1000) << name;
      EXPECT_EQ(text, export_model(model, options)) << name;
      if (target != ExportTarget::pmml && target != ExportTarget::xlsx) continue;
      EXPECT_EQ(text.find("<evil"), std::string::npos) << name;
      EXPECT_EQ(text.find("<b>"), std::string::npos) << name;
      EXPECT_NE(text.find("&lt;evil/&gt;&amp;"), std::string::npos) << name;
    }
  }
}

TEST(Export, NoFormulaOfTheWorkbookHasANameInIt) {
  const std::string book = export_model(hostile_model(), {.target = ExportTarget::xlsx});
  EXPECT_TRUE(book.starts_with("PK\x03\x04"));
  std::size_t count = 0;
  for (std::size_t at = book.find("<f>"); at != std::string::npos; at = book.find("<f>", at + 1)) {
    const std::string formula = book.substr(at, book.find("</f>", at) - at);
    for (const char* const part : {"cmd", "evil", "DROP", "HYPERLINK", "@is", "=1+"}) {
      EXPECT_EQ(formula.find(part), std::string::npos) << formula;
    }
    ++count;
  }
  EXPECT_GT(count, 30);
}

TEST(Export, WhatLooksLikeAnEscapeInAWorkbookIsWrittenAsItIs) {
  Model model = hostile_model();
  model.schema.attributes[1].name = "_x000A_ and _x_";
  const std::string book = export_model(model, {.target = ExportTarget::xlsx});
  EXPECT_NE(book.find("_x005F_x000A_ and _x_"), std::string::npos);
}

TEST(Export, ModelsWithoutPartsAreExportedUnlessThereIsNothingToCompute) {
  Model model = test_support::terms_model(2, 60).model;
  for (auto& curve : model.terms->curves) std::ranges::fill(curve, 0.0);
  model.terms->surfaces.clear();
  for (const auto& [target, name] : enum_names<ExportTarget>) {
    const ExportOptions options{.target = target, .table = "t"};
    if (target == ExportTarget::onnx || target == ExportTarget::pmml) {
      EXPECT_THROW(export_model(model, options), Error);
    } else {
      EXPECT_FALSE(export_model(model, options).empty()) << name;
    }
  }
}

TEST(Export, CharactersThatXmlCannotHoldAreRefusedByName) {
  for (const char* const name : {"a\x01", "\xFF", "\xEF\xBF\xBF"}) {
    Model model = hostile_model();
    model.schema.attributes[0].name = name;
    for (const ExportTarget target : {ExportTarget::pmml, ExportTarget::xlsx}) {
      try {
        export_model(model, {.target = target});
        ADD_FAILURE() << name_of(target);
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::invalid_model);
        EXPECT_NE(std::string(error.what()).find("no XML can hold; rename it"), std::string::npos) << error.what();
      }
    }
  }
}

}  // namespace
}  // namespace xofm
