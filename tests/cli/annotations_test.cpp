#include <nlohmann/json.hpp>

#include <fmt/format.h>

#include "learning.h"

namespace sieve::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

// What a project with annotators holds: features with ids in one file, ticks in another.
class AnnotationFiles : public Learning {
 protected:
  AnnotationFiles() {
    std::string features = "photo_id,blue,green\n", ticks = "item_id,annotator,label\n";
    for (int i = 0; i < 60; ++i) {
      const std::string id = "img_" + std::to_string(i);
      const bool sea = i % 2 == 0;
      features += id + (sea ? ",0.9," : ",0.1,") + std::to_string(i % 7) + "\n";
      ticks += id + ",ann," + (sea ? "sea" : "wood") + "\n";
      ticks += id + ",bob," + (i % 5 == 0 ? "" : sea ? "sea" : "wood") + "\n";
      if (i % 6 == 0) ticks += id + ",cy,wood\n";
    }
    write("features.csv", features);
    write("ticks.csv", ticks);
  }
  static std::vector<std::string> forest() { return {"--method", "forest", "--set", "trees=10"}; }
};

TEST_F(AnnotationFiles, go_from_two_files_to_suspects_with_ids_without_glue) {
  const Ran inspected = sieve({"inspect", "features.csv", "--annotations", "ticks.csv"});
  EXPECT_EQ(inspected.code, 0) << inspected.err;
  EXPECT_THAT(inspected.err, HasSubstr("took column 'photo_id' as the ids of the rows"));
  EXPECT_THAT(inspected.out,
              AllOf(StartsWith("60 x 2 x 2"), HasSubstr("130 (2.17 per row, 2 to 3)"),
                    HasSubstr("annotator"), HasSubstr("agreement")));

  const Ran trained = sieve(joined(
      {"train", "features.csv", "--annotations", "ticks.csv", "--out", "m.model"}, forest()));
  EXPECT_EQ(trained.code, 0) << trained.err;
  const Ran cleaned = sieve(joined({"clean", "features.csv", "--annotations", "ticks.csv",
                                    "--suspects", "suspects.csv", "--out", "cleaned.csv", "--json"},
                                   forest()));
  EXPECT_EQ(cleaned.code, 0) << cleaned.err;
  EXPECT_THAT(read("suspects.csv"), StartsWith("id,row,label,probability\nimg_"));
  EXPECT_THAT(read("cleaned.csv"), StartsWith("photo_id,blue,green,label:sea,label:wood\nimg_0,"));
  EXPECT_THAT(nlohmann::json::parse(cleaned.out)["suspects"][0]["id"].get<std::string>(),
              StartsWith("img_"));
}

