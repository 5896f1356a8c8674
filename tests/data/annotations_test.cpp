#include "labelsieve/data_io.h"

#include <array>
#include <filesystem>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zip.h>

#include "annotations_support.h"
#include "csv_support.h"
#include "data/csv/csv_cells.h"
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
using test::ticks_of;
using test::told;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

using Members = std::vector<std::pair<std::string, std::string>>;  // path and content

void write_zip(const std::string& path, const Members& members) {
  int code = 0;
  zip_t* zip = zip_open(path.c_str(), ZIP_CREATE, &code);
  ASSERT_NE(zip, nullptr);
  for (const auto& [name, text] : members)
    zip_file_add(zip, name.c_str(), zip_source_buffer(zip, text.data(), text.size(), 0), 0);
  ASSERT_EQ(zip_close(zip), 0);
}

// What a folder and a ZIP file with these files tell, or how they are refused.
std::pair<std::string, std::string> told_by_folder_and_zip(const Members& members) {
  const test::TempFolder root;
  const std::string folder = root / "all", zip = root / "all.zip";
  for (const auto& [name, text] : members) {
    const std::filesystem::path path = folder + "/" + name;
    std::filesystem::create_directories(path.parent_path());
    test::write_file(path, text);
  }
  write_zip(zip, members);
  const auto told_by = [](const std::string& path) {
    std::string out;
    const std::string refused = refusal([&] { out = told(read_annotations({.path = path})); });
    return out.empty() ? refused : out;
  };
  return {told_by(folder), told_by(zip)};
}

// ---- layouts -----------------------------------------------------------------------------------

