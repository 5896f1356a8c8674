// Answers that are more than yes and no, and annotators that are programs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "annotations_support.h"
#include "data/annotations/answers.h"
#include "labelsieve/data_io.h"
#include "support/support.h"

namespace sieve::test {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

// "item annotator: label ?label; ...", unsure labels with a question mark.
std::string told_all(const std::vector<std::string>& items, const std::vector<std::string>& labels,
                     const Votes& votes) {
  std::string out;
  for (std::size_t item = 0; item < items.size(); ++item)
    for (std::size_t k = votes.first_annotation(item); k < votes.first_annotation(item + 1); ++k) {
      out += items[item] + " " + votes.annotators()[votes.annotator(k)] + ":";
      for (const std::uint32_t label : votes.ticked(k)) out += " " + labels[label];
      for (const std::uint32_t label : votes.unsure(k)) out += " ?" + labels[label];
      out += "; ";
    }
  return out;
}
std::string told_all(const Annotations& ticks) {
  return told_all(ticks.items, ticks.labels, ticks.votes);
}
std::string told_all(const Dataset& data) {
  return told_all(data.ids, data.label_names, *data.votes);
}

AnnotationOptions graded(const std::string& scale, const std::string& column = "") {
  AnnotationOptions options;
  options.scale = scale;
  options.value = column;
  return options;
}

// ---- unsure ------------------------------------------------------------------------------------

TEST(Unsure, words_in_a_vote_column_are_no_yes_and_no_no) {
  std::vector<std::string> notes;
  const Annotations ticks = ticks_of(
      "item,worker,label,vote\n1,p,sea,yes\n1,p,sky,no\n1,q,sea,HEDGE\n1,q,sky,not sure\n"
      "2,p,sea,maybe\n2,q,sky,Yes\n",
      {}, &notes);
  EXPECT_EQ(told_all(ticks), "1 p: sea; 1 q: ?sea ?sky; 2 p: ?sea; 2 q: sky; ");
  EXPECT_THAT(notes, Contains(HasSubstr("unsure votes: 3")));
}

AnnotationOptions unsure_in(const std::string& column) {
  AnnotationOptions options;
  options.unsure = column;
  return options;
}

TEST(Unsure, a_column_lists_labels_once_it_is_named) {
  const std::string table =
      "image,reader,labels,unsure\na,r1,sea|sky,\na,r2,sea,sky\nb,r1,,sea|sky\nb,r2,sky,sky\n";
  EXPECT_EQ(told_all(ticks_of(table, unsure_in("unsure"))),
            "a r1: sea sky; a r2: sea ?sky; b r1: ?sea ?sky; b r2: ?sky; ");
  std::vector<std::string> notes;
  EXPECT_EQ(told_all(ticks_of(table, {}, &notes)), "a r1: sea sky; a r2: sea; b r1:; b r2: sky; ");
  EXPECT_THAT(notes, Contains(HasSubstr("'unsure' is not read")));
}

TEST(Unsure, a_column_says_yes_to_the_label_of_a_line) {
  const std::string table = "item,worker,label,unsure\n1,p,sea,0\n1,p,sky,1\n1,q,sea,\n2,q,sky,1\n";
  EXPECT_EQ(told_all(ticks_of(table, unsure_in("unsure"))), "1 p: sea ?sky; 1 q: sea; 2 q: ?sky; ");
  EXPECT_EQ(told_all(ticks_of(table, unsure_in("none"))), "1 p: sea sky; 1 q: sea; 2 q: sky; ");
  EXPECT_THAT(refusal([&] { ticks_of(table, unsure_in("hedged")); }),
              HasSubstr("no column 'hedged'"));
}

TEST(Unsure, a_column_that_changes_its_kind_is_refused_with_its_line) {
  std::string text = "item,worker,label,unsure\n";
  for (int i = 0; i < 250; ++i) text += fmt::format("{},p,sea,{}\n", i, i % 2);
  EXPECT_THAT(refusal([&] { ticks_of(text + "900,p,sea,perhaps sky\n", unsure_in("unsure")); }),
              ::testing::AllOf(HasSubstr("'perhaps sky' in 'unsure'"), HasSubstr("t:252")));
}

TEST(Unsure, stands_in_a_column_per_label) {
  const Annotations ticks =
      ticks_of("id,rater_id,sea,sky\n1,p,1,unsure\n1,q,0,1\n2,p,hedge,0\n2,q,1,maybe\n3,p,0,0\n");
  EXPECT_EQ(told_all(ticks), "1 p: sea ?sky; 1 q: sky; 2 p: ?sea; 2 q: sea ?sky; 3 p:; ");
}

TEST(Unsure, is_an_ignored_question_of_prodigy_but_not_of_a_whole_list) {
  const auto answer = [](const char* id, const char* who, const char* label, const char* said) {
    return fmt::format(R"({{"id":"{}","_annotator_id":"{}","label":"{}","answer":"{}"}})", id, who,
                       label, said) +
           "\n";
  };
  EXPECT_EQ(
      told_all(ticks_of(answer("1", "p", "sea", "accept") + answer("1", "p", "sky", "ignore") +
                        answer("1", "q", "sea", "reject") + answer("1", "q", "sky", "accept"))),
      "1 p: sea ?sky; 1 q: sky; ");
  std::vector<std::string> notes;
  EXPECT_EQ(told_all(ticks_of(R"({"id":"1","_annotator_id":"p","accept":["sea"],"answer":"accept"})"
                              "\n"
                              R"({"id":"1","_annotator_id":"q","accept":["sky"],"answer":"ignore"})"
                              "\n",
                              {}, &notes)),
            "1 p: sea; ");
  EXPECT_THAT(notes, Contains(HasSubstr("say nothing of any label: 1 skipped annotation")));
}

TEST(Unsure, votes_are_written_and_read_back) {
  const std::string table = "image,reader,labels,unsure\na,r1,sea|sky,\na,r2,,sky\nb,r1,,\n";
  MemoryFiles files({{"t.csv", table}});
  ReadOptions options;
  options.files = &files;
  options.ticks.path = "t.csv";
  options.ticks.unsure = "unsure";
  const Dataset data = read_dataset({}, options);
  MemoryOutput out;
  write_annotations(data, out);
  EXPECT_EQ(out.text,
            "id,annotator,label,vote\na,r1,sea,yes\na,r1,sky,yes\na,r2,,no\na,r2,sky,unsure\n"
            "b,r1,,no\n");
  EXPECT_EQ(told_all(ticks_of(out.text)), told_all(data));
}

// ---- grades ------------------------------------------------------------------------------------

constexpr const char* kGraded =
    "item,worker,label,rating\n1,p,sea,0\n1,p,sky,3\n1,q,sea,1\n1,q,sky,\n2,p,sea,2\n2,q,sea,0\n";

TEST(Grades, above_0_are_ticks_unless_another_line_is_drawn) {
  std::vector<std::string> notes;
  EXPECT_EQ(told_all(ticks_of(kGraded, graded("0-3"), &notes)),
            "1 p: sky; 1 q: sea; 2 p: sea; 2 q:; ");
  EXPECT_THAT(notes, Contains(HasSubstr("'rating' has grades from 0 to 3: those above 0")));
  AnnotationOptions high = graded("0-3");
  high.ticks_from = 2;
  EXPECT_EQ(told_all(ticks_of(kGraded, high)), "1 p: sky; 1 q:; 2 p: sea; 2 q:; ");
}

TEST(Grades, are_steps_above_the_lowest_that_is_a_tick) {
  const auto grades_of = [](const std::string& text, const AnnotationOptions& options) {
    const Votes votes = ticks_of(text, options).votes;
    std::vector<int> all;
    for (std::size_t k = 0; k < votes.annotations(); ++k)
      for (const std::uint8_t grade : votes.grades(k)) all.push_back(grade);
    return all;
  };
  // 1 p: sky 3; 1 q: sea 1; 2 p: sea 2
  EXPECT_EQ(grades_of(kGraded, graded("0-3")), (std::vector<int>{2, 0, 1}));
  AnnotationOptions high = graded("0-3");
  high.ticks_from = 2;
  EXPECT_EQ(grades_of(kGraded, high), (std::vector<int>{1, 0}));
  high.ticks_from = 3;
  EXPECT_EQ(grades_of(kGraded, high), (std::vector<int>{})) << "one grade alone is none";
  const std::string stars = "item,worker,label,rating\n1,p,sea,5\n1,q,sea,4\n2,p,sea,4.5\n";
  EXPECT_EQ(grades_of(stars, graded("1-5")), (std::vector<int>{1, 0, 0}));
  // A long or fine scale is cut into quarters above the line.
  const std::string fine = "item,worker,label,rating\n1,p,sea,0.2\n1,q,sea,0.6\n2,p,sea,1\n";
  EXPECT_EQ(grades_of(fine, graded("0-1")), (std::vector<int>{0, 2, 3}));
  EXPECT_EQ(grades_of(fine, graded("0-100")), (std::vector<int>{}));
  AnnotationOptions wide = graded("0-3");
  wide.format = "wide", wide.label = "anger,joy";
  EXPECT_EQ(grades_of("text_id,annotator,anger,joy\n1,p,3,1\n1,q,,2\n", wide),
            (std::vector<int>{2, 0, 1}));
  // Of two answers of one annotator the last counts, with its grade.
  EXPECT_EQ(grades_of("text_id,annotator,anger,joy\n1,p,3,1\n1,p,2,2\n", wide),
            (std::vector<int>{1, 1}));
}

TEST(Grades, of_stars_are_ticks_above_the_middle) {
  const std::string stars =
      "item,worker,label,stars\n1,p,sea,1\n1,p,sky,5\n1,q,sea,3\n1,q,sky,4\n2,p,sea,unsure\n";
  EXPECT_EQ(told_all(ticks_of(stars, graded("1-5", "stars"))), "1 p: sky; 1 q: sky; 2 p: ?sea; ");
}

TEST(Grades, stand_in_a_column_per_label_where_a_blank_says_nothing) {
  AnnotationOptions options = graded("0-3");
  options.format = "wide";
  options.label = "anger,joy";
  EXPECT_EQ(told_all(ticks_of("text_id,annotator,anger,joy\n1,p,2,0\n1,q,,3\n2,p,0,0\n", options)),
            "1 p: anger; 1 q: joy ?anger; 2 p:; ");
}

TEST(Grades, without_a_scale_are_asked_about) {
  const std::string asked = refusal([&] { ticks_of(kGraded); });
  EXPECT_THAT(asked, HasSubstr("not all of its values are a plain yes or no ('3')"));
  EXPECT_THAT(asked, HasSubstr("0-3"));
}

TEST(Grades, outside_the_scale_or_of_another_kind_are_refused_with_their_line) {
  const std::string above = std::string(kGraded) + "3,p,sea,4\n";
  EXPECT_THAT(
      refusal([&] { ticks_of(above, graded("0-3")); }),
      ::testing::AllOf(HasSubstr("the grade 4 in 'rating' is outside the scale from 0 to 3"),
                       HasSubstr("t:8")));
  EXPECT_THAT(refusal([&] { ticks_of(std::string(kGraded) + "3,p,sea,yes\n", graded("0-3")); }),
              HasSubstr("'yes' in 'rating', which has grades from 0 to 3"));
  EXPECT_THAT(refusal([&] { ticks_of(std::string(kGraded) + "3,p,sea,nan\n", graded("0-3")); }),
              HasSubstr("'nan' in 'rating'"));
  EXPECT_THAT(refusal([&] { ticks_of("item,worker,label\n1,p,sea\n", graded("0-3")); }),
              HasSubstr("there is no column of grades"));
}

TEST(Grades, need_a_scale_that_makes_sense) {
  EXPECT_TRUE(parse_scale("-2-2"));
  EXPECT_TRUE(parse_scale("0 - 1.5"));
  for (const char* bad : {"", "3", "3-0", "1-1", "a-b", "0-", "-", "0-inf", "nan-3"})
    EXPECT_FALSE(parse_scale(bad)) << bad;
  AnnotationOptions outside = graded("0-3");
  outside.ticks_from = 7;
  EXPECT_THAT(refusal([&] { ticks_of(kGraded, outside); }), HasSubstr("on a scale from 0 to 3"));
  AnnotationOptions alone;
  alone.ticks_from = 2;
  EXPECT_THAT(refusal([&] { ticks_of(kGraded, alone); }), HasSubstr("needs a scale"));
}

// ---- programs ----------------------------------------------------------------------------------

constexpr const char* kTasks = R"([
{"id":1,"data":{"text":"a"},
 "annotations":[{"completed_by":7,"result":[{"from_name":"q","type":"choices","value":{"choices":["sea"]}}]}],
 "predictions":[{"model_version":"bert","result":[{"from_name":"q","type":"choices","value":{"choices":["sky"]}}]},
                {"model_version":"gpt","result":[{"from_name":"q","type":"choices","value":{"choices":["sea"]}}]}]},
{"id":2,"data":{"text":"b"},
 "annotations":[{"completed_by":8,"result":[{"from_name":"q","type":"choices","value":{"choices":["sky"]}}]}],
 "predictions":[{"model_version":"bert","result":[{"from_name":"q","type":"choices","value":{"choices":["sky"]}}]}]}])";

