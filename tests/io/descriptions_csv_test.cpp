#include <gtest/gtest.h>

#include "support/temporary_folder.hpp"
#include "xofm/csv.hpp"
#include "xofm/error.hpp"

namespace xofm {
namespace {

using testing::TemporaryFolder;

Schema described(const std::string& text) {
  const TemporaryFolder folder;
  folder.file("d.csv", text);
  Schema schema;
  schema.attributes = {{.name = "I0"}, {.name = "DA", .description = "old", .unit = "old"}, {.name = "AREA"}};
  read_descriptions(folder.path("d.csv"), schema);
  return schema;
}

// Without the folder's name.
std::string refusal(const std::string& text) {
  try {
    described(text);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::invalid_data);
    const std::string message = error.what();
    return message.substr(message.find("d.csv"));
  }
  return "no error";
}

TEST(Descriptions, AreMatchedByNameInAnyOrder) {
  const Schema schema =
      described("attribute,description,unit\nAREA,\"area, under the spectrum\",\nI0,impedivity,ohm\n");
  EXPECT_EQ(schema.attributes[0].description, "impedivity");
  EXPECT_EQ(schema.attributes[0].unit, "ohm");
  EXPECT_EQ(schema.attributes[1].description, "old");  // not named
  EXPECT_EQ(schema.attributes[1].unit, "old");
  EXPECT_EQ(schema.attributes[2].description, "area, under the spectrum");
  EXPECT_EQ(schema.attributes[2].unit, "");
}

TEST(Descriptions, TheUnitColumnMayBeAbsentAndOthersAreSkipped) {
  const Schema schema = described("source;description;attribute\nTable 5;NA;I0\n");
  EXPECT_EQ(schema.attributes[0].description, "NA");  // a text like any other
  EXPECT_EQ(schema.attributes[0].unit, "");
  EXPECT_EQ(described("attribute,description\n").attributes[0].description, "");
}

TEST(Descriptions, AnUnknownAttributeIsNamedWithItsPlace) {
  EXPECT_EQ(refusal("attribute,description\nI0,a\narea,b\n"),
            "d.csv, line 3, column \"attribute\": \"area\" is no attribute of the data (did you mean 'AREA'?); the "
            "attributes are \"I0\", \"DA\", \"AREA\"");
  EXPECT_TRUE(refusal("attribute,description\n,b\n").starts_with("d.csv, line 2, column \"attribute\": \"\" is no"));
}

TEST(Descriptions, AnAttributeDescribedTwiceIsRefused) {
  EXPECT_EQ(refusal("attribute,description\nI0,a\nI0,b\n"),
            "d.csv, line 3, column \"attribute\": \"I0\" is described twice; keep one line");
}

TEST(Descriptions, TheColumnsMustBeThere) {
  EXPECT_NE(refusal("name,description\nI0,a\n").find("no column \"attribute\""), std::string::npos);
  EXPECT_NE(refusal("attribute,text\nI0,a\n").find("no column \"description\""), std::string::npos);
  EXPECT_NE(refusal(""), "no error");
}

}  // namespace
}  // namespace xofm