TEST(JoinedAnnotations, choose_the_rows_that_a_recipe_learns_from) {
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

TEST(LongAnnotations, are_one_tick_a_line) {
  std::vector<std::string> notes;
  const Annotations ticks =
      ticks_of("task,worker,label\nt1,ann,sea\nt2,bob,sky\nt1,ann,boat\nt1,bob,sea\n", {}, &notes);
  EXPECT_EQ(told(ticks), "t1 ann: boat sea; t1 bob: sea; t2 bob: sky; ");
  EXPECT_THAT(ticks.labels, ElementsAre("boat", "sea", "sky"));
  EXPECT_THAT(notes, Contains(HasSubstr("whoever ticked a label of an item looked at it")));
}

TEST(LongAnnotations, tell_of_annotators_who_ticked_nothing) {
  std::vector<std::string> notes;
  EXPECT_EQ(told(ticks_of("item_id,annotator,label\nt1,ann,sea\nt1,bob,\n", {}, &notes)),
            "t1 ann: sea; t1 bob:; ");
  EXPECT_THAT(notes, IsEmpty());
}

TEST(LongAnnotations, take_the_looks_from_a_file_of_their_own) {
  MemoryFiles files({{"t", "item,person,label\na,ann,x\n"}, {"l", "item,person\na,bob\nb,bob\n"}});
  std::vector<std::string> notes;
  AnnotationOptions options;
  options.path = "t", options.looked = "l";
  EXPECT_EQ(told(read_annotations(options, files, &notes)), "a ann: x; a bob:; b bob:; ");
  EXPECT_THAT(notes, IsEmpty());
}

TEST(LongAnnotations, may_list_several_labels_with_a_separator_that_is_found_or_given) {
  std::vector<std::string> notes;
  EXPECT_EQ(told(ticks_of("task\tperformer\tlabels\n1\ta\tx|y\n1\tb\ty\n2\ta\t\n", {}, &notes)),
            "1 a: x y; 1 b: y; 2 a:; ");
  EXPECT_THAT(notes, ElementsAre(HasSubstr("separated by '|'")));
  AnnotationOptions options;
  options.separator = ", ";
  EXPECT_EQ(told(ticks_of("task,worker,answer\n1,a,\"x, y\"\n", options)), "1 a: x y; ");
  EXPECT_EQ(told(ticks_of("task,worker,answer\n1,a,\"x, y\"\n")), "1 a: x, y; ");
}

TEST(LongAnnotations, know_lists_of_json_and_python) {
  EXPECT_EQ(told(ticks_of("task,worker,labels\n1,a,\"[\"\"x\"\", \"\"y, z\"\"]\"\n"
                          "1,b,\"['x', 'it\\'s']\"\n1,c,[]\n")),
            "1 a: x y, z; 1 b: it's x; 1 c:; ");
}

TEST(LongAnnotations, know_every_list_that_python_and_numpy_print) {
  EXPECT_EQ(told(ticks_of("task,worker,labels\n1,a,\"[\"\"it's\"\", 'x']\"\n1,b,['x' 'y']\n"
                          "1,c,\"['x', 7]\"\n1,d,\"[3, 'x']\"\n")),
            "1 a: it's x; 1 b: x y; 1 c: 7 x; 1 d: 3 x; ");
}

TEST(LongAnnotations, take_true_and_false_that_stand_alone_for_labels) {
  EXPECT_EQ(told(ticks_of("{\"item\":1,\"annotator\":\"a\",\"label\":true}\n"
                          "{\"item\":1,\"annotator\":\"b\",\"label\":3}\n")),
            "1 a: true; 1 b: 3; ");
}

TEST(LongAnnotations, do_not_cut_the_labels_of_a_list) {
  std::vector<std::string> notes;
  EXPECT_EQ(told(ticks_of("{\"item\": 1, \"annotator\": \"a\", \"label\": [\"x|y\", \"z\"]}\n"
                          "{\"item\": 1, \"annotator\": \"b\", \"label\": \"x|y\"}\n"
                          "{\"item\": 1, \"annotator\": \"c\", \"label\": [\"z\"]}\n",
                          {}, &notes)),
            "1 a: x|y z; 1 b: x|y; 1 c: z; ");
  EXPECT_THAT(notes, IsEmpty());
}

TEST(LongAnnotations, come_as_json_lines_too) {
  EXPECT_EQ(told(ticks_of("{\"item\": 7, \"annotator\": \"ann\", \"label\": [\"x\", \"y\"]}\n\n"
                          "{\"item\": 8, \"annotator\": 3, \"label\": null}\n")),
            "7 ann: x y; 8 3:; ");
}

TEST(LongAnnotations, go_by_the_columns_that_are_named) {
  AnnotationOptions options;
  options.item = "a", options.annotator = "b", options.label = "c";
  EXPECT_EQ(told(ticks_of("a,b,c,label\n1,p,x,no\n", options)), "1 p: x; ");
  AnnotationOptions only_item;
  only_item.item = "photo";
  EXPECT_EQ(told(ticks_of("photo,annotator,label\n1,p,x\n", only_item)), "1 p: x; ");
  options.label = "d";
  int code = 0;
  EXPECT_THAT(refusal([&] { ticks_of("a,b,c\n1,p,x\n", options); }, &code),
              HasSubstr("the annotations have no column 'd'"));
  EXPECT_EQ(code, 2);
}

TEST(LongAnnotations, without_annotators_are_those_of_one_if_that_is_confirmed) {
  const std::string text = "item,label\n1,x\n1,y\n";
  EXPECT_THAT(refusal([&] { ticks_of(text); }),
              AllOf(HasSubstr("cannot tell who annotated: no column says it"),
                    HasSubstr("ticks.person=none")));
  std::vector<std::string> notes;
  AnnotationOptions options;
  options.annotator = "none";
  EXPECT_EQ(told(ticks_of(text, options, &notes)), "1 everyone: x y; ");
  EXPECT_THAT(notes, Contains(HasSubstr("as those of one annotator")));
}

TEST(LongAnnotations, hold_names_with_every_quoting_trouble) {
  EXPECT_EQ(told(ticks_of("item,person,label\n\"a,1\",\"O \"\"Neil\"\"\",\"x\ny\"\n'b','q',x;y\n")),
            "a,1 O \"Neil\": x\ny; 'b' 'q': x;y; ");
}

TEST(WideAnnotations, have_a_column_per_label) {
  std::vector<std::string> notes;
  EXPECT_EQ(told(ticks_of("text,id,rater_id,joy,anger\nhi,e1,7,1,0\nhi,e1,8,0,0\nho,e2,7,1,1\n", {},
                          &notes)),
            "e1 7: joy; e1 8:; e2 7: anger joy; ");
  EXPECT_THAT(notes, Contains(HasSubstr("2 columns of 0 and 1 are labels")));
}

TEST(WideAnnotations, do_not_take_side_columns_for_labels) {
  const std::string text =
      "id,rater_id,joy,anger,is_gold,n_labels,Confidence\ne1,7,1,0,1,1,1\ne2,7,0,1,0,1,1\n";
  std::vector<std::string> notes;
  EXPECT_EQ(told(ticks_of(text, {}, &notes)), "e1 7: joy; e2 7: anger; ");
  EXPECT_THAT(notes,
              Contains(HasSubstr("not labels by their names: is_gold, n_labels, Confidence")));
  AnnotationOptions options;
  options.label = "joy,is_gold";
  options.format = "wide";
  EXPECT_EQ(told(ticks_of(text, options)), "e1 7: is_gold joy; e2 7:; ");
}

TEST(CekaPlusAnnotations, are_numbers) {
  AnnotationOptions options;
  options.format = "cekaplus";
  EXPECT_EQ(told(ticks_of("1\t10\t1\t2\n1\t10\t2\t1\n2\t10\t1\t1\n2\t10\t2\t0\n", options)),
            "10 1: 1; 10 2:; ");
  EXPECT_EQ(told(ticks_of("1 10 3\n2 10 4\n", options)), "10 1: 3; 10 2: 4; ");
  EXPECT_THAT(refusal([&] { ticks_of("1 10 1 2\n1 10 2 3\n", options); }),
              HasSubstr("t:2: the value 3"));
}

TEST(CekaPlusAnnotations, that_are_no_numbers_are_refused_where_the_layout_is_forced) {
  AnnotationOptions options;
  options.format = "cekaplus";
  EXPECT_THAT(refusal([&] { ticks_of("item,person,label\n1,p,x\n", options); }),
              HasSubstr("t:1: this line does not hold 3 numbers"));
}

TEST(MturkAnnotations, have_a_header_longer_than_the_rows_and_leave_out_rejected_work) {
  const std::string text =
      "HITId,AssignmentId,WorkerId,AssignmentStatus,Input.doc_id,Answer.Q1,Answer.why,Approve,"
      "Reject\nH1,A1,W1,Approved,d1,x|y,because\nH1,A2,W2,Rejected,d1,y,so\nH2,A3,W1,Approved,d2,"
      "y,no\n";
  std::vector<std::string> notes;
  EXPECT_EQ(told(ticks_of(text, {}, &notes)), "d1 W1: x y; d2 W1: y; ");
  EXPECT_THAT(notes, AllOf(Contains(HasSubstr("named by 'Input.doc_id'")),
                           Contains(HasSubstr("those in 'Answer.Q1'")),
                           Contains(HasSubstr("1 rejected or cancelled"))));
  AnnotationOptions options;
  options.all_annotators = true, options.item = "HITId";
  EXPECT_EQ(told(ticks_of(text, options)), "H1 W1: x y; H1 W2: y; H2 W1: y; ");
}

// Batch results of Mechanical Turk with these answers, each of another worker to one HIT.
std::string mturk_answers(const std::string& names, const std::vector<std::string>& answers) {
  std::string text = "HITId,AssignmentId,WorkerId," + names + "\n";
  for (std::size_t i = 0; i < answers.size(); ++i)
    text += fmt::format("H,A{0},W{0},{1}\n", i, answers[i]);
  return text;
}

// The same with answers in JSON.
std::string task_answers(const std::vector<std::string>& answers) {
  std::vector<std::string> cells;
  for (const std::string& json : answers) {
    cells.emplace_back();
    append_csv_cell(cells.back(), json, ',');
  }
  return mturk_answers("Answer.taskAnswers", cells);
}

TEST(MturkAnnotations, are_check_boxes_in_json) {
  std::vector<std::string> notes;
  EXPECT_EQ(told(ticks_of(task_answers({R"([{"sea":{"on":true},"wood":{"on":false}}])",
                                        R"([{"sea":{"on":false},"wood":{"on":false},"why":"no"}])",
                                        R"({"sky":{"on":true},"sea":true})", ""}),
                          {}, &notes)),
            "H W0: sea; H W1:; H W2: sea sky; H W3:; ");
  EXPECT_THAT(notes, ElementsAre(HasSubstr("answers that are not read: 'why'")));
}

TEST(MturkAnnotations, are_choices_and_buttons_in_json) {
  EXPECT_EQ(told(ticks_of(task_answers(
                {R"([{"category":{"label":"Sea"}}])", R"([{"category":{"label":"A, B"}}])"}))),
            "H W0: Sea; H W1: A, B; ");
  EXPECT_EQ(told(ticks_of(
                task_answers({R"([{"c":{"labels":["Sea","Sky"]}}])", R"([{"c":{"labels":[]}}])"}))),
            "H W0: Sea Sky; H W1:; ");
  EXPECT_EQ(told(ticks_of(task_answers({R"([{"mood":{"happy":true,"sad":false},"note":"x"}])",
                                        R"([{"mood":{"happy":false,"sad":true},"note":""}])"}))),
            "H W0: happy; H W1: sad; ");
  EXPECT_EQ(told(ticks_of(task_answers({R"([{"topic":"sea"}])"}))), "H W0: sea; ");
}

TEST(MturkAnnotations, in_json_with_several_questions_want_a_choice) {
  const std::string text = task_answers(
      {R"([{"mood":{"happy":true,"sad":false},"topic":{"label":"sea"},"box":{"x":1}}])"});
  EXPECT_THAT(refusal([&] { ticks_of(text); }),
              HasSubstr("which of the questions holds the labels: 'box', 'mood', 'topic'"));
  AnnotationOptions options;
  options.label = "topic";
  EXPECT_EQ(told(ticks_of(text, options)), "H W0: sea; ");
  options.label = "mood,topic";
  EXPECT_EQ(told(ticks_of(text, options)), "H W0: mood/happy topic/sea; ");
  options.label = "box";
  EXPECT_THAT(refusal([&] { ticks_of(text, options); }),
              HasSubstr("t:2: the answer to 'box' holds no labels"));
  options.label = "moot";
  int code = 0;
  EXPECT_THAT(refusal([&] { ticks_of(text, options); }, &code),
              AllOf(HasSubstr("the answers have no question 'moot'"), HasSubstr("mood")));
  EXPECT_EQ(code, 2);
}

TEST(MturkAnnotations, in_json_refuse_a_question_with_labels_that_comes_late) {
  std::vector<std::string> answers(300, R"([{"sea":{"on":true}}])");
  answers.push_back(R"([{"mood":{"happy":true,"sad":false}}])");
  EXPECT_THAT(refusal([&] { ticks_of(task_answers(answers)); }),
              HasSubstr("t:302: the answers have several questions with labels: 'mood' as well"));
}

TEST(MturkAnnotations, are_a_column_per_check_box) {
  std::vector<std::string> notes;
  EXPECT_EQ(told(ticks_of(mturk_answers("Answer.sea.on", {"true", "false"}), {}, &notes)),
            "H W0: sea; H W1:; ");
  EXPECT_THAT(notes, ElementsAre(HasSubstr("1 answers that are true or false are labels")));
  const std::string two = mturk_answers("Answer.sea.on,Answer.why,Answer.wood.on",
                                        {"TRUE,because,false", "false,,true"});
  EXPECT_EQ(told(ticks_of(two)), "H W0: sea; H W1: wood; ");
  AnnotationOptions options;
  options.label = "Answer.wood.on";
  EXPECT_EQ(told(ticks_of(two, options)), "H W0:; H W1: wood; ");
  EXPECT_THAT(refusal([] {
                ticks_of(mturk_answers("Answer.sea.on", {"true", "maybe"}));
              }),
              HasSubstr("t:3: 'maybe' in the label column 'Answer.sea.on'"));
}

TEST(MturkAnnotations, beside_texts_that_repeat_want_a_choice) {
  const std::string json = R"([{"agreed":{"on":true},"topic":"sea"}])";
  EXPECT_THAT(refusal([&] {
                ticks_of(task_answers({json, json}));
              }),
              HasSubstr("which of the questions holds the labels: 'agreed', 'topic'"));
  const std::string columns =
      mturk_answers("Answer.agreed.on,Answer.topic", {"true,sea", "true,sea"});
  EXPECT_THAT(refusal([&] { ticks_of(columns); }), HasSubstr("cannot tell which column"));
  AnnotationOptions options;
  options.label = "topic";
  EXPECT_EQ(told(ticks_of(task_answers({json, json}), options)), "H W0: sea; H W1: sea; ");
  options.label = "Answer.topic";
  EXPECT_EQ(told(ticks_of(columns, options)), "H W0: sea; H W1: sea; ");
}

TEST(MturkAnnotations, in_a_list_are_preferred_to_an_answer_of_true_and_false) {
  EXPECT_EQ(told(ticks_of(mturk_answers("Answer.agreed,Answer.Q1", {"true,x|y", "true,y"}))),
            "H W0: x y; H W1: y; ");
}

TEST(MturkAnnotations, are_a_column_per_button) {
  const std::string one = "Answer.mood.happy,Answer.mood.sad";
  EXPECT_EQ(told(ticks_of(mturk_answers(one, {"true,false", "false,true"}))),
            "H W0: happy; H W1: sad; ");
  const std::string two = mturk_answers(one + ",Answer.sea.on", {"true,false,true"});
  EXPECT_THAT(refusal([&] { ticks_of(two); }), HasSubstr("cannot tell which column"));
  AnnotationOptions options;
  options.label = "Answer.mood.happy,Answer.mood.sad";
  EXPECT_EQ(told(ticks_of(two, options)), "H W0: happy; ");
}

TEST(CrowdFlowerAnnotations, stand_in_brackets_or_on_lines) {
  EXPECT_EQ(told(ticks_of("_unit_id,_worker_id,_tainted,why,relations\n5,w1,false,[1,[A] [B C]\n"
                          "5,w2,true,no,[A]\n6,w1,false,,[NONE]\n")),
            "5 w1: A B C; 6 w1: NONE; ");
  EXPECT_EQ(told(ticks_of("_unit_id,_worker_id,q\n5,w1,\"A\nB\"\n5,w2,A\n")),
            "5 w1: A B; 5 w2: A; ");
  EXPECT_EQ(told(ticks_of("_unit_id,_worker_id,q\n5,w1,\"[A]\n[B]\"\n")), "5 w1: A B; ");
}

TEST(CrowdFlowerAnnotations, are_not_the_answers_of_test_questions) {
  std::vector<std::string> notes;
  EXPECT_EQ(told(ticks_of("_unit_id,_worker_id,relation_gold,relation_gold_reason,relation\n"
                          "5,w1,[A],[so],[B]\n6,w1,[A],[so],[C]\n",
                          {}, &notes)),
            "5 w1: B; 6 w1: C; ");
  EXPECT_THAT(notes, ElementsAre(HasSubstr("labels are those in 'relation'")));
}

TEST(CrowdFlowerAnnotations, with_two_columns_of_lists_want_a_choice_unless_they_are_copies) {
  const std::string head = "_unit_id,_worker_id,a,b\n";
  EXPECT_EQ(told(ticks_of(head + "5,w1,[A] [B],\"[B]\n[A]\"\n")), "5 w1: A B; ");
  EXPECT_THAT(refusal([&] { ticks_of(head + "5,w1,[A],[B]\n"); }),
              HasSubstr("cannot tell which column of the annotations has the labels"));
}

TEST(CrowdFlowerAnnotations, are_tainted_in_any_spelling) {
  std::vector<std::string> notes;
  EXPECT_EQ(told(ticks_of("_unit_id,_worker_id,_tainted,q\n1,a,1,[A]\n1,b,yes,[A]\n1,c,TRUE,[A]\n"
                          "1,d,0,[B]\n1,e,no,[B]\n1,f,,[B]\n",
                          {}, &notes)),
            "1 d: B; 1 e: B; 1 f: B; ");
  EXPECT_THAT(notes, Contains(HasSubstr("3 rejected or cancelled")));
}

TEST(LabelStudioAnnotations, are_annotations_of_tasks) {
  const std::string text = R"([{"id": 4, "data": {"text": "hi"}, "annotations": [
    {"completed_by": 1, "result": [{"from_name": "q", "to_name": "text", "type": "choices",
      "value": {"choices": ["x", ["a", "b"]]}}, {"from_name": "r", "type": "rating", "value": {}}]},
    {"completed_by": {"id": 2, "email": "bo@x.org"}, "result": []},
    {"completed_by": 3, "was_cancelled": true, "result": []}]},
   {"id": 5, "data": {"text": "ho"}, "completions": [], "annotations": []}])";
  std::vector<std::string> notes;
  EXPECT_EQ(told(ticks_of(text, {}, &notes)), "4 1: a/b x; 4 bo@x.org:; ");
  EXPECT_THAT(notes,
              ElementsAre(HasSubstr("not read: 1 'rating'"), HasSubstr("1 rejected or cancelled")));
}

