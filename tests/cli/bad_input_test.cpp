// Bad input of every kind: an exit status, one line that names the place and the remedy, and nothing changed on disk.
#include <chrono>

#include "support/cli_test.hpp"
#include "support/compress.hpp"

namespace xofm::testing {
namespace {

constexpr int usage = 2;
constexpr int bad_data = 3;
constexpr int bad_model = 4;
constexpr int bad_file = 5;
constexpr int diverged = 7;

class CliBadData : public CliTest {
 protected:
  // The training file is refused, and the model of an earlier day stays.
  void expect_refused(const std::string& text, const Words& texts, const Words& more = {}) const {
    folder.file("train.csv", text);
    folder.file("model.json", "old");
    Words words = {"fit", "--no-tune", "train.csv", "-o", "model.json"};
    words.insert(words.end(), more.begin(), more.end());
    expect_refusal(words, bad_data, texts);
  }
};

TEST_F(CliBadData, AMissingFile) {
  folder.file("model.json", "old");
  expect_refusal({"fit", "--no-tune", "train.csv"}, bad_file, {"train.csv", "No such file"});
}

TEST_F(CliBadData, ADirectoryInsteadOfAFile) {
  std::filesystem::create_directory(folder.path("data"));
  expect_refusal({"fit", "--no-tune", "data"}, bad_file, {"data: is a folder; give a CSV file"});
}

TEST_F(CliBadData, AnEmptyFile) { expect_refused("", {"train.csv: is empty", "a header and one line per row"}); }

TEST_F(CliBadData, AHeaderOnly) { expect_refused("a,y\n", {"train.csv: there are no rows"}); }

TEST_F(CliBadData, ARaggedRow) { expect_refused("a,y\n1,1\n2\n", {"train.csv, line 3: 1 cell", "the header has 2"}); }

TEST_F(CliBadData, ADuplicateHeader) {
  expect_refused("a,a,y\n1,1,1\n", {"line 1", "\"a\" stands twice", "must differ"});
}

TEST_F(CliBadData, AnAbsentLabelColumn) {
  expect_refused("a,grade\n1,1\n2,2\n", {"no column \"grad\"", "did you mean \"grade\"?"}, {"--label", "grad"});
}

TEST_F(CliBadData, TextLabelsWithoutAnOrder) {
  expect_refused("a,y\n1,low\n2,high\n", {"column \"y\"", "--classes low,high"});
}

TEST_F(CliBadData, ALabelThatIsNoneOfTheClasses) {
  expect_refused("a,y\n1,low\n2,mid\n", {"line 3", "\"mid\" is not one of the classes"}, {"--classes", "low,high"});
}

TEST_F(CliBadData, OneClassOnly) { expect_refused("a,y\n1,1\n2,1\n", {"at least two classes are needed"}); }

TEST_F(CliBadData, OneClassOnlyAmongTheRowsThatCount) {
  expect_refused("a,w,y\n1,1,1\n2,1,1\n3,0,2\n", {"class"}, {"--weight", "w"});
}

TEST_F(CliBadData, TextInANumericColumn) {
  expect_refused("a,y\n1,1\n2,2\nx,1\n", {"line 4, column \"a\": \"x\" is not a number", "--missing"});
}

TEST_F(CliBadData, AnAllMissingColumn) {
  expect_refused("a,b,y\n1,,1\n2,NA,2\n", {"column \"b\"", "no value in any row"}, {"--use", "b"});
}

TEST_F(CliBadData, Infinities) { expect_refused("a,y\n1,1\ninf,2\n", {"line 3, column \"a\"", "must be finite"}); }

TEST_F(CliBadData, NulBytes) {
  expect_refused(std::string("a,y\n1,1\n\0,2\n", 12), {"train.csv, line 3: a NUL byte", "save it as UTF-8"});
}

TEST_F(CliBadData, TextThatIsNotUtf8) {
  expect_refused("a,y\nu,1\ncaf\xE9,2\n", {"line 3, column \"a\": \"caf\\xE9\" is not valid UTF-8", "--encoding"});
}

TEST_F(CliBadData, NegativeWeights) {
  expect_refused("a,w,y\n1,1,1\n2,-3,2\n", {"line 3, column \"w\": the weight \"-3\" is negative"}, {"--weight", "w"});
}

TEST_F(CliBadData, AMillionColumnsInOneLineEndWithinSeconds) {
  std::string header;
  std::string row;
  for (int j = 0; j < 1000000; ++j) {
    header += fmt::format("c{},", j);
    row += "1,";
  }
  const auto start = std::chrono::steady_clock::now();
  expect_refused(header + "y\n" + row + "1\n" + row + "2\n", {"1000000 attributes; at most 20000", "--use"});
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(30));  // sanitizers are slow
}

TEST_F(CliBadData, DamagedCompression) {
  folder.file("model.json", "old");
  const std::string whole = gzip("a,y\n1,1\n2,2\n3,1\n");
  folder.file("t.csv.gz", whole.substr(0, whole.size() - 10));
  expect_refusal({"fit", "--no-tune", "t.csv.gz"}, bad_file, {"t.csv.gz"});
  folder.file("t.csv.zst", "a,y\n1,1\n2,2\n");
  expect_refusal({"fit", "--no-tune", "t.csv.zst"}, bad_file, {"t.csv.zst"});
}

TEST_F(CliBadData, NamesThatAreNoAttributes) {
  generate("train.csv");
  expect_refusal({"fit", "--no-tune", "train.csv", "--increasing", "x9"}, usage, {"'x9'"});
  expect_refusal({"fit", "--no-tune", "train.csv", "--segment-counts", "x9=3"}, usage, {"'x9'"});
  expect_refusal({"fit", "--no-tune", "train.csv", "--given-knots", "x9=0,1"}, usage, {"'x9'"});
  expect_refusal({"fit", "--no-tune", "train.csv", "--ignore", "x9"}, bad_data, {"--ignore", "\"x9\""});
}

using CliBadOption = CliTest;

TEST_F(CliBadOption, AnUnknownCommandIsNamedAndTheClosestSuggested) {
  expect_refusal({"fitt", "train.csv"}, usage, {"'fitt'", "did you mean 'fit'?", "xofm --help"});
  expect_refusal({"frobnicate"}, usage, {"'frobnicate'", "the commands are fit, predict, evaluate, "});
  expect_refusal({}, usage, {"no command is given"});
  expect_refusal({"--bogus"}, usage, {"'--bogus'"});
}

TEST_F(CliBadOption, UnknownOptionsAndArgumentsAreNamed) {
  expect_refusal({"fit", "--no-tune", "train.csv", "--bogus"}, usage, {"--bogus"});
  expect_refusal({"fit", "--no-tune", "train.csv", "more.csv"}, usage, {"more.csv"});
  expect_refusal({"fit"}, usage, {"data is required"});
  expect_refusal({"predict", "model.json"}, usage, {"data is required"});
  expect_refusal({"fit", "--no-tune", "train.csv", "--label"}, usage, {"--label"});
}

TEST_F(CliBadOption, EveryChoiceListsWhatItMayBe) {
  make_model();
  const std::pair<std::string, std::string> choices[] = {{"--knots", "equal_width|quantile"},
                                                         {"--rule", "support|threshold|probability"},
                                                         {"--aim", "accuracy|mae"},
                                                         {"--method", "lbfgs|boost|sgd"},
                                                         {"--loss-form", "automatic|sweep|histogram"},
                                                         {"--preset", "default or paper"},
                                                         {"--separator", ", ; tab"}};
  for (const auto& [option, allowed] : choices) {
    expect_refusal({"fit", "--no-tune", "train.csv", option, "bogus"}, usage, {option, "'bogus'", allowed});
  }
  for (const std::string option : {"--rule", "--aim", "--separator"}) {
    for (const std::string command : {"predict", "evaluate"}) {
      expect_refusal({command, "model.json", "test.csv", option, "bogus"}, usage, {option, "'bogus'"});
    }
  }
}

TEST_F(CliBadOption, EveryNumberOfFitHasItsRange) {
  generate("train.csv");
  folder.file("model.json", "old");
  const std::pair<std::string, Words> numbers[] = {
      {"--segment-count", {"0", "-1", "10001", "2.5", "x", ""}},
      {"--factor-count", {"-1", "1001", "99999999999", "x", ""}},
      {"--margin", {"0", "-1", "nan", "inf", "1e400", "x", ""}},
      {"--increment-penalty", {"-1", "nan", "inf", ""}},
      {"--factor-penalty", {"-1", "nan", "inf", ""}},
      {"--reference-limit", {"1", "-5", "x", ""}},
      {"--max-epochs", {"0", "-1", "1e3", ""}},
      {"--tolerance", {"-1", "nan", ""}},
      {"--restart-count", {"0", "-1", ""}},
      {"--seed", {"-1", "18446744073709551616", "1.5", ""}},
      {"--init-stddev", {"-1", "nan", ""}},
      {"--learning-rate", {"0", "-1", "nan", ""}},
      {"--learning-rate-decay", {"-1", "nan", ""}},
      {"--holdout", {"-0.1", "1", "nan", "x", ""}},
      {"--bands", {"-1", "1", "1001", "2.5", "x", ""}},
      {"--threads", {"-1", "1.5", "x", ""}},
      {"--segment-counts", {"x1=0", "x1=2.5", "x1=", "x1", "=3"}},
      {"--given-knots", {"x1=1,0", "x1=0,0", "x1=1", "x1=a,b", "x1=0,,1", "x1=0,inf", "x1"}},
  };
  for (const auto& [option, values] : numbers) {
    std::string leaf = option.substr(2);
    std::replace(leaf.begin(), leaf.end(), '-', '_');
    for (const auto& value : values) {
      SCOPED_TRACE(option + " " + value);
      const RunResult result = run({"fit", "--no-tune", "train.csv", option, value});
      EXPECT_EQ(result.status, usage) << result.err;
      const bool named = result.err.find(option) != std::string::npos || result.err.find(leaf) != std::string::npos ||
                         result.err.find("segment_count") != std::string::npos;
      EXPECT_TRUE(named) << result.err;
      EXPECT_EQ(result.err.find('\n'), result.err.size() - 1);
    }
  }
  EXPECT_EQ(folder.content("model.json"), "old");
}

TEST_F(CliBadOption, EveryNumberOfTheOtherCommandsHasItsRange) {
  make_model();
  for (const std::string value : {"-1", "x", "1.5", ""}) {
    expect_refusal({"predict", "model.json", "test.csv", "--limit", value}, usage, {"--limit"});
    expect_refusal({"show", "model.json", "--top", value}, usage, {"--top"});
    expect_refusal({"explain", "model.json", "--top", value}, usage, {"--top"});
    expect_refusal({"explain", "model.json", "--nearest", value}, usage, {"--nearest"});
    expect_refusal({"compare", "model.json", "model.json", "--top", value}, usage, {"--top"});
    expect_refusal({"compare-methods", "train.csv", "--splits", value}, usage, {"--splits"});
    expect_refusal({"path", "train.csv", "--folds", value}, usage, {"fold"});
    expect_refusal({"generate", "--seed", value}, usage, {"--seed"});
    expect_refusal({"generate", "--rows", value}, usage, {"--rows"});
  }
  expect_refusal({"show", "model.json", "--top", "0"}, usage, {"--top"});
  expect_refusal({"generate", "--rows", "0"}, usage, {"row_count"});
  expect_refusal({"generate", "--attributes", "0"}, usage, {"attribute_count"});
  expect_refusal({"generate", "--classes", "1"}, usage, {"class_count"});
  expect_refusal({"generate", "--noise", "-1"}, usage, {"noise"});
  expect_refusal({"generate", "--missing", "1"}, usage, {"missing_share"});
  expect_refusal({"generate", "--categorical", "11"}, usage, {"categorical_count"});
  expect_refusal({"generate", "--shares", "1,x"}, usage, {"--shares", "'x'"});
  expect_refusal({"generate", "--shares", "1,2"}, usage, {"class_shares"});
  expect_refusal({"generate", "--curves", "zigzag"}, usage, {"'zigzag'", "linear"});
  expect_refusal({"generate", "--products", "x1"}, usage, {"\"x1\"", "x1*x2:0.5"});
}

TEST_F(CliBadOption, ContradictionsAreRefused) {
  generate("train.csv");
  expect_refusal({"fit", "--no-tune", "train.csv", "--increasing", "x1", "--decreasing", "x1"}, usage,
                 {"'x1'", "choose one"});
  expect_refusal({"fit", "--no-tune", "train.csv", "--json", "-o", "-"}, usage, {"--json", "give -o a file"});
}

TEST_F(CliBadOption, AMessageStaysOneLineWhateverItQuotes) {
  expect_refusal({"fi\nt\x1b[31m"}, usage, {"'fi?t?[31m'"});
  expect_refusal({"fit", "--no-tune", "train.csv", "--rule", "a\nb"}, usage, {"a?b"});
}

using CliBadFile = CliTest;

TEST_F(CliBadFile, AnOutputPathThatCannotBeWrittenIsKnownBeforeTheWork) {
  make_model();
  expect_refusal({"fit", "--no-tune", "train.csv", "-o", "none/model.json"}, bad_file,
                 {"none/model.json", "create the folder first"});
  expect_refusal({"fit", "--no-tune", "train.csv", "-o", "."}, bad_file, {"Is a directory", "give the name of a file"});
  expect_refusal({"predict", "model.json", "test.csv", "-o", "none/p.csv"}, bad_file,
                 {"none/p.csv", "create the folder"});
  expect_refusal({"report", "model.json", "-o", "none/r.html"}, bad_file, {"none/r.html", "create the folder"});
  expect_refusal({"generate", "-o", "none/d.csv"}, bad_file, {"none/d.csv"});
  expect_refusal({"explain", "model.json", "-o", "none/e.txt"}, bad_file, {"none/e.txt"});
  expect_refusal({"path", "absent.csv", "-o", "none/path.csv"}, bad_file, {"none/path.csv"});
  // With data that take long, nothing is read before: the missing file would be named otherwise.
  expect_refusal({"fit", "--no-tune", "absent.csv", "-o", "none/model.json"}, bad_file, {"none/model.json"});
}

TEST_F(CliBadFile, WhenTheDiskIsFullTheOldFilesStay) {
  make_model();
  folder.file("p.csv", "old predictions");
  const RunOptions full = {.file_size_limit = 1000};
  expect_refusal({"fit", "--no-tune", "train.csv", "-o", "model.json"}, bad_file, {"model.json", "File too large"},
                 full);
  expect_refusal({"predict", "model.json", "test.csv", "-o", "p.csv"}, bad_file, {"p.csv", "File too large"}, full);
  expect_refusal({"generate", "--rows", "5000", "-o", "p.csv"}, bad_file, {"p.csv", "File too large"}, full);
  expect_refusal({"report", "model.json", "-o", "p.csv"}, bad_file, {"p.csv", "File too large"}, full);
}

TEST_F(CliBadFile, AFullStandardOutputIsAnError) {
  ASSERT_TRUE(std::filesystem::exists("/dev/full"));
  make_model();
  for (const std::string command :
       {"show model.json", "explain model.json", "compare model.json model.json", "evaluate model.json test.csv",
        "predict model.json test.csv", "generate", "fit train.csv -o -", "report model.json -o -"}) {
    const RunResult result = run_program({"/bin/sh", "-c", fmt::format("{} {} > /dev/full", XOFM_PROGRAM, command)},
                                         {.folder = folder.path("")});
    EXPECT_EQ(result.status, bad_file) << command;
    EXPECT_NE(result.err.find("standard output"), std::string::npos) << result.err;
  }
}

TEST_F(CliBadFile, ADamagedModel) {
  make_model();
  const std::string text = folder.content("model.json");
  folder.file("half.json", text.substr(0, text.size() / 2));
  std::string changed = text;
  changed.replace(changed.find("\"kind\": \"numeric\""), 17, "\"kind\": \"complex\"");
  folder.file("changed.json", changed);
  for (const std::string command : {"predict", "evaluate"}) {
    expect_refusal({command, "half.json", "test.csv"}, bad_model, {"half.json: not a model of xofm fit", "line"});
    expect_refusal({command, "changed.json", "test.csv"}, bad_model,
                   {"changed.json.attributes[0].kind: 'complex' is not known"});
    expect_refusal({command, "test.csv", "test.csv"}, bad_model, {"test.csv: not a model of xofm fit"});
  }
  expect_refusal({"show", "half.json"}, bad_model, {"half.json"});
  expect_refusal({"explain", "half.json"}, bad_model, {"half.json"});
  expect_refusal({"compare", "model.json", "half.json"}, bad_model, {"half.json"});
  expect_refusal({"fit", "--no-tune", "train.csv", "--warm-start", "half.json"}, bad_model, {"half.json"});
}

TEST_F(CliBadFile, AModelOfAnotherVersion) {
  make_model();
  std::string text = folder.content("model.json");
  text.replace(text.find("\"version\": 2"), 12, "\"version\": 99");
  folder.file("new.json", text);
  expect_refusal({"predict", "new.json", "test.csv"}, bad_model, {"new.json", "version 99", "use a newer xofm"});
}

TEST_F(CliBadFile, AModelThatIsMissingOrAFolder) {
  make_model();
  expect_refusal({"predict", "none.json", "test.csv"}, bad_file, {"'none.json'", "No such file"});
  expect_refusal({"show", "."}, bad_file, {"it is a directory"});
}

TEST_F(CliBadFile, PredictWithoutAColumnOfTheModel) {
  make_model();
  folder.file("p.csv", "old predictions");
  folder.file("few.csv", "x1,x2,X3\n1,2,3\n");
  expect_refusal({"predict", "model.json", "few.csv", "-o", "p.csv"}, bad_data,
                 {"few.csv", "\"x3\", \"x4\"", "did you mean \"X3\"?"});
}

TEST_F(CliBadFile, PredictWithABadRowLateInTheFileKeepsTheOldOutput) {
  make_model();
  folder.file("p.csv", "old predictions");
  generate("late.csv", 3000);
  folder.file("late.csv", folder.content("late.csv") + "1,2\n");
  expect_refusal({"predict", "model.json", "late.csv", "-o", "p.csv"}, bad_data, {"late.csv, line 3002: 2 cells"});
}

TEST_F(CliBadFile, AModelThatCouldNotBeReadBackIsNotWritten) {
  make_model();
  expect_refusal({"fit", "--no-tune", "train.csv", "-o", "model.json", "--margin", "1e300"}, diverged,
                 {"training has diverged", "no model is made", "margin"});
}

TEST_F(CliBadFile, TrainingThatLeavesTheFiniteNumbersIsNotADamagedModel) {
  make_model();
  for (const Words& command : std::vector<Words>{{"fit", "train.csv", "--budget", "500", "-o", "model.json"},
                                                 {"fit", "train.csv", "--no-tune", "-o", "model.json"},
                                                 {"fit", "train.csv", "--no-tune", "--bag-count", "3"},
                                                 {"fit", "train.csv", "--no-tune", "--pairs", "2"},
                                                 {"tune", "train.csv", "--budget", "500"},
                                                 {"validate", "train.csv", "--no-tune", "--folds", "2"},
                                                 {"path", "train.csv", "-o", "path.csv"}}) {
    Words words = command;
    for (const char* const word : {"--init-stddev", "1e200", "--method", "lbfgs"}) words.emplace_back(word);
    expect_refusal(words, diverged, {"training has diverged", "init_stddev"});
  }
}

// Without factors, or by boosting, there is no start to diverge from: a search has something left.
TEST_F(CliBadFile, ARecipeThatDivergesIsNoCandidate) {
  generate("train.csv");
  const std::string text = output({"tune", "train.csv", "--budget", "6000", "--init-stddev", "1e200"});
  EXPECT_NE(text.find("On unseen rows"), std::string::npos) << text;
  EXPECT_EQ(text.find("nan"), std::string::npos) << text;
}

TEST_F(CliBadFile, TrainingThatDivergedMakesNoModel) {
  make_model();
  for (const Words& command : std::vector<Words>{{"fit", "train.csv", "-o", "model.json"},
                                                 {"fit", "train.csv", "-o", "model.json", "--pairs", "2"},
                                                 {"fit", "train.csv", "-o", "new.json", "--warm-start", "model.json"},
                                                 {"validate", "train.csv"},
                                                 {"path", "train.csv", "-o", "path.csv"}}) {
    Words words = command;
    for (const char* const word : {"--preset", "paper", "--learning-rate", "10"}) words.emplace_back(word);
    expect_refusal(words, diverged, {"training has diverged at learning_rate 10", "try a tenth of it"});
  }
}

}  // namespace
}  // namespace xofm::testing
