// The paper's figures, drawn from small data of the same shape.
#ifdef XOFM_FIGURES
#include "core/base/random.hpp"
#include "support/cli_test.hpp"

namespace xofm::testing {
namespace {

class Figures : public CliTest {
 protected:
  // The first attribute decides; the others are noise.
  void make_data(const std::string& file, const Words& names, int class_count, double direction) const {
    detail::Random random(7);
    std::string text = fmt::format("{},class\n", fmt::join(names, ","));
    for (int i = 0; i < 40; ++i) {
      const int label = i % class_count;
      text += fmt::format("{}", direction * (label + 0.3 * random.uniform()));
      for (std::size_t j = 1; j < names.size(); ++j) text += fmt::format(",{}", random.uniform());
      text += fmt::format(",{}\n", label + 1);
    }
    folder.file(file, text);
  }
  RunResult draw(const Words& arguments) const {
    Words words = {XOFM_FIGURES};
    words.insert(words.end(), arguments.begin(), arguments.end());
    return run_program(words, {.folder = folder.path("")});
  }
};

TEST_F(Figures, AreDrawnAndTheFindingsJudged) {
  make_data("breast_tissue.csv", {"I0", "PA500", "HFS", "DA", "AREA", "A_DA", "MAX_IP", "DR", "P"}, 6, -1);
  make_data("chinese_university.csv", {"a&b", "b", "c", "d", "e", "f", "g", "h", "i", "j"}, 5, 1);
  const RunResult result = draw({".", "out/pictures"});
  EXPECT_EQ(result.status, 0) << result.err;
  for (const char* const text :
       {"I0 is the most important attribute, and its score falls\n    seen (in 5 of 5 seeds)",
        "DA and AREA interact most with AREA around 87275.45 and DA in 332.79 to 959.06\n    NOT seen",
        "quality of incoming students, is the most important attribute\n    seen (in 5 of 5 seeds)"}) {
    EXPECT_NE(result.out.find(text), std::string::npos) << text << "\n" << result.out;
  }
  for (const char* const name :
       {"breast_curves_plain", "breast_curves_factor_penalty", "breast_curves_increment_penalty",
        "breast_da_area_plain", "breast_da_area_factor_penalty", "breast_da_area_increment_penalty",
        "university_curves", "university_pairs"}) {
    const std::string svg = folder.content(fmt::format("out/pictures/{}.svg", name));
    EXPECT_TRUE(svg.starts_with("<svg ") && svg.ends_with("</svg>\n")) << name;
    EXPECT_EQ(svg.find("nan"), std::string::npos) << name;
  }
  EXPECT_NE(folder.content("out/pictures/university_curves.svg").find("a&amp;b"), std::string::npos);
}

TEST_F(Figures, MissingDataAreNamed) {
  EXPECT_EQ(draw({}).status, 2);
  const RunResult result = draw({".", "out"});
  EXPECT_EQ(result.status, 1);
  EXPECT_NE(result.err.find("breast_tissue.csv"), std::string::npos) << result.err;
  make_data("breast_tissue.csv", {"I0", "other"}, 6, -1);
  EXPECT_NE(draw({".", "out"}).err.find("no column 'DA'"), std::string::npos);
}

}  // namespace
}  // namespace xofm::testing
#endif
