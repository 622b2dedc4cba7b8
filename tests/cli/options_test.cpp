// Help, defaults, config files.
#include <map>
#include <nlohmann/json.hpp>

#include "support/cli_test.hpp"
#include "xofm/generate.hpp"
#include "xofm/model.hpp"
#include "xofm/names.hpp"

namespace xofm::testing {
namespace {

using Json = nlohmann::json;
using CliHelp = CliTest;
using CliConfig = CliTest;

const Words commands = {"fit",     "predict", "evaluate",        "check", "monitor", "validate", "tune",    "show",
                        "explain", "compare", "compare-methods", "path",  "report",  "seal",     "generate"};

struct HelpOption {
  std::string value;  // "INT=8"
  std::string text;
};

// The options of a help text by long name.
std::map<std::string, HelpOption> options_of(const std::string& help) {
  std::map<std::string, HelpOption> options;
  const Words lines = split_lines(help);
  constexpr std::size_t text_column = 30;
  for (std::size_t i = 0; i < lines.size() && lines[i] != "Examples:"; ++i) {
    const std::string& line = lines[i];
    const std::size_t dashes = line.find("--");
    if (!line.starts_with("  -") || dashes == std::string::npos) continue;
    const bool same_line = !lines.at(i + 1).starts_with(std::string(text_column, ' '));
    const std::string left = same_line ? line.substr(0, text_column) : line;
    HelpOption option;
    option.text = same_line ? line.substr(text_column) : lines.at(i + 1).substr(text_column);
    const std::size_t end = left.find_first_of(" ,", dashes);
    if (end != std::string::npos) option.value = left.substr(end + 1);
    option.value.erase(option.value.find_last_not_of(' ') + 1);
    options[left.substr(dashes, end - dashes)] = option;
  }
  return options;
}

std::string default_of(const std::map<std::string, HelpOption>& options, const std::string& name) {
  const auto found = options.find(name);
  if (found == options.end()) return "no such option";
  return found->second.value.substr(found->second.value.find('=') + 1);
}

TEST_F(CliHelp, EveryCommandHasAnExampleAndEveryOptionAText) {
  for (const auto& command : commands) {
    const std::string help = output({command, "--help"});
    EXPECT_NE(help.find("\nExamples:\n  xofm " + command + " "), std::string::npos) << help;
    const auto options = options_of(help);
    EXPECT_GE(options.size(), 2U);
    for (const auto& [name, option] : options) EXPECT_GE(option.text.size(), 10U) << command << " " << name;
  }
}

TEST_F(CliHelp, TheProgramListsCommandsAndExitStatuses) {
  const std::string help = output({"--help"});
  for (const auto& command : commands) EXPECT_NE(help.find("\n  " + command + " "), std::string::npos) << command;
  for (const char* const status : {"0 ", "1 ", "2 ", "3 ", "4 ", "5 ", "130 "}) {
    EXPECT_NE(help.find(fmt::format("\n  {}", status)), std::string::npos) << status;
  }
  EXPECT_TRUE(output({"--version"}).starts_with("xofm "));
}

TEST_F(CliHelp, TheDefaultsOfFitAreThoseOfTheLibrary) {
  const auto shown = options_of(output({"fit", "--help"}));
  const TrainOptions defaults;
  const std::map<std::string, std::string> expected = {
      {"--knots", name_of(defaults.recipe().knots)},
      {"--segment-count", fmt::format("{}", defaults.recipe().segment_count)},
      {"--factor-count", fmt::format("{}", defaults.recipe().factor_count)},
      {"--margin", fmt::format("{}", defaults.margin)},
      {"--increment-penalty", fmt::format("{}", defaults.recipe().increment_penalty)},
      {"--factor-penalty", fmt::format("{}", defaults.recipe().factor_penalty)},
      {"--rule", name_of(defaults.assignment.rule)},
      {"--aim", name_of(defaults.assignment.aim)},
      {"--reference-limit", fmt::format("{}", defaults.assignment.reference_limit)},
      {"--method", name_of(defaults.recipe().method)},
      {"--max-epochs", fmt::format("{}", defaults.recipe().max_epochs)},
      {"--tolerance", fmt::format("{}", defaults.optimizer.tolerance)},
      {"--restart-count", fmt::format("{}", defaults.optimizer.restart_count)},
      {"--seed", fmt::format("{}", defaults.optimizer.seed)},
      {"--init-stddev", fmt::format("{}", defaults.recipe().init_stddev)},
      {"--learning-rate", fmt::format("{}", defaults.optimizer.learning_rate)},
      {"--learning-rate-decay", fmt::format("{}", defaults.optimizer.learning_rate_decay)},
      {"--loss-form", name_of(defaults.loss_form)},
  };
  for (const auto& [name, value] : expected) EXPECT_EQ(default_of(shown, name), value) << name;
  std::string missing;
  for (const auto& token : Schema{}.missing_tokens) missing += (token.empty() || missing.empty() ? "" : ",") + token;
  EXPECT_EQ(default_of(shown, "--missing"), missing + " ...");
}

TEST_F(CliHelp, TheDefaultsOfGenerateAreThoseOfTheLibrary) {
  const auto shown = options_of(output({"generate", "--help"}));
  const GenerateOptions defaults;
  EXPECT_EQ(default_of(shown, "--rows"), fmt::format("{}", defaults.row_count));
  EXPECT_EQ(default_of(shown, "--attributes"), fmt::format("{}", defaults.attribute_count));
  EXPECT_EQ(default_of(shown, "--classes"), fmt::format("{}", defaults.class_count));
  EXPECT_EQ(default_of(shown, "--seed"), fmt::format("{}", defaults.seed));
  EXPECT_EQ(default_of(shown, "--noise"), fmt::format("{}", defaults.noise));
  EXPECT_EQ(default_of(shown, "--categorical"), fmt::format("{}", defaults.categorical_count));
  EXPECT_EQ(default_of(shown, "--missing"), fmt::format("{}", defaults.missing_share));
}

TEST_F(CliHelp, AModelFittedWithoutOptionsHasTheDefaultsOfTheLibrary) {
  make_model();
  const Json options = Json::parse(folder.content("model.json"))["options"];
  const TrainOptions defaults;
  EXPECT_EQ(options["margin"], defaults.margin);
  ASSERT_EQ(options["parts"].size(), 1U);
  EXPECT_EQ(options["parts"][0]["factor_count"], defaults.recipe().factor_count);
  EXPECT_EQ(options["parts"][0]["segment_count"], defaults.recipe().segment_count);
  EXPECT_EQ(options["parts"][0]["max_epochs"], defaults.recipe().max_epochs);
}

TEST_F(CliConfig, ATomlFileSetsOptionsAndTheCommandLineOverridesThem) {
  generate("train.csv");
  folder.file("c.toml",
              "# how we train\nthreads = 1\n[fit]\nsegment-count = 3\nrule = \"support\"\nincreasing = [\"x1\", "
              "\"x2\"]\nmargin = 0.5\n");
  output({"fit", "--no-tune", "train.csv", "--config", "c.toml", "--segment-count", "5"});
  const Json model = Json::parse(folder.content("model.json"));
  EXPECT_EQ(model["options"]["parts"][0]["segment_count"], 5);
  EXPECT_EQ(model["options"]["margin"], 0.5);
  EXPECT_EQ(model["assignment"]["rule"], "support");
  EXPECT_EQ(model["attributes"][1]["direction"], "increasing");
  EXPECT_EQ(model["attributes"][2]["direction"], "none");
}

TEST_F(CliConfig, AnIniFileWorksTooAndOtherCommandsIgnoreIt) {
  make_model();
  folder.file("c.ini", "; how we train\nquiet=true\n[fit]\nrule=threshold\nincreasing=x1,x2\n");
  EXPECT_EQ(output({"--config", "c.ini", "fit", "--no-tune", "train.csv", "-o", "other.json"}), "");
  EXPECT_EQ(Json::parse(folder.content("other.json"))["assignment"]["rule"], "threshold");
  EXPECT_EQ(output({"--config", "c.ini", "predict", "model.json", "test.csv"}),
            output({"predict", "model.json", "test.csv"}));
}

TEST_F(CliConfig, UnknownKeysSectionsAndValuesAreErrors) {
  generate("train.csv");
  const std::pair<std::string, Words> cases[] = {
      {"[fit]\nsegment_count = 3\n", {"--config", "'fit.segment_count'"}},
      {"bogus = 3\n", {"--config", "'bogus'"}},
      {"[fti]\nrule = support\n", {"--config", "'fti'"}},
      {"[fit]\nrule = best\n", {"--rule", "'best'"}},
      {"[fit]\nseed = x\n", {"--seed", "'x'"}},
      {"\xff\xfe[[[\n", {"--config"}},
  };
  for (const auto& [text, texts] : cases) {
    folder.file("c.toml", text);
    expect_refusal({"fit", "--no-tune", "train.csv", "--config", "c.toml"}, 2, texts);
  }
  expect_refusal({"fit", "--no-tune", "train.csv", "--config", "none.toml"}, 2, {"none.toml"});
}

}  // namespace
}  // namespace xofm::testing