TEST(LabelStudioAnnotations, go_by_an_id_in_the_data) {
  const std::string text =
      R"([{"id":4,"data":{"img_id":"i9"},"annotations":[{"completed_by":1,"result":[]}]}])";
  EXPECT_EQ(told(ticks_of(text)), "i9 1:; ");
}

// One task whose annotator ticks `label`.
std::string task(int id, const std::string& data, const std::string& label) {
  return R"({"id":)" + std::to_string(id) + R"(,"data":)" + data +
         R"(,"annotations":[{"completed_by":1,"result":[{"from_name":"q","type":"choices",)" +
         R"("value":{"choices":[")" + label + R"("]}}]}]})";
}

TEST(LabelStudioAnnotations, of_two_tasks_with_one_id_in_their_data_stay_two_items) {
  const std::string text =
      "[" + task(4, R"({"user_id":"u"})", "x") + "," + task(5, R"({"user_id":"u"})", "y") + "]";
  std::vector<std::string> notes;
  EXPECT_EQ(told(ticks_of(text, {}, &notes)), "4 1: x; 5 1: y; ");
  EXPECT_THAT(notes,
              ElementsAre(HasSubstr("items are the tasks: 'user_id' in their data repeats")));
  AnnotationOptions options;
  options.item = "user_id";
  options.repeats = "union";
  EXPECT_EQ(told(ticks_of(text, options)), "u 1: x y; ");
}

TEST(LabelStudioAnnotations, go_by_the_key_that_every_task_has_once) {
  const std::string text = "[" + task(4, R"({"user_id":"u","doc_id":"d1"})", "x") + "," +
                           task(5, R"({"user_id":"u","doc_id":"d2"})", "y") + "]";
  EXPECT_EQ(told(ticks_of(text)), "d1 1: x; d2 1: y; ");
  const std::string some =
      "[" + task(4, R"({"doc_id":"d1"})", "x") + ",\n" + task(5, "{}", "y") + "]";
  EXPECT_EQ(told(ticks_of(some)), "4 1: x; 5 1: y; ");
  AnnotationOptions options;
  options.item = "doc_id";
  EXPECT_THAT(refusal([&] { ticks_of(some, options); }),
              HasSubstr("t:2: a task without 'doc_id' in its data"));
  options.item = "id";
  EXPECT_EQ(told(ticks_of(text, options)), "4 1: x; 5 1: y; ");
}

