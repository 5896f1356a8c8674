#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "annotations_support.h"
#include "data/annotations/annotation_files.h"
#include "data/duckdb/duckdb_query.h"
#include "data/duckdb/duckdb_table.h"
#include "data/formats.h"
#include "labelsieve/data_io.h"
#include "labelsieve/error.h"
#include "support/faulty_files.h"
#include "support/support.h"

namespace sieve {
namespace {

using test::refusal;
using test::TempFolder;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class DuckDbData : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const std::string problem = DuckDb::problem(); !problem.empty()) GTEST_SKIP() << problem;
  }
  // Runs a statement of any kind.
  static void run(const std::string& sql) { DuckDbSession("", "test").run(sql)->next(); }
  // The rows that a statement gives, as a Parquet file.
  std::string parquet(const std::string& name, const std::string& sql) const {
    run("COPY (" + sql + ") TO " + sql_text(folder_ / name) + " (FORMAT parquet)");
    return folder_ / name;
  }
  static std::string refused(const std::string& path, int code, const ReadOptions& options = {}) {
    int got = 0;
    const std::string message = refusal([&] { read_dataset({path}, options); }, &got);
    EXPECT_EQ(got, code) << message;
    return message;
  }
  TempFolder folder_;
};

const char* kRows =
    "SELECT 'r' || i AS id, i * 0.5 AS x, i AS n, i % 2 AS \"label:even\", i > 1 AS \"label:late\" "
    "FROM range(4) t(i)";

TEST_F(DuckDbData, parquet_that_says_who_annotated_holds_annotations) {
  EXPECT_FALSE(holds_annotations(parquet("rows.parquet", kRows)));
  EXPECT_TRUE(holds_annotations(parquet("ticks.parquet",
                                        "SELECT 'a' AS item, 'w' || i AS worker, 'sea' AS label "
                                        "FROM range(3) t(i)")));
}

TEST_F(DuckDbData, parquet_is_read_as_a_table) {
  const Dataset data = read_dataset({parquet("d.parquet", kRows)});
  EXPECT_THAT(data.ids, ElementsAre("r0", "r1", "r2", "r3"));
  EXPECT_THAT(data.feature_names, ElementsAre("x", "n"));
  EXPECT_THAT(data.label_names, ElementsAre("even", "late"));
  EXPECT_EQ(data.candidates, test::labels_of({"00", "10", "01", "11"}));
  std::vector<float> row(2);
  data.features.copy_row(3, row);
  EXPECT_THAT(row, ElementsAre(1.5F, 3.0F));
}

TEST_F(DuckDbData, numbers_read_at_once_are_those_read_as_text) {
  const std::string path = parquet(
      "d.parquet",
      "SELECT CASE WHEN i % 7 = 0 THEN NULL ELSE sin(i) END AS a, i::HUGEINT * 1000000007 AS b, "
      "(i / 3)::DECIMAL(9, 3) AS c, cos(i)::FLOAT AS d, i % 3 = 0 AS \"label:l\" "
      "FROM range(5000) t(i)");
  ReadOptions as_text;
  as_text.keep_cells = true;
  const Dataset fast = read_dataset({path}), slow = read_dataset({path}, as_text);
  EXPECT_EQ(fast.rows(), 5000u);
  EXPECT_TRUE(same_content(fast, slow));
}

// Rows are read on several threads by their numbers, which then have gaps.
TEST_F(DuckDbData, rows_that_were_deleted_are_no_gap_and_move_no_other) {
  const std::string path = folder_ / "my.duckdb";
  for (const auto& [deleted, kept] : {std::pair("id < 0", 300000U),
                                      {"id % 1000 = 7", 299700U},
                                      {"id BETWEEN 2048 AND 4095", 297952U}}) {
    const DuckDbSession session("", "test");
    session.run("ATTACH OR REPLACE " + sql_text(path) + " AS d")->next();
    session
        .run(
            "CREATE OR REPLACE TABLE d.t AS SELECT range AS id, range * 0.5 AS x, range % 2 AS "
            "\"label:odd\", range AS y FROM range(300000)")
        ->next();
    session.run(std::string("DELETE FROM d.t WHERE ") + deleted)->next();
    session.run("DETACH d")->next();
    ThreadPool pool(2);
    ReadOptions options;
    options.threads = &pool;
    const Dataset data = read_dataset({path}, options);
    ASSERT_EQ(data.rows(), kept) << deleted;
    std::vector<float> row(2);
    for (std::size_t i = 0; i < data.rows(); ++i) {
      const unsigned long id = std::stoul(data.ids[i]);
      ASSERT_TRUE(i == 0 || id > std::stoul(data.ids[i - 1])) << deleted;
      data.features.copy_row(i, row);
      ASSERT_THAT(row, ElementsAre(static_cast<float>(id) / 2, static_cast<float>(id))) << deleted;
      ASSERT_EQ(data.candidates.get(i, 0), id % 2 == 1) << deleted;
    }
  }
}

