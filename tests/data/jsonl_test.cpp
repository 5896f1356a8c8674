#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cstring>
#include <string>

#include "data/formats.h"
#include "data/recipe/recipe.h"
#include "support/memory_streams.h"
#include "support/support.h"

namespace sieve {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

Dataset read(const std::string& text, const ReadOptions& options = {}) {
  test::MemoryInput in(text);
  return with_features(read_jsonl_raw(in, "t.jsonl", options), options);
}

std::string refusal_of(const std::string& text, const ReadOptions& options = {}) {
  int code = 0;
  std::string message = test::refusal([&] { read(text, options); }, &code);
  EXPECT_EQ(code, 3) << message;
  return message;
}

std::vector<float> row_of(const Features& x, std::size_t row) {
  std::vector<float> values(x.cols());
  x.copy_row(row, values);
  return values;
}

TEST(Jsonl, a_key_that_is_there_twice_is_refused) {
  EXPECT_THAT(refusal_of("{\"a\": 1, \"label:x\": 1}\n{\"a\": 1, \"a\": 2, \"label:x\": 0}\n"),
              StartsWith("t.jsonl:2: the key 'a' is there twice"));
}

TEST(Jsonl, ids_of_rows_are_taken_and_written) {
  const std::string text =
      "{\"id\": \"p\", \"a\": 1, \"label:x\": 1}\n{\"a\": 2, \"id\": 12, \"label:x\": 0}\n";
  std::vector<std::string> notes;
  ReadOptions options;
  options.notes = &notes;
  const Dataset data = read(text, options);
  EXPECT_THAT(data.ids, ElementsAre("p", "12"));
  EXPECT_THAT(data.feature_names, ElementsAre("a"));
  EXPECT_THAT(notes, ElementsAre(HasSubstr("took column 'id' as the ids")));
  test::MemoryOutput out;
  write_jsonl(data, out, {});
  EXPECT_TRUE(same_content(read(out.text), data));

  const std::string numbers =
      "{\"id\": 5, \"a\": 1, \"label:x\": 1}\n{\"id\": 6, \"a\": 2, \"label:x\": 0}\n";
  options.id_column = "a";
  EXPECT_THAT(read(numbers, options).ids, ElementsAre("1", "2"));
  EXPECT_THAT(refusal_of(numbers + "{\"id\": 7, \"label:x\": 1}\n", options),
              StartsWith("t.jsonl:3: no id"));
  EXPECT_THAT(refusal_of(numbers + "{\"id\": 7, \"a\": 2, \"label:x\": 1}\n", options),
              HasSubstr("'2'"));
  options.id_column = "";
  EXPECT_TRUE(read(numbers, options).ids.empty());
}

TEST(Jsonl, numbers_vectors_and_lists_of_labels) {
  const Dataset data = read(
      "{\"a\": 1.5, \"x\": [1, 2e1], \"labels\": [\"cat\", \"dog\"]}\n"
      "\n"
      "{\"labels\": [], \"x\": [-3, 0.25], \"a\": true}\r\n"
      "{\"x\": [0, 0], \"a\": \"7\", \"labels\": [\"ant\"]}");
  EXPECT_THAT(data.feature_names, ElementsAre("a", "x[0]", "x[1]"));
  EXPECT_THAT(row_of(data.features, 0), ElementsAre(1.5F, 1, 20));
  EXPECT_THAT(row_of(data.features, 1), ElementsAre(1, -3, 0.25F));
  EXPECT_THAT(row_of(data.features, 2), ElementsAre(7, 0, 0));
  EXPECT_THAT(data.label_names, ElementsAre("ant", "cat", "dog"));
  EXPECT_TRUE(data.candidates == test::labels_of({"011", "000", "100"}));
  EXPECT_FALSE(data.recipe);
}

TEST(Jsonl, lines_that_are_vectors_themselves) {
  ReadOptions options;
  options.labels.count = 0;
  const Dataset data = read("[1, 2]\n[3, 4]\n", options);
  EXPECT_THAT(row_of(data.features, 1), ElementsAre(3, 4));
  options.labels.count = -1;
  EXPECT_TRUE(read("[1, 0]\n[3, 1]\n", options).candidates == test::labels_of({"0", "1"}));
  options.labels.count = 0;
  EXPECT_THAT(refusal_of("[1, 2]\n[3]\n", options),
              StartsWith("t.jsonl:2: this line has 1 numbers, but there were 2 before"));
}

TEST(Jsonl, gaps_categories_and_text_as_in_any_table) {
  ReadOptions options;
  options.table.text = {"t"};
  const std::string text =
      "{\"t\": \"Good value\", \"n\": 1, \"c\": \"red\", \"tags\": [\"a\"]}\n"
      "{\"t\": \"good\\nVALUE\", \"n\": null, \"c\": \"red\", \"tags\": [\"b\"]}\n"
      "{\"n\": 3, \"c\": \"blue\", \"tags\": [\"a\"]}\n"
      "{\"t\": [\"good\", \"value\"], \"n\": \"NA\", \"c\": \"blue\"}\n";
  const Dataset data = read(text, options);
  EXPECT_THAT(data.feature_names, ElementsAre("t: good", "t: good value", "t: value", "n",
                                              "n is missing", "c=blue", "c=red"));
  EXPECT_EQ(row_of(data.features, 0)[1], row_of(data.features, 3)[1]);
  EXPECT_THAT(row_of(data.features, 2), ElementsAre(0, 0, 0, 3, 0, 1, 0));
  EXPECT_THAT(row_of(data.features, 1)[3], 2);
  EXPECT_TRUE(data.candidates == test::labels_of({"10", "01", "10", "00"}));

  ReadOptions later;
  later.labels.optional = true;
  later.recipe = data.recipe;
  RecipeTally tally;
  later.tally = &tally;
  test::MemoryInput in(
      "{\"c\": \"green\", \"more\": {\"x\": 1}}\n{\"t\": \"value\", \"late\": 1}\n");
  Features x;
  read_jsonl_features(in, "new.jsonl", later, 0, [&](FeatureBlock& block) {
    x = block.features;
    return [] {};
  });
  EXPECT_THAT(row_of(x, 0), ElementsAre(0, 0, 0, 2, 1, 0, 0));
  EXPECT_THAT(row_of(x, 1), ElementsAre(0, 0, 1, 2, 1, 0, 0));
  EXPECT_EQ(tally.unseen, 1U);
  EXPECT_THAT(tally.ignored, ElementsAre("more", "late"));
}

TEST(Jsonl, what_was_written_reads_back) {
  Dataset data;
  Matrix x(2, 2);
  x(0, 0) = 0.1F, x(1, 1) = -3e-7F;
  data.features = std::move(x);
  data.candidates = test::labels_of({"11", "01"});
  data.truth = test::labels_of({"10", "01"});
  data.label_names = {"sky \"blue\"", "\u00fc"};
  data.feature_names = {"a\n", "b"};
  test::MemoryOutput out;
  write_jsonl(data, out, {});
  EXPECT_TRUE(same_content(read(out.text), data));
}

TEST(Jsonl, refuses_broken_lines_with_their_number) {
  const std::string good = "{\"a\": 1, \"labels\": [\"x\"]}\n";
  const auto second = [&](const std::string& line) {
    return refusal_of(good + line + "\n" + good);
  };
  for (const char* line : {"{\"a\": 1,}", "{\"a\": 1", "{\"a\": NaN}", "nonsense", "{\"a\": 01}",
                           "{\"a\": \"\x01\"}", "{} {}"})
    EXPECT_THAT(second(line), StartsWith("t.jsonl:2: this line is not valid JSON")) << line;
  EXPECT_THAT(second("{\"a\": \"\\ud800\"}"),
              StartsWith("t.jsonl:2: a text in this line has an invalid"));
  EXPECT_THAT(second("{\"a\": \"\xff\"}"), StartsWith("t.jsonl:2: this line is not valid UTF-8"));
  EXPECT_THAT(second(std::string(10000, '[')), StartsWith("t.jsonl:2: this line is"));
  EXPECT_THAT(second("{\"a\":" + std::string(10000, '[') + std::string(10000, ']') + "}"),
              StartsWith("t.jsonl:2: this line is nested too deeply"));
  EXPECT_THAT(second("[1]"), StartsWith("t.jsonl:2: this line is not a JSON object"));
  EXPECT_THAT(second("{\"a\": [1]}"), HasSubstr("'a' is a list here, but was a single value"));
  EXPECT_THAT(second("{\"a\": {}}"), HasSubstr("holds an object or a list"));
  EXPECT_THAT(second("{\"a\": 1e39}"), HasSubstr("is too large for a 32-bit number"));
  EXPECT_THAT(second("{\"a\": 1e400}"), StartsWith("t.jsonl:2: "));
  EXPECT_THAT(second("{\"a\": 1, \"labels\": [1]}"), HasSubstr("should be a list of texts"));
}

TEST(Jsonl, refuses_a_broken_line_far_down) {
  std::string text;
  for (int i = 0; i < 200000; ++i) text += "{\"a\": 1, \"labels\": [\"x\"]}\n";
  ThreadPool pool(2);
  ReadOptions options;
  options.threads = &pool;
  EXPECT_THAT(refusal_of(text + "{\"a\": 1, \"labels\": [\"x\"\n", options),
              StartsWith("t.jsonl:200001: this line is not valid JSON"));
  EXPECT_THAT(refusal_of(text + "{\"late\": 1}\n", options),
              StartsWith("t.jsonl:200001: the key 'late' is not in the first lines of the file"));
}

TEST(Jsonl, labels_may_be_whole_numbers) {
  ReadOptions options;
  options.labels.column = "y";
  const Dataset data =
      read("{\"x\": 1, \"y\": []}\n{\"x\": 2, \"y\": [27, 3]}\n{\"x\": 3, \"y\": [3]}\n", options);
  EXPECT_THAT(data.label_names, ElementsAre("27", "3"));
  EXPECT_EQ(data.candidates.count(), 3U);
  EXPECT_THAT(refusal_of("{\"x\": 1, \"y\": [0, 1, 0]}\n", options),
              HasSubstr("'y' has the label 0 twice\n  if it holds 0 and 1 for each label, give "
                        "labels.prefix=y["));
  EXPECT_THAT(refusal_of("{\"x\": 1, \"y\": [0.5]}\n", options),
              HasSubstr("'y' should be a list of texts"));
}

TEST(Jsonl, names_what_it_is_not) {
  EXPECT_THAT(refusal_of("[{\"a\": 1}, {\"a\": 2}]\n"), HasSubstr("this is a JSON document"));
  EXPECT_THAT(refusal_of("{\n  \"a\": 1\n}\n"), HasSubstr("this is a JSON document"));
  EXPECT_THAT(refusal_of("{\n  \"a\": 1\n}\n"), HasSubstr("jq -c . 't.jsonl' > data.jsonl"));
  const std::string task = R"({"id": 1, "annotations": [], "data": {"text": "a"}})";
  for (const std::string& text : {"[" + task + "]\n", "[\n  " + task + "\n]\n"})
    EXPECT_THAT(refusal_of(text), HasSubstr("give it with ticks.path=t.jsonl; to have its items as "
                                            "data: jq -c '.[] | {id} + .data' 't.jsonl'"));
  EXPECT_THAT(refusal_of("[\n{\"a\": 1}]\n"), HasSubstr("this is a JSON document"));
  EXPECT_THAT(refusal_of(std::string("\xff\xfe{\0\"\0", 6)), HasSubstr("UTF-16"));
  EXPECT_THAT(refusal_of("\n\n"), HasSubstr("the file is empty"));
  EXPECT_THAT(refusal_of("{\"a\": [\"x\"], \"b\": [\"y\"]}\n"), HasSubstr("holds lists of texts"));
  EXPECT_THAT(refusal_of("{\"a\": 1}\n"),
              HasSubstr("cannot tell which columns are labels (columns: a)"));
  EXPECT_THAT(refusal_of("{\"a\": 1, \"label:x\": 1}\n{\"a\": 1}\n"),
              StartsWith("t.jsonl:2: the label 'label:x' has no value"));
  EXPECT_THAT(refusal_of("{\"a\": 1, \"label:x\": 0.5}\n"), HasSubstr("is not a label value"));
}

long peak_kilobytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

// A stream that never ends a line.
class EndlessLine final : public InputStream {
 public:
  std::size_t read(char* into, std::size_t size) override {
    std::memset(into, given_ == 0 ? '{' : ' ', size);
    given_ += size;
    return given_ > (std::size_t{1} << 30) ? 0 : size;
  }

 private:
  std::size_t given_ = 0;
};

TEST(Jsonl, a_line_without_end_and_keys_out_of_proportion_take_little_memory) {
  const long before = peak_kilobytes();
  EndlessLine in;
  EXPECT_THAT(test::refusal([&] { with_features(read_jsonl_raw(in, "t.jsonl", {}), {}); }),
              StartsWith("t.jsonl:1: a line of more than 64 MiB"));
  std::string wide = "{\"labels\": [\"x\"]";
  for (int i = 0; i < 40000; ++i) wide += ",\"k" + std::to_string(i) + "\":1";
  wide += "}\n";
  for (int i = 0; i < 100000; ++i) wide += "{}\n";
  EXPECT_THAT(refusal_of(wide), HasSubstr("out of proportion to the file"));
  EXPECT_LT(peak_kilobytes() - before, 600000);
}

}  // namespace
}  // namespace sieve
