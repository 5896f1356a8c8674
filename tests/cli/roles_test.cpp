#include <nlohmann/json.hpp>

#include <map>

#include "cli.h"

// What columns are, guessed once, confirmed, and read by every verb.
namespace sieve::test {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;

class Roles : public Cli {
 protected:
  // By column, data and annotations apart.
  using ByColumn = std::map<std::string, std::string>;
  ByColumn roles(const json& told, const std::string& of = "data") const {
    ByColumn all;
    for (const json& column : told["roles"])
      if (column["of"] == of) all[column["column"]] = column["role"];
    return all;
  }
  json inspect(std::vector<std::string> words) const {
    words.insert(words.begin(), {"inspect", "--json", "--force", "--roles", "roles.toml"});
    const Ran ran = sieve(words);
    EXPECT_EQ(ran.code, 0) << ran.err;
    return ran.code == 0 ? json::parse(ran.out) : json();
  }
  void write_tickets() const {
    write("tickets.csv",
          "ticket_id,opened,text,photo,size,queue,tags\n"
          "t1,2024-05-01,the printer does not print,a.png,1.5,north,hardware|mail\n"
          "t2,2024-05-02,cannot log in to mail,b.png,2.5,south,mail\n"
          "t3,2024-05-03,printer jam again today,c.png,0.5,north,hardware\n"
          "t4,2024-05-04,mail is not sent out,d.png,1.0,south,mail|account\n"
          "t5,2024-05-05,please reset my password,e.png,3.0,north,account\n"
          "t6,2024-05-06,a new password for mail,f.png,2.0,south,account|mail\n");
  }
};

TEST_F(Roles, of_a_table_are_told_from_names_and_contents_with_the_reason) {
  write_tickets();
  const json told = inspect({"tickets.csv", "--date-column", "opened"});
  EXPECT_EQ(roles(told), (ByColumn{{"ticket_id", "id"},
                                   {"opened", "date"},
                                   {"text", "text"},
                                   {"photo", "image"},
                                   {"size", "number"},
                                   {"queue", "category"},
                                   {"tags", "labels"}}))
      << told.dump(1);
  EXPECT_TRUE(told["unclear"].empty()) << told.dump(1);
  for (const json& column : told["roles"]) EXPECT_NE(column["reason"], "");
  const std::string file = read("roles.toml");
  EXPECT_THAT(file, AllOf(HasSubstr("[data]\n"), HasSubstr("'label-separator' = '|'")));
}

TEST_F(Roles, are_read_by_other_verbs) {
  write_tickets();
  inspect({"tickets.csv", "--date-column", "opened"});
  const Ran ran = sieve({"inspect", "--json", "tickets.csv", "--roles", "roles.toml"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(json::parse(ran.out)["labels"], 3) << ran.out;
  const Ran trained = sieve({"train", "tickets.csv", "--roles", "roles.toml", "--out", "m",
                             "--method", "mlp", "--set", "epochs=1,members=1,depth=1"});
  EXPECT_EQ(trained.code, 0) << trained.err;
  EXPECT_EQ(sieve({"predict", "m", "tickets.csv", "--roles", "roles.toml"}).code, 0);
}

TEST_F(Roles, that_are_unclear_are_listed_at_once_with_a_command_that_settles_them) {
  write("rows.csv",
        "id,code,day,tags\n"
        "1,x1y,2024-05-01,a;b\n2,x2y,2024-05-02,b\n3,x3y,2024-05-03,a\n4,x4y,2024-05-04,b;a\n");
  const json told = inspect({"rows.csv"});
  EXPECT_EQ(told["unclear"].size(), 2) << told.dump(1);
  EXPECT_EQ(roles(told)["code"], "?");
  EXPECT_EQ(roles(told)["day"], "?");
  EXPECT_THAT(read("roles.toml"), HasSubstr("'code' = '?'"));
  const Ran refused = sieve({"inspect", "rows.csv", "--roles", "roles.toml"});
  EXPECT_EQ(refused.code, 3);
  EXPECT_THAT(refused.err, AllOf(HasSubstr("still unclear"), HasSubstr("code"), HasSubstr("day")));
  const std::string command = told["command"];
  EXPECT_THAT(command, AllOf(HasSubstr("--date-column day"), HasSubstr("--text-column code")));
  const json settled = inspect({"rows.csv", "--date-column", "day", "--text-column", "code"});
  EXPECT_TRUE(settled["unclear"].empty()) << settled.dump(1);
}

TEST_F(Roles, of_annotations_know_readers_raters_coders_users_and_addresses) {
  for (const std::string who : {"reader", "rater", "coder", "user", "assigned_to", "email"}) {
    write("votes.csv", "item," + who + ",label\np1,ann,sea\np1,bob,sea\np2,ann,wood\np2,bob,sea\n");
    const json told = inspect({"--annotations", "votes.csv"});
    EXPECT_EQ(roles(told, "annotations"),
              (ByColumn{{"item", "id"}, {who, "annotator"}, {"label", "labels"}}))
        << told.dump(1);
    const Ran ran = sieve({"agree", "--annotations", "votes.csv", "--roles", "roles.toml"});
    EXPECT_EQ(ran.code, 0) << who << ran.err;
  }
}

TEST_F(Roles, of_three_columns_the_one_that_repeats_and_lists_no_labels_is_that_of_annotators) {
  write("votes.csv",
        "item,xyz,label\np1,ann,sea\np1,bob,sea\np2,cy,wood\np2,bob,sea\np3,ann,sea\np3,cy,wood\n");
  const Ran ran = sieve({"agree", "--annotations", "votes.csv"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.err, HasSubstr("'xyz' says who annotated"));
}

TEST_F(Roles, one_annotator_for_all_is_refused_unless_confirmed) {
  write("ticks.csv", "item,label\np1,sea\np1,wood\np2,sea\n");
  const Ran refused = sieve({"inspect", "--annotations", "ticks.csv"});
  EXPECT_EQ(refused.code, 3);
  EXPECT_THAT(refused.err,
              AllOf(HasSubstr("cannot tell who annotated"), HasSubstr("--annotator-column none")));
  EXPECT_EQ(sieve({"inspect", "--annotations", "ticks.csv", "--annotator-column", "none"}).code, 0);
  const json told = inspect({"--annotations", "ticks.csv"});
  EXPECT_EQ(told["unclear"].size(), 1) << told.dump(1);
}

TEST_F(Roles, every_verb_asks_all_it_has_to_ask_at_once) {
  write("votes.csv",
        "photo,batch,who,rating,label\n"
        "p1,1,ann,high,sea\np1,1,bob,low,none\np2,1,ann,high,wood\np2,2,bob,low,sea\n"
        "p3,2,ann,low,sea\np3,2,bob,high,wood\n");
  const Ran ran = sieve({"agree", "--annotations", "votes.csv"});
  EXPECT_EQ(ran.code, 3);
  EXPECT_THAT(ran.err, AllOf(HasSubstr("things are unclear"), HasSubstr("--vote-column"),
                             HasSubstr("--annotator-column"), HasSubstr("--empty-words")))
      << ran.err;
}

TEST_F(Roles, say_no_more_than_a_file_of_roles_can) {
  write("rows.csv", "id,a,b\n1,2,1\n2,3,0\n");
  const auto refused = [&](const std::string& text) {
    write("roles.toml", text);
    const Ran ran = sieve({"inspect", "rows.csv", "--roles", "roles.toml"});
    EXPECT_EQ(ran.code, 2) << ran.err;
    return ran.err;
  };
  EXPECT_THAT(refused("[data]\nid = \"idd\"\n"),
              AllOf(HasSubstr("roles.toml:2"), HasSubstr("idd")));
  EXPECT_THAT(refused("[rows]\nid = \"id\"\n"), HasSubstr("[annotations]"));
  EXPECT_THAT(refused("[data]\nid = \"id\"\na = \"id\"\n"), HasSubstr("several columns"));
  EXPECT_THAT(refused("[data]\na = \"annotator\"\n"), HasSubstr("annotator"));
  EXPECT_THAT(refused("[settings]\nnonsense = \"1\"\n"), HasSubstr("nonsense"));
  EXPECT_THAT(refused("[data\n"), HasSubstr("roles.toml"));
}

TEST_F(Roles, give_way_to_flags) {
  write("rows.csv", "id,a,b\n1,2,1\n2,3,0\n");
  write("roles.toml", "[data]\nid = \"id\"\na = \"number\"\nb = \"ignore\"\n");
  const Ran ran =
      sieve({"inspect", "--json", "rows.csv", "--roles", "roles.toml", "--label-names", "b"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(json::parse(ran.out)["labels"], 1);
}

TEST_F(Roles, are_refused_where_columns_have_no_names) {
  write("rows.svm", "1 1:0.5\n0 2:1\n");
  const Ran ran = sieve({"inspect", "rows.svm", "--roles", "roles.toml"});
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err, HasSubstr("no names"));
}

}  // namespace
}  // namespace sieve::test
