// Which files a workspace is made of, and what each of them holds.
#include <gmock/gmock.h>

#include <filesystem>

#include "labelsieve/error.h"
#include "labelsieve/review.h"
#include "support/support.h"

namespace sieve::test {
namespace {

using Use = WorkspaceFile::Use;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr const char* kLabelStudio = R"([
{"id": 1, "data": {"text": "a boat"}, "annotations": [
  {"completed_by": 7, "result": [{"from_name": "topic", "to_name": "text", "type": "choices",
   "value": {"choices": ["sea"]}}]}]}])";
constexpr const char* kMturk =
    "HITId,AssignmentId,WorkerId,AssignmentStatus,Input.text,Answer.topic\n"
    "h1,a1,w1,Approved,a boat,sea\n";
constexpr const char* kCrowdFlower = "_unit_id,_worker_id,text,topic\n1,w1,a boat,sea\n";

class FilesOfWorkspace : public ::testing::Test {
 protected:
  FilesOfWorkspace() { std::filesystem::create_directory(home()); }

  std::string home() const { return folder_ / "home"; }
  std::string path(const std::string& name) const { return home() + "/" + name; }
  void write(const std::string& name, const std::string& text) const {
    write_file(path(name), text);
  }
  WorkspaceFiles find() const { return find_workspace_files({home()}, false); }
  // What the only file is taken to hold, in a folder and by itself.
  Use use_of_only(const std::string& name, const std::string& text) const {
    std::filesystem::remove_all(home());
    std::filesystem::create_directory(home());
    write(name, text);
    const WorkspaceFiles found = find();
    EXPECT_EQ(found.files.size(), 1U) << name;
    EXPECT_EQ(find_workspace_files({path(name)}, false).files.front().use, found.files.front().use)
        << name;
    return found.files.front().use;
  }

  TempFolder folder_;
};

TEST_F(FilesOfWorkspace, the_table_that_names_annotators_holds_the_annotations) {
  EXPECT_THROW(find(), Error);
  write("rows.csv", "id,text\na,some words\n");
  write("ticks.csv", "item,worker,label\na,w1,x\n");
  write("readme.txt", "not data");
  EXPECT_THAT(find().paths(Use::Annotations), ElementsAre(path("ticks.csv")));
  EXPECT_THAT(find().paths(Use::Rows), ElementsAre(path("rows.csv")));
  EXPECT_THAT(find().open, IsEmpty());
  write("more.csv", "item,worker,label\na,w2,x\n");
  EXPECT_THAT(find().open, IsEmpty()) << "parts of one export";
  write("more.csv", "item,person,labels\na,w2,x\n");
  WorkspaceFiles asked = find();
  ASSERT_EQ(asked.open.size(), 1U) << "two files of annotations: it has to ask";
  EXPECT_EQ(asked.open[0].use, Use::Annotations);
  EXPECT_EQ(asked.open[0].files.size(), 2U);
  asked.set_use(asked.open[0].files[0], Use::LeftOut);
  EXPECT_THAT(asked.open, IsEmpty());
  EXPECT_THAT(asked.paths(Use::Annotations), ElementsAre(path("ticks.csv")));
  EXPECT_THAT(find_workspace_files({"x.csv"}, true).paths(Use::Rows), ElementsAre("x.csv"));
}

