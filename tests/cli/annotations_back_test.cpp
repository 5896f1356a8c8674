#include <nlohmann/json.hpp>

#include <fmt/format.h>

#include <filesystem>

#include "cli.h"
#include "labelsieve/data_io.h"
#include "review/decisions.h"

// Annotations come back in their own layout, with decisions beside them.
namespace sieve::test {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

struct Export {
  std::string name, layout, file, text;
  std::string
      added;  // by rita, who finds the first label of the second item right, the second wrong
};

std::vector<Export> exports() {
  return {
      {"long", "long", "votes.csv",
       "item;worker;label;text;time\r\np1;ann;sea;waves, all day;3\r\np1;bob;sea;waves, all "
       "day;4\r\n"
       "p2;ann;wood;leaves;5\r\np2;bob;sea;leaves;6\r\n",
       "p2;rita;sea;leaves;\r\n"},
      {"quoted", "long", "votes.csv",
       "\"item\",\"worker\",\"label\"\n\"p1\",\"ann\",\"sea\"\n\"p1\",\"bob\",\"sea\"\n"
       "\"p2\",\"ann\",\"wood\"\n\"p2\",\"bob\",\"sea\"",
       "\n\"p2\",\"rita\",\"sea\"\n"},
      {"votes", "long", "votes.csv",
       "item,worker,label,value\np1,ann,sea,yes\np1,ann,wood,no\np2,ann,sea,no\np2,ann,wood,yes\n"
       "p1,bob,sea,yes\np1,bob,wood,no\np2,bob,sea,yes\np2,bob,wood,no\n",
       "p2,rita,sea,yes\np2,rita,wood,no\n"},
      {"lists", "long", "votes.csv",
       "item,worker,labels\np1,ann,\"['sea', "
       "'wood']\"\np1,bob,['sea']\np2,ann,[]\np2,bob,['wood']\n",
       "p2,rita,['sea']\n"},
      {"wide", "wide", "raters.csv",
       "id,rater_id,text,sea,wood,sky\np1,r1,waves,1,0,0\np1,r2,waves,1,0,1\np2,r1,leaves,0,1,0\n"
       "p2,r2,leaves,1,1,0\n",
       "p2,rita,leaves,1,unsure,0\n"},
      {"json_lines", "long", "votes.jsonl",
       "{\"item\": \"p1\", \"worker\": \"ann\", \"label\": [\"sea\"], \"text\": \"w\"}\n"
       "{\"item\": \"p1\", \"worker\": \"bob\", \"label\": [\"sea\"], \"text\": \"w\"}\n"
       "{\"item\": \"p2\", \"worker\": \"ann\", \"label\": [\"wood\"], \"text\": \"l\"}\n"
       "{\"item\": \"p2\", \"worker\": \"bob\", \"label\": [\"sea\", \"wood\"], \"text\": \"l\"}\n",
       "{\"item\": \"p2\", \"worker\": \"rita\", \"label\": [\"sea\"], \"text\": \"l\"}\n"},
      {"prodigy", "prodigy", "prodigy.jsonl",
       "{\"text\":\"w\",\"_input_hash\":1,\"accept\":[\"sea\"],\"answer\":\"accept\","
       "\"_annotator_id\":\"ann\",\"_timestamp\":7}\n"
       "{\"text\":\"l\",\"_input_hash\":2,\"accept\":[\"sea\",\"wood\"],\"answer\":\"accept\","
       "\"_annotator_id\":\"ann\",\"_timestamp\":8}\n"
       "{\"text\":\"l\",\"_input_hash\":2,\"accept\":[\"wood\"],\"answer\":\"accept\","
       "\"_annotator_id\":\"bob\",\"_timestamp\":9}\n",
       "{\"text\":\"l\",\"_input_hash\":2,\"accept\":[\"sea\"],\"answer\":\"accept\","
       "\"_annotator_id\":\"rita\"}\n"},
      {"cekaplus", "cekaplus", "answers.resp", "1 1 1 2\n1 1 2 1\n1 2 1 1\n1 2 2 2\n2 2 1 2\n",
       "3 2 1 2\n3 2 2 1\n"}};
}

class Back : public Cli {
 protected:
  // With or without what rita decided.
  void log(const std::string& name, bool decided, const std::string& file) const {
    ReadOptions options;
    options.ticks.path = folder_ / file;
    const Dataset data = read_dataset({}, options);
    DecisionLog log(folder_ / name, data);
    constexpr std::uint32_t kDecided = 2;
    for (std::uint32_t label = 0; label < kDecided && decided; ++label) {
      DecisionLine line;
      line.reviewer = "rita";
      line.nonce = std::to_string(label);
      line.choices = {Choice{{1, label}, label == 0, 0.5}};
      log.add(line);
    }
  }
  std::string exported(bool decided, const std::string& file) const {
    log("d.db", decided, file);
    const Ran ran = sieve({"review", "export", "--annotations", file, "--decisions", "d.db",
                           "--annotations-out", "back", "--force"});
    EXPECT_EQ(ran.code, 0) << ran.err;
    return read("back");
  }
};

class AnnotationsBack : public Back, public ::testing::WithParamInterface<Export> {};

TEST_P(AnnotationsBack, are_the_same_bytes_where_nothing_was_decided) {
  write(GetParam().file, GetParam().text);
  EXPECT_EQ(exported(false, GetParam().file), GetParam().text);
}

TEST_P(AnnotationsBack, have_decisions_under_the_name_of_who_made_them) {
  write(GetParam().file, GetParam().text);
  EXPECT_EQ(exported(true, GetParam().file), GetParam().text + GetParam().added);
}

INSTANTIATE_TEST_SUITE_P(Layouts, AnnotationsBack, ::testing::ValuesIn(exports()),
                         [](const auto& tested) { return tested.param.name; });

// A file of doccano is that of one annotator.
TEST_F(Back, records_of_doccano_say_whose_they_are_once_there_are_several) {
  const std::string text =
      "{\"id\": 1, \"text\": \"w\", \"label\": [\"sea\"]}\n"
      "{\"id\": 2, \"text\": \"l\", \"label\": [\"wood\", \"sea\"]}\n";
  write("ann.jsonl", text);
  EXPECT_EQ(exported(false, "ann.jsonl"), text);
  std::filesystem::remove(folder_ / "d.db");
  EXPECT_EQ(exported(true, "ann.jsonl"),
            "{\"id\": 1, \"text\": \"w\", \"label\": [\"sea\"], \"annotator\": \"ann\"}\n"
            "{\"id\": 2, \"text\": \"l\", \"label\": [\"wood\", \"sea\"], \"annotator\": \"ann\"}\n"
            "{\"id\": 2, \"text\": \"l\", \"label\": [\"sea\"], \"annotator\": \"rita\"}\n");
}

TEST_F(Back, records_of_argilla_have_one_response_more) {
  const std::string first =
      "{\"id\": \"a\", \"topic.responses\": [[\"sea\"]], \"topic.responses.users\": [\"u1\"], "
      "\"topic.responses.status\": [\"submitted\"]}\n";
  const std::string second =
      "{\"id\": \"b\", \"topic.responses\": [[\"wood\"]], \"topic.responses.users\": [\"u1\"], "
      "\"topic.responses.status\": [\"submitted\"], \"x\": null}\n";
  write("records.jsonl", first + second);
  EXPECT_EQ(exported(false, "records.jsonl"), first + second);
  std::filesystem::remove(folder_ / "d.db");
  EXPECT_EQ(exported(true, "records.jsonl"),
            first +
                "{\"id\": \"b\", \"topic.responses\": [[\"wood\"], [\"sea\"]], "
                "\"topic.responses.users\": [\"u1\", \"rita\"], \"topic.responses.status\": "
                "[\"submitted\", \"submitted\"], \"x\": null}\n");
}

TEST_F(Back, labels_of_the_machine_are_those_of_a_further_annotator) {
  std::string text = "item,worker,label,text\n";
  for (int i = 0; i < 12; ++i)
    for (const char* worker : {"ann", "bob", "cy"})
      text += fmt::format("p{},{},{},{} {}\n", i, worker, i % 2 == 0 ? "sea" : "wood",
                          i % 2 == 0 ? "waves at the sea" : "leaves in the wood", i);
  write("votes.csv", text);
  const Ran ran = sieve({"clean", "--annotations", "votes.csv", "--to", "long", "--out", "back",
                         "--method", "mlp", "--set", "epochs=1,members=1,depth=1"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.err, HasSubstr("=program"));
  EXPECT_THAT(read("back"), StartsWith(text));
  const Ran again = sieve({"inspect", "--json", "--annotations", "back"});
  ASSERT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(json::parse(again.out)["votes"]["annotations"], 48) << again.out;
}

TEST_F(Back, what_was_written_reads_as_annotations_of_one_more) {
  write("votes.csv", "item,worker,label\np1,ann,sea\np1,bob,sea\np2,ann,wood\np2,bob,sea\n");
  exported(true, "votes.csv");
  const Ran ran = sieve({"inspect", "--json", "--annotations", "back"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(json::parse(ran.out)["votes"]["annotations"], 5) << ran.out;
}

TEST_F(Back, parts_of_an_export_come_back_one_below_the_other) {
  write("a.csv", "item,worker,label\np1,ann,sea\np1,bob,sea\n");
  write("b.csv", "item,worker,label\np2,ann,wood\np2,bob,sea\n");
  ReadOptions options;
  options.ticks.path = (folder_ / "a.csv") + "\n" + (folder_ / "b.csv");
  const Dataset data = read_dataset({}, options);
  { const DecisionLog log(folder_ / "d.db", data); }
  const Ran ran = sieve({"review", "export", "--annotations", "a.csv,b.csv", "--decisions", "d.db",
                         "--annotations-out", "back"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(read("back"), "item,worker,label\np1,ann,sea\np1,bob,sea\np2,ann,wood\np2,bob,sea\n");
}

TEST_F(Back, another_layout_than_that_of_the_annotations_is_refused) {
  write("votes.csv", "item,worker,label\np1,ann,sea\np1,bob,sea\np2,ann,wood\np2,bob,sea\n");
  const Ran ran =
      sieve({"clean", "--annotations", "votes.csv", "--to", "prodigy", "--out", "back"});
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err, AllOf(HasSubstr("'long'"), HasSubstr("--to long")));
}

}  // namespace
}  // namespace sieve::test