TEST(Programs, are_predictions_of_label_studio_on_request) {
  std::vector<std::string> notes;
  EXPECT_EQ(told_all(ticks_of(kTasks, {}, &notes)), "1 7: sea; 2 8: sky; ");
  EXPECT_THAT(notes, Contains(HasSubstr("3 predictions are not read")));
  AnnotationOptions options;
  options.predictions = true;
  const Annotations ticks = ticks_of(kTasks, options);
  std::vector<std::string> programs;
  for (std::size_t a = 0; a < ticks.votes.annotators().size(); ++a) {
    if (!ticks.votes.is_program(a)) continue;
    programs.push_back(ticks.votes.annotators()[a]);
    EXPECT_NE(ticks.votes.groups()[a], kNoGroup);
  }
  EXPECT_THAT(programs, ::testing::UnorderedElementsAre("bert", "gpt"));
  EXPECT_EQ(ticks.votes.annotations(), 5u);
}

// Four rows, of which people tick sea on two and sky on one.
Dataset joined(const std::string& scores, std::vector<std::string>* notes = nullptr,
               AnnotationOptions ticks = {}) {
  MemoryFiles files({{"t.csv",
                      "id,annotator,label\na,p,sea\nb,p,sea\nc,p,sky\nd,p,\na,q,sea\nb,q,sea\n"
                      "c,q,sky\nd,q,\n"},
                     {"bert.csv", scores},
                     {"groups.csv", "annotator,group\np,home\nq,home\n"},
                     {"kinds.csv", "annotator,kind\np,person\nq,program\n"}});
  ReadOptions options;
  options.files = &files;
  options.notes = notes;
  options.ticks = std::move(ticks);
  options.ticks.path = "t.csv";
  if (!scores.empty()) options.ticks.program_scores = {"bert.csv"};
  return read_dataset({}, options);
}