TEST(LabelStudioAnnotations, with_boxes_alone_do_not_count_as_empty_annotations) {
  const std::string boxes =
      R"({"id":6,"data":{},"annotations":[{"completed_by":2,"result":[{"from_name":"b","type":)"
      R"("rectanglelabels","value":{"rectanglelabels":["car"]}}]}]})";
  std::vector<std::string> notes;
  EXPECT_EQ(told(ticks_of("[" + task(4, "{}", "x") + "," + boxes + "]", {}, &notes)), "4 1: x; ");
  EXPECT_THAT(notes, ElementsAre(HasSubstr("not read: 1 'rectanglelabels'"),
                                 HasSubstr("with such results alone, left out: 1")));
  EXPECT_THAT(refusal([&] { ticks_of("[" + boxes + "]"); }),
              HasSubstr("t: the annotations hold no choices, only results of other types: 1 "
                        "'rectanglelabels'"));
}

TEST(LabelStudioAnnotations, of_a_question_that_nobody_answered_are_refused) {
  AnnotationOptions options;
  options.label = "p";
  EXPECT_THAT(refusal([&] { ticks_of("[" + task(4, "{}", "x") + "]", options); }),
              AllOf(HasSubstr("no annotation has choices for 'p'"), HasSubstr("they have 'q'")));
}

TEST(LabelStudioAnnotations, of_two_questions_want_a_choice) {
  const std::string text = R"([{"id":4,"data":{},"annotations":[{"completed_by":1,"result":[
    {"from_name":"q","type":"choices","value":{"choices":["x"]}},
    {"from_name":"r","type":"choices","value":{"choices":["y"]}}]}]}])";
  EXPECT_THAT(refusal([&] { ticks_of(text); }), HasSubstr("several questions: 'q' and 'r'"));
  AnnotationOptions options;
  options.label = "r";
  EXPECT_EQ(told(ticks_of(text, options)), "4 1: y; ");
}

TEST(LabelStudioAnnotations, come_in_short_as_json_and_csv) {
  EXPECT_EQ(told(ticks_of(R"([{"id":1,"text":"t","topic":"x","annotator":2,"annotation_id":9},
    {"id":1,"text":"t","topic":{"choices":["x","y"]},"annotator":3,"annotation_id":10}])")),
            "1 2: x; 1 3: x y; ");
  EXPECT_EQ(told(ticks_of("annotation_id,annotator,id,topic\n9,2,1,x\n"
                          "10,3,1,\"{\"\"choices\"\": [\"\"x\"\", \"\"y\"\"]}\"\n")),
            "1 2: x; 1 3: x y; ");
}

TEST(LabelStudioAnnotations, in_short_are_one_choice_where_they_are_a_text) {
  EXPECT_EQ(told(ticks_of("annotation_id,annotator,id,choice\n9,2,1,x|y\n10,3,1,x\n")),
            "1 2: x|y; 1 3: x; ");
}

TEST(ProdigyAnnotations, are_accepted_options_or_a_label) {
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

// Lines of Prodigy: "item annotator label answer" each.
std::string prodigy_answers(const std::vector<std::array<const char*, 4>>& answers) {
  std::string text;
  for (const auto& [item, annotator, label, answer] : answers)
    text += std::string(R"({"_input_hash":)") + item + R"(,"_annotator_id":")" + annotator +
            R"(","label":")" + label + R"(","answer":")" + answer + "\"}\n";
  return text;
}

TEST(ProdigyAnnotations, of_one_label_each_are_one_annotation_if_all_labels_were_asked_about) {
  std::vector<std::string> notes;
  const std::string text = prodigy_answers({{"1", "ann", "X", "accept"},
                                            {"2", "ann", "X", "reject"},
                                            {"1", "ann", "Y", "reject"},
                                            {"2", "ann", "Y", "reject"},
                                            {"1", "bob", "X", "reject"},
                                            {"2", "bob", "Y", "accept"},
                                            {"2", "bob", "X", "ignore"}});
  // Who ignores a question was asked it.
  EXPECT_EQ(told(ticks_of(text, {}, &notes)), "1 ann: X; 2 ann:; 2 bob: Y; ");
  EXPECT_THAT(notes, Contains(HasSubstr("1 of 4 annotations were asked about only some of the 2 "
                                        "labels: they are left out")));
  EXPECT_THAT(notes, Contains(HasSubstr("X (4), Y (3)")));
  AnnotationOptions options;
  options.label = "X";
  EXPECT_EQ(told(ticks_of(text, options)), "1 ann: X; 1 bob:; 2 ann:; ");
  options.label = "Z";
  EXPECT_THAT(refusal([&] { ticks_of(text, options); }),
              HasSubstr("nobody was asked about a label 'Z'"));
}

TEST(ProdigyAnnotations, never_asked_about_all_labels_are_refused_unless_the_rest_counts_as_no) {
  const std::string text =
      prodigy_answers({{"1", "ann", "X", "reject"}, {"2", "ann", "Y", "accept"}});
  EXPECT_THAT(refusal([&] { ticks_of(text); }),
              AllOf(HasSubstr("t: no annotator was asked about all 2 labels of an item"),
                    HasSubstr("X (1), Y (1)")));
  AnnotationOptions options;
  options.all_annotators = true;
  std::vector<std::string> notes;
  EXPECT_EQ(told(ticks_of(text, options, &notes)), "1 ann:; 2 ann: Y; ");
  EXPECT_THAT(notes, ElementsAre(HasSubstr("the other labels count as not ticked")));
}

TEST(ProdigyAnnotations, of_two_files_are_asked_about_the_labels_of_both) {
  const auto [folder, zip] = told_by_folder_and_zip(
      {{"a.jsonl", prodigy_answers({{"1", "ann", "X", "reject"}})},
       {"b.jsonl", prodigy_answers({{"1", "bob", "X", "accept"}, {"1", "bob", "Y", "accept"}})}});
  EXPECT_EQ(folder, "1 bob: X Y; ");
  EXPECT_EQ(zip, folder);
}

TEST(ProdigyAnnotations, may_be_corrected_by_a_later_answer) {
  std::vector<std::string> notes;
  EXPECT_EQ(
      told(ticks_of(prodigy_answers({{"1", "ann", "X", "accept"}, {"1", "ann", "X", "reject"}}), {},
                    &notes)),
      "1 ann:; ");
  EXPECT_THAT(notes, ElementsAre(HasSubstr("replaces: 1")));
}

TEST(DoccanoAnnotations, are_a_folder_with_a_file_per_annotator) {
  const test::TempFolder folder;
  test::write_file(folder / "ann.jsonl", R"({"id":1,"text":"t","label":["x","y"]})");
  test::write_file(folder / "bob.jsonl", R"({"id":1,"text":"t","label":[]})");
  EXPECT_EQ(told(read_annotations({.path = folder.path()})), "1 ann: x y; 1 bob:; ");
}

TEST(DoccanoAnnotations, have_their_notes_told_once) {
  const test::TempFolder folder;
  for (const char* name : {"ann.jsonl", "bob.jsonl"})
    test::write_file(folder / name, "{\"id\":1,\"label\":\"x|y\"}\n{\"id\":2,\"label\":\"x\"}\n");
  std::vector<std::string> notes;
  EXPECT_EQ(told(read_annotations({.path = folder.path()}, FileSystem::real(), &notes)),
            "1 ann: x y; 1 bob: x y; 2 ann: x; 2 bob: x; ");
  EXPECT_THAT(notes, ElementsAre(HasSubstr("separated by '|'")));
}

TEST(DoccanoAnnotations, may_come_in_a_zip_file) {
  const test::TempFolder folder;
  const std::string path = folder / "export.zip";
  write_zip(path, {{"ann.jsonl", R"({"id":1,"text":"t","label":["x","y"]})"},
                   {"bob.jsonl", R"({"id":1,"text":"t","label":[]})"}});
  EXPECT_EQ(told(read_annotations({.path = path})), "1 ann: x y; 1 bob:; ");
  test::write_file(path, test::read_file(path).substr(0, 60));
  EXPECT_THAT(refusal([&] { read_annotations({.path = path}); }), HasSubstr("ZIP file is damaged"));
}

