#include "report/pages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "labelsieve/prepare.h"
#include "report/rendered.h"
#include "support/faulty_files.h"
#include "support/support.h"

namespace sieve {
namespace {

TEST(CleaningWorkbook, is_there_as_a_whole_or_not_at_all_whichever_call_fails) {
  ThreadPool pool(1);
  SynthOptions options;
  options.rows = 40;
  options.labels = 3;
  options.cardinality = 1;
  options.noise = 0.5;
  Cleaned cleaned = clean(judge(make_synthetic(options, pool), {.method = "pml-ni", .folds = 2}));
  const Rendered rendered = render_cleaning(
      {.judged = cleaned.judged, .ranked = cleaned.suspects, .cleaned = cleaned.labels});
  std::string whole;
  for (std::size_t failing = 0;; ++failing) {
    const test::TempFolder folder;
    test::write_file(folder / "out.xlsx", "older");
    test::FaultyFiles files(failing, true);
    const std::string message = test::refusal([&] {
      FileSet set;
      write_cleaning_workbook(cleaned, rendered.json, {}, {},
                              set.add(files, folder / "out.xlsx", IfExists::Replace));
      set.commit();
    });
    EXPECT_THAT(FileSystem::real().list(folder.path()), ::testing::ElementsAre("out.xlsx"));
    const std::string now = test::read_file(folder / "out.xlsx");
    if (message.empty()) {
      EXPECT_TRUE(now.starts_with("PK"));
      EXPECT_GT(failing, 2U);
      break;
    }
    EXPECT_TRUE(now == "older" || now.starts_with("PK")) << message;
  }
}

}  // namespace
}  // namespace sieve
