#include "labelsieve/ticks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zip.h>

#include "csv_support.h"
#include "labelsieve/data_io.h"
#include "support/bad_text.h"
#include "support/support.h"

namespace sieve {
namespace {

using test::BadText;
using test::from_csv;
using test::labels_of;
using test::MemoryFiles;
using test::MemoryOutput;
using test::refusal;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

Ticks ticks_of(const std::string& text, TickOptions options = {},
               std::vector<std::string>* notes = nullptr) {
  MemoryFiles files({{"t", text}});
  options.path = "t";
  return read_ticks(options, files, notes);
}

// "item person: label label; ..." in the order of items, people and labels.
std::string told(const Ticks& ticks) {
  std::string out;
  for (std::size_t item = 0; item < ticks.items.size(); ++item)
    for (std::size_t look = ticks.votes.first_look(item); look < ticks.votes.first_look(item + 1);
         ++look) {
      out += ticks.items[item] + " " + ticks.votes.people()[ticks.votes.person(look)] + ":";
      for (const std::uint32_t label : ticks.votes.ticked(look)) out += " " + ticks.labels[label];
      out += "; ";
    }
  return out;
}

// ---- layouts -----------------------------------------------------------------------------------

TEST(JoinedTicks, choose_the_rows_that_a_recipe_learns_from) {
  MemoryFiles files({{"x.csv", "id,age\na,1\nb,2\nc,3\nd,\n"},
                     {"t.csv", "item,person,label\nb,ann,sea\nc,ann,sky\nd,ann,sea\n"}});
  ReadOptions options;
  options.files = &files;
  options.ticks.path = "t.csv";
  const Dataset all = read_dataset({"x.csv"}, options);
  EXPECT_THAT(all.ids, ElementsAre("b", "c", "d"));
  ASSERT_TRUE(all.recipe);
  EXPECT_EQ(all.recipe->rows, 3u);
  options.learn_from = [](const Dataset& data) {
    EXPECT_THAT(data.ids, ElementsAre("b", "c", "d"));
    EXPECT_EQ(data.candidates, labels_of({"10", "01", "10"}));
    return std::vector<std::size_t>{1};
  };
  const Dataset one = read_dataset({"x.csv"}, options);
  EXPECT_EQ(one.recipe->rows, 1u);
  EXPECT_EQ(one.recipe->columns[0].fill, 3);
}

TEST(LongTicks, are_one_tick_a_line) {
  std::vector<std::string> notes;
  const Ticks ticks =
      ticks_of("task,worker,label\nt1,ann,sea\nt2,bob,sky\nt1,ann,boat\nt1,bob,sea\n", {}, &notes);
  EXPECT_EQ(told(ticks), "t1 ann: boat sea; t1 bob: sea; t2 bob: sky; ");
  EXPECT_THAT(ticks.labels, ElementsAre("boat", "sea", "sky"));
  EXPECT_THAT(notes, Contains(HasSubstr("whoever ticked a label of an item looked at it")));
}

TEST(LongTicks, tell_of_people_who_ticked_nothing) {
  std::vector<std::string> notes;
  EXPECT_EQ(told(ticks_of("item_id,annotator,label\nt1,ann,sea\nt1,bob,\n", {}, &notes)),
            "t1 ann: sea; t1 bob:; ");
  EXPECT_THAT(notes, IsEmpty());
}

TEST(LongTicks, take_the_looks_from_a_file_of_their_own) {
  MemoryFiles files({{"t", "item,person,label\na,ann,x\n"}, {"l", "item,person\na,bob\nb,bob\n"}});
  std::vector<std::string> notes;
  TickOptions options;
  options.path = "t", options.looked = "l";
  EXPECT_EQ(told(read_ticks(options, files, &notes)), "a ann: x; a bob:; b bob:; ");
  EXPECT_THAT(notes, IsEmpty());
}

TEST(LongTicks, may_list_several_labels_with_a_separator_that_is_found_or_given) {
  std::vector<std::string> notes;
  EXPECT_EQ(told(ticks_of("task\tperformer\tlabels\n1\ta\tx|y\n1\tb\ty\n2\ta\t\n", {}, &notes)),
            "1 a: x y; 1 b: y; 2 a:; ");
  EXPECT_THAT(notes, ElementsAre(HasSubstr("separated by '|'")));
  TickOptions options;
  options.separator = ", ";
  EXPECT_EQ(told(ticks_of("task,worker,answer\n1,a,\"x, y\"\n", options)), "1 a: x y; ");
  EXPECT_EQ(told(ticks_of("task,worker,answer\n1,a,\"x, y\"\n")), "1 a: x, y; ");
}

TEST(LongTicks, know_lists_of_json_and_python) {
  EXPECT_EQ(told(ticks_of("task,worker,labels\n1,a,\"[\"\"x\"\", \"\"y, z\"\"]\"\n"
                          "1,b,\"['x', 'it\\'s']\"\n1,c,[]\n")),
            "1 a: x y, z; 1 b: it's x; 1 c:; ");
}

TEST(LongTicks, do_not_cut_the_labels_of_a_list) {
  std::vector<std::string> notes;
  EXPECT_EQ(told(ticks_of("{\"item\": 1, \"annotator\": \"a\", \"label\": [\"x|y\", \"z\"]}\n"
                          "{\"item\": 1, \"annotator\": \"b\", \"label\": \"x|y\"}\n"
                          "{\"item\": 1, \"annotator\": \"c\", \"label\": [\"z\"]}\n",
                          {}, &notes)),
            "1 a: x|y z; 1 b: x|y; 1 c: z; ");
  EXPECT_THAT(notes, IsEmpty());
}

TEST(LongTicks, come_as_json_lines_too) {
  EXPECT_EQ(told(ticks_of("{\"item\": 7, \"annotator\": \"ann\", \"label\": [\"x\", \"y\"]}\n\n"
                          "{\"item\": 8, \"annotator\": 3, \"label\": null}\n")),
            "7 ann: x y; 8 3:; ");
}

TEST(LongTicks, go_by_the_columns_that_are_named) {
  TickOptions options;
  options.item = "a", options.person = "b", options.label = "c";
  EXPECT_EQ(told(ticks_of("a,b,c,label\n1,p,x,no\n", options)), "1 p: x; ");
  TickOptions only_item;
  only_item.item = "photo";
  EXPECT_EQ(told(ticks_of("photo,annotator,label\n1,p,x\n", only_item)), "1 p: x; ");
  options.label = "d";
  int code = 0;
  EXPECT_THAT(refusal([&] { ticks_of("a,b,c\n1,p,x\n", options); }, &code),
              HasSubstr("the ticks have no column 'd'"));
  EXPECT_EQ(code, 2);
}

TEST(LongTicks, without_people_are_those_of_one) {
  std::vector<std::string> notes;
  EXPECT_EQ(told(ticks_of("item,label\n1,x\n1,y\n", {}, &notes)), "1 everyone: x y; ");
  EXPECT_THAT(notes, Contains(HasSubstr("no column of people")));
}

TEST(LongTicks, hold_names_with_every_quoting_trouble) {
  EXPECT_EQ(told(ticks_of("item,person,label\n\"a,1\",\"O \"\"Neil\"\"\",\"x\ny\"\n'b','q',x;y\n")),
            "a,1 O \"Neil\": x\ny; 'b' 'q': x;y; ");
}

TEST(WideTicks, have_a_column_per_label) {
  std::vector<std::string> notes;
  EXPECT_EQ(told(ticks_of("text,id,rater_id,joy,anger\nhi,e1,7,1,0\nhi,e1,8,0,0\nho,e2,7,1,1\n", {},
                          &notes)),
            "e1 7: joy; e1 8:; e2 7: anger joy; ");
  EXPECT_THAT(notes, Contains(HasSubstr("2 columns of 0 and 1 are labels")));
}

TEST(CekaPlusTicks, are_numbers) {
  EXPECT_EQ(told(ticks_of("1\t10\t1\t2\n1\t10\t2\t1\n2\t10\t1\t1\n2\t10\t2\t0\n")),
            "10 1: 1; 10 2:; ");
  EXPECT_EQ(told(ticks_of("1 10 3\n2 10 4\n")), "10 1: 3; 10 2: 4; ");
  EXPECT_THAT(refusal([] { ticks_of("1 10 1 2\n1 10 2 3\n"); }), HasSubstr("t:2: the value 3"));
}

TEST(MturkTicks, have_a_header_longer_than_the_rows_and_leave_out_rejected_work) {
  const std::string text =
      "HITId,AssignmentId,WorkerId,AssignmentStatus,Input.doc_id,Answer.Q1,Answer.why,Approve,"
      "Reject\nH1,A1,W1,Approved,d1,x|y,because\nH1,A2,W2,Rejected,d1,y,so\nH2,A3,W1,Approved,d2,"
      "y,no\n";
  std::vector<std::string> notes;
  EXPECT_EQ(told(ticks_of(text, {}, &notes)), "d1 W1: x y; d2 W1: y; ");
  EXPECT_THAT(notes, AllOf(Contains(HasSubstr("named by 'Input.doc_id'")),
                           Contains(HasSubstr("those in 'Answer.Q1'")),
                           Contains(HasSubstr("1 rejected or cancelled"))));
  TickOptions options;
  options.all_people = true, options.item = "HITId";
  EXPECT_EQ(told(ticks_of(text, options)), "H1 W1: x y; H1 W2: y; H2 W1: y; ");
}

TEST(CrowdFlowerTicks, stand_in_brackets_or_on_lines) {
  EXPECT_EQ(told(ticks_of("_unit_id,_worker_id,_tainted,why,relations\n5,w1,false,[1,[A] [B C]\n"
                          "5,w2,true,no,[A]\n6,w1,false,,[NONE]\n")),
            "5 w1: A B C; 6 w1: NONE; ");
  EXPECT_EQ(told(ticks_of("_unit_id,_worker_id,q\n5,w1,\"A\nB\"\n5,w2,A\n")),
            "5 w1: A B; 5 w2: A; ");
}

TEST(LabelStudioTicks, are_annotations_of_tasks) {
  const std::string text = R"([{"id": 4, "data": {"text": "hi"}, "annotations": [
    {"completed_by": 1, "result": [{"from_name": "q", "to_name": "text", "type": "choices",
      "value": {"choices": ["x", ["a", "b"]]}}, {"from_name": "r", "type": "rating", "value": {}}]},
    {"completed_by": {"id": 2, "email": "bo@x.org"}, "result": []},
    {"completed_by": 3, "was_cancelled": true, "result": []}]},
   {"id": 5, "data": {"text": "ho"}, "completions": [], "annotations": []}])";
  std::vector<std::string> notes;
  EXPECT_EQ(told(ticks_of(text, {}, &notes)), "4 1: a/b x; 4 bo@x.org:; ");
  EXPECT_THAT(notes, ElementsAre(HasSubstr("1 rejected or cancelled")));
}

