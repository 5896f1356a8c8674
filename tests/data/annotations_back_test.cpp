#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/annotations/annotations_back.h"
#include "support/faulty_files.h"
#include "support/places.h"
#include "support/support.h"

namespace sieve {
namespace {

const char* const kTasks =
    R"([{"id": 1, "data": {"text": "w"}, "annotations": [{"completed_by": 1, "result": [
{"from_name": "t", "to_name": "x", "type": "choices", "value": {"choices": ["sea"]}}]}]}])";

class AnnotationsBackOnABadDisk : public ::testing::TestWithParam<const char*> {};

TEST_P(AnnotationsBackOnABadDisk, are_the_old_file_or_the_new_one_whichever_call_fails) {
  const test::TempFolder folder;
  AnnotationOptions from;
  from.path = folder / "votes";
  test::write_file(from.path, GetParam());
  ReadOptions options;
  options.ticks = from;
  const Dataset data = read_dataset({}, options);
  const AddedAnnotations added =
      added_annotations({{0, 0, true, "rita"}}, data.candidates, {0}, nullptr, "");
  std::string whole;
  for (std::size_t failing = 1;; ++failing) {
    const std::string path = folder / "out";
    test::write_file(path, "before");
    test::FaultyFiles files(failing, true);
    const std::string message = test::refusal([&] {
      FileSet set;
      std::vector<std::string> notes;
      write_annotations_back(data, added, from, FileSystem::real(),
                             set.add(files, path, IfExists::Replace), notes);
      set.commit();
    });
    whole = test::read_file(path);
    for (const std::string& name : FileSystem::real().list(folder.path()))
      EXPECT_EQ(name.find(".part-"), std::string::npos) << name;
    if (message.empty()) break;
    EXPECT_TRUE(whole == "before" || whole.find("rita") != whole.npos) << whole;
  }
  EXPECT_THAT(whole, ::testing::HasSubstr("rita"));
}

INSTANTIATE_TEST_SUITE_P(Layouts, AnnotationsBackOnABadDisk,
                         ::testing::Values("item,worker,label\np1,ann,sea\np2,bob,sea\n", kTasks));

}  // namespace
}  // namespace sieve