TEST(Programs, tick_as_often_as_people_do_where_they_have_scores) {
  std::vector<std::string> notes;
  const Dataset data =
      joined("id,score:sea,score:sky\nd,0.3,0.1\na,0.35,0.05\nb,0.2,0.02\nz,1,1\n", &notes);
  // sea: half of the rows, so one or two of three; sky: a quarter.
  EXPECT_EQ(told_all(data),
            "a p: sea; a q: sea; a bert: sea; b p: sea; b q: sea; b bert:; c p: sky; c q: sky; "
            "d p:; d q:; d bert: sky; ");
  EXPECT_TRUE(data.votes->is_program(2));
  EXPECT_FALSE(data.votes->is_program(0));
  EXPECT_TRUE(data.candidates.get(3, 1));
  EXPECT_THAT(notes, Contains(HasSubstr("'bert' is a program with scores for 3 of 4 rows")));
}

TEST(Programs, grade_their_ticks_by_quarters_of_their_scores) {
  const auto grade = [](const Votes& votes, std::size_t row) {
    const std::size_t bert = votes.first_annotation(row) + 2;
    return int{votes.grades(bert)[0]};
  };
  const Dataset two = joined("id,sea\na,0.9\nb,0.5\nc,0.1\nd,0.1\n");
  EXPECT_EQ(grade(*two.votes, 0), 1);
  EXPECT_EQ(grade(*two.votes, 1), 0);
  const Dataset four = joined("id,sea\na,0.9\nb,0.8\nc,0.8\nd,0.8\n");
  EXPECT_EQ(four.votes->ticked(four.votes->first_annotation(0) + 2).size(), 1u);
  EXPECT_FALSE(four.votes->graded()) << "one tick alone";
  EXPECT_FALSE(joined("id,sea\na,1\nb,1\nc,0\nd,0\n").votes->graded()) << "yes and no";
}

