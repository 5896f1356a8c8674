#include "review/row_texts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/workbooks.h"
#include "labelsieve/data_io.h"
#include "support/support.h"

namespace sieve::test {
namespace {

using ::testing::ElementsAre;

TableOptions without_remarks() {
  TableOptions table;
  table.ignore = {"remark"};
  return table;
}

TableOptions with_texts() {
  TableOptions table;
  table.text = {"said"};
  return table;
}

class TextsOfRows : public ::testing::Test {
 protected:
  Dataset read(const std::vector<std::pair<std::string, std::string>>& files,
               const TableOptions& table = {}) const {
    std::vector<std::string> paths;
    for (const auto& [name, content] : files) {
      paths.push_back(folder_ / name);
      write_file(paths.back(), content);
    }
    ReadOptions options;
    options.keep_cells = options.keep_left_out = true;
    options.table = table;
    return read_dataset(paths, options);
  }
  RowTexts texts(const std::string& name, const std::string& content,
                 const TableOptions& table = {}) const {
    return row_texts(read({{name, content}}, table));
  }

  TempFolder folder_;
};

TEST_F(TextsOfRows, are_the_columns_that_hold_more_than_numbers) {
  const RowTexts found = texts("a.csv",
                               "id,said,year,label:x\nr1,on the beach,1999,1\nr2,2001,2000,0\n"
                               "r3,,2001,1\n",
                               with_texts());
  EXPECT_THAT(found.columns, ElementsAre("said"));
  EXPECT_THAT(found.rows,
              ElementsAre(ElementsAre("on the beach"), ElementsAre("2001"), ElementsAre("")));
}

TEST_F(TextsOfRows, are_there_for_columns_that_are_left_out_of_the_features) {
  for (const auto& [first, second] :
       {std::pair<std::string, std::string>{"1.5", "2.5"}, {"grey", "green"}}) {
    TableOptions options = without_remarks();
    if (first == "grey") options.category = {"f"};
    const RowTexts table = texts(
        "a.csv", "f,remark,label:x\n" + first + ",first,1\n" + second + ",\"second, last\",0\n",
        options);
    EXPECT_EQ(table.columns.back(), "remark");
    EXPECT_EQ(table.rows[0].back(), "first");
    EXPECT_EQ(table.rows[1].back(), "second, last");
    const RowTexts lines = texts("a.jsonl",
                                 "{\"f\": \"" + first +
                                     "\", \"remark\": \"first\", \"label:x\": 1}\n"
                                     "{\"f\": \"" +
                                     second + "\", \"remark\": \"second, last\", \"label:x\": 0}\n",
                                 options);
    EXPECT_EQ(lines.columns, table.columns);
    EXPECT_EQ(lines.rows, table.rows);
  }
}

TEST_F(TextsOfRows, are_there_for_sheets) {
  const auto cell = [](const char* at, const std::string& text) {
    return "<c r=\"" + std::string(at) + "\" t=\"inlineStr\"><is><t>" + text + "</t></is></c>";
  };
  const TestBook book{
      .sheets = {{"s", "<row r=\"1\">" + cell("A1", "said") + cell("B1", "label:x") + "</row>" +
                           "<row r=\"2\">" + cell("A2", "on the beach") +
                           "<c r=\"B2\"><v>1</v></c></row><row r=\"3\">" + cell("A3", "in town") +
                           "<c r=\"B3\"><v>0</v></c></row>"}}};
  const RowTexts found = texts("a.xlsx", book.bytes(), with_texts());
  EXPECT_THAT(found.columns, ElementsAre("said"));
  EXPECT_THAT(found.rows, ElementsAre(ElementsAre("on the beach"), ElementsAre("in town")));
}

TEST_F(TextsOfRows, come_from_several_files_by_the_names_of_columns) {
  const Dataset data = read({{"a.csv", "f,remark,label:x\n1,first,1\n2,second,0\n"},
                             {"b.csv", "remark,f,label:x\n,3,1\nlast,4,1\n"}},
                            without_remarks());
  EXPECT_THAT(row_texts(data).rows, ElementsAre(ElementsAre("first"), ElementsAre("second"),
                                                ElementsAre(""), ElementsAre("last")));
  const std::vector<std::size_t> some = {3, 0};
  EXPECT_THAT(row_texts(data.select_rows(some)).rows,
              ElementsAre(ElementsAre("last"), ElementsAre("first")));
}

TEST_F(TextsOfRows, are_ids_that_name_pictures) {
  const RowTexts found = texts("a.csv", "file,f,label:x\none.png,1,1\ntwo.png,2,0\n");
  EXPECT_THAT(found.rows, ElementsAre(ElementsAre("one.png"), ElementsAre("two.png")));
}

TEST_F(TextsOfRows, are_none_where_all_is_numbers) {
  EXPECT_TRUE(texts("a.csv", "f,g,label:x\n1,2,1\n2,3,0\n").empty());
  EXPECT_TRUE(texts("a.csv", "f,remark,label:x\n1,2,1\n2,3,0\n", without_remarks()).empty());
}

}  // namespace
}  // namespace sieve::test
