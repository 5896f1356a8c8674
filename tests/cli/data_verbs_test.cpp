#include <filesystem>

#include "cli.h"
#include "labelsieve/data_io.h"

namespace sieve::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

using Inspect = Cli;

TEST_F(Inspect, tells_the_shape_the_labels_and_what_may_be_wrong) {
  write_small_set();
  const Ran ran = sieve({"inspect", "small.csv"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.err, "");
  EXPECT_THAT(ran.out, StartsWith("4 x 2 x 3  rows x features x labels\n"));
  EXPECT_THAT(ran.out, HasSubstr("1.25 per row, density 0.417, 4 distinct label sets"));
  EXPECT_THAT(ran.out, HasSubstr("truth         not known"));
  EXPECT_THAT(ran.out, HasSubstr("rows without a candidate label: 1"));
  EXPECT_THAT(ran.out, HasSubstr("labels on in fewer than 10 rows: 3 (sun, sea, snow)"));
}

TEST_F(Inspect, compares_candidates_with_the_truth_of_a_second_file) {
  write_small_set();
  write("right.csv", "snow,sun,sea\n0,1,0\n0,1,0\n1,0,0\n1,0,0\n");  // another order
  const Ran ran = sieve({"inspect", "small.csv", "--truth", "right.csv"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("1.00 per row, 1 of them outside the candidates"));
  EXPECT_THAT(ran.out, HasSubstr("0.50 per row, 40.0 % of the candidates, in 50.0 % of the rows"));
  EXPECT_THAT(ran.out, HasSubstr("100.0 %"));  // every candidate "sea" is noise
}

TEST_F(Inspect, refuses_a_truth_with_other_labels_or_rows) {
  write_small_set();
  write("other.csv", "sun,sea,ice\n1,0,0\n1,0,0\n0,0,1\n0,0,1\n");
  const Ran other = sieve({"inspect", "small.csv", "--truth", "other.csv"});
  EXPECT_EQ(other.code, 3);
  EXPECT_THAT(other.err, HasSubstr("other.csv: no column for the label 'snow'"));
  write("short.csv", "sun,sea,snow\n1,0,0\n");
  EXPECT_THAT(sieve({"inspect", "small.csv", "--truth", "short.csv"}).err,
              HasSubstr("the file has 1 rows, the data 4 rows"));
}

TEST_F(Inspect, gives_the_same_numbers_as_json) {
  write_small_set();
  const Ran ran = sieve({"inspect", "small.csv", "--json"});
  EXPECT_THAT(ran.out, StartsWith("{\"rows\":4,\"features\":2,\"labels\":3,\"sparse\":false,"));
  EXPECT_THAT(ran.out, HasSubstr("\"candidates_per_row\":1.25"));
  EXPECT_THAT(ran.out, HasSubstr("{\"name\":\"sea\",\"candidates\":2,\"truth\":null"));
}

TEST_F(Inspect, survives_any_width) {
  write_small_set();
  for (const char* columns : {"0", "1", "20", "100000"}) {
    const Ran ran = sieve({"inspect", "small.csv"}, {.set = {{"COLUMNS", columns}}});
    EXPECT_EQ(ran.code, 0) << columns;
    EXPECT_THAT(ran.out, HasSubstr("snow")) << columns;
    EXPECT_THAT(ran.out, HasSubstr("25.0 %")) << columns;
  }
}

TEST_F(Inspect, reads_standard_input) {
  const Ran ran = sieve({"inspect", "-", "--label-count", "-1"}, {.input = "a,b\n1.5,1\n2.5,0\n"});
  EXPECT_THAT(ran.out, StartsWith("2 x 1 x 1")) << ran.err;
}

TEST_F(Inspect, takes_label_names_from_a_file) {
  write("t.csv", "x,sun,y,sea\n1,1,2,0\n3,0,4,1\n");
  write("names", "sea\n\nsun\n");
  EXPECT_THAT(sieve({"inspect", "t.csv", "--label-names", "@names"}).out, StartsWith("2 x 2 x 2"));
  EXPECT_THAT(sieve({"inspect", "t.csv", "--label-names", "sun"}).out, StartsWith("2 x 3 x 1"));
  const Ran both = sieve({"inspect", "t.csv", "--label-names", "sun", "--label-prefix", "s"});
  EXPECT_EQ(both.code, 2);
  EXPECT_THAT(both.err, HasSubstr("--label-names and --label-prefix"));
}

TEST_F(Inspect, prints_the_shapes_of_the_real_sets) {
  REQUIRE_DATA_FOLDER(data);
  const std::vector<std::pair<std::string, std::string>> shapes = {
      {"yeast", "2417 x 103 x 14"},     {"scene", "2407 x 294 x 6"},
      {"image", "2000 x 294 x 5"},      {"enron", "1702 x 1001 x 53"},
      {"corel5k", "5000 x 499 x 374"},  {"delicious", "16105 x 500 x 983"},
      {"mirflickr", "5000 x 100 x 7"},  {"tmc2007-500", "28596 x 500 x 22"},
      {"YeastBP", "6139 x 6139 x 217"}, {"music_emotion", "6833 x - x 11"},
      {"music_style", "6839 x - x 10"}};
  for (const auto& [name, shape] : shapes) {
    const std::string folder = std::filesystem::absolute(*data + "/" + name).string();
    const Ran ran = sieve({"inspect", folder});
    EXPECT_THAT(ran.out, StartsWith(shape + "  ")) << name << ": " << ran.err;
  }
}

using Convert = Cli;

TEST_F(Convert, takes_sieve_for_the_format_of_sieve_files) {
  write_small_set();
  const Ran ran = sieve({"convert", "small.csv", "copy", "--to", "sieve"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  ASSERT_EQ(sieve({"convert", "small.csv", "copy.sieve"}).code, 0);
  EXPECT_EQ(read("copy"), read("copy.sieve"));
  EXPECT_EQ(sieve({"inspect", "copy", "--format", "sieve"}).code, 0);
}

TEST_F(Convert, writes_any_format_from_any_other) {
  write_small_set();
  for (const char* name : {"a.arff", "a.csv", "a.tsv", "a.mat", "a.csv.gz"}) {
    const Ran ran = sieve({"convert", "small.csv", name});
    EXPECT_EQ(ran.code, 0) << ran.err;
    EXPECT_THAT(ran.out, HasSubstr("4 x 2 x 3"));
    EXPECT_TRUE(same_content(read_dataset({folder_ / "small.csv"}), read_dataset({folder_ / name})))
        << name;
  }
}

TEST_F(Convert, keeps_frequent_labels_and_reports_both_counts) {
  write_small_set();
  const Ran ran =
      sieve({"convert", "small.csv", "kept.csv", "--keep-labels", "2", "--drop-unlabelled"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("kept 2 of 3 labels"));
  EXPECT_THAT(ran.out, HasSubstr("kept 3 of 4 rows"));
  EXPECT_EQ(read_dataset({folder_ / "kept.csv"}).label_names,
            (std::vector<std::string>{"sun", "sea"}));
}

TEST_F(Convert, scales_features) {
  write_small_set();
  EXPECT_EQ(sieve({"convert", "small.csv", "s.csv", "--scale", "minmax"}).code, 0);
  const Dataset data = read_dataset({folder_ / "s.csv"});
  EXPECT_EQ(data.features.dense()(0, 0), -1);
  EXPECT_EQ(data.features.dense()(3, 0), 1);
}

TEST_F(Convert, refuses_a_name_without_a_format_before_reading) {
  const Ran ran = sieve({"convert", "missing.csv", "out.xyz"});
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err, HasSubstr("out.xyz: cannot tell the output format"));
}

TEST_F(Convert, refuses_the_truth_of_a_set_without_it) {
  write_small_set();
  const Ran ran = sieve({"convert", "small.csv", "t.csv", "--labels", "truth"});
  EXPECT_EQ(ran.code, 2);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "t.csv"));
}

TEST_F(Convert, refuses_parts_with_other_labels_or_another_order) {
  write_small_set();
  write("order.csv", "f1,f2,label:sea,label:sun,label:snow\n1,2,1,0,0\n");
  write("other.csv", "f1,f2,label:sun,label:sea,label:ice\n1,2,1,0,0\n");
  for (const char* second : {"order.csv", "other.csv"}) {
    const Ran ran = sieve({"convert", "small.csv", second, "both.csv"});
    EXPECT_EQ(ran.code, 3);
    EXPECT_THAT(ran.err, HasSubstr(second));
    EXPECT_THAT(ran.err, HasSubstr("same labels in the same order"));
  }
}

using Corrupt = Cli;

TEST_F(Corrupt, fills_rows_up_and_keeps_the_truth) {
  write_small_set();
  const Ran ran = sieve(
      {"corrupt", "small.csv", "noisy.csv", "--protocol", "fill", "--average", "2", "--seed", "7"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("2.00 candidates per row: 1.25 true and 0.75 noise"));
  const Dataset data = read_dataset({folder_ / "noisy.csv"});
  EXPECT_EQ(*data.truth, read_dataset({folder_ / "small.csv"}).candidates);
  EXPECT_EQ(data.candidates.count(), 8U);
}

TEST_F(Corrupt, every_protocol_runs_and_depends_on_the_seed_alone) {
  write_small_set();
  const std::vector<std::vector<std::string>> protocols = {
      {"extra", "--extra", "1", "--share", "0.5"},
      {"plausible", "--percent", "100"},
      {"flip", "--rate", "0.5"},
      {"flip", "--rate-from", "0.1", "--rate-to", "0.9"}};
  for (const auto& protocol : protocols) {
    std::vector<std::string> words = {"corrupt", "small.csv", "x.csv", "--force", "--protocol"};
    words.insert(words.end(), protocol.begin(), protocol.end());
    EXPECT_EQ(sieve(words).code, 0) << protocol[0];
    const std::string first = read("x.csv");
    words.insert(words.end(), {"--threads", "3"});
    EXPECT_EQ(sieve(words).code, 0);
    EXPECT_EQ(read("x.csv"), first);
  }
}

TEST_F(Corrupt, flags_must_fit_the_protocol) {
  const auto error = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"corrupt", "a.csv", "b.csv"});
    const Ran ran = sieve(more);
    EXPECT_EQ(ran.code, 2);
    return ran.err;
  };
  EXPECT_THAT(error({}), HasSubstr("--protocol is needed"));
  EXPECT_THAT(error({"--protocol", "fill"}), HasSubstr("--protocol fill needs --average"));
  EXPECT_THAT(error({"--protocol", "fill", "--rate", "0.1"}),
              HasSubstr("--rate belongs to --protocol flip, not fill"));
  EXPECT_THAT(error({"--protocol", "flip", "--rate", "0.1", "--rate-to", "0.3"}),
              HasSubstr("give one or the other"));
  EXPECT_THAT(error({"--protocol", "flip", "--rate-from", "0.5", "--rate-to", "0.3"}),
              HasSubstr("--rate-from is larger"));
}