TEST_F(DuckDbData, many_rows_are_in_order_and_the_first_bad_one_is_named) {
  const std::string rows =
      "SELECT range AS file, CASE WHEN range IN (250000, 399999) THEN 1e300 ELSE range END AS x, "
      "CAST(range % 3 = 0 AS INTEGER) AS \"label:l\" FROM range(400000)";
  ThreadPool pool(2);
  ReadOptions options;
  options.threads = &pool;
  EXPECT_THAT(refused(parquet("bad.parquet", rows), 3, options),
              AllOf(HasSubstr("'x' is not a finite number"), HasSubstr("row 250001")));
  const Dataset data = read_dataset(
      {parquet("good.parquet", "SELECT * REPLACE (file AS x) FROM (" + rows + ")")}, options);
  ASSERT_EQ(data.rows(), 400000u);
  std::vector<float> row(2);
  for (std::size_t i = 0; i < data.rows(); i += 17) {
    data.features.copy_row(i, row);
    ASSERT_EQ(row[1], static_cast<float>(i));
    ASSERT_EQ(data.candidates.get(i, 0), i % 3 == 0);
  }
}

TEST_F(DuckDbData, lists_are_labels_and_texts_are_text) {
  ReadOptions options;
  options.labels.column = "tags";
  options.table.text = {"say"};
  const Dataset data =
      read_dataset({"sql:SELECT * FROM (VALUES ('good day', ['sea', 'a, b']), ('bad day', []), "
                    "('good night', ['sea'])) t(say, tags)"},
                   options);
  EXPECT_THAT(data.label_names, ElementsAre("a, b", "sea"));
  EXPECT_EQ(data.candidates, test::labels_of({"11", "00", "01"}));
}

TEST_F(DuckDbData, statements_read_csv_and_json) {
  test::write_file(folder_ / "a.csv", "item;x;label:a\nr1;1,5;1\nr2;2,5;0\n");
  test::write_file(
      folder_ / "b.json",
      R"([{"item": "r1", "tags": ["b", "a, c"], "x": 1}, {"item": "r2", "tags": []}])");
  const Dataset csv = read_dataset({"sql:SELECT * FROM read_csv(" + sql_text(folder_ / "a.csv") +
                                    ", decimal_separator = ',', delim = ';')"});
  EXPECT_THAT(csv.ids, ElementsAre("r1", "r2"));
  EXPECT_THAT(csv.label_names, ElementsAre("a"));
  std::vector<float> row(1);
  csv.features.copy_row(1, row);
  EXPECT_THAT(row, ElementsAre(2.5F));
  ReadOptions options;
  options.labels.column = "tags";
  const Dataset json = read_dataset({"sql:SELECT * FROM " + sql_text(folder_ / "b.json")}, options);
  EXPECT_THAT(json.label_names, ElementsAre("a, c", "b"));
  EXPECT_EQ(json.candidates, test::labels_of({"11", "00"}));
  const Dataset joined =
      read_dataset({"sql:SELECT item, length(a.x) AS n, tags FROM " + sql_text(folder_ / "a.csv") +
                    " a JOIN " + sql_text(folder_ / "b.json") + " USING (item) ORDER BY item DESC"},
                   options);
  EXPECT_THAT(joined.ids, ElementsAre("r2", "r1"));
  AnnotationOptions votes;
  votes.path = "sql:SELECT item, 'ann' AS annotator, unnest(tags) AS label FROM " +
               sql_text(folder_ / "b.json");
  EXPECT_EQ(test::told(read_annotations(votes)), "r1 ann: a, c b; ");
}