TEST(LabelStudioTicks, go_by_an_id_in_the_data) {
  const std::string text =
      R"([{"id":4,"data":{"img_id":"i9"},"annotations":[{"completed_by":1,"result":[]}]}])";
  EXPECT_EQ(told(ticks_of(text)), "i9 1:; ");
}

TEST(LabelStudioTicks, of_two_questions_want_a_choice) {
  const std::string text = R"([{"id":4,"data":{},"annotations":[{"completed_by":1,"result":[
    {"from_name":"q","type":"choices","value":{"choices":["x"]}},
    {"from_name":"r","type":"choices","value":{"choices":["y"]}}]}]}])";
  EXPECT_THAT(refusal([&] { ticks_of(text); }), HasSubstr("several questions: 'q' and 'r'"));
  TickOptions options;
  options.label = "r";
  EXPECT_EQ(told(ticks_of(text, options)), "4 1: y; ");
}

TEST(LabelStudioTicks, come_in_short_as_json_and_csv) {
  EXPECT_EQ(told(ticks_of(R"([{"id":1,"text":"t","topic":"x","annotator":2,"annotation_id":9},
    {"id":1,"text":"t","topic":{"choices":["x","y"]},"annotator":3,"annotation_id":10}])")),
            "1 2: x; 1 3: x y; ");
  EXPECT_EQ(told(ticks_of("annotation_id,annotator,id,topic\n9,2,1,x\n"
                          "10,3,1,\"{\"\"choices\"\": [\"\"x\"\", \"\"y\"\"]}\"\n")),
            "1 2: x; 1 3: x y; ");
}