using Split = Cli;

TEST_F(Split, writes_train_and_test_that_make_up_the_whole) {
  write_small_set();
  const Ran ran = sieve({"split", "small.csv", "--out", "half", "--test-share", "0.5"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(read_dataset({folder_ / "half-train.csv"}).rows(), 2U);
  EXPECT_EQ(read_dataset({folder_ / "half-test.csv"}).rows(), 2U);
  EXPECT_THAT(ran.out, HasSubstr("train"));
}

TEST_F(Split, writes_folds_into_a_folder) {
  write_small_set();
  for (const char* how : {"random", "stratified"}) {
    const Ran ran = sieve({"split", "small.csv", "--out", "parts/", "--folds", "2", "--to", "arff",
                           "--how", how, "--force"});
    EXPECT_EQ(ran.code, 0) << ran.err;
    EXPECT_EQ(read_dataset({folder_ / "parts/fold1.arff"}).rows(), 2U);
    EXPECT_EQ(read_dataset({folder_ / "parts/fold2.arff"}).rows(), 2U);
  }
}

TEST_F(Split, writes_only_row_numbers) {
  write_small_set();
  EXPECT_EQ(sieve({"split", "small.csv", "--indices", "i.tsv", "--folds", "4"}).code, 0);
  const std::string lines = read("i.tsv");
  EXPECT_THAT(lines, StartsWith("row\tpart\n"));
  for (const char* row : {"\n0\tfold", "\n1\tfold", "\n2\tfold", "\n3\tfold"})
    EXPECT_THAT(lines, HasSubstr(row));
  EXPECT_EQ(sieve({"split", "small.csv", "--indices", "i.json"}).code, 0);
  EXPECT_THAT(read("i.json"), ::testing::MatchesRegex(".\"train\":.*,\"test\":.[0-9].}\n"));
}

TEST_F(Split, refuses_what_makes_no_sense) {
  write_small_set();
  EXPECT_THAT(sieve({"split", "small.csv"}).err, HasSubstr("nothing to write"));
  EXPECT_THAT(sieve({"split", "small.csv", "--out", "x", "--folds", "9"}).err,
              HasSubstr("--folds 9 for 4 rows"));
  EXPECT_EQ(sieve({"split", "small.csv", "--out", "x", "--folds", "2", "--test-share", "0.1"}).code,
            2);
}

using Synth = Cli;

TEST_F(Synth, makes_the_same_set_from_the_same_seed) {
  for (const char* out : {"a.csv", "b.csv"})
    EXPECT_EQ(sieve({"synth", "--out", out, "--rows", "50", "--labels", "6", "--seed", "9"}).code,
              0);
  EXPECT_EQ(read("a.csv"), read("b.csv"));
  const Dataset data = read_dataset({folder_ / "a.csv"});
  EXPECT_EQ(data.rows(), 50U);
  EXPECT_EQ(data.labels(), 6U);
  EXPECT_TRUE(data.truth.has_value());
  EXPECT_EQ(count_outside(*data.truth, data.candidates), 0U);
}

TEST_F(Synth, makes_sparse_features) {
  EXPECT_EQ(sieve({"synth", "--out", "wide.sieve", "--rows", "40", "--features", "5000",
                   "--entries", "10"})
                .code,
            0);
  const Dataset data = read_dataset({folder_ / "wide.sieve"});
  EXPECT_TRUE(data.features.is_sparse());
  EXPECT_EQ(data.features.cols(), 5000U);
  EXPECT_EQ(data.features.nonzeros(), 400U);
}

TEST_F(Synth, needs_a_name_and_options_that_make_sense) {
  EXPECT_THAT(sieve({"synth"}).err, HasSubstr("--out is needed"));
  const Ran ran = sieve({"synth", "--out", "a.csv", "--cardinality", "100"});
  EXPECT_EQ(ran.code, 2);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "a.csv"));
}

}  // namespace
}  // namespace sieve::test