TEST(DoccanoAnnotations, name_annotators_by_the_file_up_to_its_known_ending) {
  MemoryOutput packed;
  const std::unique_ptr<OutputStream> gzip = gzip_into(packed);
  gzip->write(R"({"id":1,"label":["y"]})");
  gzip->close();
  const auto [folder, zip] = told_by_folder_and_zip({{"j.smith.jsonl", R"({"id":1,"label":["x"]})"},
                                                     {"j.doe.JSON", R"([{"id":1,"label":[]}])"},
                                                     {"j.roe.jsonl.gz", packed.text},
                                                     {"v1.2", R"({"id":1,"label":["z"]})"}});
  EXPECT_EQ(folder, "1 j.doe:; 1 j.roe: y; 1 j.smith: x; 1 v1.2: z; ");
  EXPECT_EQ(zip, folder);
}

// Alone, the second file has no list of labels, and so would not say which answer has them.
TEST(SeveralFiles, with_the_same_columns_are_decided_by_all_of_them) {
  const std::string names = "HITId,AssignmentId,WorkerId,Answer.q,Answer.words\n";
  const auto [folder, zip] =
      told_by_folder_and_zip({{"a.csv", names + "1,a1,ann,X|Y,so\n2,a2,ann,X,and\n"},
                              {"b.csv", names + "3,a3,bob,Y,on\n"}});
  EXPECT_EQ(folder, "1 ann: X Y; 2 ann: X; 3 bob: Y; ");
  EXPECT_EQ(zip, folder);
}

TEST(SeveralFiles, have_lists_of_their_own_kind_each) {
  const auto [folder, zip] = told_by_folder_and_zip(
      {{"a.csv", "_unit_id,_worker_id,relations\n1,ann,[X] [Y]\n2,ann,[X]\n"},
       {"b.csv", "HITId,AssignmentId,WorkerId,Answer.q\n3,a1,bob,X|Z\n4,a2,bob,Z\n"}});
  EXPECT_EQ(folder, "1 ann: X Y; 2 ann: X; 3 bob: X Z; 4 bob: Z; ");
  EXPECT_EQ(zip, folder);
}

// Lines of a long table are ticks of one annotation, records of Prodigy are revisions.
TEST(SeveralFiles, have_repeated_annotations_of_their_own_kind_each) {
  const auto [folder, zip] = told_by_folder_and_zip(
      {{"a.csv", "item,annotator,label\n1,ann,X\n1,ann,Y\n"},
       {"b.jsonl", R"({"id":2,"accept":["X"],"answer":"accept","_annotator_id":"bob"})"
                   "\n"
                   R"({"id":2,"accept":["Z"],"answer":"accept","_annotator_id":"bob"})"}});
  EXPECT_EQ(folder, "1 ann: X Y; 2 bob: Z; ");
  EXPECT_EQ(zip, folder);
}

TEST(DoccanoAnnotations, are_found_in_subfolders_but_not_in_hidden_ones) {
  const auto [folder, zip] =
      told_by_folder_and_zip({{"one/ann.jsonl", R"({"id":1,"label":["x"]})"},
                              {"two/deep/bob.jsonl", R"({"id":1,"label":["y"]})"},
                              {".cache/cy.jsonl", R"({"id":1,"label":["z"]})"},
                              {"one/.old.jsonl", R"({"id":1,"label":["z"]})"}});
  EXPECT_EQ(folder, "1 ann: x; 1 bob: y; ");
  EXPECT_EQ(zip, folder);
}

TEST(DoccanoAnnotations, of_two_files_with_one_name_are_refused) {
  const auto [folder, zip] =
      told_by_folder_and_zip({{"ann/all.jsonl", R"({"id":1,"label":["x"]})"},
                              {"bob/all.jsonl", R"({"id":1,"label":["y"]})"}});
  EXPECT_THAT(folder, AllOf(HasSubstr("two files are named 'all'"), HasSubstr("ann/all.jsonl")));
  EXPECT_THAT(zip, AllOf(HasSubstr("two files are named 'all'"), HasSubstr("ann/all.jsonl")));
}

TEST(LongAnnotations, of_two_files_with_one_name_are_joined_if_they_name_annotators) {
  const auto [folder, zip] =
      told_by_folder_and_zip({{"a/export.csv", "item,annotator,label\n1,ann,x\n"},
                              {"b/export.csv", "item,annotator,label\n1,bob,y\n"}});
  EXPECT_EQ(folder, "1 ann: x; 1 bob: y; ");
  EXPECT_EQ(zip, folder);
}

TEST(DoccanoAnnotations, in_a_zip_file_within_a_zip_file_are_refused) {
  const test::TempFolder folder;
  write_zip(folder / "in.zip", {{"ann.jsonl", R"({"id":1,"label":["x"]})"}});
  write_zip(folder / "out.zip", {{"in.zip", test::read_file(folder / "in.zip")}});
  EXPECT_THAT(refusal([&] { read_annotations({.path = folder / "out.zip"}); }),
              HasSubstr("a ZIP file within a ZIP file"));
}

