#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <span>

#include "data/formats.h"
#include "data/recipe/recipe.h"
#include "support/bad_text.h"
#include "support/memory_streams.h"
#include "support/support.h"

namespace sieve {
namespace {

using test::BadText;
using test::labels_of;
using test::MemoryFiles;
using test::MemoryInput;
using test::MemoryOutput;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

Dataset read(const std::string& text, ReadOptions options = {}, MemoryFiles files = {}) {
  MemoryInput in(text, 7);
  options.files = &files;
  return with_features(read_arff_raw(in, "set.arff", options), options);
}

ReadOptions last(long labels) {
  ReadOptions options;
  options.labels.count = -labels;
  return options;
}

// Two features and one label before the rows, by default.
std::string table(const std::string& rows, const std::string& label_type = "{0,1}") {
  return "@relation 't: -C -1'\n@attribute a numeric\n@attribute b real\n@attribute y " +
         label_type + "\n@data\n" + rows;
}

std::string refused(const std::string& text, const ReadOptions& options = {},
                    const MemoryFiles& files = {}) {
  return test::refusal([&] { read(text, options, files); });
}

std::string written(const Dataset& data, const WriteOptions& options = {}) {
  MemoryOutput out;
  write_arff(data, out, options);
  return out.text;
}

TEST(Arff, reads_dense_rows) {
  const Dataset data = read(
      "% comment\n\n@RELATION 'birds: -C -2'\n@Attribute a NUMERIC\n@attribute\tb real % note\n"
      "@attribute y1 {0,1}\n@attribute y2 integer\n\n@DATA\n% comment\n1.5,-2e-3,0,1\n\n"
      "  +3 , 4 ,1, 0 % note\n5 6\t1 1");
  EXPECT_THAT(data.feature_names, ElementsAre("a", "b"));
  EXPECT_THAT(data.label_names, ElementsAre("y1", "y2"));
  ASSERT_FALSE(data.features.is_sparse());
  EXPECT_THAT(data.features.dense().row(0), ElementsAre(1.5F, -2e-3F));
  EXPECT_THAT(data.features.dense().row(1), ElementsAre(3.0F, 4.0F));
  EXPECT_THAT(data.features.dense().row(2), ElementsAre(5.0F, 6.0F));
  EXPECT_EQ(data.candidates, labels_of({"01", "10", "11"}));
  EXPECT_FALSE(data.truth);
}

TEST(Arff, reads_sparse_rows) {
  const Dataset data = read(table("{}\n{0 2.5, 2 1}\n{ 1 -0 ,2 0 } % note\n{0 0}"));
  ASSERT_TRUE(data.features.is_sparse());
  const CsrMatrix& sparse = data.features.sparse();
  EXPECT_THAT(std::span(sparse.starts), ElementsAre(0, 0, 1, 2, 2));
  EXPECT_THAT(std::span(sparse.columns), ElementsAre(0, 1));
  EXPECT_TRUE(std::signbit(sparse.values[1]));
  EXPECT_EQ(data.candidates, labels_of({"0", "1", "0", "0"}));
}

TEST(Arff, takes_a_label_for_the_truth_if_told_so) {
  ReadOptions options;
  options.role = LabelRole::Truth;
  const Dataset data = read(table("1,2,1\n"), options);
  EXPECT_EQ(data.truth, data.candidates);
}

TEST(Arff, reads_quoted_names_and_values) {
  const Dataset data = read(
      "@relation 'q: -C 1'\n@attribute 'a, \\'b\\'' {0,1}\n@attribute \"it's 100%\" numeric\n"
      "@attribute '\\\\x\\n' {'dark red', green}\n@data\n'1',\"2\",'dark red'\n0,3,green\n");
  EXPECT_THAT(data.label_names, ElementsAre("a, 'b'"));
  EXPECT_THAT(data.feature_names, ElementsAre("it's 100%", "\\x\n"));
  EXPECT_THAT(data.features.dense().row(0), ElementsAre(2.0F, 0.0F));
  EXPECT_THAT(data.features.dense().row(1), ElementsAre(3.0F, 1.0F));
}

TEST(Arff, nominal_features_become_their_number_or_else_their_position) {
  const Dataset data = read(
      "@relation 'n: -C -1'\n@attribute a {1,0}\n@attribute b {7,2.5}\n@attribute c {x,y,2}\n"
      "@attribute d {0}\n@attribute y {1,0}\n@data\n1,2.5,x,0,1\n0,7,2,0,0\n");
  EXPECT_THAT(data.features.dense().row(0), ElementsAre(1.0F, 2.5F, 0.0F, 0.0F));
  EXPECT_THAT(data.features.dense().row(1), ElementsAre(0.0F, 7.0F, 2.0F, 0.0F));
  EXPECT_EQ(data.candidates, labels_of({"1", "0"}));
}

TEST(Arff, an_absent_nominal_of_a_sparse_row_is_the_first_listed_value) {
  const Dataset data = read(
      "@relation 'n: -C -2'\n@attribute a {1,0}\n@attribute b numeric\n@attribute c {5,6}\n"
      "@attribute y {1,0}\n@attribute z {0,1}\n@data\n{}\n{0 0,1 3,2 6,3 0,4 1}\n{1 4,3 1}\n");
  ASSERT_TRUE(data.features.is_sparse());
  const Matrix dense = data.features.to_dense(1 << 20);
  EXPECT_THAT(dense.row(0), ElementsAre(1.0F, 0.0F, 5.0F));
  EXPECT_THAT(dense.row(1), ElementsAre(0.0F, 3.0F, 6.0F));
  EXPECT_THAT(dense.row(2), ElementsAre(1.0F, 4.0F, 5.0F));
  EXPECT_EQ(data.candidates, labels_of({"10", "01", "10"}));
}

// Attributes a0, a1, ... of one type, the last of which are labels.
std::string wide(int attributes, const std::string& type, int labels) {
  std::string text = "@relation 'wide: -C -" + std::to_string(labels) + "'\n";
  for (int i = 0; i < attributes; ++i)
    text += "@attribute a" + std::to_string(i) + " " + type + "\n";
  return text + "@data\n";
}

std::string empty_rows(int count) {
  std::string rows;
  for (int i = 0; i < count; ++i) rows += "{}\n";
  return rows;
}

TEST(Arff, refuses_absent_ones_out_of_proportion_to_the_file) {
  EXPECT_THAT(refused(wide(3001, "{1,0}", 1) + empty_rows(3000)),
              HasSubstr("3000 nominal attributes are not 0"));
}

TEST(Arff, refuses_labels_out_of_proportion_to_the_file) {
  EXPECT_THAT(refused(wide(20000, "{0,1}", 20000) + empty_rows(60000)),
              AllOf(HasSubstr("20000 labels on"), HasSubstr("out of proportion")));
}

TEST(Arff, takes_wide_sparse_data) {
  std::string text = wide(100000, "numeric", 1);
  for (int i = 0; i < 1000; ++i) text += "{" + std::to_string(i * 90) + " 1,99999 1}\n";
  const Dataset data = read(text);
  EXPECT_EQ(data.features.cols(), 99999U);
  EXPECT_EQ(data.features.nonzeros(), 1000U);
  EXPECT_EQ(data.candidates.count(), 1000U);
}

TEST(Arff, reads_one_row_of_one_label_and_no_or_one_feature) {
  EXPECT_EQ(read("@attribute y {0,1}\n@data\n1", last(1)).features.cols(), 0U);
  const Dataset data = read("@attribute a real\n@attribute y {0,1}\n@data\n7,1", last(1));
  EXPECT_EQ(data.features.dense()(0, 0), 7);
  EXPECT_EQ(data.candidates, labels_of({"1"}));
}

TEST(Arff, does_not_depend_on_the_number_of_threads) {
  std::string dense = "@relation 'd: -C -1'\n@attribute a real\n@attribute y {0,1}\n@data\n";
  std::string sparse = dense;
  for (int i = 0; i < 300000; ++i) {
    dense += std::to_string(i * 0.37) + "," + (i % 3 == 0 ? "1\n" : "0\n");
    sparse += i % 2 == 0 ? "{}\n" : "{0 " + std::to_string(i) + ",1 1}\n";
  }
  for (const std::string& text : {dense, sparse}) {
    const Dataset one = read(text);
    ThreadPool pool(3);
    ReadOptions options;
    options.threads = &pool;
    EXPECT_EQ(one.rows(), 300000U);
    EXPECT_TRUE(same_content(one, read(text, options)));
    EXPECT_THAT(refused(text + "x\n", options), HasSubstr("set.arff:300005:1"));
  }
}

// ---- which attributes are labels ----------------------------------------------------------------

const std::string kThree = "@attribute p:a {0,1}\n@attribute b {0,1}\n@attribute p:c {0,1}\n";
const std::string kRow = "@data\n1,0,1\n";

TEST(ArffLabels, by_options) {
  ReadOptions options;
  options.labels.names = {"p:c", "b"};
  EXPECT_THAT(read(kThree + kRow, options).label_names, ElementsAre("b", "p:c"));
  options.labels.names = {"d"};
  EXPECT_THAT(refused(kThree + kRow, options), HasSubstr("no column 'd'"));

  options = {};
  options.labels.prefix = "p:";
  EXPECT_THAT(read(kThree + kRow, options).label_names, ElementsAre("a", "c"));
  options.labels.prefix = "q";
  EXPECT_THAT(refused(kThree + kRow, options), HasSubstr("no column has a name that begins"));

  options = {};
  options.labels.count = 1;
  EXPECT_THAT(read(kThree + kRow, options).label_names, ElementsAre("p:a"));
  options.labels.count = -2;
  EXPECT_THAT(read(kThree + kRow, options).label_names, ElementsAre("b", "p:c"));
  for (const long bad : {4L, -4L, std::numeric_limits<long>::min()}) {
    options.labels.count = bad;
    EXPECT_THAT(refused(kThree + kRow, options), HasSubstr("labels were asked for"));
  }

  options.labels.count = 0;
  EXPECT_EQ(read(kThree + kRow, options).labels(), 0U);
  EXPECT_EQ(read(kThree + kRow, options).features.cols(), 3U);

  options = {};
  options.labels.all = true;
  EXPECT_EQ(read(kThree + kRow, options).labels(), 3U);
  EXPECT_EQ(read(kThree + kRow, options).features.cols(), 0U);

  options = {};
  options.labels.column = "tags";
  EXPECT_THAT(refused(kThree + kRow, options), HasSubstr("no column with a list of labels"));
}

TEST(ArffLabels, by_the_relation_line) {
  const auto labels = [](const std::string& relation) {
    return read("@relation " + relation + "\n" + kThree + kRow).label_names;
  };
  EXPECT_THAT(labels("'x: -C 2'"), ElementsAre("p:a", "b"));
  EXPECT_THAT(labels("'x: -C -1 -split-number 7'"), ElementsAre("p:c"));
  EXPECT_THAT(labels("\"x:-C 1\""), ElementsAre("p:a"));
  EXPECT_THAT(labels("x -C 1"), ElementsAre("p:a"));
  EXPECT_THAT(labels("'x -C 3: -C 1'"), ElementsAre("p:a"));
  for (const std::string none : {"x-C 1", "'x -C 0.25'", "'x -Cat 1'", "'x -C'", "'x -C '"})
    EXPECT_THAT(refused("@relation " + none + "\n" + kThree + kRow),
                HasSubstr("cannot tell which"));
  EXPECT_THAT(refused("@relation 'x: -C -7'\n" + kThree + kRow),
              HasSubstr("the relation line says -C -7 labels, but there are 3 attributes"));
  EXPECT_THAT(refused("@relation 'x: -C 0'\n" + kThree + kRow), HasSubstr("-C 0"));
}

TEST(ArffLabels, by_the_xml_beside_the_file) {
  const std::string xml = "<labels><label name='p:c'/><label name='b'/></labels>";
  const std::string other = "<labels><label name='p:a'/></labels>";
  EXPECT_THAT(
      read(kThree + kRow, {}, MemoryFiles({{"set.xml", xml}, {"x.xml", other}})).label_names,
      ElementsAre("b", "p:c"));
  EXPECT_THAT(read(kThree + kRow, {}, MemoryFiles({{"x.xml", other}})).label_names,
              ElementsAre("p:a"));
  EXPECT_THAT(refused(kThree + kRow, {}, MemoryFiles({{"x.xml", other}, {"y.xml", xml}})),
              HasSubstr("cannot tell which"));
  ReadOptions options;
  options.xml = "y.xml";
  EXPECT_THAT(read("@relation 'x: -C 3'\n" + kThree + kRow, options, MemoryFiles({{"y.xml", xml}}))
                  .label_names,
              ElementsAre("b", "p:c"));
}

TEST(ArffLabels, refuses_an_xml_that_does_not_match) {
  const std::string xml = "<labels><label name='b'/><label name='zebra'/></labels>";
  EXPECT_THAT(refused(kThree + kRow, {}, MemoryFiles({{"set.xml", xml}})),
              AllOf(HasSubstr("set.xml: the label 'zebra' is not an attribute of set.arff"),
                    HasSubstr("label list of this file with xml")));
}

TEST(ArffLabels, refuses_a_file_that_does_not_say) {
  EXPECT_THAT(refused(kThree + kRow),
              AllOf(HasSubstr("cannot tell which attributes are labels"),
                    HasSubstr("use xml, labels.count, labels.names or labels.prefix")));
}

TEST(ArffLabels, candidates_and_truth_are_told_apart_by_name) {
  const Dataset data = read(
      "@attribute f real\n@attribute candidate:x {0,1}\n@attribute candidate:y {0,1}\n"
      "@attribute truth:y {0,1}\n@attribute truth:x {0,1}\n@data\n1,1,1,1,0\n",
      last(4));
  EXPECT_THAT(data.label_names, ElementsAre("x", "y"));
  EXPECT_EQ(data.candidates, labels_of({"11"}));
  EXPECT_EQ(data.truth, labels_of({"01"}));
}

// ---- what is refused ------------------------------------------------------------------------

class ArffRefuses : public testing::TestWithParam<BadText> {};

TEST_P(ArffRefuses, with_place_and_reason) {
  EXPECT_THAT(refused(GetParam().text), HasSubstr(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    Header, ArffRefuses,
    testing::Values(
        BadText{"empty_file", "", "set.arff: the file is empty"},
        BadText{"comments_only", "% x\n\n", "set.arff:2: there is no @data line"},
        BadText{"no_data_line", "@relation x\n@attribute a real\n", "there is no @data line"},
        BadText{"no_attribute", "@relation x\n@data\n1\n", "there is no @attribute before @data"},
        BadText{"header_only", table(""), "there are no rows after @data"},
        BadText{"other_text", "a,b\n1,2\n", "set.arff:1:1: expected @relation"},
        BadText{"utf16", std::string("\xFF\xFE@\0r\0", 6), "UTF-16"},
        BadText{"nul", table(std::string("1,\0", 3)), "set.arff:6: a NUL byte"},
        BadText{"string_type", "@attribute a string\n@data\n",
                "set.arff:1:14: attribute 'a' has "
                "the type 'string'"},
        BadText{"date_type", "@attribute a date 'yyyy'\n@data\n", "the type 'date'"},
        BadText{"relational_type", "@attribute a relational\n@data\n", "the type 'relational'"},
        BadText{"unknown_type", "@attribute a complex\n@data\n", "the type 'complex'"},
        BadText{"no_type", "@attribute a\n@data\n", "the type ''"},
        BadText{"empty_list", "@attribute a {}\n@data\n", "a listed value is empty"},
        BadText{"open_list", "@attribute a {0,1\n@data\n", "expected , or }"},
        BadText{"repeated_value", "@attribute a {x,x}\n@data\n", "'x' is listed twice"},
        BadText{"open_quote", "@attribute 'a {0,1}\n@data\n", "set.arff:1:12: a quote"},
        BadText{"repeated_name", "@attribute a real\n@attribute a real\n@data\n",
                "attribute 2 has the same name as attribute 1: 'a'"},
        BadText{"blank_name", "@attribute ' ' real\n@data\n", "attribute 1 has a blank name"},
        BadText{"long_name", "@attribute " + std::string(5000, 'a') + " real\n@data\n",
                "a name of 5000 bytes"},
        BadText{"nominal_label", table("1,2,a\n", "{a,b}"),
                "set.arff:4: the label 'y' has values other than 0 and 1"}),
    test::kBadTextName);

INSTANTIATE_TEST_SUITE_P(
    Row, ArffRefuses,
    testing::Values(
        BadText{"short_row", table("1,2,1\n1,2\n"), "set.arff:7:4: the row has 2 values for the 3"},
        BadText{"long_row", table("1,2,1,0\n"), "set.arff:6:7: the row has more values"},
        BadText{"decimal_comma", table("1,5,0,1\n"), "the row has more values"},
        BadText{"trailing_comma", table("1,2,\n"), "set.arff:6:5: attribute 'y': a value is miss"},
        BadText{"empty_value", table("1,,1\n"), "set.arff:6:3: attribute 'b': a value is missing"},
        BadText{"missing_label", table("1,2,?\n"),
                "set.arff:6:5: attribute 'y': the value is "
                "missing (?)"},
        BadText{"missing_in_sparse", table("{0 ?}\n"), "set.arff:6:4: attribute 'a': the value is"},
        BadText{"nan", table("nan,2,1\n"), "'nan' is not a finite number"},
        BadText{"inf", table("1,-inf,1\n"), "'-inf' is not a finite number"},
        BadText{"too_large", table("1e400,2,1\n"), "'1e400' is too large"},
        BadText{"not_a_number", table("1,2x,1\n"),
                "set.arff:6:3: attribute 'b': '2x' is not a "
                "number"},
        BadText{"unlisted_value", table("1,2,2\n"), "'2' is not one of the listed values"},
        BadText{"numeric_label", table("1,2,0.5\n", "real"), "the label 'y' is neither 0 nor 1"},
        BadText{"dense_weight", table("1,2,1,{5}\n"), "instance weights are not read"},
        BadText{"sparse_weight", table("{0 1},{5}\n"), "instance weights are not read"},
        BadText{"open_quote_in_row", table("'1,2,1\n"), "set.arff:6:1: a quote is not closed"},
        BadText{"sparse_after_dense", table("1,2,1\n{}\n"), "set.arff:7:1: a sparse row among"},
        BadText{"dense_after_sparse", table("{}\n1,2,1\n"), "set.arff:7:1: a dense row among"},
        BadText{"index_out_of_range", table("{3 1}\n"), "set.arff:6:2: the index is out of range"},
        BadText{"huge_index", table("{99999999999999999999999999 1}\n"), "out of range"},
        BadText{"negative_index", table("{-1 1}\n"), "expected the index of an attribute"},
        BadText{"repeated_index", table("{1 1,1 2}\n"), "set.arff:6:6: the index 1 is repeated"},
        BadText{"descending_index", table("{1 1,0 2}\n"), "must ascend"},
        BadText{"index_without_value", table("{1}\n"), "expected a blank and a value"},
        BadText{"open_row", table("{1 2\n"), "set.arff:6:5: expected , or }"},
        BadText{"empty_entry", table("{1 2,}\n"), "expected the index"},
        BadText{"text_after_row", table("{1 2} 3\n"), "text after the }"}),
    test::kBadTextName);

TEST(Arff, takes_a_byte_order_mark_and_crlf) {
  const Dataset data = read(
      "\xEF\xBB\xBF@relation 't: -C 1'\r\n@attribute y {0,1}\r\n@attribute a real\r\n@data\r\n"
      "1,2\r\n0,3\r\n");
  EXPECT_EQ(data.candidates, labels_of({"1", "0"}));
}

// ---- the writer -----------------------------------------------------------------------------

Dataset small_set() {
  Dataset set = read(
      "@relation 's: -C -2'\n@attribute a real\n@attribute 'b c' real\n"
      "@attribute y1 {0,1}\n@attribute 'y,2' {0,1}\n@data\n"
      "0.1,-0,0,1\n1e-45,3.4028235e38,0,0\n0,0,1,1\n");
  set.name = "s";
  return set;
}

TEST(ArffWriter, writes_dense_rows) {
  EXPECT_EQ(written(small_set()),
            "@relation 's: -C -2'\n\n@attribute a numeric\n@attribute 'b c' numeric\n"
            "@attribute y1 {0,1}\n@attribute 'y,2' {0,1}\n\n@data\n"
            "0.1,-0,0,1\n1e-45,3.4028235e+38,0,0\n0,0,1,1\n");
}

TEST(ArffWriter, writes_sparse_rows) {
  WriteOptions options;
  options.sparse = true;
  EXPECT_THAT(written(small_set(), options),
              HasSubstr("@data\n{0 0.1,1 -0,3 1}\n{0 1e-45,1 3.4028235e+38}\n{2 1,3 1}\n"));
}

TEST(ArffWriter, round_trips_any_name) {
  for (const bool sparse : {false, true}) {
    Dataset data = small_set();
    data.feature_names = {"it's \"\\\n\r\t%,{}", "truth:f"};
    data.label_names = {"label:candidate:x", " \xC3\xA4 "};
    WriteOptions options;
    options.sparse = sparse;
    EXPECT_TRUE(same_content(data, read(written(data, options))));
    data.truth = data.candidates.clone();
    EXPECT_TRUE(same_content(data, read(written(data, options))));
    data.truth->set(0, 0);
    EXPECT_TRUE(same_content(data, read(written(data, options))));
  }
}

TEST(ArffWriter, tells_a_label_from_a_feature_of_the_same_name) {
  Dataset data = small_set();
  data.label_names = {"a", "z"};
  MemoryOutput xml;
  write_arff_labels(data, xml, {});
  EXPECT_THAT(xml.text, ::testing::HasSubstr("\"label:a\""));
  EXPECT_THAT(xml.text, ::testing::HasSubstr("\"z\""));
  EXPECT_TRUE(same_content(data, read(written(data))));
}

TEST(ArffWriter, names_features_that_have_no_name) {
  Dataset data = small_set();
  data.feature_names.clear();
  EXPECT_THAT(read(written(data)).feature_names, ElementsAre("feature1", "feature2"));
}

TEST(ArffWriter, dense_files_can_be_read_by_scipy) {
  if (std::system("/usr/bin/python3 -c 'import scipy.io.arff' 2>/dev/null") != 0)
    GTEST_SKIP() << "needs /usr/bin/python3 with scipy";
  const test::TempFolder folder;
  test::write_file(folder / "s.arff", written(small_set()));
  test::write_file(folder / "check.py",
                   "import scipy.io.arff, sys\n"
                   "data, meta = scipy.io.arff.loadarff(sys.argv[1])\n"
                   "assert meta.names() == ['a', 'b c', 'y1', 'y,2'], meta.names()\n"
                   "assert data[0].tolist() == (0.1, 0.0, b'0', b'1'), data[0]\n"
                   "assert len(data) == 3\n");
  const std::string command =
      "/usr/bin/python3 '" + (folder / "check.py") + "' '" + (folder / "s.arff") + "'";
  EXPECT_EQ(std::system(command.c_str()), 0);
}

}  // namespace
}  // namespace sieve
