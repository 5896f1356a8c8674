// Roles of columns that are corrected one by one, as the Data screen does it.
#include "data/roles/roles_file.h"

#include <gmock/gmock.h>

#include <fstream>

#include "review_set.h"

namespace sieve::test {
namespace {

class Draft : public ::testing::Test {
 protected:
  RoleDraft draft() {
    std::ofstream(folder_ / "rows.csv") << "task,text,code\n"
                                           "a,waves on the beach,x1y\nb,snow on the hill,x2y\n"
                                           "c,trams in the city,x3y\nd,fog over the lake,x4y\n";
    std::ofstream(folder_ / "ticks.csv") << "task,worker,label\na,w1,sea\nb,w1,hill\nc,w2,city\n"
                                            "d,w2,sea\na,w2,sea\nb,w2,hill\n";
    ReadOptions options;
    options.threads = &pool_;
    options.ticks.path = folder_ / "ticks.csv";
    return {{folder_ / "rows.csv"}, options, {}};
  }
  static std::string role_of(const RoleDraft& draft, const std::string& column) {
    for (const ColumnRole& one : draft.table().columns)
      if (one.column == column && !one.of_annotations) return one.role;
    return "none";
  }

  TempFolder folder_;
  ThreadPool pool_{1};
};

TEST_F(Draft, the_column_that_annotations_name_their_items_by_has_the_ids) {
  EXPECT_EQ(role_of(draft(), "task"), "id");
}

TEST_F(Draft, a_role_answers_what_was_unclear) {
  RoleDraft one = draft();
  ASSERT_FALSE(one.is_clear());
  EXPECT_EQ(role_of(one, "code"), kUnclearRole);
  one.correct("code", false, "ignore");
  EXPECT_TRUE(one.is_clear());
  EXPECT_EQ(role_of(one, "code"), "ignore");
  EXPECT_EQ(one.table().annotators, 2U);
  // The file says the same.
  std::ofstream(folder_ / "roles.toml") << one.text();
  ReadSettings all;
  apply_roles(folder_ / "roles.toml", all, {});
  EXPECT_EQ(all.options.table.ignore, std::vector<std::string>{"code"});
  EXPECT_EQ(all.options.id_column, "task");
  EXPECT_TRUE(read_beside_roles(folder_ / "roles.toml").has_columns);
}

TEST_F(Draft, an_answer_is_one_of_those_that_the_question_has) {
  RoleDraft one = draft();
  EXPECT_THROW(one.answer(1, 0), Error);
  EXPECT_THROW(one.answer(0, 99), Error);
  one.answer(0, 0);
  EXPECT_TRUE(one.is_clear());
  EXPECT_NE(role_of(one, "code"), kUnclearRole);
}

TEST_F(Draft, annotations_that_nobody_can_read_are_told_column_by_column) {
  std::ofstream(folder_ / "rows.csv") << "clip,text\na.wav,waves on the beach\nb.wav,snow falls\n"
                                         "c.wav,trams in the city\n";
  std::ofstream(folder_ / "ticks.csv") << "clip,worker,labels\na.wav,w1,sea\nb.wav,w1,hill\n"
                                          "c.wav,w1,sea\na.wav,w2,sea\nb.wav,w2,hill\n";
  ReadOptions options;
  options.threads = &pool_;
  options.ticks.path = folder_ / "ticks.csv";
  RoleDraft one({folder_ / "rows.csv"}, options, {});
  if (one.is_clear()) GTEST_SKIP() << "the reader knows this name now";
  one.correct("clip", true, "id");
  EXPECT_TRUE(one.is_clear());
  EXPECT_EQ(role_of(one, "clip"), "id");
  EXPECT_EQ(one.table().annotations, 5U);
}

TEST_F(Draft, a_role_that_cannot_be_is_refused_and_nothing_changes) {
  RoleDraft one = draft();
  one.correct("code", false, "ignore");
  EXPECT_THROW(one.correct("text", false, "number"), Error);
  EXPECT_THROW(one.correct("text", false, "id"), Error) << "two columns of ids";
  EXPECT_EQ(role_of(one, "text"), "text");
  EXPECT_TRUE(one.is_clear());
}

}  // namespace
}  // namespace sieve::test