TEST_F(FilesOfWorkspace, exports_of_platforms_are_annotations_wherever_they_stand) {
  EXPECT_EQ(use_of_only("project.json", kLabelStudio), Use::Annotations);
  EXPECT_EQ(use_of_only("batch.csv", kMturk), Use::Annotations);
  EXPECT_EQ(use_of_only("full.csv", kCrowdFlower), Use::Annotations);
  EXPECT_EQ(use_of_only("flat.json", R"([{"text":"a boat","topic.responses":["sea"],
    "topic.responses.users":["u1"],"topic.responses.status":["submitted"]}])"),
            Use::Annotations);
  EXPECT_EQ(use_of_only("prodigy.jsonl",
                        R"({"text":"a","_input_hash":5,"accept":["X"],"answer":"accept",)"
                        R"("_session_id":"db-ann"})"),
            Use::Annotations);
  EXPECT_EQ(use_of_only("doccano.jsonl", R"({"id":1,"text":"a","label":["X"],"annotator":"ann"})"),
            Use::Annotations);
  EXPECT_EQ(use_of_only("coco.json", R"({"images":[{"id":1,"file_name":"a.jpg"}],
    "annotations":[{"image_id":1,"category_id":1}],"categories":[{"id":1,"name":"sea"}]})"),
            Use::Annotations);
  EXPECT_EQ(use_of_only("crowd.resp", "1 1 1 2\n1 2 1 1\n"), Use::Annotations);
}

TEST_F(FilesOfWorkspace, tables_without_annotators_are_rows) {
  EXPECT_EQ(use_of_only("rows.csv", "id,text,labels\na,some words,x\n"), Use::Rows);
  EXPECT_EQ(use_of_only("rows.jsonl", R"({"id":1,"text":"a","label":["X"]})"), Use::Rows);
  EXPECT_EQ(use_of_only("rows.arff", "@relation r\n@attribute a numeric\n@data\n1\n"), Use::Rows);
}

TEST_F(FilesOfWorkspace, a_file_that_may_be_anything_is_left_out_until_somebody_says_what_it_is) {
  write("rows.csv", "id,text\na,some words\n");
  write("settings.json", R"({"colour": "blue"})");
  WorkspaceFiles found = find();
  EXPECT_THAT(found.paths(Use::LeftOut), ElementsAre(path("settings.json")));
  EXPECT_THAT(found.paths(Use::Rows), ElementsAre(home()));
  found.set_use(1, Use::Annotations);
  EXPECT_THAT(found.paths(Use::Annotations), ElementsAre(path("settings.json")));
}

TEST_F(FilesOfWorkspace, two_exports_are_asked_about_and_all_of_them_is_an_answer) {
  write("mturk.csv", kMturk);
  write("crowdflower.csv", kCrowdFlower);
  WorkspaceFiles all = find(), one = all;
  ASSERT_EQ(all.open.size(), 1U);
  all.answer(0, 2);
  EXPECT_THAT(all.open, IsEmpty());
  EXPECT_EQ(all.paths(Use::Annotations).size(), 2U);
  one.answer(0, 1);
  EXPECT_THAT(one.paths(Use::Annotations), ElementsAre(path("mturk.csv")));
  EXPECT_THAT(one.paths(Use::LeftOut), ElementsAre(path("crowdflower.csv")));
  EXPECT_THROW(find().answer(0, 3), Error);
}

TEST_F(FilesOfWorkspace, the_first_rows_of_a_workbook_are_shown) {
  Dataset data;
  data.features = Features(Matrix(2, 1));
  data.feature_names = {"height"};
  data.candidates = labels_of({"10", "01"});
  data.label_names = {"sun", "sea"};
  write_dataset(data, path("rows.xlsx"));
  const auto first = first_rows(path("rows.xlsx"), 3);
  ASSERT_EQ(first.size(), 2U);
  EXPECT_EQ(first[0][0], (std::pair<std::string, std::string>("height", "0")));
}

TEST_F(FilesOfWorkspace, the_real_exports_are_annotations) {
  REQUIRE_DATA_FOLDER(data);
  for (const char* name : {"export-mturk.csv.gz", "export-crowdflower.csv.gz"})
    std::filesystem::copy(*data + "/relex/" + name, path(name));
  WorkspaceFiles found = find();
  EXPECT_EQ(found.paths(Use::Annotations).size(), 2U);
  EXPECT_EQ(found.open.size(), 1U) << "they are of two platforms";
  EXPECT_THAT(first_rows(path("export-mturk.csv.gz"), 3), ::testing::SizeIs(3));
}

}  // namespace
}  // namespace sieve::test