TEST(LabelStudioTicks, in_short_are_one_choice_where_they_are_a_text) {
  EXPECT_EQ(told(ticks_of("annotation_id,annotator,id,choice\n9,2,1,x|y\n10,3,1,x\n")),
            "1 2: x|y; 1 3: x; ");
}

TEST(ProdigyTicks, are_accepted_options_or_a_label) {
  EXPECT_EQ(
      told(ticks_of(
          R"({"text":"a","_input_hash":5,"accept":["X","Y"],"answer":"accept","_session_id":"db-ann"}
{"text":"a","_input_hash":5,"accept":["X"],"answer":"reject","_session_id":"db-bob"}
{"text":"a","_input_hash":5,"accept":[],"answer":"ignore","_session_id":"db-cy"}
)")),
      "5 db-ann: X Y; 5 db-bob:; ");
  EXPECT_EQ(told(ticks_of(R"({"text":"a","label":"X","answer":"accept","_annotator_id":"n"}
{"text":"b","label":"X","answer":"reject","_annotator_id":"n"}
)")),
            "a n: X; b n:; ");
}

TEST(DoccanoTicks, are_a_folder_with_a_file_per_person) {
  const test::TempFolder folder;
  test::write_file(folder / "ann.jsonl", R"({"id":1,"text":"t","label":["x","y"]})");
  test::write_file(folder / "bob.jsonl", R"({"id":1,"text":"t","label":[]})");
  EXPECT_EQ(told(read_ticks({.path = folder.path()})), "1 ann: x y; 1 bob:; ");
}

TEST(DoccanoTicks, have_their_notes_told_once) {
  const test::TempFolder folder;
  for (const char* name : {"ann.jsonl", "bob.jsonl"})
    test::write_file(folder / name, "{\"id\":1,\"label\":\"x|y\"}\n{\"id\":2,\"label\":\"x\"}\n");
  std::vector<std::string> notes;
  EXPECT_EQ(told(read_ticks({.path = folder.path()}, FileSystem::real(), &notes)),
            "1 ann: x y; 1 bob: x y; 2 ann: x; 2 bob: x; ");
  EXPECT_THAT(notes, ElementsAre(HasSubstr("separated by '|'")));
}

TEST(DoccanoTicks, may_come_in_a_zip_file) {
  const test::TempFolder folder;
  const std::string path = folder / "export.zip";
  int code = 0;
  zip_t* zip = zip_open(path.c_str(), ZIP_CREATE, &code);
  ASSERT_NE(zip, nullptr);
  const std::vector<std::pair<std::string, std::string>> members = {
      {"ann.jsonl", R"({"id":1,"text":"t","label":["x","y"]})"},
      {"bob.jsonl", R"({"id":1,"text":"t","label":[]})"}};
  for (const auto& [name, text] : members)
    zip_file_add(zip, name.c_str(), zip_source_buffer(zip, text.data(), text.size(), 0), 0);
  ASSERT_EQ(zip_close(zip), 0);
  EXPECT_EQ(told(read_ticks({.path = path})), "1 ann: x y; 1 bob:; ");
  test::write_file(path, test::read_file(path).substr(0, 60));
  EXPECT_THAT(refusal([&] { read_ticks({.path = path}); }), HasSubstr("ZIP file is damaged"));
}

TEST(HuggingFaceTicks, are_lists_of_numbers_or_names) {
  EXPECT_EQ(told(ticks_of(R"({"text":"t","labels":[3,14],"id":"e1"}
{"text":"u","labels":[],"id":"e2"}
)")),
            "e1 everyone: 14 3; e2 everyone:; ");
}

TEST(ArgillaTicks, stand_beside_their_users) {
  const std::string text =
      R"({"id":"r1","q.responses":[["x","y"],["x"],["y"]],"q.responses.users":["u1","u2","u3"],"q.responses.status":["submitted","submitted","discarded"],"q.suggestion":["x"]})";
  EXPECT_EQ(told(ticks_of(text)), "r1 u1: x y; r1 u2: x; ");
}

// ---- joined to data ----------------------------------------------------------------------------

Dataset features() {
  return from_csv("id,f\na,1\nb,2\nc,3\n", [] {
    ReadOptions options;
    options.labels.optional = true;
    return options;
  }());
}

TEST(JoinedTicks, go_to_the_rows_with_their_id) {
  Dataset data = features();
  std::vector<std::string> notes;
  join_ticks(data, ticks_of("item,person,label\nc,p,x\nzz,p,y\na,q,y\na,p,x\n"), {.path = "t"},
             &notes);
  EXPECT_THAT(data.ids, ElementsAre("a", "c"));
  EXPECT_THAT(data.label_names, ElementsAre("x", "y"));
  EXPECT_EQ(data.candidates, labels_of({"11", "10"}));
  EXPECT_EQ(data.votes->looks(0), 2u);
  EXPECT_THAT(notes, ElementsAre(HasSubstr("not in the data, left out: 1 (zz)"),
                                 HasSubstr("nobody looked at, left out: 1 (b)")));
}

TEST(JoinedTicks, can_keep_rows_that_nobody_looked_at) {
  Dataset data = features();
  join_ticks(data, ticks_of("item,person,label\nc,p,x\n"), {.path = "t", .keep_unseen = true});
  EXPECT_EQ(data.candidates, labels_of({"0", "0", "1"}));
  EXPECT_EQ(data.votes->rows(), 3u);
  EXPECT_EQ(data.votes->looks(0), 0u);
  EXPECT_EQ(data.votes->looks(2), 1u);
}

TEST(JoinedTicks, of_other_things_are_refused) {
  Dataset data = features();
  EXPECT_THAT(
      refusal([&] { join_ticks(data, ticks_of("item,person,label\n1,p,x\n"), {.path = "t"}); }),
      HasSubstr("none of the items of the ticks is an id of the data: '1' in the ticks, 'a'"));
}

TEST(JoinedTicks, add_to_the_labels_of_the_data_but_replace_a_copy_of_the_truth) {
  Dataset data = from_csv("id,label:z,label:x\na,1,0\nb,0,0\n");
  const Ticks ticks = ticks_of("item,person,label\na,p,x\nb,p,y\n");
  join_ticks(data, ticks, {.path = "t"});
  EXPECT_THAT(data.label_names, ElementsAre("z", "x", "y"));
  EXPECT_EQ(data.candidates, labels_of({"110", "001"}));
  EXPECT_EQ(data.votes->ticked(0)[0], 1u);

  Dataset clean = from_csv("id,truth:z,truth:x\na,1,0\nb,0,0\n");
  join_ticks(clean, ticks, {.path = "t"});
  EXPECT_EQ(clean.candidates, labels_of({"010", "001"}));
  EXPECT_EQ(*clean.truth, labels_of({"100", "000"}));
}

TEST(JoinedTicks, go_by_row_number_where_that_is_beyond_doubt) {
  const auto joined = [](const std::string& items) {
    Dataset data = features();
    data.ids.clear();
    std::string text = "item,person,label\n";
    for (const char item : items) text += std::string(1, item) + ",p,l" + item + "\n";
    join_ticks(data, ticks_of(text), {.path = "t"});
    return data;
  };
  EXPECT_EQ(joined("012").candidates, labels_of({"100", "010", "001"}));
  EXPECT_EQ(joined("123").candidates, labels_of({"100", "010", "001"}));
  EXPECT_EQ(joined("02").rows(), 2u);
  EXPECT_THAT(refusal([&] { joined("12"); }), HasSubstr("from 0 or from 1"));
  EXPECT_THAT(refusal([&] { joined("0123"); }), HasSubstr("from 0 or from 1"));
  EXPECT_THAT(refusal([&] { joined("a"); }), HasSubstr("the data has no ids, and 'a'"));
  EXPECT_THAT(refusal([&] { joined("9"); }), HasSubstr("not the number of one of its 3 rows"));
}

TEST(WrittenTicks, read_back_the_same) {
  Dataset data = features();
  data.ids = {"a,1", "\"b\"", "c\nd"};
  VoteCollector said;
  said.tick(0, 0, 1), said.tick(0, 0, 0), said.look(1, 1), said.tick(2, 1, 0), said.tick(2, 0, 2);
  data.votes = std::make_shared<const Votes>(said.finish(3, {"ann, the first", "bob"}));
  data.label_names = {"dog|cat", "\"it's\"; [so]", "cat"};
  data.candidates = data.votes->any_tick(3);
  MemoryOutput out;
  write_ticks(data, out);
  Dataset again = features();
  again.ids = data.ids;
  again.label_names = data.label_names;
  again.candidates = LabelMatrix(3, 3);
  join_ticks(again, ticks_of(out.text), {.path = "t"});
  EXPECT_TRUE(same_content(again, data)) << out.text;
}

// ---- what is refused ----------------------------------------------------------------------------

std::string late_line(const std::string& bad) {
  std::string text;
  for (int i = 0; i < 100000; ++i) text += "{\"item\":1,\"annotator\":\"a\",\"label\":\"x\"}\n";
  return text + bad + "\n";
}

class BadTicks : public ::testing::TestWithParam<BadText> {};

TEST_P(BadTicks, are_refused_with_their_place) {
  int code = 0;
  EXPECT_THAT(refusal([] { ticks_of(GetParam().text); }, &code), HasSubstr(GetParam().message));
  EXPECT_EQ(code, 3);
}

INSTANTIATE_TEST_SUITE_P(
    Ticks, BadTicks,
    ::testing::Values(
        BadText{"empty", "", "the file is empty"},
        BadText{"blank", "\n\n  \n", "the file is empty"},
        BadText{"only_names", "item,person,label\n", "there are no ticks"},
        BadText{"numpy", "\x93NUMPY\x01", "this is a NumPy array"},
        BadText{"parquet", "PAR1\x15\x04", "this is a Parquet file"},
        BadText{"other_columns", "a,b,c\n1,2,x\n", "cannot tell which column of the ticks"},
        BadText{"blank_item", "item,person,label\n1,p,x\n,p,x\n",
                "t:3: a judgement without an item"},
        BadText{"blank_person", "item,person,label\n1,,x\n", "t:2: a judgement without a person"},
        BadText{"short_row", "item,person,label\n1,p,x\n1,p\n",
                "t:3: this row has 2 fields, but those before have 3"},
        BadText{"long_row", "item,person,label\n1,p,x\n1,p,x,y\n",
                "t:3: this row has more fields than there are names, 3"},
        BadText{"open_quote", "item,person,label\n1,p,\"x\n", "is never closed"},
        BadText{"utf16", "\xFF\xFEi\0t\0", "UTF-16"},
        BadText{"nul", std::string("item,person,label\n1,p,x\0y\n", 26), "NUL"},
        BadText{"long_label", "item,person,label\n1,p," + std::string(5000, 'x') + "\n",
                "a name of 5000 bytes"},
        BadText{"late_broken_json", late_line("{\"item\":1,"), "t:100001: this is not valid JSON"},
        BadText{"late_other_json", late_line("[1]"),
                "t:100001: a record that is not a JSON object"},
        BadText{"lone_surrogate", "{\"item\":1,\"annotator\":\"a\",\"label\":\"\\ud800\"}\n",
                "t:1: a JSON string here is not valid text"},
        BadText{"bad_utf8", "{\"item\":1,\"annotator\":\"\xC3(\",\"label\":\"x\"}\n",
                "t:1: a JSON string here is not valid text"},
        BadText{"deep_line",
                "{\"item\":" + std::string(10000, '[') + std::string(10000, ']') + "}\n", "deep"},
        BadText{"deep_array",
                "[{\"item\":" + std::string(10000, '[') + std::string(10000, ']') + "}]", "deep"},
        BadText{"open_array", "[{\"item\":1,\"annotator\":1,\"label\":\"x\"}", "is not closed"},
        BadText{"cut_record", "[{\"item\":1,\"annotator\":1,\"label\":\"x", "cut off"},
        BadText{"no_comma", "[{\"item\":1,\"annotator\":1,\"label\":\"x\"}\n{\"item\":1}]",
                "t:2: a comma is missing"},
        BadText{"text_behind", "[{\"item\":1,\"annotator\":1,\"label\":\"x\"}] x",
                "text behind the JSON array"}),
    test::kBadTextName);

TEST(LongTicks, of_many_lines_take_little_memory_and_any_line_length) {
  std::string text = "item,person,label,note\n";
  for (int i = 0; i < 20000; ++i)
    text += std::to_string(i / 4) + ",p" + std::to_string(i % 4) + ",l" + std::to_string(i % 7) +
            "," + std::string(i == 9999 ? 2000000 : 1, 'z') + "\n";
  const Ticks ticks = ticks_of(text);
  EXPECT_EQ(ticks.items.size(), 5000u);
  EXPECT_EQ(ticks.votes.ticks(), 20000u);
}

TEST(RealTicks, of_two_platforms_are_read_as_they_are) {
  REQUIRE_DATA_FOLDER(folder);
  std::vector<std::string> notes;
  const Ticks mturk =
      read_ticks({.path = *folder + "/relex/export-mturk.csv.gz"}, FileSystem::real(), &notes);
  EXPECT_EQ(mturk.items.size(), 20u);
  EXPECT_EQ(mturk.votes.looks(), 300u);
  EXPECT_EQ(mturk.votes.people().size(), 27u);
  EXPECT_THAT(notes, Contains(HasSubstr("'Answer.Q1'")));
  EXPECT_THAT(mturk.labels, Contains("per:founded_org"));
  EXPECT_THAT(mturk.labels, Not(Contains(HasSubstr("|"))));

  const Ticks crowdflower = read_ticks({.path = *folder + "/relex/export-crowdflower.csv.gz"});
  EXPECT_EQ(crowdflower.items.size(), 27u);
  EXPECT_EQ(crowdflower.votes.people().size(), 31u);
  EXPECT_THAT(crowdflower.labels, Contains("TREATS"));
  EXPECT_THAT(crowdflower.labels, Not(Contains(HasSubstr("["))));

  const Ticks all = read_ticks({.path = *folder + "/relex/judgments.csv.gz"});
  EXPECT_EQ(all.items.size(), 3231u);
  EXPECT_EQ(all.labels.size(), 14u);
  EXPECT_EQ(all.votes.people().size(), 468u);
}

}  // namespace
}  // namespace sieve