TEST_F(DuckDbData, a_database_gives_its_table_or_asks_which) {
  const std::string path = folder_ / "my.duckdb";
  {
    const DuckDbSession session("", "test");
    session.run("ATTACH " + sql_text(path) + " AS d")->next();
    session.run(std::string("CREATE TABLE d.one AS ") + kRows)->next();
    session.run("DETACH d")->next();
  }
  EXPECT_EQ(read_dataset({path}).rows(), 4u);
  {
    const DuckDbSession session("", "test");
    session.run("ATTACH " + sql_text(path) + " AS d")->next();
    session.run("CREATE TABLE d.two AS SELECT 1 AS y")->next();
    session.run("DETACH d")->next();
  }
  const std::string before = test::read_file(path);
  EXPECT_THAT(refused(path, 3), HasSubstr("several tables"));
  ReadOptions options;
  options.sheets = {"one"};
  EXPECT_EQ(read_dataset({path}, options).rows(), 4u);
  options.sheets = {"on"};
  EXPECT_THAT(refused(path, 2, options), HasSubstr("did you mean 'one'"));
  EXPECT_EQ(test::read_file(path), before);
  EXPECT_THAT(FileSystem::real().list(folder_.path()), ElementsAre("my.duckdb"));
}

TEST_F(DuckDbData, statements_that_fail_give_nothing_or_write_are_refused) {
  EXPECT_THAT(refused("sql:SELEC 1", 3), HasSubstr("syntax error"));
  EXPECT_THAT(refused("sql:SELECT * FROM nowhere", 3), HasSubstr("nowhere does not exist"));
  EXPECT_THAT(refused("sql:SELECT 1 AS \"label:a\" WHERE false", 3), HasSubstr("no rows"));
  EXPECT_THAT(refused("sql:SELECT error('boom') AS \"label:a\"", 3), HasSubstr("boom"));
  EXPECT_THAT(refused("sql:", 2), HasSubstr("no statement"));
  EXPECT_THAT(refused("sql:SELECT 1; SELECT 2", 2), HasSubstr("more than one"));
  EXPECT_THAT(refused("sql:SELECT 1) UNION (SELECT 2", 3), HasSubstr("syntax error"));
  for (const std::string& writes :
       {"COPY (SELECT 1) TO " + sql_text(folder_ / "x.csv"), "ATTACH " + sql_text(folder_ / "y.db"),
        std::string("CREATE TABLE t AS SELECT 1"), std::string("INSTALL httpfs"),
        std::string("SET threads = 1"), std::string("PRAGMA enable_profiling"),
        "EXPORT DATABASE " + sql_text(folder_ / "z"), std::string("LOAD json")})
    EXPECT_THAT(refused("sql:" + writes, 2), HasSubstr("only statements that read data"));
  // Columns but nothing in them, no columns that mean anything, a failure late in the rows.
  EXPECT_THAT(refused("sql:SELECT NULL AS x, NULL AS \"label:a\"", 3), HasSubstr("label"));
  EXPECT_THAT(refused("sql:SELECT CASE WHEN range < 100000 THEN 1 ELSE error('late') END AS x, "
                      "1 AS \"label:a\" FROM range(200000)",
                      3),
              HasSubstr("late"));
  AnnotationOptions votes;
  int code = 0;
  for (const auto& [sql, why] :
       {std::pair<std::string, std::string>{"SELEC 1", "syntax error"},
        {"SELECT 'x' AS item, 'a' AS annotator, 'l' AS label WHERE false", "no"},
        {"CREATE TABLE t AS SELECT 1", "only statements that read data"}}) {
    votes.path = "sql:" + sql;
    EXPECT_THAT(refusal([&] { read_annotations(votes); }, &code), HasSubstr(why)) << sql;
    EXPECT_THAT(code, ::testing::AnyOf(2, 3)) << sql;
  }
  EXPECT_THAT(FileSystem::real().list(folder_.path()), IsEmpty());
}

