#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli.h"
#include "labelsieve/files.h"

namespace sieve::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class Agree : public Cli {
 protected:
  nlohmann::json agreed(std::vector<std::string> more) const {
    std::vector<std::string> words = {"agree", "--resamples", "100", "--json", "--quiet"};
    words.insert(words.end(), more.begin(), more.end());
    const Ran ran = sieve(words);
    EXPECT_EQ(ran.code, 0) << ran.err;
    return nlohmann::json::parse(ran.out);
  }
  void make_crowd() const {
    sieve({"synth", "--rows", "200", "--labels", "5", "--noise", "1.5", "--out", "crowd.csv",
           "--annotations", "ticks.csv"});
  }
};

TEST_F(Agree, prints_what_papers_print) {
  make_crowd();
  const Ran ran = sieve({"agree", "--annotations", "ticks.csv"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  for (const char* part : {"9 annotators", "200 rows have two or more", "label sets, MASI",
                           "mean over labels", "AC1", "surely agree least", "surely agree most"})
    EXPECT_THAT(ran.out, HasSubstr(part));
  EXPECT_EQ(sieve({"agree", "--annotations", "ticks.csv", "--threads", "2"}).out, ran.out);
  EXPECT_NE(sieve({"agree", "--annotations", "ticks.csv", "--seed", "2"}).out, ran.out);
  const nlohmann::json all = agreed({"--annotations", "ticks.csv"});
  EXPECT_EQ(all["labels"].size(), 5U);
  EXPECT_EQ(all["pairs"].size(), 36U);
  EXPECT_LT(all["masi"]["alpha"]["low"], all["masi"]["alpha"]["value"]);
  EXPECT_GT(all["masi"]["alpha"]["high"], all["masi"]["alpha"]["value"]);
  EXPECT_THAT(sieve({"agree", "--annotations", "ticks.csv", "--top", "2"}).out,
              HasSubstr("(3 more)"));
}

TEST_F(Agree, has_a_page_with_a_heat_map) {
  make_crowd();
  const Ran ran = sieve({"agree", "--annotations", "ticks.csv", "--report", "agreement.html"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  const std::string page = read("agreement.html");
  for (const char* part : {"How far annotators agree", "How alike annotators are", "fill-opacity",
                           "MASI distance", "Pairs of annotators"})
    EXPECT_THAT(page, HasSubstr(part));
  EXPECT_EQ(sieve({"agree", "--annotations", "ticks.csv", "--report", "agreement.html"}).code, 5);
}

TEST_F(Agree, is_in_a_line_of_inspect) {
  make_crowd();
  const Ran ran = sieve({"inspect", "crowd.csv", "--annotations", "ticks.csv"});
  EXPECT_THAT(ran.out, HasSubstr("over label sets (MASI)"));
  const nlohmann::json inspected =
      nlohmann::json::parse(sieve({"inspect", "--annotations", "ticks.csv", "--json"}).out);
  const nlohmann::json all = agreed({"--annotations", "ticks.csv"});
  EXPECT_EQ(inspected["agreement"]["masi_alpha"], all["masi"]["alpha"]["value"]);
  EXPECT_EQ(inspected["agreement"]["kappa"], all["labels_mean"]["kappa"]["value"]);
  EXPECT_TRUE(
      nlohmann::json::parse(sieve({"inspect", "crowd.csv", "--json"}).out)["agreement"].is_null());
}

// What docs/agreement.md says of real annotators.
TEST_F(Agree, has_the_figures_of_its_page_on_real_annotators) {
  REQUIRE_DATA_FOLDER(folder);
  const std::string page = read_file(project_folder() + "/docs/agreement.md");
  const auto text = [](const nlohmann::json& figure) {
    return fmt::format("{:.3f} [{:.3f}, {:.3f}]", figure["value"].get<double>(),
                       figure["low"].get<double>(), figure["high"].get<double>());
  };
  for (const std::string name : {"relex", "xray", "brighter"}) {
    const Ran ran = sieve({"agree", "--quiet", "--json", "--annotations",
                           *folder + "/" + name + "/judgments.csv.gz"});
    ASSERT_EQ(ran.code, 0) << ran.err;
    const nlohmann::json all = nlohmann::json::parse(ran.out), mean = all["labels_mean"];
    EXPECT_THAT(
        page,
        HasSubstr(fmt::format(
            "| {} | {} | {} | {} | {} | {} | {} | {} | {} |", name, all["rows"].get<int>(),
            all["annotators"].get<int>(), all["annotations"].get<int>(), text(all["masi"]["alpha"]),
            text(mean["alpha"]), text(mean["kappa"]), text(mean["ac1"]), text(mean["pairwise"]))));
  }
}

// A sentence, and nothing that is not a number.
TEST_F(Agree, says_why_where_there_is_nothing_to_say) {
  struct Odd {
    std::string lines, sentence;
  };
  const std::vector<Odd> odd = {
      {"r1,ann,a\nr2,ann,b\n", "there is one annotator, with nobody to agree with"},
      {"r1,ann,a\nr2,bob,b\n", "no row has two annotations"},
      {"r1,ann,a\nr1,bob,b\n", "only one row has two annotations: too few for an interval"},
      {"r1,ann,a\nr1,bob,a\nr2,ann,b\nr2,bob,b\n", "all annotations of a row are equal"},
      {"r1,ann,a\nr1,bob,a\nr2,ann,a\nr2,bob,a\n",
       "no alpha, kappa for a: everybody ticked it where rows have two annotations"},
      {"r1,ann,\nr1,bob,\nr2,ann,\nr2,bob,\nr3,cyd,a\n",
       "no alpha for a: nobody ticked it where rows have two annotations"},
      {"r1,ann,a\nr1,bob,b\nr2,ann,b\nr2,bob,b\nr2,cyd,a\n", "too few for an interval"}};
  for (const auto& [lines, sentence] : odd) {
    write("odd.csv", "task,worker,label\n" + lines);
    const Ran ran = sieve({"agree", "--annotations", "odd.csv", "--report", "odd.html", "--force"});
    EXPECT_EQ(ran.code, 0) << ran.err;
    EXPECT_THAT(ran.out, HasSubstr(sentence));
    for (const std::string& text : {ran.out, read("odd.html")}) {
      EXPECT_THAT(text, Not(HasSubstr("nan"))) << lines;
      EXPECT_THAT(text, Not(HasSubstr(" inf"))) << lines;
    }
    const nlohmann::json all = agreed({"--annotations", "odd.csv"});
    if (!all.contains("why")) {
      EXPECT_LE(all["sets"]["pairwise"]["value"], 1) << lines;
    }
  }
}

TEST_F(Agree, is_refused_without_annotations) {
  write("rows.csv", "f,label:a\n0,1\n1,0\n");
  EXPECT_EQ(sieve({"agree"}).code, 2);
  const Ran ran = sieve({"agree", "rows.csv"});
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err, HasSubstr("give the annotations with --annotations"));
}

}  // namespace
}  // namespace sieve::test
