// What the command asks about columns of annotations, and that its answers work.
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli.h"

namespace sieve::test {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class AskedColumns : public Cli {
 protected:
  // The words of the command that a refusal gives for an answer.
  static std::vector<std::string> answer(const Ran& ran, const std::string& meaning) {
    const std::size_t at = ran.err.find(meaning + ": sieve ");
    EXPECT_NE(at, std::string::npos) << ran.err;
    if (at == std::string::npos) return {};
    const std::size_t first = at + meaning.size() + std::string(": sieve ").size();
    std::istringstream line(ran.err.substr(first, ran.err.find('\n', first) - first));
    std::vector<std::string> words;
    for (std::string word; line >> word;) words.push_back(word);
    return words;
  }
  std::string told_votes(std::vector<std::string> words) {
    words.emplace_back("--json");
    const Ran ran = sieve(words);
    EXPECT_EQ(ran.code, 0) << ran.err;
    return ran.code == 0 ? nlohmann::json::parse(ran.out)["votes"].dump() : "";
  }
};

TEST_F(AskedColumns, give_a_command_for_row_numbers_that_works) {
  write("x.csv", "f,g\n1,2\n3,4\n");
  write("t.csv", "item,annotator,label\n0,p,x\n1,p,y\n");
  const Ran ran = sieve({"inspect", "x.csv", "--annotations", "t.csv"});
  EXPECT_EQ(ran.code, 3);
  const std::vector<std::string> again = answer(ran, "if the items are row numbers");
  EXPECT_EQ(again, (std::vector<std::string>{"inspect", "x.csv", "--annotations", "t.csv",
                                             "--items-are", "row-numbers"}));
  EXPECT_THAT(told_votes(again), HasSubstr("\"looks\":2"));
}

TEST_F(AskedColumns, give_a_command_for_each_column_that_may_name_the_items) {
  write("x.csv", "id,f\n1,0\n2,0\n");
  write("t.csv", "task,image_id,annotator,label\n1,2,p,x\n1,2,q,x\n2,1,p,y\n");
  const Ran ran = sieve({"inspect", "x.csv", "--annotations", "t.csv"});
  EXPECT_EQ(ran.code, 3);
  EXPECT_NE(told_votes(answer(ran, "if it is 'task'")), "");
  EXPECT_NE(told_votes(answer(ran, "if it is 'image_id'")), "");
}

TEST_F(AskedColumns, give_a_command_for_each_meaning_of_a_vote) {
  write("t.csv", "item,worker,label,relevant\n1,p,x,1\n1,p,y,0\n");
  const Ran ran = sieve({"inspect", "--annotations", "t.csv"});
  EXPECT_EQ(ran.code, 3);
  EXPECT_THAT(told_votes(answer(ran, "if 'relevant' says whether the label was ticked")),
              HasSubstr("\"ticks\":1"));
  EXPECT_THAT(told_votes(answer(ran, "if no column says yes or no, and every line is a tick")),
              HasSubstr("\"ticks\":2"));
}

TEST_F(AskedColumns, give_a_command_for_each_reading_of_numbers) {
  write("t.csv", "1,10,1,2\n2,10,1,1\n");
  const Ran ran = sieve({"inspect", "--annotations", "t.csv"});
  EXPECT_EQ(ran.code, 3);
  EXPECT_THAT(ran.err, HasSubstr("a table of 4 numbers per line"));
  EXPECT_THAT(told_votes(answer(ran, "as CekaPlus has them")), HasSubstr("\"looks\":2"));
  write("u.csv", "1,10,1,1\n2,10,1,0\n");
  const Ran other = sieve({"inspect", "--annotations", "u.csv"});
  EXPECT_THAT(told_votes(answer(other, "(or these in another order)")), HasSubstr("\"ticks\":1"));
}

TEST_F(AskedColumns, are_not_asked_for_by_a_round_trip_without_ids) {
  write("x.csv", "f,g\n1,2\n3,4\n");
  write("t.csv", "item,annotator,label\n0,p,x\n1,p,y\n1,q,\n");
  EXPECT_EQ(sieve({"convert", "x.csv", "--annotations", "t.csv", "--items-are", "row-numbers",
                   "y.csv", "--annotations-out", "u.csv"})
                .code,
            0);
  EXPECT_THAT(read("u.csv"), StartsWith("row,annotator,label\n0,p,x\n"));
  EXPECT_EQ(
      told_votes({"inspect", "y.csv", "--annotations", "u.csv"}),
      told_votes({"inspect", "x.csv", "--annotations", "t.csv", "--items-are", "row-numbers"}));
}

}  // namespace
}  // namespace sieve::test