TEST_F(DuckDbData, damaged_files_and_bad_values_are_refused) {
  test::write_file(folder_ / "bad.parquet", "PAR1 and nothing else");
  EXPECT_THAT(refused(folder_ / "bad.parquet", 3), HasSubstr("DuckDB"));
  EXPECT_THAT(refused("sql:SELECT 2 AS \"label:a\", 1 AS x", 3), HasSubstr("neither 0 nor 1"));
  EXPECT_THAT(refused("sql:SELECT 1 AS \"label:a\", 'inf'::DOUBLE AS x", 3),
              HasSubstr("not a finite number"));
  EXPECT_THAT(refused("sql:SELECT 1 AS \"label:a\", 1e300 AS x", 3),
              HasSubstr("not a finite number"));
}

TEST_F(DuckDbData, bytes_are_left_out_with_a_note) {
  std::vector<std::string> notes;
  ReadOptions options;
  options.notes = &notes;
  options.table.ignore = {"t"};
  const Dataset data = read_dataset(
      {"sql:SELECT {'bytes': 'x'::BLOB, 'path': 'p'} AS image, 'a' AS t, 1 AS \"label:l\""},
      options);
  EXPECT_THAT(notes, Contains(HasSubstr("'image' holds bytes")));
}

TEST_F(DuckDbData, annotations_come_from_parquet_and_statements) {
  const std::string sql =
      "SELECT * FROM (VALUES (1, 'ann', 'sea'), (1, 'bob', 'sky')) t(item, worker, label)";
  AnnotationOptions options;
  for (const std::string& path : {parquet("t.parquet", sql), "sql:" + sql}) {
    options.path = path;
    EXPECT_EQ(test::told(read_annotations(options)), "1 ann: sea; 1 bob: sky; ");
  }
}

TEST_F(DuckDbData, what_is_written_as_parquet_has_types_and_loses_nothing) {
  test::write_file(folder_ / "d.csv",
                   "id,code,price,label:a\n1,007,2.5,1\n2,1e2,1e-05,0\n3,\"a, b\nc\",,1\n");
  ReadOptions options;
  options.keep_cells = true;
  options.table.category = {"code"};
  write_dataset(read_dataset({folder_ / "d.csv"}, options), folder_ / "d.parquet");
  const DuckDbTable table(folder_ / "d.parquet", {}, "");
  std::string types;
  for (const DuckDbTable::Column& column : table.columns())
    types += column.name + " " + column.type + "; ";
  EXPECT_EQ(types, "id BIGINT; code VARCHAR; price DOUBLE; label:a BIGINT; ");
  DuckDbText text(table);
  EXPECT_EQ(read_all(text, 1 << 20, "d"),
            "id,code,price,label:a\n1,007,2.5,1\n2,1e2,1e-05,0\n3,\"a, b\nc\",,1\n");
}

// The text of a table of DuckDB, below its columns with their types.
std::string typed(const std::string& path) {
  const DuckDbTable table(path, {}, "");
  std::string types;
  for (const DuckDbTable::Column& column : table.columns())
    types += (types.empty() ? "" : ", ") + column.name + " " + column.type;
  DuckDbText text(table);
  const std::string csv = read_all(text, 1 << 20, "d");
  return types + csv.substr(csv.find('\n'));
}

constexpr const char* kTickets =
    "SELECT * FROM (VALUES (['b', 'a, c'], 't1', DATE '2024-03-05', true, 2.50::DECIMAL(9, 2), "
    "'x', "
    "1.5, '12', {'k': 'v'}, 1::UTINYINT), (['b'], 't2', NULL, false, 1, '', NULL, '007', NULL, 0)) "
    "t(tags, ticket_id, day, paid, price, url, weight, code, more, seen)";