// A matrix as numpy.save writes it.
std::string npy_file(const std::vector<float>& numbers, std::size_t columns) {
  std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (" +
                       std::to_string(numbers.size() / columns) + ", " + std::to_string(columns) +
                       "), }";
  header.resize(117, ' ');
  std::string file("\x93NUMPY\x01\x00\x76\x00", 10);
  file += header + "\n";
  file.append(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(float));
  return file;
}

TEST_F(AnnotationFiles, go_with_an_array_of_embeddings_without_glue) {
  std::vector<float> numbers;
  std::string ids;
  for (int i = 0; i < 60; ++i) {
    numbers.insert(numbers.end(), {i % 2 == 0 ? 0.9F : 0.1F, static_cast<float>(i % 7)});
    ids += "img_" + std::to_string(i) + "\n";
  }
  write("x.npy", npy_file(numbers, 2));
  write("ids.txt", ids);
  EXPECT_THAT(sieve({"inspect", "x.npy", "--annotations", "ticks.csv"}).err,
              AllOf(HasSubstr("--id-column"), HasSubstr("--id-file")));
  const std::vector<std::string> both = {"x.npy", "--id-file", "ids.txt", "--annotations",
                                         "ticks.csv"};
  EXPECT_THAT(sieve(joined({"inspect"}, both)).out, StartsWith("60 x 2 x 2"));
  const Ran trained =
      sieve(joined(joined({"train"}, both), joined(forest(), {"--out", "m.model"})));
  EXPECT_EQ(trained.code, 0) << trained.err;
  const Ran cleaned =
      sieve(joined(joined({"clean"}, both), joined(forest(), {"--suspects", "suspects.csv"})));
  EXPECT_EQ(cleaned.code, 0) << cleaned.err;
  EXPECT_THAT(read("suspects.csv"), StartsWith("id,row,label,probability\nimg_"));
}

TEST_F(AnnotationFiles, tell_of_annotators_and_rows_as_json) {
  const Ran ran = sieve({"inspect", "features.csv", "--annotations", "ticks.csv", "--json"});
  const nlohmann::json votes = nlohmann::json::parse(ran.out)["votes"];
  EXPECT_EQ(votes["looks"], 130);
  EXPECT_EQ(votes["empty_looks"], 12);
  EXPECT_EQ(votes["people"].size(), 3u);
  EXPECT_EQ(votes["people"][0]["name"], "ann");
  EXPECT_EQ(votes["people"][0]["looks"], 60);
  EXPECT_EQ(votes["most_looks"], 3);
  EXPECT_TRUE(nlohmann::json::parse(ran.out)["ids"].get<bool>());
}

TEST_F(AnnotationFiles, of_one_annotator_say_nothing_of_agreement) {
  write("one.csv", "item,annotator,label\na,ann,sea\n");
  const Ran ran = sieve({"inspect", "--annotations", "one.csv"});
  EXPECT_THAT(ran.out, HasSubstr("1 (1.00 per row, 1 to 1), 1.00 ticks each"));
  EXPECT_THAT(ran.out, HasSubstr("agreement     not known"));
  EXPECT_THAT(ran.out, HasSubstr("1 distinct label set\n"));
}

TEST_F(AnnotationFiles, alone_can_be_inspected_and_converted) {
  const Ran ran = sieve({"inspect", "--annotations", "ticks.csv"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, StartsWith("60 x - x 2"));
  EXPECT_EQ(sieve({"convert", "--annotations", "ticks.csv", "candidates.csv"}).code, 0);
  EXPECT_THAT(read("candidates.csv"), StartsWith("id,label:sea,label:wood\nimg_0,1,1\n"));
  EXPECT_EQ(sieve({"inspect"}).code, 2);
  EXPECT_EQ(sieve({"convert", "ticks.csv"}).code, 2);
}

TEST_F(AnnotationFiles, with_a_line_without_end_are_refused_before_they_fill_the_memory) {
  write("long.csv",
        "item,person,label\na,ann,cat\nb,bob,\"" + std::string(std::size_t{1} << 28, 'x'));
  const Ran ran = sieve({"inspect", "--annotations", "long.csv", "--max-memory", "200M"});
  EXPECT_EQ(ran.code, 3);
  EXPECT_THAT(ran.err, HasSubstr("a line of more than 64 MiB"));
}

TEST_F(AnnotationFiles, survive_the_binary_file_and_a_long_table) {
  EXPECT_EQ(sieve({"convert", "features.csv", "--annotations", "ticks.csv", "a.sieve"}).code, 0);
  const std::string votes =
      nlohmann::json::parse(sieve({"inspect", "a.sieve", "--json"}).out)["votes"].dump();
  EXPECT_THAT(votes, HasSubstr("\"looks\":130"));
  const Ran out = sieve({"convert", "a.sieve", "b.csv", "--annotations-out", "b-ticks.csv"});
  EXPECT_EQ(out.code, 0) << out.err;
  EXPECT_THAT(out.err, HasSubstr("holds no votes"));
  const Ran again = sieve({"inspect", "b.csv", "--annotations", "b-ticks.csv", "--json"});
  EXPECT_EQ(nlohmann::json::parse(again.out)["votes"].dump(), votes) << again.err;
}

TEST_F(AnnotationFiles, in_doubt_are_refused_with_the_flags_to_copy) {
  write("paths.csv", "item,person,label\n1,a,animal/cat\n1,b,animal\n2,b,none\n2,a,Animal\n");
  const auto inspect = [&](std::vector<std::string> flags) {
    flags.insert(flags.begin(), {"inspect", "--annotations", "paths.csv"});
    return sieve(flags);
  };
  Ran ran = inspect({});
  EXPECT_EQ(ran.code, 3);
  EXPECT_THAT(ran.err, AllOf(HasSubstr("2 things are unclear\n"),
                             HasSubstr("sieve inspect --annotations paths.csv "
                                       "--annotation-separator / --empty-words none\n"),
                             HasSubstr("to take each as one label: --annotation-separator none\n"),
                             HasSubstr("if they are labels: --empty-words ,\n")));
  ran = inspect({"--annotation-separator", "/"});
  EXPECT_EQ(ran.code, 3);
  EXPECT_THAT(ran.err, AllOf(HasSubstr("--annotation-separator / --empty-words none\n"),
                             HasSubstr("--annotation-separator / --empty-words ,\n")));
  ran = inspect({"--annotation-separator", "/", "--empty-words", ","});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.err + ran.out, HasSubstr("--merge-case takes them as one"));
  ran = inspect({"--annotation-separator", "/", "--empty-words", "none", "--merge-case", "--json"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, AllOf(HasSubstr("\"animal\""), Not(HasSubstr("\"Animal\"")),
                             Not(HasSubstr("\"none\""))));
}

TEST_F(AnnotationFiles, of_one_annotator_who_answers_twice_count_once) {
  write("twice.csv", "id,rater,joy,anger\n1,a,1,0\n1,a,0,1\n1,b,0,1\n");
  const Ran last = sieve({"inspect", "--annotations", "twice.csv"});
  EXPECT_EQ(last.code, 0) << last.err;
  EXPECT_THAT(last.err + last.out, HasSubstr("--repeats union counts all labels"));
  EXPECT_EQ(
      sieve({"convert", "--annotations", "twice.csv", "out.sieve", "--annotations-out", "out.csv"})
          .code,
      0);
  EXPECT_EQ(read("out.csv"), "id,annotator,label\n1,a,anger\n1,b,anger\n");
  EXPECT_EQ(sieve({"inspect", "--annotations", "twice.csv", "--repeats", "newest"}).code, 2);
}

TEST_F(AnnotationFiles, need_their_flag_for_the_others) {
  const Ran ran = sieve({"inspect", "features.csv", "--item-column", "x"});
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err, HasSubstr("--item-column needs --annotations"));
}

TEST_F(AnnotationFiles, that_match_nothing_say_what_both_files_hold) {
  write("other.csv", "item,person,label\n7,p,sea\n");
  const Ran ran =
      sieve({"train", "features.csv", "--annotations", "other.csv", "--out", "m.model"});
  EXPECT_EQ(ran.code, 3);
  EXPECT_THAT(ran.err, AllOf(HasSubstr("'7' in the ticks, 'img_0' in the data"),
                             HasSubstr("--item-column and --id-column")));
}

TEST_F(AnnotationFiles, give_ids_to_every_output) {
  sieve(joined({"train", "features.csv", "--annotations", "ticks.csv", "--out", "m.model"},
               forest()));
  const Ran scores = sieve({"predict", "m.model", "features.csv"});
  EXPECT_THAT(scores.out, StartsWith("id,row,score:sea,score:wood\nimg_0,0,"));
  const Ran top = sieve({"predict", "m.model", "features.csv", "--kind", "top", "--top", "1"});
  EXPECT_THAT(top.out, StartsWith("id,row,rank,label,score\nimg_0,0,1,"));
  const Ran lines =
      sieve({"predict", "m.model", "features.csv", "--kind", "decisions", "--to", "jsonl"});
  EXPECT_THAT(lines.out, StartsWith("{\"id\":\"img_0\",\"row\":0,\"labels\":["));
  EXPECT_EQ(sieve({"split", "features.csv", "--annotations", "ticks.csv", "--indices", "rows.tsv",
                   "--out", "part", "--to", "csv"})
                .code,
            0);
  EXPECT_THAT(read("rows.tsv"), StartsWith("id\trow\tpart\nimg_"));
  EXPECT_THAT(read("part-train.csv"), StartsWith("photo_id,blue,"));
  const Ran report = sieve({"report", "--model", "m.model", "--data", "features.csv",
                            "--annotations", "ticks.csv", "--out", "r.html"});
  EXPECT_EQ(report.code, 0) << report.err;
  EXPECT_THAT(read("r.html"), HasSubstr("img_0"));
}

TEST_F(AnnotationFiles, take_groups_and_programs_in_every_verb) {
  std::string scores = "id,score:sea,score:wood\n";
  for (int i = 0; i < 60; ++i) scores += fmt::format("img_{},{},{}\n", i, i % 2 ? 0.2 : 0.7, 0.3);
  write("program.csv", scores);
  write("groups.csv", "annotator,group\nann,home\nbob,home\n");
  const std::vector<std::string> more = {
      "--annotations",      "ticks.csv",  "--program-scores", "program.csv",
      "--annotator-groups", "groups.csv", "--annotator-kind", "cy=program"};
  for (const std::vector<std::string>& verb : std::vector<std::vector<std::string>>{
           {"inspect", "features.csv"},
           {"agree", "features.csv"},
           {"ask", "features.csv"},
           {"aggregate", "--out", "likely.csv"},
           {"annotators", "features.csv"},
           joined({"clean", "features.csv"}, forest()),
           joined({"train", "features.csv", "--out", "grouped.model"}, forest()),
           {"convert", "features.csv", "grouped.sieve"}}) {
    const Ran ran = sieve(joined(verb, more));
    EXPECT_EQ(ran.code, 0) << verb.front() << ran.err;
    EXPECT_THAT(ran.err, HasSubstr("'program' is a program with scores for 60 of 60 rows"))
        << verb.front();
  }
  // The binary file keeps them, and takes others.
  const auto people = [&](const std::vector<std::string>& words) {
    const Ran ran = sieve(joined(words, {"--json"}));
    EXPECT_EQ(ran.code, 0) << ran.err;
    int programs = 0;
    const nlohmann::json found = nlohmann::json::parse(ran.out);
    for (const auto& one : found["votes"]["people"]) programs += one["program"].get<bool>() ? 1 : 0;
    return programs;
  };
  EXPECT_EQ(people({"inspect", "grouped.sieve"}), 2);
  EXPECT_EQ(people({"inspect", "grouped.sieve", "--annotator-kind", "cy=person"}), 1);
  const Ran alone = sieve(
      {"inspect", "features.csv", "--label-column", "green", "--annotator-groups", "groups.csv"});
  EXPECT_EQ(alone.code, 3);
  EXPECT_THAT(alone.err, HasSubstr("does not say who annotated what"));
}

TEST_F(AnnotationFiles, may_have_a_column_that_says_who_is_a_program) {
  const auto inspected = [&](const std::string& lines) {
    write("t.csv", "item,worker,label,annotator_type\n" + lines);
    return sieve({"inspect", "--annotations", "t.csv", "--annotator-kind", "@t.csv", "--json"});
  };
  const Ran ran = inspected("1,p,x,human\n1,gpt,x,Model\n2,p,,person\n2, gpt ,x,program\n");
  ASSERT_EQ(ran.code, 0) << ran.err;
  for (const auto& one : nlohmann::json::parse(ran.out)["votes"]["people"])
    EXPECT_EQ(one["program"], one["annotator"] == "gpt") << one;
  const Ran both = inspected("1,p,x,human\n1,gpt,x,model\n2,gpt,x,human\n");
  EXPECT_EQ(both.code, 3);
  EXPECT_THAT(both.err, HasSubstr("t.csv:4: 'gpt' is a program and a person"));
  const Ran other = inspected("1,p,x,human\n1,gpt,x,robot\n");
  EXPECT_EQ(other.code, 3);
  EXPECT_THAT(other.err, HasSubstr("'robot' of 'gpt' is no kind of annotator"));
}

TEST_F(AnnotationFiles, tell_how_many_votes_are_unsure) {
  write("t.csv", "item,worker,label,vote\n1,p,x,yes\n1,q,x,unsure\n2,p,x,no\n2,q,x,yes\n");
  const Ran ran = sieve({"inspect", "--annotations", "t.csv"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("1 vote, which count as neither yes nor no"));
  const Ran graded = sieve({"inspect", "--annotations", "t.csv", "--vote-scale", "3-0"});
  EXPECT_EQ(graded.code, 2);
  EXPECT_THAT(graded.err, HasSubstr("--vote-scale"));
}

TEST_F(AnnotationFiles, let_scores_in_another_order_be_measured_by_id) {
  write("truth.csv", "id,sea,wood\nb,0,1\na,1,0\n");
  write("scores.csv", "id,row,score:sea,score:wood\na,0,0.9,0.1\nb,1,0.2,0.8\n");
  const Ran ran = sieve({"evaluate", "--truth", "truth.csv", "--scores", "scores.csv",
                         "--threshold", "0.5", "--fail-below", "micro-f1=0.99"});
  EXPECT_EQ(ran.code, 0) << ran.err << ran.out;
}

TEST_F(AnnotationFiles, go_to_label_studio_and_come_back) {
  sieve(joined({"train", "features.csv", "--annotations", "ticks.csv", "--out", "m.model"},
               forest()));
  const Ran ran =
      sieve({"predict", "m.model", "features.csv", "--to", "label-studio", "--out", "tasks.json"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  const nlohmann::json tasks = nlohmann::json::parse(read("tasks.json"));
  ASSERT_EQ(tasks.size(), 60u);
  EXPECT_EQ(tasks[3]["data"]["id"], "img_3");
  const nlohmann::json& prediction = tasks[0]["predictions"][0];
  EXPECT_EQ(prediction["result"][0]["value"]["choices"][0], "sea");
  EXPECT_EQ(prediction["scores"].size(), prediction["result"][0]["value"]["choices"].size());
  const Ran back = sieve({"inspect", "features.csv", "--annotations", "tasks.json", "--json"});
  EXPECT_EQ(back.code, 0) << back.err;
  EXPECT_EQ(nlohmann::json::parse(back.out)["votes"]["people"][0]["name"], "labelsieve");
  EXPECT_EQ(nlohmann::json::parse(back.out)["votes"]["looks"], 60);
}

TEST_F(AnnotationFiles, leave_a_feature_named_id_to_the_model_that_knows_it) {
  write("old.csv", "id,f,label:x,label:y\n1,0.5,1,0\n2,0.25,0,1\n3,0.75,1,0\n4,0,0,1\n");
  const Ran trained =
      sieve(joined({"train", "old.csv", "--id-column", "none", "--out", "old.model"}, forest()));
  EXPECT_EQ(trained.code, 0) << trained.err;
  EXPECT_THAT(trained.out, HasSubstr("4 rows, 2 features"));
  const Ran predicted = sieve({"predict", "old.model", "old.csv"});
  EXPECT_EQ(predicted.code, 0) << predicted.err;
  EXPECT_THAT(predicted.out, StartsWith("row,score:x"));
}

TEST_F(AnnotationFiles, of_relex_are_read_with_all_their_annotators) {
  REQUIRE_DATA_FOLDER(folder);
  const Ran ran =
      sieve({"inspect", "--annotations", *folder + "/relex/judgments.csv.gz", "--json"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  const nlohmann::json told = nlohmann::json::parse(ran.out);
  EXPECT_EQ(told["rows"], 3231);
  EXPECT_EQ(told["labels"], 14);
  EXPECT_EQ(told["votes"]["people"].size(), 468u);
}

}  // namespace
}  // namespace sieve::test
