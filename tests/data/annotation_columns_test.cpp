// Which columns of a table of annotations are taken for what, and how its items meet the rows.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "annotations_support.h"
#include "labelsieve/data_io.h"
#include "support/support.h"

namespace sieve::test {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

Dataset joined(const std::string& data, const std::string& ticks, ReadOptions options = {},
               std::vector<std::string>* notes = nullptr) {
  MemoryFiles files({{"x.csv", data}, {"t.csv", ticks}});
  options.files = &files;
  options.notes = notes;
  options.ticks.path = "t.csv";
  return read_dataset({"x.csv"}, options);
}

ReadOptions with_item(const std::string& column) {
  ReadOptions options;
  options.ticks.item = column;
  return options;
}

// ---- rows and items ----------------------------------------------------------------------------

constexpr const char* kPhotos = "photo,blue\n3,0.1\n1,0.2\n4,0.3\n2,0.4\n";
constexpr const char* kOnPhotos = "photo,annotator,label\n1,p,one\n2,p,two\n3,p,three\n4,q,four\n";

TEST(ItemsAndRows, meet_in_the_column_that_both_files_have) {
  for (const ReadOptions& options : {with_item("photo"), ReadOptions()}) {
    std::vector<std::string> notes;
    const Dataset data = joined(kPhotos, kOnPhotos, options, &notes);
    EXPECT_THAT(data.ids, ElementsAre("3", "1", "4", "2"));
    EXPECT_THAT(data.feature_names, ElementsAre("blue"));
    EXPECT_THAT(data.label_names, ElementsAre("four", "one", "three", "two"));
    EXPECT_EQ(data.candidates, labels_of({"0010", "0100", "1000", "0001"}));
    EXPECT_THAT(notes, Contains(HasSubstr("took column 'photo' as the ids of the rows")));
  }
}

TEST(ItemsAndRows, meet_in_the_same_column_though_the_data_has_a_plainer_id) {
  std::vector<std::string> notes;
  const Dataset data =
      joined("id,image_id,f\n1,2,0.1\n2,1,0.2\n", "image_id,annotator,label\n1,p,one\n2,p,two\n",
             ReadOptions(), &notes);
  EXPECT_THAT(notes,
              Contains(HasSubstr("column 'id' is named like an id, but taken as a feature")));
  EXPECT_THAT(data.ids, ElementsAre("2", "1"));
  EXPECT_EQ(data.candidates, labels_of({"01", "10"}));
}

TEST(ItemsAndRows, meet_in_json_lines_too) {
  MemoryFiles files({{"x.jsonl", "{\"photo\":2,\"blue\":0.1}\n{\"photo\":1,\"blue\":0.2}\n"},
                     {"t.csv", "photo,annotator,label\n1,p,one\n2,p,two\n"}});
  ReadOptions options;
  options.files = &files;
  options.ticks.path = "t.csv";
  const Dataset data = read_dataset({"x.jsonl"}, options);
  EXPECT_THAT(data.ids, ElementsAre("2", "1"));
  EXPECT_EQ(data.candidates, labels_of({"01", "10"}));
}

TEST(ItemsAndRows, are_not_joined_by_another_column_where_the_same_one_cannot_have_ids) {
  const std::string text = refusal(
      [] { joined("id,photo,f\n1,7,0\n2,7,0\n", "photo,annotator,label\n1,p,x\n2,p,y\n"); });
  EXPECT_THAT(text, AllOf(HasSubstr("name their items by 'photo'"),
                          HasSubstr("if 'id' has the items: id_column=id"),
                          HasSubstr("id_column=none and ticks.items_are=row-numbers")));
  ReadOptions said;
  said.id_column = "id";
  EXPECT_THAT(
      joined("id,photo,f\n1,7,0\n2,7,0\n", "photo,annotator,label\n1,p,x\n2,p,y\n", said).ids,
      ElementsAre("1", "2"));
}

TEST(ItemsAndRows, are_asked_for_where_two_columns_are_in_both_files) {
  EXPECT_THAT(refusal([] {
                joined("task,image_id,f\n1,2,0\n2,1,0\n",
                       "task,image_id,annotator,label\n1,2,p,x\n1,2,q,x\n2,1,p,y\n");
              }),
              AllOf(HasSubstr("several columns are in the data and in the annotations"),
                    HasSubstr("ticks.item=task and id_column=task"),
                    HasSubstr("ticks.item=image_id and id_column=image_id")));
}

TEST(ItemsAndRows, meet_by_number_on_request_alone) {
  const std::string data = "f,g\n1,2\n3,4\n", ticks = "item,annotator,label\n1,p,x\n0,p,y\n";
  EXPECT_THAT(refusal([&] { joined(data, ticks); }),
              AllOf(HasSubstr("the data has no ids"),
                    HasSubstr("if the items are row numbers: ticks.items_are=row-numbers")));
  ReadOptions options;
  options.ticks.items_are = "row-numbers";
  EXPECT_EQ(joined(data, ticks, options).candidates, labels_of({"01", "10"}));
  options.ticks.items_are = "row-number";
  EXPECT_THAT(refusal([&] { joined(data, ticks, options); }), HasSubstr("it is one of ids, row-"));
}

TEST(ItemsAndRows, meet_by_number_in_spite_of_ids_on_request) {
  ReadOptions options;
  options.ticks.items_are = "row-numbers";
  const Dataset data = joined("id,f\n1,5\n0,6\n", "item,annotator,label\n0,p,x\n1,p,y\n", options);
  EXPECT_THAT(data.ids, ElementsAre("1", "0"));
  EXPECT_EQ(data.candidates, labels_of({"10", "01"}));
}

TEST(ItemsAndRows, count_from_0_or_1_as_is_said) {
  const std::string data = "f\n1\n2\n3\n", ticks = "row,annotator,label\n1,p,x\n2,p,y\n";
  EXPECT_THAT(refusal([&] { joined(data, ticks); }),
              AllOf(HasSubstr("if the first row is 0: ticks.items_are=row-numbers-from-0"),
                    HasSubstr("if the first row is 1: ticks.items_are=row-numbers-from-1")));
  ReadOptions options;
  options.ticks.keep_unseen = true;
  options.ticks.items_are = "row-numbers-from-0";
  EXPECT_EQ(joined(data, ticks, options).candidates, labels_of({"00", "10", "01"}));
  options.ticks.items_are = "row-numbers-from-1";
  EXPECT_EQ(joined(data, ticks, options).candidates, labels_of({"10", "01", "00"}));
  EXPECT_THAT(refusal([&] { joined(data, "row,annotator,label\n0,p,x\n", options); }),
              HasSubstr("'0' in the ticks is not the number"));
}

TEST(ItemsAndRows, meet_by_number_where_the_column_is_named_row) {
  std::vector<std::string> notes;
  const Dataset data =
      joined("f\n1\n2\n", "row,person,label\n1,p,x\n0,p,y\n", ReadOptions(), &notes);
  EXPECT_EQ(data.candidates, labels_of({"01", "10"}));
  EXPECT_THAT(notes, Contains(HasSubstr("items are taken as row numbers from 0")));
  MemoryOutput out;
  write_annotations(data, out);
  EXPECT_EQ(out.text, "row,annotator,label\n0,p,y\n1,p,x\n");
}

// ---- which column has the items ----------------------------------------------------------------

// 60 photos by three annotators; records are numbered.
std::string numbered_records() {
  std::string text = "id,photo,annotator,label\n";
  int record = 0;
  for (int photo = 59; photo >= 0; --photo)
    for (const char* annotator : {"a", "b", "c"})
      text += std::to_string(record++) + "," + std::to_string(photo) + "," + annotator + ",l" +
              std::to_string(photo % 2) + "\n";
  return text;
}

TEST(ItemColumn, is_not_the_number_of_a_record) {
  std::string data = "photo_id,f\n";
  for (int photo = 0; photo < 60; ++photo) data += std::to_string(photo) + ",1\n";
  std::vector<std::string> notes;
  const Dataset set = joined(data, numbered_records(), ReadOptions(), &notes);
  ASSERT_EQ(set.rows(), 60u);
  for (std::size_t row = 0; row < 60; ++row) {
    EXPECT_EQ(set.votes->annotations(row), 3u);
    EXPECT_TRUE(set.candidates.get(row, row % 2)) << row;
  }
  EXPECT_THAT(notes, Contains(HasSubstr("items are named by 'photo', not by 'id'")));
}

TEST(ItemColumn, is_not_the_number_of_a_record_without_data_either) {
  EXPECT_EQ(ticks_of(numbered_records()).items.size(), 60u);
  EXPECT_EQ(told(ticks_of("id,image_id,annotator,label\n1,x,p,l\n2,x,q,l\n3,y,p,l\n")),
            "x p: l; x q: l; y p: l; ");
}

TEST(ItemColumn, is_the_one_whose_values_are_ids_of_the_data) {
  const std::string data = "key,f\nu,1\nv,2\n";
  EXPECT_THAT(joined(data, "task,image_id,annotator,label\n1,v,p,x\n1,v,q,x\n2,u,p,y\n").ids,
              ElementsAre("u", "v"));
  EXPECT_THAT(joined(data, "task,sample,annotator,label\n1,v,p,x\n1,v,q,x\n2,u,p,y\n").ids,
              ElementsAre("u", "v"));
}

TEST(ItemColumn, is_asked_for_where_several_match_the_data) {
  EXPECT_THAT(refusal([] {
                joined("id,f\n1,0\n2,0\n",
                       "task,image_id,annotator,label\n1,2,p,x\n1,2,q,x\n2,1,p,y\n");
              }),
              AllOf(HasSubstr("cannot tell which column of the annotations names the items"),
                    HasSubstr("if it is 'task': ticks.item=task"),
                    HasSubstr("if it is 'image_id': ticks.item=image_id")));
}

TEST(ItemColumn, is_asked_for_where_later_records_point_to_another) {
  std::string data = "uid,f\n", ticks = "id,photo,annotator,label\n";
  int record = 0;
  for (int photo = 0; photo < 300; ++photo) data += std::to_string(photo) + ",1\n";
  for (const char* annotator : {"a", "b", "c"})
    for (int photo = 0; photo < 300; ++photo)
      ticks += std::to_string(record++) + "," + std::to_string(photo) + "," + annotator + ",x\n";
  EXPECT_THAT(refusal([&] { joined(data, ticks); }),
              AllOf(HasSubstr("names the items"), HasSubstr("ticks.item=photo")));
}

TEST(ItemColumn, is_not_a_group_of_items) {
  std::string ticks = "batch_id,file,annotator,label\n";
  for (int i = 0; i < 20; ++i)
    ticks +=
        std::to_string(i / 10) + ",f" + std::to_string(i) + "," + (i % 2 == 0 ? "p" : "q") + ",x\n";
  EXPECT_EQ(ticks_of(ticks).items.size(), 20u);
}

TEST(ItemColumn, does_not_matter_where_all_tell_the_same_items_apart) {
  std::vector<std::string> notes;
  EXPECT_EQ(
      told(ticks_of("task,image_id,annotator,label\n1,u,p,x\n1,u,q,x\n2,v,p,y\n", {}, &notes)),
      "1 p: x; 1 q: x; 2 p: y; ");
  EXPECT_THAT(notes, Contains(HasSubstr("items are named by 'task', not by 'image_id'")));
  EXPECT_THAT(refusal([] {
                ticks_of("task,image_id,annotator,label\n1,u,p,x\n1,u,q,x\n2,u,p,y\n2,v,q,x\n");
              }),
              HasSubstr("'task' or 'image_id'"));
}

TEST(ItemColumn, is_asked_for_where_it_numbers_the_records_and_an_unknown_one_repeats) {
  const std::string long_table = "id,url,annotator,label\n1,u,p,x\n2,u,q,x\n3,v,p,y\n";
  const std::string wide = "id,post,annotator,sea,wood\n1,u,p,1,0\n2,u,q,1,1\n3,v,p,0,1\n";
  EXPECT_THAT(refusal([&] { ticks_of(long_table); }),
              AllOf(HasSubstr("names the items: 'id' or 'url'"), HasSubstr("ticks.item=url")));
  EXPECT_THAT(refusal([&] { ticks_of(wide); }), HasSubstr("names the items: 'id' or 'post'"));
  AnnotationOptions options;
  options.item = "url";
  EXPECT_EQ(told(ticks_of(long_table, options)), "u p: x; u q: x; v p: y; ");
  // One annotation per item, in batches.
  EXPECT_EQ(told(ticks_of("id,batch,annotator,label\n1,u,p,x\n2,u,q,x\n3,v,p,y\n")),
            "1 p: x; 2 q: x; 3 p: y; ");
}

TEST(ItemColumn, is_asked_for_where_annotators_are_not_known_and_another_repeats) {
  EXPECT_THAT(refusal([] {
                ticks_of(
                    "id,tweet_id,label,value\n1,u,x,Y\n2,u,y,N\n3,u,x,Y\n4,u,y,N\n5,v,x,Y\n"
                    "6,v,y,N\n7,v,x,Y\n8,v,y,N\n");
              }),
              HasSubstr("names the items: 'id' or 'tweet_id'"));
}

TEST(ItemColumn, is_no_text_where_json_has_a_further_column) {
  EXPECT_THAT(refusal([] {
                ticks_of(
                    "{\"text\": \"t\", \"post\": \"1\", \"label\": \"x\", \"user\": \"p\"}\n"
                    "{\"text\": \"t\", \"post\": \"2\", \"label\": \"x\", \"user\": \"p\"}\n");
              }),
              HasSubstr("names the items: 'text' or 'post'"));
}

// ---- annotators --------------------------------------------------------------------------------

TEST(AnnotatorColumn, is_the_one_that_is_named_most_plainly) {
  EXPECT_EQ(told(ticks_of("item,reviewer,worker,label\n1,chief,p,x\n1,chief,q,y\n2,boss,p,x\n")),
            "1 p: x; 1 q: y; 2 p: x; ");
  EXPECT_EQ(told(ticks_of("row,completed_by,reviewer,sea,wood\n1,p,chief,1,0\n1,q,chief,0,1\n"
                          "2,p,boss,1,0\n2,q,chief,0,1\n")),
            "1 p: sea; 1 q: wood; 2 p: sea; 2 q: wood; ");
}

TEST(AnnotatorColumn, is_asked_for_where_two_are_named_as_plainly) {
  EXPECT_THAT(
      refusal([] { ticks_of("item,user,reviewer,label\n1,p,c,x\n1,q,c,y\n2,p,b,x\n2,q,c,x\n"); }),
      AllOf(HasSubstr("cannot tell who annotated"), HasSubstr("ticks.person=user"),
            HasSubstr("ticks.person=reviewer")));
  // A name and a number of the same annotators are as good as each other.
  EXPECT_EQ(told(ticks_of("item,user,email,label\n1,p,p@x,x\n1,q,q@x,y\n2,p,p@x,x\n")),
            "1 p: x; 1 q: y; 2 p: x; ");
}

TEST(AnnotatorColumn, is_asked_for_where_its_name_may_mean_another_and_a_column_repeats) {
  const std::string text =
      "item,reviewer,who,label\n1,c,p,x\n1,c,q,y\n2,b,p,x\n2,c,q,x\n3,b,p,y\n3,c,q,y\n";
  EXPECT_THAT(refusal([&] { ticks_of(text); }),
              AllOf(HasSubstr("ticks.person=reviewer"), HasSubstr("ticks.person=who")));
  // What belongs to the item, or to the annotator, is nobody's name.
  EXPECT_EQ(told(ticks_of("item,user,site,level,label\n1,p,a,3,x\n1,q,a,4,y\n2,p,b,3,x\n"
                          "2,q,b,4,x\n3,p,b,3,y\n3,q,b,4,y\n")),
            "1 p: x; 1 q: y; 2 p: x; 2 q: x; 3 p: y; 3 q: y; ");
}

TEST(AnnotatorColumn, is_asked_for_where_it_may_name_those_who_checked) {
  for (const char* text :
       {"item,reviewer,label\n1,p,x\n1,q,y\n", "item,reviewer,sea,wood\n1,p,1,0\n1,q,0,1\n",
        "{\"id\": 1, \"reviewer\": \"p\", \"labels\": [\"x\"]}\n"})
    EXPECT_THAT(refusal([&] { ticks_of(text); }),
                AllOf(HasSubstr("'reviewer' may name those who checked annotations"),
                      HasSubstr("ticks.person=reviewer"), HasSubstr("ticks.person=none")))
        << text;
}

// Three raters of 20 comments; `cells` of a line follow its comment and rater.
std::string ratings(const std::string& names, std::string (*cells)(int comment, int rater)) {
  std::string text = "comment_id,reader," + names + "\n";
  for (int i = 0; i < 60; ++i)
    text += fmt::format("c{},r{},{}\n", i / 3, i % 3, cells(i / 3, i % 3));
  return text;
}

TEST(LabelColumn, is_the_one_whose_texts_repeat_and_say_nothing_of_item_or_annotator) {
  std::vector<std::string> notes;
  const Annotations found = ticks_of(
      ratings("when,age group,source,remark,emotion",
              [](int comment, int rater) {
                return fmt::format("2024-05-0{},{},site {},note {} of {},{}", 1 + comment % 7,
                                   rater == 0 ? "young" : "old", comment % 2, comment, rater,
                                   (comment + rater / 2) % 3 == 0 ? "joy" : "anger");
              }),
      {}, &notes);
  EXPECT_THAT(found.labels, testing::UnorderedElementsAre("joy", "anger"));
  EXPECT_EQ(found.items.size(), 20u);
  EXPECT_EQ(found.votes.annotators().size(), 3u);
  EXPECT_THAT(notes, Contains(HasSubstr("labels are those in 'emotion'")));
}

TEST(LabelColumn, may_hold_lists) {
  const Annotations found = ticks_of(ratings("emotions", [](int comment, int rater) {
    return std::string(comment % 3 == rater ? "\"joy, fear\"" : comment % 2 == 0 ? "joy" : "fear");
  }));
  EXPECT_THAT(found.labels, testing::UnorderedElementsAre("joy", "fear"));
}

TEST(LabelColumn, is_asked_for_where_several_may_be_it) {
  const std::string text = ratings("emotion,certainty", [](int comment, int rater) {
    return std::string((comment + rater / 2) % 3 == 0 ? "joy" : "anger") +
           ((comment + rater) % 4 == 0 ? ",high" : ",low");
  });
  int code = 0;
  EXPECT_THAT(refusal([&] { ticks_of(text); }, &code),
              AllOf(HasSubstr("cannot tell which column of the annotations has the labels"),
                    HasSubstr("if the labels are in 'emotion': ticks.label=emotion"),
                    HasSubstr("if the labels are in 'certainty': ticks.label=certainty")));
  EXPECT_EQ(code, 3);
  AnnotationOptions options;
  options.label = "emotion";
  EXPECT_THAT(ticks_of(text, options).labels, testing::UnorderedElementsAre("joy", "anger"));
}

TEST(LabelColumn, is_asked_for_where_it_may_as_well_say_something_of_the_items) {
  const std::string text = ratings(
      "colour", [](int comment, int) { return std::string(comment % 2 == 0 ? "red" : "blue"); });
  EXPECT_THAT(refusal([&] { ticks_of(text); }),
              HasSubstr("if the labels are in 'colour': ticks.label=colour"));
}

TEST(LabelColumn, is_asked_for_where_numbers_may_be_it) {
  const std::string text = ratings(
      "rating", [](int comment, int rater) { return std::to_string((comment + rater) % 5); });
  EXPECT_THAT(refusal([&] { ticks_of(text); }),
              HasSubstr("if the labels are in 'rating': ticks.label=rating"));
}

TEST(LabelColumn, needs_no_annotators_beside_any_ids) {
  const std::string text = "comment_id,label\nc1,joy\nc2,fear\n";
  EXPECT_THAT(refusal([&] { ticks_of(text); }), HasSubstr("cannot tell who annotated"));
  AnnotationOptions options;
  options.annotator = "none";
  EXPECT_EQ(ticks_of(text, options).items.size(), 2u);
}

TEST(LabelColumn, gives_way_to_columns_of_0_and_1_where_there_is_none) {
  const Annotations found = ticks_of(ratings("day,joy,anger", [](int comment, int rater) {
    return fmt::format("2024-05-0{},{},{}", 1 + comment % 7, comment % 2, (comment + rater) % 2);
  }));
  EXPECT_THAT(found.labels, testing::UnorderedElementsAre("joy", "anger"));
  EXPECT_EQ(found.items.size(), 20u);
}

TEST(LabelColumn, is_not_looked_for_in_a_table_of_anything) {
  EXPECT_THAT(refusal([] { ticks_of("size,colour\n1,red\n2,red\n3,blue\n4,blue\n"); }),
              HasSubstr("cannot tell which column of the annotations has the items, the annotators "
                        "and the labels (columns: size, colour)"));
}

TEST(LabelStudioColumns, are_not_assumed_of_a_table_with_a_yes_no_column) {
  for (const std::string item : {"item", "id"})
    EXPECT_EQ(
        told(ticks_of(item + ",annotation_id,annotator,label,answer\n1,1,p,x,no\n1,2,p,y,yes\n"
                             "2,3,p,x,yes\n2,4,p,y,no\n")),
        "1 p: y; 2 p: x; ");
  EXPECT_THAT(
      refusal([] {
        ticks_of("id,annotation_id,annotator,label,answer\n1,1,p,x,sure\n1,2,p,y,perhaps\n");
      }),
      AllOf(HasSubstr("cannot tell which column has the labels"), HasSubstr("ticks.label=answer")));
}

TEST(VoteColumn, is_no_column_of_items_where_rows_are_called_yes) {
  const Dataset set = joined("id,f\nyes,1\nno,2\n7,3\n",
                             "tweet_id,label,answer,worker\nyes,x,no,p\nyes,y,yes,p\n7,x,yes,p\n"
                             "7,y,no,p\nno,x,no,p\nno,y,no,p\n");
  ASSERT_EQ(set.rows(), 3u);
  EXPECT_EQ(set.candidates.count(), 2u);
}

// ---- yes and no --------------------------------------------------------------------------------

TEST(VoteColumn, tells_ticks_from_labels_that_were_looked_at) {
  for (const auto& [yes, no] : std::vector<std::pair<std::string, std::string>>{
           {"1", "0"}, {"yes", "no"}, {"True", "False"}, {"1", "-1"}, {"Y", "N"}, {"t", "f"}}) {
    std::vector<std::string> notes;
    EXPECT_EQ(told(ticks_of("item,worker,label,value\ni,p,x," + yes + "\ni,p,y," + no + "\ni,q,x," +
                                no + "\ni,q,y," + no + "\n",
                            {}, &notes)),
              "i p: x; i q:; ");
    EXPECT_THAT(notes, ElementsAre(HasSubstr("'value' says yes or no")));
  }
}

TEST(VoteColumn, comes_as_json_too) {
  EXPECT_EQ(told(ticks_of("{\"item\":1,\"annotator\":\"a\",\"label\":\"x\",\"answer\":true}\n"
                          "{\"item\":1,\"annotator\":\"a\",\"label\":\"y\",\"answer\":false}\n")),
            "1 a: x; ");
}

TEST(VoteColumn, is_not_the_column_of_labels_beside_another) {
  EXPECT_EQ(told(ticks_of("item,worker,category,answer\n1,p,x,yes\n1,p,y,no\n1,q,x,no\n")),
            "1 p: x; 1 q:; ");
  EXPECT_THAT(refusal([] {
                ticks_of("item,worker,question,answer\n1,p,x,yes\n1,q,x,no\n1,p,y,no\n2,p,y,no\n");
              }),
              AllOf(HasSubstr("'answer' says yes and no"),
                    HasSubstr("ticks.label=question and ticks.value=answer"),
                    HasSubstr("if yes and no are the labels: ticks.label=answer")));
  EXPECT_EQ(told(ticks_of("task,worker,label\n1,p,1\n1,q,0\n")), "1 p: 1; 1 q: 0; ");
  const std::string text = "task,worker,response\n1,p,1\n1,q,0\n";
  EXPECT_THAT(refusal([&] { ticks_of(text); }),
              AllOf(HasSubstr("ticks.format=wide and ticks.label=response"),
                    HasSubstr("if yes and no are the labels: ticks.label=response")));
  AnnotationOptions options;
  options.format = "wide";
  options.label = "response";
  EXPECT_EQ(told(ticks_of(text, options)), "1 p: response; 1 q:; ");
}

TEST(VoteColumn, is_asked_for_where_its_values_are_not_plain) {
  for (const char* value : {"3", "perhaps so", "-1", "0.5"}) {
    const std::string text =
        std::string("item,worker,label,value\n1,p,x,1\n1,p,y,0\n1,q,x,") + value;
    EXPECT_THAT(refusal([&] { ticks_of(text + "\n"); }),
                AllOf(HasSubstr("'value' may say whether the label of a line was ticked"),
                      HasSubstr("ticks.value=value"), HasSubstr("ticks.value=none")));
  }
  EXPECT_THAT(refusal([] { ticks_of("item,worker,label,value\n1,p,x,1\n1,p,y,\n"); }),
              HasSubstr("'value' may say"));
  EXPECT_THAT(refusal([] { ticks_of("item,worker,label,relevant\n1,p,x,1\n1,p,y,0\n"); }),
              AllOf(HasSubstr("cannot tell whether 'relevant' says yes or no"),
                    HasSubstr("ticks.value=relevant"), HasSubstr("ticks.value=none")));
  EXPECT_EQ(told(ticks_of("item,worker,label,is_gold\n1,p,x,1\n1,p,y,0\n")), "1 p: x y; ");
}

TEST(VoteColumn, is_the_one_that_is_named_or_none) {
  const std::string text = "item,worker,label,is_gold,value\n1,p,x,1,3\n1,p,y,0,2\n";
  AnnotationOptions options;
  options.value = "none";
  std::vector<std::string> notes;
  EXPECT_EQ(told(ticks_of(text, options, &notes)), "1 p: x y; ");
  EXPECT_THAT(notes, Contains(HasSubstr("columns that are not used: 2 (is_gold, value)")));
  options.value = "is_gold";
  EXPECT_EQ(told(ticks_of(text, options)), "1 p: x; ");
  options.value = "value";
  EXPECT_THAT(refusal([&] { ticks_of(text, options); }), HasSubstr("t:2: '3' in 'value'"));
}

TEST(VoteColumn, is_not_asked_for_beside_lists_of_labels) {
  std::vector<std::string> notes;
  EXPECT_EQ(told(ticks_of("item,reader,labels,unsure\n1,p,x|y,1\n1,q,x,0\n2,p,y,0\n", {}, &notes)),
            "1 p: x y; 1 q: x; 2 p: y; ");
  EXPECT_THAT(notes, Contains(HasSubstr("columns that are not used: 1 (unsure)")));
}

TEST(VoteColumn, may_lack_answers) {
  std::vector<std::string> notes;
  EXPECT_EQ(told(ticks_of("item,worker,label,value\n1,p,x,1\n1,p,y,0\n1,q,x,\n", {}, &notes)),
            "1 p: x; ");
  EXPECT_THAT(notes, Contains(HasSubstr("1 lines without an answer in 'value' were left out")));
}

TEST(LongAnnotations, name_columns_that_are_not_used) {
  std::vector<std::string> notes;
  ticks_of("item,worker,label,seconds,comment\n1,p,x,3.5,hm\n1,q,,4,\n", {}, &notes);
  EXPECT_THAT(notes, ElementsAre(HasSubstr("columns that are not used: 2 (seconds, comment)")));
}

// ---- tables without names ----------------------------------------------------------------------

TEST(UnnamedAnnotations, of_numbers_are_cekaplus_by_their_name_alone) {
  MemoryFiles files({{"a.resp", "1,10,1,2\n2,10,1,1\n"}, {"b.resp", "1 10 3\n"}});
  EXPECT_EQ(told(read_annotations({.path = "a.resp"}, files)), "10 1: 1; 10 2:; ");
  EXPECT_THAT(refusal([] { ticks_of("1,10,1,2\n2,10,1,1\n"); }),
              AllOf(HasSubstr("a table of 4 numbers per line does not say what they are"),
                    HasSubstr("ticks.format=cekaplus"),
                    HasSubstr("ticks.columns=item,annotator,label,value")));
  EXPECT_THAT(refusal([] { ticks_of("1 10 3\n2 10 4\n"); }),
              AllOf(HasSubstr("a table of 3 numbers"), HasSubstr("a first line with the names")));
}

TEST(UnnamedAnnotations, are_read_by_the_names_that_are_given) {
  AnnotationOptions options;
  options.columns = {"item", "annotator", "label", "value"};
  EXPECT_EQ(told(ticks_of("1,10,3,1\n1,11,3,0\n2,10,4,1\n", options)), "1 10: 3; 1 11:; 2 10: 4; ");
  options.columns = {"item", "annotator"};
  EXPECT_THAT(refusal([&] { ticks_of("1,10,3,1\n", options); }),
              HasSubstr("more fields than there are names, 2"));
}

}  // namespace
}  // namespace sieve::test