TEST_F(DuckDbData, parquet_comes_back_with_its_columns_and_types) {
  const std::string path = parquet("in.parquet", kTickets);
  ReadOptions options;
  options.keep_cells = true;
  options.labels.column = "tags";
  options.table.ignore = {"url", "more"};
  options.table.category = {"code", "paid"};
  options.table.date = {"day"};
  Dataset data = read_dataset({path}, options);
  const auto write = [&](const std::string& name, const TableWriting& table) {
    FileSet set;
    write_table(data, folder_ / name, {.if_exists = IfExists::Replace}, table, set);
    set.commit();
  };
  write("out.parquet", {.as_read = true});
  EXPECT_EQ(typed(folder_ / "out.parquet"), typed(path));
  data.candidates.set(0, 0, false);  // a, c
  data.candidates.set(1, 1, false);  // b
  write("out.parquet", {.as_read = true, .beside = {{"was", [](std::size_t) { return "1"; }}}});
  std::string expected = typed(path);
  const auto replace = [&](const std::string& from, const std::string& to) {
    const std::size_t at = expected.find(from);
    ASSERT_NE(at, expected.npos) << from << " in " << expected;
    expected.replace(at, from.size(), to);
  };
  replace("seen UTINYINT", "seen UTINYINT, was BIGINT");
  replace("\"[\"\"b\"\",\"\"a, c\"\"]\"", "\"[\"\"b\"\"]\"");
  replace("\n\"[\"\"b\"\"]\",t2", "\n[],t2");
  for (std::size_t at = expected.find('\n') + 1; (at = expected.find('\n', at)) != expected.npos;
       at += 3)
    expected.insert(at, ",1");
  EXPECT_EQ(typed(folder_ / "out.parquet"), expected);
  EXPECT_EQ(source_of(data)->ending(), ".parquet");
  // A statement is not run again: what it gave is kept.
  data = read_dataset({std::string("sql:") + kTickets}, options);
  write("again.parquet", {.as_read = true});
  EXPECT_EQ(typed(folder_ / "again.parquet"), typed(path));
}

TEST_F(DuckDbData, a_column_of_numbers_and_texts_is_of_text) {
  test::write_file(folder_ / "d.csv", "id,code,label:a\n1,7,1\n2,8,0\n3,x,1\n");
  ReadOptions options;
  options.keep_cells = true;
  options.table.category = {"code"};
  write_dataset(read_dataset({folder_ / "d.csv"}, options), folder_ / "d.parquet");
  EXPECT_EQ(typed(folder_ / "d.parquet"),
            "id BIGINT, code VARCHAR, label:a BIGINT\n1,7,1\n2,8,0\n3,x,1\n");
}

TEST_F(DuckDbData, lists_of_numbers_and_gaps_keep_their_type) {
  const std::string path = parquet(
      "in.parquet", "SELECT * FROM (VALUES (NULL, 1, 'a'), ([2, 0], 2, 'b')) t(tags, n, id)");
  ReadOptions options;
  options.keep_cells = true;
  options.labels.column = "tags";
  Dataset data = read_dataset({path}, options);
  data.candidates.set(0, 0, true);
  data.candidates.set(1, 1, false);
  FileSet set;
  write_table(data, folder_ / "out.parquet", {}, {.as_read = true}, set);
  set.commit();
  EXPECT_EQ(typed(folder_ / "out.parquet"),
            "tags INTEGER[], n INTEGER, id VARCHAR\n[0],1,a\n[0],2,b\n");
}

TEST_F(DuckDbData, nothing_or_all_is_written_whichever_call_fails) {
  const Dataset data = read_dataset({parquet("d.parquet", kRows)});
  for (std::size_t failing = 0;; ++failing) {
    const TempFolder folder;
    test::FaultyFiles files(failing, true);
    WriteOptions options;
    options.files = &files;
    const std::string path = folder / "out.parquet";
    const std::string message = refusal([&] { write_dataset(data, path, options); });
    for (const std::string& name : FileSystem::real().list(folder.path())) {
      EXPECT_EQ(name, "out.parquet");
      EXPECT_EQ(read_dataset({path}).ids, data.ids);
    }
    if (!message.empty()) continue;
    EXPECT_GT(failing, 2U);
    break;
  }
}

