// Names and classes from someone else's file: they steer neither the terminal nor a spreadsheet.
#include <nlohmann/json.hpp>

#include "support/cli_test.hpp"

namespace xofm::testing {
namespace {

using Json = nlohmann::json;
using CliUntrustedText = CliTest;

const Words steering = {"\xE2\x80\xAE",  // U+202E: from here on right to left
                        "\xE2\x80\xA8",  // U+2028: a line end
                        "\xE2\x81\xA6",  // U+2066
                        "\xD8\x9C",      // U+061C
                        "\xC2\x9B",      // U+009B: begins a control sequence
                        "\x1B[2J"};

std::string all_of_them() {
  std::string text;
  for (const auto& part : steering) text += part;
  return text;
}

void expect_tame(const std::string& text, const std::string& what) {
  for (std::size_t i = 0; i < steering.size(); ++i) {
    EXPECT_EQ(text.find(steering[i]), std::string::npos) << what << " has number " << i << "\n" << text;
  }
}

TEST_F(CliUntrustedText, CharactersThatSteerATerminalReachNone) {
  const std::string evil = all_of_them();
  std::string text = fmt::format("\"a{0}\",\"b{0}\",\"label{0}\"\n", evil);
  for (int i = 0; i < 60; ++i) {
    text += fmt::format("{},{}{},{}{}\n", i % 17, i % 2 == 0 ? "x" : "y", evil, i % 17 < 8 ? "low" : "high", evil);
  }
  folder.file("d.csv", text);
  folder.file("about.csv", fmt::format("attribute,description,unit\n\"a{0}\",\"about{0}\",\"cm{0}\"\n", evil));
  const std::string label = "label" + evil;
  const std::string classes = fmt::format("low{0},high{0}", evil);
  const Words data = {"d.csv", "--label", label, "--classes", classes};
  const auto with_data = [&](Words words, const Words& more) {
    words.insert(words.end(), data.begin(), data.end());
    words.insert(words.end(), more.begin(), more.end());
    return words;
  };
  ASSERT_EQ(run(with_data({"fit", "--no-tune"}, {"-o", "m.json", "-q", "--descriptions", "about.csv"})).status, 0);
  ASSERT_EQ(run(with_data({"fit", "--no-tune", "--pairs", "none"}, {"-o", "other.json", "-q"})).status, 0);
  folder.file("new.csv", text + fmt::format("3,new{0},low{0}\n", evil));  // with a level that no training row has
  const std::vector<Words> commands = {
      {"show", "m.json"},
      {"explain", "m.json"},
      {"explain", "m.json", "--format", "json"},
      {"explain", "m.json", "d.csv", "--row", "1"},
      {"explain", "m.json", "d.csv", "--row", "1", "--format", "json"},
      {"predict", "m.json", "d.csv", "--text"},
      {"evaluate", "m.json", "d.csv"},
      {"evaluate", "m.json", "d.csv", "--json"},
      {"compare", "m.json", "m.json"},
      {"compare", "m.json", "m.json", "--json"},
      with_data({"validate"}, {"--folds", "2"}),
      {"fit", "--no-tune", "d.csv", "--label", "no" + evil},  // refused
      {"explain", "m.json", "d.csv", "--where", "no" + evil + "=1"},
      {"show", "no" + evil},
      with_data({"fit", "--no-tune"}, {"-o", "m" + evil + ".json"}),
      with_data({"fit", "--no-tune"}, {"-o", "m" + evil + ".json", "--json"}),
      with_data({"path", "--folds", "0", "--increment-penalties", "0.1"}, {"--model", "p" + evil + ".json"}),
      {"report", "m.json", "-o", "m" + evil + ".html"},
      {"seal", "m.json", "-o", "m" + evil + ".json"},
      with_data({"tune", "--budget", "50"}, {"--json"}),
      with_data({"check"}, {}),
      with_data({"check"}, {"--json"}),
      {"monitor", "m.json", "new.csv"},
      {"monitor", "m.json", "new.csv", "--json"},
      {"compare", "m.json", "other.json", "--details"},
      {"compare", "m.json", "other.json", "--data", "new.csv"},
      {"export", "m.json", "--to", "c"},
      {"export", "m.json", "--to", "python"},
  };
  for (const auto& command : commands) {
    const RunResult result = run(command);
    const std::string what = fmt::format("{} {}", command[0], command.size() > 4 ? command[4] : "");
    EXPECT_FALSE((result.out + result.err).empty());
    expect_tame(result.out, what);
    expect_tame(result.err, what);
  }
  // In JSON they are escaped, not lost.
  const Json json = Json::parse(run({"explain", "m.json", "--format", "json"}).out);
  EXPECT_EQ(json["label"], label);
}

TEST_F(CliUntrustedText, FormulasInCsvOutputsAreTakenForText) {
  std::string text = "=cmd(),@name,label\n";
  for (int i = 0; i < 60; ++i)
    text += fmt::format("{},{},{}\n", i % 17, i % 2 == 0 ? "=1+1" : "-x", i % 17 < 8 ? "+bad" : "=HYPERLINK()");
  folder.file("d.csv", text);
  ASSERT_EQ(run({"fit", "--no-tune", "d.csv", "--classes", "+bad,=HYPERLINK()", "-o", "m.json", "-q"}).status, 0);
  folder.file("odd.csv", "=cmd(),@name\n999,=1+1\n");
  const Csv predicted(output({"predict", "m.json", "odd.csv"}));
  EXPECT_TRUE(predicted.at(0, "class") == "'+bad" || predicted.at(0, "class") == "'=HYPERLINK()");
  EXPECT_TRUE(predicted.at(0, "notes").starts_with("'=cmd() above"));
  EXPECT_FALSE(Csv(output({"predict", "m.json", "odd.csv", "--raw-cells"})).at(0, "class").starts_with("'"));
  ASSERT_EQ(run({"fit", "--no-tune", "d.csv", "--classes", "+bad,=HYPERLINK()", "--pairs", "1", "-o", "few.json", "-q"})
                .status,
            0);
  for (const Words& words :
       {Words{"explain", "m.json", "--format", "csv"},
        Words{"explain", "m.json", "d.csv", "--row", "1", "--format", "csv"}, Words{"predict", "m.json", "d.csv"},
        Words{"predict", "m.json", "d.csv", "--keep", "all", "--reasons", "2"},
        Words{"export", "few.json", "--to", "points"}}) {
    for (const auto& line : split_lines(output(words))) {
      for (const auto& cell : split_cells(line)) {
        const bool is_number = cell.find_first_not_of("+-0123456789.e") == std::string::npos;
        EXPECT_TRUE(cell.empty() || is_number || std::string("=+-@").find(cell[0]) == std::string::npos) << line;
      }
    }
  }
  const std::string raw = output({"explain", "m.json", "--format", "csv", "--raw-cells"});
  EXPECT_NE(raw.find("\n=cmd(),knot"), std::string::npos) << raw;
  const std::string points = output({"export", "few.json", "--to", "points", "--raw-cells"});
  EXPECT_NE(points.find("\n=cmd(),range"), std::string::npos) << points;
}

TEST_F(CliUntrustedText, ClassesThatAreNumbersStayNumbers) {
  std::string text = "a,label\n";
  for (int i = 0; i < 60; ++i) text += fmt::format("{},{}\n", i % 17, i % 17 < 8 ? -2 : -1);
  folder.file("d.csv", text);
  ASSERT_EQ(run({"fit", "--no-tune", "d.csv", "-o", "m.json", "-q"}).status, 0);
  const Csv predicted(output({"predict", "m.json", "d.csv"}));
  EXPECT_EQ(predicted.at(0, "class"), "-2");
  EXPECT_EQ(predicted.at(16, "class"), "-1");
}

}  // namespace
}  // namespace xofm::testing