TEST(Programs, say_nothing_of_labels_without_scores) {
  const Dataset data = joined("id,sea,other\na,0.9,1\nb,,1\nc,0.1,1\nd,0.2,1\n");
  EXPECT_THAT(told_all(data), HasSubstr("a bert: sea ?sky; "));
  EXPECT_THAT(told_all(data), HasSubstr("b bert: ?sea ?sky; "));
}

TEST(Programs, with_scores_that_make_no_sense_are_refused) {
  EXPECT_THAT(refusal([] { joined("id,sea\na,1.5\n"); }), HasSubstr("'1.5' in 'sea'"));
  EXPECT_THAT(refusal([] { joined("id,sea\na,high\n"); }), HasSubstr("is not a probability"));
  EXPECT_THAT(refusal([] { joined("id,wood\na,0.5\n"); }), HasSubstr("is one of the labels"));
  EXPECT_THAT(refusal([] { joined("id,sea\nz,0.5\n"); }), HasSubstr("is a row of the data"));
  EXPECT_THAT(refusal([] { joined("id,sea\na,0.5\na,0.5\n"); }), HasSubstr("scores already"));
  EXPECT_THAT(refusal([] { joined("sea\n0.5\n0.5\n"); }), HasSubstr("2 rows of scores for 4"));
}