TEST_F(DuckDbData, folders_of_hugging_face_have_the_names_of_classes) {
  FileSystem& files = FileSystem::real();
  ASSERT_EQ(::mkdir((folder_ / "data").c_str(), 0755), 0);
  parquet("data/test-00000-of-00001.parquet", "SELECT 'c' AS text, [2] AS labels");
  parquet("data/train-00000-of-00002.parquet", "SELECT 'a' AS text, [0, 2] AS labels");
  parquet("data/train-00001-of-00002.parquet", "SELECT 'b' AS text, []::BIGINT[] AS labels");
  const std::string info = folder_ / "dataset_info.json";
  test::write_file(info, R"({"features": {"text": {"dtype": "string", "_type": "Value"}, "labels":
      {"feature": {"names": ["joy", "fear", "it's"], "_type": "ClassLabel"}, "_type": "Sequence"}}})");
  ReadOptions options;
  options.labels.column = "labels";
  options.table.ignore = {"text"};
  const Dataset data = read_dataset({folder_.path()}, options);
  EXPECT_THAT(data.label_names, ElementsAre("it's", "joy"));
  EXPECT_EQ(data.candidates, test::labels_of({"11", "00", "10"}));
  test::write_file(info,
                   R"({"features": {"labels": [{"names": ["joy"], "_type": "ClassLabel"}]}})");
  EXPECT_THAT(refused(folder_.path(), 3, options), HasSubstr("class 2 has no name"));
  files.remove(info);
  EXPECT_THAT(read_dataset({folder_.path()}, options).label_names, ElementsAre("0", "2"));
}

TEST(DuckDbLibrary, is_asked_for_where_it_is_missing) {
  if (DuckDb::problem().empty()) return;  // the tests above run
  const TempFolder folder;
  test::write_file(folder / "d.parquet", "PAR1 and more");
  int code = 0;
  const std::string message = refusal([&] { read_dataset({folder / "d.parquet"}); }, &code);
  EXPECT_EQ(code, 2);
  EXPECT_THAT(message, HasSubstr("SIEVE_DUCKDB"));
}

TEST(YoloFolders, are_refused_by_name) {
  const TempFolder folder;
  ASSERT_EQ(::mkdir((folder / "images").c_str(), 0755), 0);
  ASSERT_EQ(::mkdir((folder / "labels").c_str(), 0755), 0);
  test::write_file(folder / "labels/1.txt", "0 0.5 0.5 1 1\n");
  EXPECT_THAT(refusal([&] { read_dataset({folder.path()}); }), HasSubstr("folder of YOLO"));
  AnnotationOptions options;
  options.path = folder.path();
  EXPECT_THAT(refusal([&] { read_annotations(options); }), HasSubstr("folder of YOLO"));
}

TEST(CocoAnnotations, are_labels_of_images) {
  const std::string images = R"("images": [{"id": 1, "file_name": "a.jpg"},
      {"id": 2, "file_name": "b.jpg"}, {"id": 3, "file_name": "c.jpg"}],
      "categories": [{"id": 7, "name": "cat"}, {"id": 9, "name": "dog"}])";
  EXPECT_EQ(test::told(test::ticks_of("{\"info\": {},\n" + images + R"(, "annotations": [
      {"image_id": 1, "category_id": 7, "bbox": [0, 0, 1, 1]}, {"image_id": 1, "category_id": 7},
      {"image_id": 1, "category_id": 9}, {"image_id": 2, "category_id": 9}]})")),
            "1 everyone: cat dog; 2 everyone: dog; 3 everyone:; ");
  EXPECT_EQ(test::told(test::ticks_of("{" + images + R"(, "annotations": [
      {"image_id": 1, "category_id": 7, "annotator": "ann"},
      {"image_id": 1, "category_id": 9, "annotator": "bob"}]})")),
            "1 ann: cat; 1 bob: dog; ");
  const auto refused = [&](const std::string& annotation) {
    return refusal(
        [&] { test::ticks_of("{" + images + ", \"annotations\": [" + annotation + "]}"); });
  };
  EXPECT_THAT(refused(R"({"image_id": 5, "category_id": 7})"), HasSubstr("image '5'"));
  EXPECT_THAT(refused(R"({"image_id": 1, "category_id": 8})"), HasSubstr("category '8'"));
  EXPECT_THAT(refusal([&] { test::ticks_of("{" + images + "}"); }),
              HasSubstr("no list of 'annotations'"));
}

}  // namespace
}  // namespace sieve
