#include "xofm/edit_file.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>

#include "support/explained_model.hpp"
#include "xofm/error.hpp"
#include "xofm/model_file.hpp"

namespace xofm {
namespace {

using Json = nlohmann::ordered_json;

class EditFileTest : public ::testing::Test {
 protected:
  EditFileTest() : made(test_support::terms_model(1)), text(model_to_json(made.model)) {}

  EditRequest request(const std::string& edits, const std::string& why = "seen in the clinic") const {
    return {"review board", why, "2026-01-31T12:00:00Z", edits_from_json(R"({"edits": [)" + edits + "]}").edits};
  }
  std::string edited(const std::string& from, const std::string& edits, const Dataset* rows = nullptr) const {
    return edit_model(from, request(edits), rows).text;
  }
  // The file after a change by somebody who also makes the checksum fit.
  std::string changed(const std::string& from, const std::function<void(Json&)>& change) const {
    Json json = Json::parse(from);
    change(json);
    return seal_model(json.dump());
  }

  const std::string remove = R"({"edit": "remove_pair", "first": "n0", "second": "n1"})";
  const std::string monotone = R"({"edit": "monotone", "attribute": "n0", "direction": "increasing"})";
  test_support::ExplainedModel made;
  std::string text;
};

TEST_F(EditFileTest, EveryKindOfEditIsRead) {
  const std::vector<Edit> edits = request(R"({"edit": "set", "attribute": "a", "at": 1, "value": 2},
                 {"edit": "set", "attribute": "a", "at": "x", "value": 2},
                 {"edit": "set", "attribute": "a", "at": null, "value": 2},
                 {"edit": "set", "attribute": "a", "at": {"other": true}, "value": 2},
                 {"edit": "draw", "attribute": "a", "points": [[1, 2], [3, 4]]},
                 {"edit": "flatten", "attribute": "a", "from": 1, "to": 2},
                 {"edit": "monotone", "attribute": "a", "direction": "decreasing"},
                 {"edit": "smooth", "attribute": "a"},
                 {"edit": "merge", "attribute": "a", "levels": ["x", "y"]},
                 {"edit": "add_pair", "first": "a", "second": "b"},
                 {"edit": "cell", "first": "a", "second": "b", "at": [1, "x"], "value": 2},
                 {"edit": "remove_pair", "first": "a", "second": "b"})")
                                      .edits;
  ASSERT_EQ(edits.size(), 12U);
  EXPECT_EQ(std::get<SetValue>(edits[2]).at.kind, EditPlace::Kind::missing);
  EXPECT_EQ(std::get<DrawCurve>(edits[4]).points[1].second, 4);
  EXPECT_EQ(std::get<MakeMonotone>(edits[6]).direction, Direction::decreasing);
  EXPECT_EQ(std::get<SetCell>(edits[10]).at_second.level, "x");
}

TEST_F(EditFileTest, WhatIsNoEditIsRefusedWithItsPlace) {
  const auto refused = [](const std::string& json, const std::string& place) {
    try {
      edits_from_json(json, "edits.json");
      ADD_FAILURE() << json;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::invalid_data);
      EXPECT_NE(std::string(error.what()).find(place), std::string::npos) << error.what();
    }
  };
  refused("", "edits are a JSON object");
  refused("[]", "edits are a JSON object");
  refused("{}", "'edits' is missing");
  refused(R"({"edits": [], "whom": "me"})", "edits.json.whom");
  refused(R"({"edits": [{"edit": "paint"}]})", "edits.json.edits[0].edit: 'paint' is no edit; there are set, draw");
  refused(R"({"edits": [{"edit": "smooth", "attribute": "a", "strenght": 1}]})", "edits.json.edits[0].strenght");
  refused(R"({"edits": [{"edit": "set", "attribute": "a", "at": 1, "value": "x"}]})", "value: must be a number");
  refused(R"({"edits": [{"edit": "draw", "attribute": "a", "points": [[1]]}]})", "points[0]");
  refused(R"({"edits": [{"edit": "add_pair", "first": "a", "second": "b", "grid": 1000}]})", "grid");
}

TEST_F(EditFileTest, TheRecordSaysWhoWhenWhyAndWhat) {
  const std::string after = edited(text, remove + "," + monotone, &made.data);
  const Audit audit = audit_model(after);
  EXPECT_TRUE(audit.problems.empty()) << audit.problems.front();
  ASSERT_EQ(audit.entries.size(), 1U);
  const AuditEntry& entry = audit.entries.front();
  EXPECT_EQ(entry.who + entry.when + entry.why, "review board2026-01-31T12:00:00Zseen in the clinic");
  EXPECT_EQ(entry.edits, (std::vector<std::string>{"remove the pair n0 x n1", "make n0 increasing"}));
  EXPECT_EQ(entry.row_count, made.data.row_count());
  EXPECT_EQ(entry.metrics.size(), 3U);
  EXPECT_EQ(audit.hash, entry.hash);
  const Model model = model_from_json(after);
  EXPECT_EQ(model.terms->surfaces.size(), 2U);
  EXPECT_EQ(entry.change_count, edit_effect(made.model, model, made.data).changes.size());
}

TEST_F(EditFileTest, EntriesAreAddedAndStayAsTheyAre) {
  const std::string once = edited(text, remove);
  const std::string twice = edited(once, monotone);
  const Json history = Json::parse(twice)["history"];
  ASSERT_EQ(history.size(), 2U);
  EXPECT_EQ(history[0], Json::parse(once)["history"][0]);
  EXPECT_EQ(history[1]["previous"], history[0]["hash"]);
  EXPECT_EQ(history[1]["before"], history[0]["after"]);
  EXPECT_TRUE(audit_model(twice).problems.empty());
  EXPECT_NE(audit_model(twice).hash, audit_model(once).hash);
}

TEST_F(EditFileTest, TheHashOfAnUneditedModelIsThatOfItsContent) {
  const std::string hash = audit_model(text).hash;
  EXPECT_EQ(hash.size(), 64U);
  EXPECT_EQ(Json::parse(edited(text, remove))["history"][0]["before"], hash);
  EXPECT_EQ(audit_model(seal_model(text)).hash, hash) << "a seal is no content";
}

TEST_F(EditFileTest, EveryChangeOfTheRecordOrTheModelIsSeen) {
  const std::string twice = edited(edited(text, remove), monotone);
  const auto problem = [&](const std::function<void(Json&)>& change) {
    const Audit audit = audit_model(changed(twice, change));
    return audit.problems.empty() ? std::string() : audit.problems.front();
  };
  EXPECT_EQ(problem([](Json&) {}), "");
  EXPECT_EQ(problem([](Json& m) { m["history"][0]["why"] = "no reason"; }), "entry 1 was changed after it was written");
  EXPECT_EQ(problem([](Json& m) { m["history"].erase(0); }), "entry 1 does not follow the one before it");
  EXPECT_NE(problem([](Json& m) { m["history"].erase(1); }).find("changed without a record"), std::string::npos);
  EXPECT_NE(problem([](Json& m) { std::swap(m["history"][0], m["history"][1]); }), "");
  EXPECT_NE(problem([](Json& m) { m["base"] = m["base"].get<double>() + 1; }).find("changed without a record"),
            std::string::npos);
  EXPECT_EQ(problem([](Json& m) { m["history"] = "gone"; }), "the record is no list");
  EXPECT_EQ(problem([](Json& m) { m["history"][0] = 1; }), "entry 1 is no object");
  EXPECT_EQ(problem([](Json& m) { m["history"][1]["edits"] = 1; }), "entry 2 was changed after it was written");
}

TEST_F(EditFileTest, ADamagedFileIsAProblemAndNoModelIsAnError) {
  std::string damaged = edited(text, remove);
  damaged.replace(damaged.find("review board"), 1, "R");
  const Audit audit = audit_model(damaged);
  ASSERT_EQ(audit.problems.size(), 2U);
  EXPECT_NE(audit.problems[1].find("checksum"), std::string::npos);
  EXPECT_THROW(audit_model("[1]"), Error);
}

TEST_F(EditFileTest, ABrokenRecordIsNotContinued) {
  const std::string broken = changed(edited(text, remove), [](Json& m) { m["base"] = 17.5; });
  EXPECT_THROW(edited(broken, monotone), Error);
}

TEST_F(EditFileTest, NobodyAndNoReasonAreRefused) {
  EditRequest nobody = request(remove);
  nobody.who.clear();
  EXPECT_THROW(edit_model(text, nobody), Error);
  EXPECT_THROW(edit_model(text, request(remove, "")), Error);
  EXPECT_THROW(edit_model(text, request("")), Error);
}

// Names and reasons come from files and forms that nobody has checked.
TEST_F(EditFileTest, HostileReasonsAreKeptAsTheyAre) {
  const std::string hostile = "</script>\"\\u0000\n\x1b[2J 😀 " + std::string(10'000, 'x');
  EditRequest asked = request(remove, hostile);
  const std::string after = edit_model(text, asked).text;
  EXPECT_EQ(audit_model(after).entries.front().why, hostile);
  EXPECT_TRUE(audit_model(after).problems.empty());
  asked.why = "\xff\xfe";  // no UTF-8
  EXPECT_THROW(edit_model(text, asked), Error);
}

TEST_F(EditFileTest, ABrokenDirectionIsNamed) {
  const std::string before = edited(text, monotone);
  const Model model = model_from_json(before);
  const double last = model.encoder.attributes[0].knots.back();
  const EditResult result = edit_model(
      before, request(R"({"edit": "set", "attribute": "n0", "value": -1000, "at": )" + Json(last).dump() + "}"));
  EXPECT_EQ(result.broken, std::vector<std::string>{"n0"});
  EXPECT_FALSE(result.model.certificate.holds);
}

}  // namespace
}  // namespace xofm