TEST(HuggingFaceAnnotations, are_lists_of_numbers_or_names) {
  EXPECT_EQ(told(ticks_of(R"({"text":"t","labels":[3,14],"id":"e1"}
{"text":"u","labels":[],"id":"e2"}
)")),
            "e1 everyone: 14 3; e2 everyone:; ");
}

TEST(ArgillaAnnotations, stand_beside_their_users) {
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

TEST(JoinedAnnotations, go_to_the_rows_with_their_id) {
  Dataset data = features();
  std::vector<std::string> notes;
  join_annotations(data, ticks_of("item,person,label\nc,p,x\nzz,p,y\na,q,y\na,p,x\n"),
                   {.path = "t"}, &notes);
  EXPECT_THAT(data.ids, ElementsAre("a", "c"));
  EXPECT_THAT(data.label_names, ElementsAre("x", "y"));
  EXPECT_EQ(data.candidates, labels_of({"11", "10"}));
  EXPECT_EQ(data.votes->annotations(0), 2u);
  EXPECT_THAT(notes, ElementsAre(HasSubstr("not in the data, left out: 1 (zz)"),
                                 HasSubstr("nobody looked at, left out: 1 (b)")));
}

TEST(JoinedAnnotations, can_keep_rows_that_nobody_looked_at) {
  Dataset data = features();
  join_annotations(data, ticks_of("item,person,label\nc,p,x\n"),
                   {.path = "t", .keep_unseen = true});
  EXPECT_EQ(data.candidates, labels_of({"0", "0", "1"}));
  EXPECT_EQ(data.votes->rows(), 3u);
  EXPECT_EQ(data.votes->annotations(0), 0u);
  EXPECT_EQ(data.votes->annotations(2), 1u);
}

TEST(JoinedAnnotations, of_other_things_are_refused) {
  Dataset data = features();
  EXPECT_THAT(
      refusal(
          [&] { join_annotations(data, ticks_of("item,person,label\n1,p,x\n"), {.path = "t"}); }),
      HasSubstr("none of the items of the ticks is an id of the data: '1' in the ticks, 'a'"));
}

TEST(JoinedAnnotations, add_to_the_labels_of_the_data_but_replace_a_copy_of_the_truth) {
  Dataset data = from_csv("id,label:z,label:x\na,1,0\nb,0,0\n");
  const Annotations ticks = ticks_of("item,person,label\na,p,x\nb,p,y\n");
  join_annotations(data, ticks, {.path = "t"});
  EXPECT_THAT(data.label_names, ElementsAre("z", "x", "y"));
  EXPECT_EQ(data.candidates, labels_of({"110", "001"}));
  EXPECT_EQ(data.votes->ticked(0)[0], 1u);

  Dataset clean = from_csv("id,truth:z,truth:x\na,1,0\nb,0,0\n");
  join_annotations(clean, ticks, {.path = "t"});
  EXPECT_EQ(clean.candidates, labels_of({"010", "001"}));
  EXPECT_EQ(*clean.truth, labels_of({"100", "000"}));
}

TEST(JoinedAnnotations, tell_of_labels_that_the_data_spells_otherwise) {
  const auto joined = [](bool merge_case, std::vector<std::string>* notes) {
    Dataset data = from_csv("id,f,label:Sea\na,1,1\nb,2,0\n");
    const AnnotationOptions options{.path = "t", .merge_case = merge_case};
    join_annotations(data, ticks_of("item,person,label\na,p,sea\nb,p,sky\n"), options, notes);
    return data.label_names;
  };
  std::vector<std::string> notes;
  EXPECT_THAT(joined(false, &notes), ElementsAre("Sea", "sea", "sky"));
  EXPECT_THAT(notes, Contains(AllOf(HasSubstr("of the data only by case"), HasSubstr("sea"),
                                    HasSubstr("ticks.merge_case=true"))));
  EXPECT_THAT(joined(true, &notes), ElementsAre("Sea", "sky"));
}

TEST(JoinedAnnotations, go_by_row_number_where_that_is_beyond_doubt) {
  const auto joined = [](const std::string& items) {
    Dataset data = features();
    data.ids.clear();
    std::string text = "item,person,label\n";
    for (const char item : items) text += std::string(1, item) + ",p,l" + item + "\n";
    join_annotations(data, ticks_of(text), {.path = "t", .items_are = "row-numbers"});
    return data;
  };
  EXPECT_EQ(joined("012").candidates, labels_of({"100", "010", "001"}));
  EXPECT_EQ(joined("123").candidates, labels_of({"100", "010", "001"}));
  EXPECT_EQ(joined("02").rows(), 2u);
  EXPECT_THAT(refusal([&] { joined("12"); }), HasSubstr("from 0 or from 1"));
  EXPECT_THAT(refusal([&] { joined("0123"); }), HasSubstr("from 0 or from 1"));
  EXPECT_THAT(refusal([&] { joined("a"); }), HasSubstr("'a' in the ticks is not the number"));
  EXPECT_THAT(refusal([&] { joined("9"); }), HasSubstr("not the number of one of the 3 rows"));
}

TEST(WrittenAnnotations, read_back_the_same) {
  Dataset data = features();
  data.ids = {"a,1", "\"b\"", "c\nd"};
  VoteCollector said;
  said.tick(0, 0, 1), said.tick(0, 0, 0), said.annotate(1, 1), said.tick(2, 1, 0),
      said.tick(2, 0, 2);
  data.votes = std::make_shared<const Votes>(said.finish(3, {"ann, the first", "bob"}));
  data.label_names = {"dog|cat", "\"it's\"; [so]", "none"};
  data.candidates = data.votes->any_tick(3);
  MemoryOutput out;
  write_annotations(data, out);
  Dataset again = features();
  again.ids = data.ids;
  again.label_names = data.label_names;
  again.candidates = LabelMatrix(3, 3);
  join_annotations(again, ticks_of(out.text), {.path = "t"});
  EXPECT_TRUE(same_content(again, data)) << out.text;
}

// ---- names, lists and repeats -------------------------------------------------------------------

TEST(AnnotationNames, are_taken_without_spaces_around_them_also_unseen_ones) {
  std::vector<std::string> notes;
  EXPECT_EQ(
      told(ticks_of("item,person,label\n\"t1 \",\"ann \",\" sea\"\n"
                    "t1,bob\xC2\xA0,sea\xC2\xA0\n\xE2\x80\x8Bt1,ann,\xEF\xBB\xBFwood\xE2\x80\x8B\n",
                    {}, &notes)),
      "t1 ann: sea wood; t1 bob: sea; ");
  EXPECT_THAT(notes, Not(Contains(HasSubstr("differ only"))));
}

TEST(AnnotationNames, that_differ_only_by_case_or_inner_spaces_are_told_and_merged_on_request) {
  const std::string text =
      "item,person,label\n1,Ann,Sea\n2,ann,sea\n3,ann,sea\n1,bob,\xC3\x89t\xC3\xA9\n"
      "2,bob,\xC3\xA9t\xC3\xA9\n1,bob,deep  blue\n2,bob,deep blue\n3,bob,deep blue\n";
  std::vector<std::string> notes;
  EXPECT_EQ(ticks_of(text, {}, &notes).labels.size(), 6u);
  EXPECT_THAT(notes,
              Contains(AllOf(HasSubstr("labels that differ only by case or spaces: 'sea' (2), "
                                       "'Sea' (1); "),
                             HasSubstr("'deep blue' (2), 'deep  blue' (1)"),
                             HasSubstr("ticks.merge_case=true takes them as one"))));
  EXPECT_THAT(notes, Contains(HasSubstr("annotators that differ only by case or spaces: 'ann' (2), "
                                        "'Ann' (1); ")));
  AnnotationOptions options;
  options.merge_case = true;
  const Annotations merged = ticks_of(text, options);
  EXPECT_THAT(merged.labels, ElementsAre("deep blue", "sea", "\xC3\x89t\xC3\xA9"));
  EXPECT_THAT(
      std::vector<std::string>(merged.votes.annotators().begin(), merged.votes.annotators().end()),
      ElementsAre("ann", "bob"));
}

TEST(EmptyWords, that_are_plain_mean_a_look_without_a_tick) {
  std::vector<std::string> notes;
  EXPECT_EQ(
      told(ticks_of("item,person,label\n1,a,N/A\n1,b,nan\n1,c,sea\n1,d,-\n2,a,n/a\n", {}, &notes)),
      "1 a:; 1 b:; 1 c: sea; 1 d:; 2 a:; ");
  EXPECT_THAT(notes, ElementsAre(AllOf(HasSubstr("taken as no label: "), HasSubstr("'N/A' (1)"),
                                       HasSubstr("ticks.empty_words"))));
  AnnotationOptions options;
  options.empty_words = "";
  EXPECT_EQ(told(ticks_of("item,person,label\n1,a,nan\n1,b,naan\n", options)),
            "1 a: nan; 1 b: naan; ");
}

TEST(LongAnnotations, ask_who_annotated_where_a_column_may_say_it) {
  const std::string text = "item,label,by\n1,sea,ann\n1,wood,bob\n2,sea,ann\n2,sea,bob\n";
  int code = 0;
  EXPECT_THAT(refusal([&] { ticks_of(text); }, &code),
              AllOf(HasSubstr("cannot tell who annotated"), HasSubstr("ticks.person=by"),
                    HasSubstr("ticks.person=none")));
  EXPECT_EQ(code, 3);
  AnnotationOptions options;
  options.annotator = "by";
  EXPECT_EQ(told(ticks_of(text, options)), "1 ann: sea; 1 bob: wood; 2 ann: sea; 2 bob: sea; ");
  options.annotator = "none";
  EXPECT_EQ(told(ticks_of(text, options)), "1 everyone: sea wood; 2 everyone: sea; ");
}

TEST(LongAnnotations, are_not_about_the_numbers_of_their_records) {
  EXPECT_THAT(refusal([] { ticks_of("annotation_id,url,annotator,label\n1,a,p,x\n2,a,q,x\n"); }),
              HasSubstr("item"));
}

TEST(EmptyWords, that_may_be_labels_are_asked_about) {
  const std::string text = "item,person,label\n1,a,none\n1,b,None\n1,c,sea\n2,a,null\n";
  int code = 0;
  const std::string asked = refusal([&] { ticks_of(text); }, &code);
  EXPECT_EQ(code, 3);
  EXPECT_THAT(asked, AllOf(HasSubstr("'None' (1), 'none' (1)"),
                           HasSubstr("there is none: ticks.empty_words=none,null\n"),
                           HasSubstr("if they are labels: ticks.empty_words=null")));
  AnnotationOptions options;
  options.empty_words = "none,null";
  EXPECT_EQ(told(ticks_of(text, options)), "1 a:; 1 b:; 1 c: sea; 2 a:; ");
  options.empty_words = "null";
  EXPECT_EQ(told(ticks_of(text, options)), "1 a: none; 1 b: None; 1 c: sea; 2 a:; ");
}

TEST(EmptyWords, that_stand_beside_labels_are_labels) {
  std::vector<std::string> notes;
  EXPECT_EQ(told(ticks_of("item,person,label\n1,a,NONE\n1,b,sea\n1,c,NONE|sea\n", {}, &notes)),
            "1 a: NONE; 1 b: sea; 1 c: NONE sea; ");
  EXPECT_THAT(notes, Contains(AllOf(HasSubstr("taken as labels"), HasSubstr("'NONE' (2)"))));
}

TEST(EmptyWords, that_were_chosen_from_a_list_are_labels_and_told) {
  std::vector<std::string> notes;
  EXPECT_EQ(told(ticks_of("item,person,labels\n1,a,[NONE]\n1,b,[sea] [N/A]\n", {}, &notes)),
            "1 a: NONE; 1 b: N/A sea; ");
  EXPECT_THAT(notes,
              Contains(AllOf(HasSubstr("taken as labels, though"), HasSubstr("'NONE' (1)"))));
}

TEST(LabelTexts, are_cut_where_nearly_all_parts_are_labels_elsewhere) {
  for (const std::string mark : {", ", "/", " + ", ",", "; ", "|"}) {
    std::vector<std::string> notes;
    EXPECT_EQ(told(ticks_of("item,person,label\n1,a,\"sea" + mark + "wood\"\n1,b,sea\n2,b,wood\n",
                            {}, &notes)),
              "1 a: sea wood; 1 b: sea; 2 b: wood; ")
        << mark;
    EXPECT_THAT(notes, Contains(HasSubstr("labels in 'label' are separated by")));
  }
}

TEST(LabelTexts, may_have_several_separators_and_words_that_hold_one) {
  EXPECT_EQ(told(ticks_of("item,person,label\n1,a,\"sea, wood\"\n1,b,sea\n2,a,wood/sea\n2,b,wood\n"
                          "2,c,n/a\n")),
            "1 a: sea wood; 1 b: sea; 2 a: sea wood; 2 b: wood; 2 c:; ");
}

TEST(LabelTexts, are_asked_about_where_only_some_parts_are_labels_elsewhere) {
  const std::string text = "item,person,label\n1,a,animal/dog\n1,b,animal/cat\n2,b,animal\n";
  int code = 0;
  EXPECT_THAT(refusal([&] { ticks_of(text); }, &code),
              AllOf(HasSubstr("cannot tell whether texts in 'label'"), HasSubstr("animal/dog"),
                    HasSubstr("to cut them: ticks.separator=/\n"),
                    HasSubstr("to take each as one label: ticks.separator=none")));
  EXPECT_EQ(code, 3);
  AnnotationOptions options;
  options.separator = "/";
  EXPECT_EQ(told(ticks_of(text, options)), "1 a: animal dog; 1 b: animal cat; 2 b: animal; ");
  options.separator = "none";
  EXPECT_EQ(told(ticks_of(text, options)), "1 a: animal/dog; 1 b: animal/cat; 2 b: animal; ");
}

TEST(LabelTexts, whose_parts_are_no_labels_elsewhere_are_one_label_and_told) {
  std::vector<std::string> notes;
  EXPECT_EQ(told(ticks_of("item,person,label\n1,a,\"arts, crafts\"\n1,b,sea\n", {}, &notes)),
            "1 a: arts, crafts; 1 b: sea; ");
  EXPECT_THAT(notes, Contains(AllOf(HasSubstr("one label each"), HasSubstr("arts, crafts"))));
}

TEST(LabelTexts, are_judged_by_the_whole_file) {
  std::string text = "item,person,label\n";
  for (int i = 0; i < 300; ++i)
    text += std::to_string(i) + ",a," + (i % 2 == 0 ? "sea\n" : "wood\n");
  const Annotations ticks = ticks_of(text + "900,a,sea|wood\n");
  EXPECT_THAT(ticks.labels, ElementsAre("sea", "wood"));
}

TEST(RepeatedAnnotations, count_as_the_last_and_are_told) {
  const std::string text = "id,rater,joy,anger\n1,a,1,0\n1,b,1,1\n1,a,0,1\n2,a,1,0\n2,a,1,0\n";
  std::vector<std::string> notes;
  EXPECT_EQ(told(ticks_of(text, {}, &notes)), "1 a: anger; 1 b: anger joy; 2 a: joy; ");
  EXPECT_THAT(
      notes,
      Contains(AllOf(HasSubstr("again: 2 annotations"), HasSubstr("of 1 items with other labels"),
                     HasSubstr("the last in the file counts"), HasSubstr("ticks.repeats=union"))));
  AnnotationOptions options;
  options.repeats = "first";
  EXPECT_EQ(told(ticks_of(text, options)), "1 a: joy; 1 b: anger joy; 2 a: joy; ");
  options.repeats = "union";
  notes.clear();
  EXPECT_EQ(told(ticks_of(text, options, &notes)), "1 a: anger joy; 1 b: anger joy; 2 a: joy; ");
  EXPECT_THAT(notes, Not(Contains(HasSubstr("annotated an item again"))));
  options.repeats = "lst";
  EXPECT_THAT(refusal([&] { ticks_of(text, options); }), HasSubstr("last"));
}

TEST(RepeatedAnnotations, go_by_time_where_it_is_told) {
  const auto answers = [](const std::string& early, const std::string& late,
                          const std::string& name) {
    std::vector<std::string> notes;
    const std::string found = told(
        ticks_of("id,rater," + name + ",joy,anger\n1,a," + late + ",0,1\n1,a," + early + ",1,0\n",
                 {}, &notes));
    EXPECT_THAT(notes, Contains(HasSubstr("last by '" + name + "'"))) << early;
    return found;
  };
  EXPECT_EQ(answers("2024-05-01T10:00:00Z", "2024-05-01T11:30:00+01:00", "updated_at"),
            "1 a: anger; ");
  EXPECT_EQ(answers("9", "10", "timestamp"), "1 a: anger; ");
  EXPECT_EQ(answers("Tue Mar 05 12:34:56 PST 2019", "Wed Apr 03 01:00:00 PDT 2019", "SubmitTime"),
            "1 a: anger; ");
  std::vector<std::string> notes;
  EXPECT_EQ(told(ticks_of("id,rater,time,joy,anger\n1,a,noon,1,0\n1,a,10,0,1\n", {}, &notes)),
            "1 a: anger; ");
  EXPECT_THAT(notes, Contains(HasSubstr("times in 'time' cannot be read ('noon')")));
}

TEST(RepeatedAnnotations, are_found_in_lists_but_not_in_lines_of_one_tick_or_without_annotators) {
  EXPECT_EQ(told(ticks_of("item,person,labels\n1,a,x|y\n1,a,x\n2,b,y\n")), "1 a: x; 2 b: y; ");
  EXPECT_EQ(told(ticks_of("item,person,label\n1,a,x\n1,a,y\n1,a,x\n")), "1 a: x y; ");
  AnnotationOptions of_one;
  of_one.annotator = "none";
  EXPECT_EQ(told(ticks_of("item,labels\n1,x|y\n1,x\n2,y\n", of_one)),
            "1 everyone: x y; 2 everyone: y; ");
}

TEST(RepeatedAnnotations, in_lines_of_one_tick_are_told_apart_by_time_or_record) {
  const std::string lines = "1,a,x,1\n1,a,y,1\n2,a,x,2\n2,a,z,2\n1,a,z,3\n";
  EXPECT_EQ(told(ticks_of("item,person,label,time\n" + lines)), "1 a: z; 2 a: x z; ");
  EXPECT_EQ(told(ticks_of("item,person,label,submission_id\n" + lines)), "1 a: z; 2 a: x z; ");
  const std::string clicks = "item,person,label,time\n1,a,x,1\n1,a,y,2\n2,b,x,3\n";
  EXPECT_THAT(refusal([&] { ticks_of(clicks); }),
              AllOf(HasSubstr("at different times (1 times)"),
                    HasSubstr("of one annotation: ticks.repeats=union\n"),
                    HasSubstr("those before: ticks.repeats=last")));
  AnnotationOptions options;
  options.repeats = "union";
  EXPECT_EQ(told(ticks_of(clicks, options)), "1 a: x y; 2 b: x; ");
  options.repeats = "last";
  EXPECT_EQ(told(ticks_of(clicks, options)), "1 a: y; 2 b: x; ");
}

TEST(RepeatedAnnotations, of_a_label_studio_task_go_by_the_time_of_their_update) {
  const auto annotation = [](const std::string& label, const std::string& time) {
    return "{\"completed_by\": 7, \"updated_at\": \"" + time +
           "\", \"result\": [{\"from_name\": \"q\", \"type\": \"choices\", \"value\": "
           "{\"choices\": "
           "[\"" +
           label + "\"]}}]}";
  };
  EXPECT_EQ(told(ticks_of("[{\"id\": 1, \"data\": {}, \"annotations\": [" +
                          annotation("new", "2024-05-02T00:00:00Z") + ", " +
                          annotation("old", "2024-05-01T00:00:00Z") + "]}]")),
            "1 7: new; ");
}

// ---- what is refused ----------------------------------------------------------------------------

std::string late_line(const std::string& bad) {
  std::string text;
  for (int i = 0; i < 100000; ++i) text += "{\"item\":1,\"annotator\":\"a\",\"label\":\"x\"}\n";
  return text + bad + "\n";
}

class BadAnnotations : public ::testing::TestWithParam<BadText> {};

TEST_P(BadAnnotations, are_refused_with_their_place) {
  int code = 0;
  EXPECT_THAT(refusal([] { ticks_of(GetParam().text); }, &code), HasSubstr(GetParam().message));
  EXPECT_EQ(code, 3);
}

INSTANTIATE_TEST_SUITE_P(
    Annotations, BadAnnotations,
    ::testing::Values(
        BadText{"empty", "", "the file is empty"},
        BadText{"blank", "\n\n  \n", "the file is empty"},
        BadText{"only_names", "item,person,label\n", "there are no ticks"},
        BadText{"numpy", "\x93NUMPY\x01", "this is a NumPy array"},
        BadText{"other_columns", "a,b,c\n1,2,x\n", "cannot tell which column of the annotations"},
        BadText{"blank_item", "item,person,label\n1,p,x\n,p,x\n",
                "t:3: an annotation without an item"},
        BadText{"blank_person", "item,person,label\n1,,x\n",
                "t:2: an annotation without an annotator"},
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
        BadText{"span", R"({"item":1,"annotator":"a","label":[[0,3,"PER"]]})",
                R"(t:1: a span among the labels: [0,3,"PER"])"},
        BadText{"list_in_list", R"({"item":1,"annotator":"a","label":["x",["y"]]})",
                R"(t:1: a list within the list of labels: ["y"])"},
        BadText{"object_label", R"({"item":1,"annotator":"a","label":{"name":"x"}})",
                R"(t:1: an object instead of labels: {"name":"x"})"},
        BadText{"object_in_list", R"({"item":1,"annotator":"a","label":[{"name":"x"}]})",
                R"(t:1: an object among the labels: {"name":"x"})"},
        BadText{"empty_object", R"({"item":1,"annotator":"a","label":{}})",
                R"(t:1: an object instead of labels: {})"},
        BadText{"null_in_list", R"({"item":1,"annotator":"a","label":["x",null]})",
                R"(t:1: a null among the labels: null)"},
        BadText{"true_in_list", R"({"item":1,"annotator":"a","label":["x",true]})",
                R"(t:1: true or false among the labels: true)"},
        BadText{"share_in_list", R"({"item":1,"annotator":"a","label":[0.5]})",
                R"(t:1: a number that is not whole among the labels: 0.5)"},
        BadText{"number_twice", R"({"item":1,"annotator":"a","label":[0,1,0]})",
                R"(t:1: a list with the same number twice does not list labels: 0)"},
        BadText{"python_none", "item,person,label\n1,p,\"[None, 'x']\"\n",
                "t:2: not a text or a whole number among the labels: None"},
        BadText{"python_bits", "item,person,label\n1,p,\"[True, False]\"\n",
                "t:2: not a text or a whole number among the labels: True"},
        BadText{"python_tuple", "item,person,label\n1,p,\"[('x', 1)]\"\n",
                "t:2: not a text or a whole number among the labels: ('x'"},
        BadText{"python_dict", "item,person,label\n1,p,{'name': 'x'}\n",
                "t:2: a set or dictionary of Python instead of labels: {'name': 'x'}"},
        BadText{"span_in_table", "item,person,label\n1,p,\"[[0, 3, \"\"PER\"\"]]\"\n",
                "t:2: a span among the labels"},
        BadText{
            "prodigy_without_label",
            "{\"id\":1,\"label\":\"X\",\"answer\":\"accept\"}\n{\"id\":1,\"answer\":\"accept\"}\n",
            "t:2: an answer without a label"},
        BadText{"doccano_span", R"({"id":1,"text":"Bob","label":[[0,3,"PER"]]})",
                "t:1: a span among the labels"},
        BadText{"lone_surrogate", "{\"item\":1,\"annotator\":\"a\",\"label\":\"\\ud800\"}\n",
                "t:1: a JSON string here is not valid text"},
        BadText{"bad_utf8", "{\"item\":1,\"annotator\":\"\xC3(\",\"label\":\"x\"}\n",
                "t:1: a JSON string here is not valid text"},
        BadText{"key_twice", "{\"item\":1,\"annotator\":\"a\",\"label\":\"x\",\"label\":\"y\"}\n",
                "t:1: the key 'label' is there twice"},
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

TEST(LongAnnotations, of_many_lines_take_little_memory_and_any_line_length) {
  std::string text = "item,person,label,note\n";
  for (int i = 0; i < 20000; ++i)
    text += std::to_string(i / 4) + ",p" + std::to_string(i % 4) + ",l" + std::to_string(i % 7) +
            "," + std::string(i == 9999 ? 2000000 : 1, 'z') + "\n";
  const Annotations ticks = ticks_of(text);
  EXPECT_EQ(ticks.items.size(), 5000u);
  EXPECT_EQ(ticks.votes.ticks(), 20000u);
}

TEST(RealAnnotations, of_two_platforms_are_read_as_they_are) {
  REQUIRE_DATA_FOLDER(folder);
  std::vector<std::string> notes;
  const Annotations mturk = read_annotations({.path = *folder + "/relex/export-mturk.csv.gz"},
                                             FileSystem::real(), &notes);
  EXPECT_EQ(mturk.items.size(), 20u);
  EXPECT_EQ(mturk.votes.annotations(), 300u);
  EXPECT_EQ(mturk.votes.annotators().size(), 27u);
  EXPECT_THAT(notes, Contains(HasSubstr("'Answer.Q1'")));
  EXPECT_THAT(mturk.labels, Contains("per:founded_org"));
  EXPECT_THAT(mturk.labels, Not(Contains(HasSubstr("|"))));

  const Annotations crowdflower =
      read_annotations({.path = *folder + "/relex/export-crowdflower.csv.gz"});
  EXPECT_EQ(crowdflower.items.size(), 27u);
  EXPECT_EQ(crowdflower.votes.annotators().size(), 31u);
  EXPECT_THAT(crowdflower.labels, Contains("TREATS"));
  EXPECT_THAT(crowdflower.labels, Not(Contains(HasSubstr("["))));

  const Annotations all = read_annotations({.path = *folder + "/relex/judgments.csv.gz"});
  EXPECT_EQ(all.items.size(), 3231u);
  EXPECT_EQ(all.labels.size(), 14u);
  EXPECT_EQ(all.votes.annotators().size(), 468u);
}

}  // namespace
}  // namespace sieve
