#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/formats.h"
#include "labelsieve/error.h"
#include "support/memory_streams.h"
#include "support/places.h"
#include "support/support.h"

// What holds for every row of the table of formats, those to come included.
namespace sieve {
namespace {

using test::labels_of;
using test::refusal;
using test::TempFolder;

class EveryFormat : public ::testing::TestWithParam<FormatRow> {
 protected:
  void SetUp() override {
    const FormatRow& format = GetParam();
    if (const std::string why = format.problem != nullptr ? format.problem() : ""; !why.empty())
      GTEST_SKIP() << why;
  }
  std::string path() const { return folder_ / ("set" + GetParam().extensions.front()); }
  TempFolder folder_;
};

Dataset small_set() {
  Dataset data;
  Matrix x(4, 3);
  x(0, 0) = 0.1F, x(1, 1) = -3e-7F, x(2, 0) = 16777216, x(3, 2) = 1;
  data.features = std::move(x);
  data.candidates = labels_of({"110", "011", "111", "100"});
  data.truth = labels_of({"100", "011", "001", "100"});
  data.label_names = {"sea", "sky, blue", "it's"};
  data.feature_names = {"first", "second one", "third"};
  return data;
}

// One label matrix where the format holds no more.
WriteOptions all_that_fits(const FormatRow& format) {
  WriteOptions options;
  if (!format.holds.both_labels) options.labels = WriteOptions::Labels::Candidates;
  return options;
}

TEST_P(EveryFormat, gives_back_what_it_holds) {
  const FormatRow& format = GetParam();
  for (const bool sparse : {false, true}) {
    Dataset data = sparse ? test::thinned(small_set()) : small_set();
    WriteOptions options = all_that_fits(format);
    options.if_exists = IfExists::Replace;
    write_dataset(data, path(), options);
    Dataset back = read_dataset({path()});

    if (!format.holds.both_labels) data.truth.reset();
    if (!format.holds.label_names) back.label_names = data.label_names;
    if (!format.holds.feature_names) back.feature_names = data.feature_names;
    EXPECT_TRUE(same_content(data, back)) << sparse;
    EXPECT_TRUE(!sparse || !format.holds.sparse || back.features.is_sparse());
  }
}

TEST_P(EveryFormat, gives_back_ids_and_votes_where_it_holds_them_and_says_where_not) {
  const FormatRow& format = GetParam();
  Dataset data = small_set();
  data.ids = {"a", "b,1", "\"c\"", "d"};
  VoteCollector said;
  said.tick(0, 0, 1), said.tick(2, 1, 2), said.annotate(3, 0);
  data.votes = std::make_shared<const Votes>(said.finish(4, {"ann", "bob"}));
  const WriteOptions options = all_that_fits(format);
  write_dataset(data, path(), options);
  const Dataset back = read_dataset({path()});
  EXPECT_EQ(back.ids, format.holds.ids ? data.ids : std::vector<std::string>());
  EXPECT_EQ(back.votes != nullptr, format.holds.votes);
  if (back.votes) {
    EXPECT_EQ(*back.votes, *data.votes);
  }
  EXPECT_EQ(lost_by_writing(data, path(), options).size(),
            2u - format.holds.ids - format.holds.votes);
}

TEST_P(EveryFormat, refuses_two_label_matrices_where_it_holds_one) {
  int code = 0;
  const std::string message = refusal([&] { write_dataset(small_set(), path()); }, &code);
  EXPECT_EQ(code, GetParam().holds.both_labels ? 0 : 2) << message;
}

TEST_P(EveryFormat, is_known_by_its_extensions) {
  for (const std::string& extension : GetParam().extensions)
    for (const std::string& name : {"a" + extension, "b.c/a" + extension + ".gz"})
      EXPECT_EQ(format_of_name(name), GetParam().name) << name;
}

TEST_P(EveryFormat, is_known_by_its_content) {
  test::MemoryOutput out;
  write_as(GetParam(), small_set(), out, all_that_fits(GetParam()));
  EXPECT_EQ(detect_format(out.text, "a file").name, GetParam().name);
}

TEST_P(EveryFormat, makes_the_files_it_says_it_makes) {
  const WriteOptions options = all_that_fits(GetParam());
  write_dataset(small_set(), path(), options);
  std::vector<std::string> names;
  for (const std::string& file : files_written(path(), options))
    names.push_back(file.substr(folder_.path().size() + 1));
  EXPECT_THAT(FileSystem::real().list(folder_.path()), ::testing::UnorderedElementsAreArray(names));
}

TEST_P(EveryFormat, hands_on_the_same_features_in_blocks) {
  write_dataset(small_set(), path(), all_that_fits(GetParam()));
  const Dataset whole = read_dataset({path()});
  std::optional<Features> all;
  read_features({path()}, {}, [&](FeatureBlock& block) {
    EXPECT_EQ(block.names, whole.feature_names);
    all = all ? stack_rows(std::move(*all), block.features) : block.features;
    return [] {};
  });
  ASSERT_TRUE(all);
  EXPECT_TRUE(same_values(*all, whole.features));
}

TEST_P(EveryFormat, refuses_what_is_no_data) {
  ReadOptions options;
  options.format = GetParam().name;
  for (const char* text : {"\n", "nothing to see here", "\x01\x02\xff\xfe"}) {
    test::write_file(path(), text);
    int code = 0;
    EXPECT_NE(refusal([&] { read_dataset({path()}, options); }, &code), "") << text;
    EXPECT_TRUE(code == 2 || code == 3) << code << text;
  }
}

TEST_P(EveryFormat, has_a_page) {
  const std::string page =
      test::read_file(test::project_folder() + "/docs/formats/" + GetParam().name + ".md");
  for (const std::string& extension : GetParam().extensions)
    EXPECT_THAT(page, ::testing::HasSubstr("`" + extension + "`"));
}

INSTANTIATE_TEST_SUITE_P(Formats, EveryFormat, ::testing::ValuesIn(all_formats()),
                         [](const auto& format) { return format.param.name; });

TEST(Formats, an_unknown_one_is_refused_with_the_nearest) {
  ReadOptions options;
  options.format = "arf";
  const TempFolder folder;
  test::write_file(folder / "x", "1,2\n");
  int code = 0;
  EXPECT_THAT(refusal([&] { read_dataset({folder / "x"}, options); }, &code),
              ::testing::HasSubstr("did you mean 'arff'"));
  EXPECT_EQ(code, 2);
}

}  // namespace
}  // namespace sieve
