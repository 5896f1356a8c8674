#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "csv_support.h"
#include "data/ids.h"
#include "labelsieve/data_io.h"
#include "support/support.h"

namespace sieve {
namespace {

using test::csv_text;
using test::from_csv;
using test::labels_of;
using test::refusal;
using test::TempFolder;
using test::write_file;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

ReadOptions with_ids(const std::string& column) {
  ReadOptions options;
  options.id_column = column;
  return options;
}

TEST(Ids, are_read_from_the_column_that_is_named) {
  const Dataset data = from_csv("a,who,label:x\n1,b c,0\n2,\"q\"\"\n,z\",1\n", with_ids("who"));
  EXPECT_THAT(data.ids, ElementsAre("b c", "q\"\n,z"));
  EXPECT_THAT(data.feature_names, ElementsAre("a"));
  EXPECT_EQ(data.candidates, labels_of({"0", "1"}));
}

TEST(Ids, are_in_the_first_column_without_a_name_unless_it_counts_the_rows) {
  for (const std::string name : {"", "Unnamed: 0"}) {
    std::vector<std::string> notes;
    ReadOptions options;
    options.notes = &notes;
    EXPECT_THAT(from_csv(name + ",a,label:x\nu7,1,0\nu8,2,1\n", options).ids,
                ElementsAre("u7", "u8"));
    notes.clear();
    const Dataset counted = from_csv(name + ",a,label:x\n3,1,0\n5,2,1\n", options);
    EXPECT_THAT(counted.ids, IsEmpty());
    EXPECT_THAT(counted.feature_names, ElementsAre("a"));
    EXPECT_THAT(notes, ElementsAre(HasSubstr("column 1 has no name and numbers the rows")));
    EXPECT_THAT(from_csv(name + ",a,label:x\n3,1,0\n3,2,1\n").feature_names,
                ElementsAre("Unnamed: 0", "a"));
    EXPECT_THAT(from_csv(name + ",id,label:x\n0,u7,0\n1,u8,1\n").ids, ElementsAre("u7", "u8"));
  }
}

TEST(Ids, that_repeat_among_many_are_the_first_that_do) {
  std::vector<std::string> ids(100000);
  for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = "row " + std::to_string(i);
  EXPECT_NO_THROW(check_ids(ids, "x.csv"));
  for (const std::size_t i : {99999U, 70000U, 60001U}) {
    ids[i] = ids[i / 2];
    EXPECT_THAT(refusal([&] { check_ids(ids, "x.csv"); }),
                HasSubstr("rows " + std::to_string(i / 2) + " and " + std::to_string(i) +
                          " (from 0) have the same id"));
  }
  EXPECT_NO_THROW(check_ids({}, "x.csv"));
}

TEST(Ids, may_stand_in_any_column) {
  EXPECT_THAT(from_csv("label:x,a,id\n1,2,p\n0,3,q\n").ids, ElementsAre("p", "q"));
  EXPECT_THAT(from_csv("label:x,a,id\r\n1,2,p\r\n0,3,q\r\n").ids, ElementsAre("p", "q"));
  EXPECT_THAT(from_csv("id,a,label:x\n p ,2,1\nq,3,0").ids, ElementsAre("p", "q"));
}

TEST(Ids, are_guessed_from_a_plain_name_and_said) {
  for (const char* name : {"id", "ID", "item_id", "_unit_id", "taskId", "task", "file"}) {
    std::vector<std::string> notes;
    ReadOptions options;
    options.notes = &notes;
    const Dataset data = from_csv("a," + std::string(name) + ",label:x\n1,u7,0\n2,u8,1\n", options);
    EXPECT_THAT(data.ids, ElementsAre("u7", "u8")) << name;
    EXPECT_THAT(notes,
                ElementsAre(HasSubstr("took column '" + std::string(name) + "' as the ids")));
  }
}

TEST(Ids, are_numbers_too_where_the_name_leaves_no_doubt) {
  EXPECT_THAT(from_csv("id,a,label:x\n17,1,0\n4,2,1\n").ids, ElementsAre("17", "4"));
  EXPECT_THAT(from_csv("item,a,label:x\n17,1,0\n4,2,1\n").ids, IsEmpty());
}

TEST(Ids, are_not_guessed_where_somebody_says_what_the_column_is) {
  const std::string text = "name,a,label:x\nred cap,1,0\nred hat,2,1\n";
  EXPECT_THAT(from_csv(text).ids, ElementsAre("red cap", "red hat"));
  ReadOptions options;
  options.table.text = {"name"};
  const Dataset data = from_csv(text, options);
  EXPECT_THAT(data.ids, IsEmpty());
  options = {};
  options.recipe = data.recipe;
  ASSERT_TRUE(options.recipe);
  EXPECT_THAT(from_csv(text, options).ids, IsEmpty());
  options = {};
  options.table.ignore = {"name"};
  EXPECT_THAT(from_csv(text, options).ids, IsEmpty());
}

TEST(Ids, are_not_guessed_where_values_repeat_or_are_asked_to_be_features) {
  EXPECT_THAT(from_csv("id,a,label:x\n17,1,0\n17,2,1\n").ids, IsEmpty());
  EXPECT_THAT(from_csv("id,a,label:x\n1,1,0\n2,2,1\n", with_ids("")).ids, IsEmpty());
  ReadOptions options;
  options.known_features = {"id"};
  EXPECT_THAT(from_csv("id,a,label:x\n1,1,0\n2,2,1\n", options).ids, IsEmpty());
}

TEST(Ids, that_repeat_are_told_of) {
  std::vector<std::string> notes;
  ReadOptions options;
  options.notes = &notes;
  from_csv("id,a,label:x\n17,1,0\n17,2,1\n", options);
  EXPECT_THAT(notes, ElementsAre(HasSubstr("column 'id' is named like an id, but some values "
                                           "repeat or are missing")));
}

TEST(Ids, prefer_the_column_named_id) {
  EXPECT_THAT(from_csv("unit_id,id,label:x\n1,a,0\n2,b,1\n").ids, ElementsAre("a", "b"));
}

TEST(Ids, twice_are_refused_with_both_rows) {
  EXPECT_THAT(refusal([] { from_csv("k,label:x\na,1\nb,0\na,1\n", with_ids("k")); }),
              HasSubstr("rows 0 and 2 (from 0) have the same id, 'a'"));
}

TEST(Ids, that_are_missing_are_refused_with_their_place) {
  EXPECT_THAT(refusal([] { from_csv("k,label:x\na,1\n,0\n", with_ids("k")); }),
              HasSubstr("t.csv:3:1: no id in column 1 ('k')"));
  EXPECT_THAT(refusal([] { from_csv("k,label:x\na,1\n", with_ids("kk")); }),
              HasSubstr("there is no column named 'kk'"));
}

TEST(Ids, cannot_be_labels_at_once) {
  EXPECT_THAT(refusal([] { from_csv("k,label:x\n1,1\n2,0\n", with_ids("label:x")); }),
              HasSubstr("cannot hold both ids and labels"));
}

TEST(Ids, are_written_first_and_read_back) {
  Dataset data = from_csv("a,label:x\n1,0\n2,1\n");
  data.ids = {"x,1", " y"};
  EXPECT_EQ(csv_text(data), "id,a,label:x\n\"x,1\",1,0\n\" y\",2,1\n");
  EXPECT_TRUE(same_content(from_csv(csv_text(data)), data));
  data.feature_names = {"id"};
  EXPECT_THAT(refusal([&] { csv_text(data); }), HasSubstr("a feature has the name 'id'"));
}

TEST(Ids, come_with_blocks_of_features) {
  const TempFolder folder;
  std::string text = "id,a,label:x\n";
  for (int i = 0; i < 5000; ++i) text += "r" + std::to_string(i) + ",1,0\n";
  write_file(folder / "t.csv", text);
  write_dataset(read_dataset({folder / "t.csv"}), folder / "t.sieve");
  for (const char* name : {"t.csv", "t.sieve"}) {
    std::vector<std::string> ids;
    read_features({folder / name}, {}, [&](FeatureBlock& block) {
      return
          [&ids, of_block = block.ids] { ids.insert(ids.end(), of_block.begin(), of_block.end()); };
    });
    ASSERT_EQ(ids.size(), 5000u) << name;
    EXPECT_EQ(ids[4999], "r4999");
  }
}

TEST(Ids, join_the_truth_to_the_data) {
  const TempFolder folder;
  write_file(folder / "truth.csv", "id,x,y\nc,1,1\nb,0,1\na,1,0\n");
  Dataset data = from_csv("id,f,label:x,label:y\na,1,1,1\nc,2,1,1\n");
  read_truth(data, folder / "truth.csv", {});
  EXPECT_EQ(*data.truth, labels_of({"10", "11"}));
  data.ids = {"a", "d"};
  EXPECT_THAT(refusal([&] { read_truth(data, folder / "truth.csv", {}); }),
              HasSubstr("no rows with the ids of the data: 1 (d)"));
}

TEST(Ids, join_scores_to_the_rows) {
  const TempFolder folder;
  write_file(folder / "s.csv", "id,row,score:x\nb,0,0.25\na,1,0.75\n");
  const std::vector<std::string> ids = {"a", "b"};
  const MatrixD scores = read_scores(folder / "s.csv", {"x"}, {2, ids});
  EXPECT_EQ(scores(0, 0), 0.75);
  EXPECT_EQ(scores(1, 0), 0.25);
  EXPECT_EQ(read_scores(folder / "s.csv", {"x"}, {2})(0, 0), 0.25);
}

TEST(Ids, and_votes_survive_the_binary_file_also_where_labels_change_order) {
  Dataset data = from_csv("id,a,label:x,label:y\np,1,0,1\nq,2,1,0\n");
  VoteCollector said;
  said.tick(0, 1, 1);
  said.annotate(0, 0);
  said.tick(1, 0, 0);
  data.votes = std::make_shared<const Votes>(said.finish(2, {"ann", "bob"}));
  const TempFolder folder;
  write_dataset(data, folder / "t.sieve");
  EXPECT_TRUE(same_content(read_dataset({folder / "t.sieve"}), data));
  order_labels(data, {"y", "x"});
  EXPECT_EQ(data.votes->ticked(1)[0], 0u);
  EXPECT_EQ(data.votes->ticked(2)[0], 1u);
}

TEST(Ids, say_what_a_format_does_not_hold) {
  Dataset data = from_csv("id,a,label:x\np,1,0\nq,2,1\n");
  EXPECT_THAT(lost_by_writing(data, "t.csv"), IsEmpty());
  EXPECT_THAT(lost_by_writing(data, "t.arff"), ElementsAre(HasSubstr("holds no ids")));
}

TEST(Csv, the_same_file_twice_is_noted) {
  const TempFolder folder;
  write_file(folder / "t.csv", "a,label:x\n1,0\n2,1\n");
  std::vector<std::string> notes;
  ReadOptions options;
  options.notes = &notes;
  EXPECT_EQ(read_dataset({folder / "t.csv", folder / "t.csv"}, options).rows(), 4u);
  EXPECT_THAT(notes, ElementsAre(HasSubstr("is given twice")));
}

TEST(Csv, a_list_that_was_not_split_is_noted) {
  std::vector<std::string> notes;
  ReadOptions options;
  options.notes = &notes;
  options.labels.column = "tags";
  from_csv("f,tags\n1,cat|dog\n2,cat\n3,\n", options);
  EXPECT_THAT(notes, ElementsAre(HasSubstr("look like an unsplit list: 1 (cat|dog)")));
  options.labels.separator = "|";
  notes.clear();
  EXPECT_THAT(from_csv("f,tags\n1,cat|dog\n2,cat\n", options).label_names,
              ElementsAre("cat", "dog"));
  EXPECT_THAT(notes, IsEmpty());
  options.labels.separator = " and ";
  EXPECT_THAT(from_csv("f,tags\n1,cat and dog\n2,cat\n", options).label_names,
              ElementsAre("cat", "dog"));
}

TEST(Csv, labels_are_yes_and_no_too) {
  EXPECT_EQ(from_csv("label:x,label:y\nyes,No\nNO,YES\n").candidates, labels_of({"10", "01"}));
}

}  // namespace
}  // namespace sieve