TEST(Programs, are_declared_by_name_and_groups_by_a_file) {
  AnnotationOptions options;
  options.kinds = {"q=program"};
  const Dataset data = joined("id,sea\na,0.9\n", nullptr, options);
  EXPECT_FALSE(data.votes->is_program(0));
  EXPECT_TRUE(data.votes->is_program(1));
  // All programs are of one group.
  EXPECT_THAT(data.votes->groups(), ElementsAre(kNoGroup, 0, 0));

  options.kinds = {"@kinds.csv"};
  EXPECT_TRUE(joined("", nullptr, options).votes->is_program(1));

  AnnotationOptions grouped;
  grouped.groups = "groups.csv";
  EXPECT_THAT(joined("", nullptr, grouped).votes->groups(), ElementsAre(0, 0));

  options.kinds = {"nobody=program"};
  EXPECT_THAT(refusal([&] { joined("", nullptr, options); }), HasSubstr("no annotator 'nobody'"));
  options.kinds = {"q=robot"};
  EXPECT_THAT(refusal([&] { joined("", nullptr, options); }),
              HasSubstr("'robot' of 'q' is no kind of annotator"));
}

TEST(Programs, need_annotations_to_join) {
  MemoryFiles files({{"x.csv", "id,f,label:a\n1,2,1\n"}, {"g.csv", "annotator,group\np,x\n"}});
  ReadOptions options;
  options.files = &files;
  options.ticks.groups = "g.csv";
  EXPECT_THAT(refusal([&] { read_dataset({"x.csv"}, options); }),
              HasSubstr("does not say who annotated what"));
}

// ---- names -------------------------------------------------------------------------------------

// Every layout gives names to one reader of words, so that they are noted and merged everywhere.
TEST(Spellings, are_noted_and_merged_in_every_layout) {
  const std::vector<std::string> layouts = {
      "item,worker,label\n1,p,Sea\n2,p,sea\n3,q,sea\n",
      "id,rater_id,Sea,sea\n1,p,1,0\n2,p,0,1\n3,q,0,1\n",
      "{\"id\":\"1\",\"_annotator_id\":\"p\",\"accept\":[\"Sea\"],\"answer\":\"accept\"}\n"
      "{\"id\":\"2\",\"_annotator_id\":\"p\",\"accept\":[\"sea\"],\"answer\":\"accept\"}\n"
      "{\"id\":\"3\",\"_annotator_id\":\"q\",\"accept\":[\"sea\"],\"answer\":\"accept\"}\n",
      "{\"id\":1,\"text\":\"x\",\"label\":[\"Sea\"]}\n{\"id\":2,\"text\":\"y\",\"label\":[\"sea\"]}"
      "\n"
      "{\"id\":3,\"text\":\"z\",\"label\":[\"sea\"]}\n",
      "_unit_id,_worker_id,tags\n1,p,[Sea] [x]\n2,p,[sea] [x]\n3,q,[sea] [x]\n",
      "HITId,AssignmentId,WorkerId,AssignmentStatus,Answer.tags\n1,a,p,Approved,Sea|x\n"
      "2,b,p,Approved,sea|x\n3,c,q,Approved,sea|x\n",
      R"([{"id":1,"data":{},"annotations":[{"completed_by":1,"result":[{"from_name":"q","type":"choices","value":{"choices":["Sea"]}}]}]},
          {"id":2,"data":{},"annotations":[{"completed_by":1,"result":[{"from_name":"q","type":"choices","value":{"choices":["sea"]}}]}]},
          {"id":3,"data":{},"annotations":[{"completed_by":2,"result":[{"from_name":"q","type":"choices","value":{"choices":["sea"]}}]}]}])"};
  for (const std::string& layout : layouts) {
    std::vector<std::string> notes;
    EXPECT_THAT(ticks_of(layout, {}, &notes).labels, Contains("Sea")) << layout;
    EXPECT_THAT(notes, Contains(HasSubstr("labels that differ only by case or spaces"))) << layout;
    AnnotationOptions merging;
    merging.merge_case = true;
    const std::vector<std::string> merged = ticks_of(layout, merging).labels;
    EXPECT_THAT(merged, Contains("sea")) << layout;
    EXPECT_THAT(merged, Not(Contains("Sea"))) << layout;
  }
}

}  // namespace
}  // namespace sieve::test
