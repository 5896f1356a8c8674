#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "annotations_support.h"
#include "data/annotations/annotation_files.h"
#include "data/formats.h"
#include "data/recipe/recipe.h"
#include "data/xlsx/sheet_text.h"
#include "data/xlsx/workbook.h"
#include "labelsieve/error.h"
#include "support/faulty_files.h"
#include "support/places.h"
#include "support/python_check.h"
#include "workbooks.h"

namespace sieve {
namespace {

using test::refusal;
using test::sheet_row;
using test::sheet_rows;
using test::TempFolder;
using test::TestBook;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// The first sheet of a workbook, or that of this name, as CSV.
std::string text_of(const std::string& bytes, const std::string& sheet = "1") {
  test::MemoryInput in(bytes);
  const Workbook book(in, "b.xlsx");
  SheetText text(book, book.chosen({sheet}, "").front());
  return read_all(text, 1 << 20, "b.xlsx");
}

std::string text_of_rows(const std::string& rows) {
  return text_of(TestBook{.sheets = {{"s", rows}}}.bytes());
}

Dataset data_of(const TestBook& book, ReadOptions options = {}) {
  test::MemoryInput in(book.bytes());
  return with_features(read_xlsx_raw(in, "b.xlsx", options), options);
}

std::string refused(const TestBook& book, ReadOptions options = {}) {
  int code = 0;
  const std::string message = refusal([&] { data_of(book, options); }, &code);
  EXPECT_TRUE(code == 3 || code == 2) << code;
  return message;
}

TEST(SheetText, has_every_kind_of_cell) {
  TestBook book{
      .sheets = {{"s", R"(<row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c>
      <c r="C1" t="inlineStr"><is><r><t>in</t></r><r><t xml:space="preserve"> line</t></r></is></c>
      <c r="D1" t="str"><f>A1</f><v>f</v></c></row>
      <row r="2"><c r="A2"><v>1.5</v></c><c r="B2" t="b"><v>1</v></c><c r="C2" s="1"><v>45356</v></c>
      <c r="D2" t="e"><v>#N/A</v></c></row>
      <row r="3"><c r="A3"><v>0.28999999999999998</v></c><c r="B3" t="b"><v>0</v></c>
      <c r="C3" s="1"><v>45356.75</v></c><c r="D3" t="d"><v>2024-01-02</v></c></row>)"}},
      .texts = {"<t>plain &amp; simple</t>",
                "<r><t>ri</t></r><r><t>ch</t></r><rPh><t>no</t></rPh>"},
      .styles = R"(<cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs>)"};
  EXPECT_EQ(text_of(book.bytes()),
            "plain & simple,rich,in line,f\n"
            "1.5,TRUE,2024-03-05,\n"
            "0.29,FALSE,2024-03-05 18:00:00,2024-01-02\n");
}

TEST(SheetText, has_a_line_for_each_row_and_the_columns_of_the_first) {
  EXPECT_EQ(text_of_rows(sheet_row(2, {"", "a", "b", "c"}) + "<row r=\"3\"/>" +
                         sheet_row(5, {"", "1", "", "3"}) + sheet_row(6, {"", "", "2"})),
            "\na,b,c\n\n\n1,,3\n,2,\n");
}

TEST(SheetText, has_a_first_column_without_a_name_where_pandas_wrote_its_index) {
  EXPECT_EQ(text_of_rows(sheet_row(1, {"", "a", "b"}) + sheet_row(2, {"0", "1", "2"}) +
                         sheet_row(3, {"1", "", "3"})),
            ",a,b\n0,1,2\n1,,3\n");
  EXPECT_THAT(refusal([] {
                text_of_rows(sheet_row(1, {"", "a"}) + sheet_row(2, {"", "1"}) +
                             sheet_row(3, {"note", "2"}));
              }),
              HasSubstr("cell A3 has a value, but is outside the table"));
}

TEST(SheetText, keeps_texts_that_CSV_could_take_for_something_else) {
  EXPECT_EQ(text_of_rows(sheet_row(1, {"a,b", " c ", "say &quot;x&quot;", "two\nlines"})),
            "\"a,b\",\" c \",\"say \"\"x\"\"\",\"two\nlines\"\n");
  EXPECT_EQ(text_of_rows(sheet_row(1, {"a_x000A_b", "_x005F_x000A_", "_xyz_", "x_x"})),
            "\"a\nb\",_x000A_,_xyz_,x_x\n");
}

TEST(SheetText, has_numbers_as_short_as_they_can_be) {
  EXPECT_EQ(text_of_rows("<row><c><v>0.10000000000000001</v></c><c><v>7.2955790000000002E-5</v></c>"
                         "<c><v>1E+2</v></c><c><v>12345678901234567890</v></c></row>"),
            "0.1,7.295579e-05,100,12345678901234567890\n");
}

TEST(SheetText, does_not_depend_on_the_prefix_of_names) {
  TestBook book{.sheets = {{"s", ""}}};
  book.members["xl/worksheets/sheet1.xml"] =
      "<x:worksheet xmlns:x=\"y\"><x:sheetData><x:row r=\"1\"><x:c><x:v>7</x:v></x:c>"
      "</x:row></x:sheetData></x:worksheet>";
  EXPECT_EQ(text_of(book.bytes()), "7\n");
}

TEST(SheetText, is_the_same_for_sheets_that_come_in_many_pieces) {
  std::string rows, expected;
  for (std::size_t i = 1; i <= 30000; ++i) {
    rows += sheet_row(i, {std::to_string(i), "text " + std::to_string(i)});
    expected += std::to_string(i) + ",text " + std::to_string(i) + "\n";
  }
  EXPECT_EQ(text_of_rows(rows), expected);
}

TEST(SheetDates, are_told_by_the_format) {
  for (const char* format :
       {"yyyy-mm-dd", "d/m/yy h:mm", "[$-409]mmm d", "mm:ss.0", "[Red]d.m.\\y"})
    EXPECT_TRUE(is_date_format(format)) << format;
  for (const char* format : {"General", "0.00", "#,##0", "0.00E+00", "[h]:mm", "\"day\" 0", "@",
                             "0 \"h\"", "_-* #,##0.00 [$d]"})
    EXPECT_FALSE(is_date_format(format)) << format;
}

TEST(SheetDates, know_the_leap_year_that_was_none_and_the_count_from_1904) {
  const auto date = [](double number, bool from_1904 = false) {
    std::string out;
    return append_date(out, number, from_1904) ? out : "none";
  };
  EXPECT_EQ(date(1), "1900-01-01");
  EXPECT_EQ(date(59), "1900-02-28");
  EXPECT_EQ(date(60), "none");
  EXPECT_EQ(date(61), "1900-03-01");
  EXPECT_EQ(date(25569.5), "1970-01-01 12:00:00");
  EXPECT_EQ(date(0.25), "06:00:00");
  EXPECT_EQ(date(45356.999999999), "2024-03-06");
  EXPECT_EQ(date(45356.00000001), "2024-03-05 00:00:00.001");
  EXPECT_EQ(date(0, true), "1904-01-01");
  EXPECT_EQ(date(43894, true), "2024-03-05");
  EXPECT_EQ(date(-1), "none");
  EXPECT_EQ(date(1e9), "none");
}

const std::string kTable = sheet_rows(
    {{"id", "x", "label:sea", "label:sky"}, {"007", "1", "1", "0"}, {"b", "2", "0", "1"}});

TEST(Xlsx, is_read_as_a_table) {
  const Dataset data = data_of({.sheets = {{"s", kTable}}});
  EXPECT_THAT(data.ids, ElementsAre("007", "b"));
  EXPECT_THAT(data.label_names, ElementsAre("sea", "sky"));
  EXPECT_TRUE(data.candidates.get(0, 0) && data.candidates.get(1, 1));
}

TEST(Xlsx, stacks_sheets_of_the_same_columns_and_skips_empty_ones) {
  TestBook book{.sheets = {{"one", kTable},
                           {"none", ""},
                           {"two", sheet_rows({{"id", "x", "label:sea", "label:sky"},
                                               {"c", "3", "0", "0"}})}}};
  EXPECT_THAT(data_of(book).ids, ElementsAre("007", "b", "c"));
  ReadOptions options;
  options.sheets = {"two"};
  EXPECT_THAT(data_of(book, options).ids, ElementsAre("c"));
  options.sheets = {"3", "one"};
  EXPECT_THAT(data_of(book, options).ids, ElementsAre("c", "007", "b"));
}

TEST(Xlsx, asks_which_sheet_is_meant_where_their_columns_differ) {
  const TestBook book{.sheets = {{"data", kTable}, {"about", sheet_rows({{"made by us"}})}}};
  EXPECT_THAT(refused(book), HasSubstr("'data' and 'about' have other columns"));
  EXPECT_THAT(refused(book), HasSubstr("sheets=data"));
  ReadOptions options;
  options.sheets = {"date"};
  EXPECT_THAT(refused(book, options), HasSubstr("there is no sheet 'date'"));
  EXPECT_THAT(refused(book, options), HasSubstr("did you mean 'data'"));
}

TEST(Xlsx, refuses_what_has_no_value_by_the_name_of_the_cell) {
  const auto with = [](const std::string& cell) {
    return refused(
        {.sheets = {{"s", sheet_row(1, {"x", "label:a"}) + "<row r=\"2\">" + cell + "</row>"}}});
  };
  EXPECT_THAT(with("<c r=\"A2\"><f>SUM(B1:B2)</f></c>"),
              HasSubstr("cell A2 holds a formula, and its value is not in the file"));
  EXPECT_THAT(with("<c r=\"A2\"><f>SUM(B1:B2)</f><v></v></c>"),
              HasSubstr("cell A2 holds a formula"));
  EXPECT_THAT(with("<c r=\"B2\" t=\"e\"><v>#DIV/0!</v></c>"),
              HasSubstr("cell B2 holds the error #DIV/0!"));
  EXPECT_THAT(with("<c r=\"A2\" t=\"s\"><v>5</v></c>"), HasSubstr("a text that is not"));
  EXPECT_THAT(with("<c r=\"D2\"><v>5</v></c>"), HasSubstr("cell D2 has a value, but is outside"));
}

TEST(Xlsx, names_the_row_of_a_bad_cell_whatever_lines_texts_have) {
  const std::string message = refused(
      {.sheets = {{"s", sheet_rows({{"t", "label:a"}, {"two\nlines\nthree", "1"}, {"x", "7"}})}}});
  EXPECT_THAT(message, HasSubstr("b.xlsx/s:3: '7' is not a label value"));
}

TEST(Xlsx, refuses_damaged_and_foreign_workbooks_by_name) {
  const auto with = [](std::string name, std::string text) {
    return refused({.sheets = {{"s", kTable}}, .members = {{std::move(name), std::move(text)}}});
  };
  const std::string sheet = "xl/worksheets/sheet1.xml";
  EXPECT_THAT(with(sheet, "<worksheet><sheetData><row r=\"1\"><c>"), HasSubstr("ends too early"));
  EXPECT_THAT(with(sheet, "<worksheet/>"), HasSubstr("there is no <sheetData>"));
  EXPECT_THAT(with(sheet, "<w><sheetData><row r=\"1\"></c></row></sheetData></w>"),
              HasSubstr("not well-formed"));
  EXPECT_THAT(with(sheet, "<w><sheetData><row r=\"2\"/><row r=\"1\"/></sheetData></w>"),
              HasSubstr("not in order"));
  EXPECT_THAT(with("xl/workbook.xml", "<workbook/>"), HasSubstr("there is no sheet"));
  EXPECT_THAT(with("xl/workbook.bin", "x"), HasSubstr("a binary workbook (.xlsb)"));
  EXPECT_THAT(refused({.sheets = {{"s", ""}}}), HasSubstr("there is no cell with a value"));
}

TEST(Xlsx, refuses_encrypted_and_old_workbooks_by_name) {
  const TempFolder folder;
  const auto message = [&](const std::string& name) {
    test::write_file(folder / name, "\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1 and more");
    return refusal([&] { read_dataset({folder / name}); });
  };
  EXPECT_THAT(message("secret.xlsx"), HasSubstr("this workbook is encrypted"));
  EXPECT_THAT(message("old.xls"), HasSubstr("an old Office program"));
}

TEST(Xlsx, refuses_a_file_that_grows_beyond_measure) {
  TestBook book{.sheets = {{"s", kTable}}};
  const std::string text = "<si><t>" + std::string(std::size_t{1} << 20, 'a') + "</t></si>";
  std::string& texts = book.members["xl/sharedStrings.xml"] = "<sst>";
  for (int i = 0; i < 66; ++i) texts += text;
  texts += "</sst>";
  EXPECT_THAT(refused(book), HasSubstr("grows beyond all measure"));
}

std::string empty_cells(std::size_t count) {
  std::string rows;
  for (std::size_t i = 1; i <= count; ++i) {
    if (i % 100 == 1) rows += i == 1 ? "<row>" : "</row><row>";
    rows += "<c s=\"1\"/>";
  }
  return rows + "</row>";
}

TEST(Xlsx, reads_a_million_empty_cells_as_none) {
  EXPECT_THAT(refused({.sheets = {{"s", empty_cells(1000000)}}}),
              HasSubstr("no cell with a value"));
}

TEST(Xlsx, refuses_ten_million_empty_cells_in_a_small_file) {
  EXPECT_THAT(refused({.sheets = {{"s", empty_cells(10000000)}}}),
              HasSubstr("grows beyond all measure"));
}

TEST(Xlsx, refuses_a_table_that_is_nearly_all_empty) {
  std::string rows = "<row r=\"1\"><c r=\"A1\"><v>1</v></c><c r=\"XFD1\"><v>1</v></c></row>";
  for (std::size_t i = 2; i <= 20000; ++i)
    rows += "<row r=\"" + std::to_string(i) + "\"><c><v>1</v></c></row>";
  EXPECT_THAT(refused({.sheets = {{"s", rows}}}), HasSubstr("nearly all cells"));
}

TEST(Xlsx, notes_merged_cells_hidden_sheets_and_macros) {
  std::vector<std::string> notes;
  ReadOptions options;
  options.notes = &notes;
  data_of(
      {.sheets = {{"s", kTable, "<mergeCells><mergeCell ref=\"A2:A3\"/></mergeCells>", "hidden"}},
       .members = {{"xl/vbaProject.bin", "code"}}},
      options);
  EXPECT_THAT(notes, Contains(HasSubstr("merged cells (A2:A3)")));
  EXPECT_THAT(notes, Contains(HasSubstr("this sheet is hidden")));
  EXPECT_THAT(notes, Contains(HasSubstr("macros in this workbook are not run")));
}

std::string annotations_of(const TestBook& book, AnnotationOptions options = {}) {
  return test::told(test::ticks_of(book.bytes(), std::move(options)));
}

TEST(XlsxAnnotations, come_as_long_and_as_wide_sheets) {
  const std::string expected = "1 ann: sea; 1 bob: sea sky; 2 ann:; ";
  EXPECT_EQ(annotations_of({.sheets = {{"s", sheet_rows({{"item", "worker", "label"},
                                                         {"1", "ann", "sea"},
                                                         {"1", "bob", "sea"},
                                                         {"1", "bob", "sky"},
                                                         {"2", "ann", ""}})}}}),
            expected);
  EXPECT_EQ(annotations_of({.sheets = {{"s", sheet_rows({{"id", "rater_id", "sea", "sky"},
                                                         {"1", "ann", "1", "0"},
                                                         {"1", "bob", "1", "1"},
                                                         {"2", "ann", "0", "0"}})}}}),
            expected);
}

TEST(XlsxAnnotations, take_one_of_several_sheets_for_that_of_an_annotator) {
  const TestBook book{
      .sheets = {{"ann", sheet_rows({{"item", "label"}, {"1", "sea"}, {"2", "sky"}})},
                 {"bob", sheet_rows({{"item", "label"}, {"1", "sky"}})},
                 {"empty", ""}}};
  EXPECT_EQ(annotations_of(book), "1 ann: sea; 1 bob: sky; 2 ann: sky; ");
  AnnotationOptions one;
  one.sheets = {"bob"};
  one.annotator = "none";
  EXPECT_EQ(annotations_of(book, one), "1 everyone: sky; ");
}

// Six sheets as people keep them, written by openpyxl: three raters, six labels, texts that are
// shared, dates.
TEST(XlsxAnnotations, of_six_sheets_by_openpyxl_are_read_without_glue) {
  if (!test::python_imports("openpyxl")) GTEST_SKIP() << "install python3-openpyxl";
  const TempFolder folder;
  const auto made = test::run_python("data/xlsx_check.py", folder.path());
  AnnotationOptions options;
  options.path = folder / "six.xlsx";
  const Annotations ticks = read_annotations(options);
  EXPECT_THAT(ticks.labels, ElementsAre("anger", "disgust", "fear", "joy", "sadness", "surprise"));
  EXPECT_THAT(ticks.votes.annotators(), ::testing::UnorderedElementsAre("Ann", "Bob", "Cem"));
  EXPECT_TRUE(holds_annotations(options.path)) << "a sheet for each annotator";
  EXPECT_EQ(ticks.items.size(), 60u);
  EXPECT_EQ(ticks.votes.annotations(), 180u);
  EXPECT_EQ(static_cast<double>(ticks.votes.ticks()), made.at("ticks"));
}

TEST(XlsxWriting, keeps_numbers_as_numbers_and_everything_else_as_text) {
  Dataset data;
  Matrix x(2, 1);
  x(0, 0) = 0.1F, x(1, 0) = 16777216;
  data.features = std::move(x);
  data.feature_names = {"x"};
  data.ids = {"007", "=1+1"};
  data.candidates = test::labels_of({"1", "0"});
  data.label_names = {"a"};
  test::MemoryOutput out;
  write_xlsx(data, out, {});
  EXPECT_EQ(text_of(out.text), "id,x,label:a\n007,0.1,1\n=1+1,16777216,0\n");
  test::MemoryInput in(out.text);
  const ZipMembers members(in, "b");
  const auto sheet = members.open(members.find("xl/worksheets/sheet1.xml"));
  const std::string xml = read_all(*sheet, 1 << 20, "b");
  EXPECT_THAT(xml, HasSubstr("<v>0.1</v>"));
  EXPECT_THAT(xml, HasSubstr("<t>=1+1</t>"));
  EXPECT_THAT(xml, HasSubstr("state=\"frozen\""));
  EXPECT_THAT(xml, HasSubstr("<autoFilter ref=\"A1:C3\"/>"));
}

// A table whose columns are in no order that a program would choose: tags first, ids in the middle;
// texts that look like numbers, a date, a moment, yes and no, an ignored column.
TestBook tickets() {
  return {.sheets = {{"tickets", R"(<row r="1"></row><row r="2"><c r="B2" t="str"><v>tags</v></c>
      <c r="C2" t="str"><v>code</v></c><c r="D2" t="str"><v>ticket_id</v></c>
      <c r="E2" t="str"><v>when</v></c><c r="F2" t="str"><v>at</v></c><c r="G2" t="str"><v>paid</v></c>
      <c r="H2" t="str"><v>price</v></c><c r="I2" t="str"><v>url</v></c></row>
      <row r="3"><c r="B3" t="str"><v>b; a</v></c><c r="C3" t="str"><v>12</v></c>
      <c r="D3" t="str"><v>t1</v></c><c r="E3" s="1"><v>45356</v></c><c r="F3" s="2"><v>45356.75</v></c>
      <c r="G3" t="b"><v>1</v></c><c r="H3"><v>2.5</v></c><c r="I3" t="str"><v>x/y</v></c></row>
      <row r="5"><c r="B5" t="str"><v>a</v></c><c r="C5" t="str"><v>007</v></c>
      <c r="D5" t="str"><v>t2</v></c><c r="E5" s="1"><v>59</v></c><c r="F5" s="2"><v>45357</v></c>
      <c r="G5" t="b"><v>0</v></c><c r="I5" t="str"><v>x/z</v></c></row>)"}},
          .styles = R"(<numFmts><numFmt numFmtId="170" formatCode="yyyy-mm-dd"/></numFmts>
      <cellXfs><xf numFmtId="0"/><xf numFmtId="170"/><xf numFmtId="22"/></cellXfs>)"};
}
constexpr const char* kTickets =
    "tags,code,ticket_id,when,at,paid,price,url\n"
    "\"b; a\",12,t1,2024-03-05,2024-03-05 18:00:00,TRUE,2.5,x/y\n"
    "a,007,t2,1900-02-28,2024-03-06,FALSE,,x/z\n";

class XlsxBack : public ::testing::Test {
 protected:
  XlsxBack() {
    test::write_file(folder_ / "in.xlsx", tickets().bytes());
    options_.keep_cells = true;
    options_.labels.column = "tags";
    options_.table.ignore = {"url"};
    options_.table.category = {"code", "paid"};
    options_.table.date = {"when", "at"};
  }
  std::string written(const std::string& name, const Dataset& data) {
    FileSet set;
    write_table(data, folder_ / name, {.if_exists = IfExists::Replace}, table_, set);
    set.commit();
    return test::read_file(folder_ / name);
  }
  std::string sheet(const std::string& bytes) const {
    test::MemoryInput in(bytes);
    const ZipMembers members(in, "b");
    return read_all(*members.open(members.find("xl/worksheets/sheet1.xml")), 1 << 20, "b");
  }

  TempFolder folder_;
  ReadOptions options_;
  TableWriting table_{.as_read = true};
};

TEST_F(XlsxBack, a_sheet_comes_back_with_its_columns_and_kinds_of_cells) {
  const std::string bytes = written("out.xlsx", read_dataset({folder_ / "in.xlsx"}, options_));
  EXPECT_EQ(text_of(bytes), kTickets);
  const std::string xml = sheet(bytes);
  EXPECT_THAT(xml, HasSubstr("<c r=\"B2\" t=\"inlineStr\"><is><t>12</t>"));
  EXPECT_THAT(xml, HasSubstr("<v>45356</v>"));
  EXPECT_THAT(xml, HasSubstr("<v>45356.75</v>"));
  EXPECT_THAT(xml, HasSubstr("t=\"b\"><v>1</v>"));
  EXPECT_THAT(xml, HasSubstr("<v>2.5</v>"));
  EXPECT_THAT(xml, HasSubstr("<autoFilter ref=\"A1:H3\"/>"));
  // And once more, from the file that was written.
  test::write_file(folder_ / "in.xlsx", bytes);
  EXPECT_EQ(text_of(written("out.xlsx", read_dataset({folder_ / "in.xlsx"}, options_))), kTickets);
}

TEST_F(XlsxBack, the_same_is_written_to_the_same_bytes_whenever) {
  const Dataset data = read_dataset({folder_ / "in.xlsx"}, options_);
  const std::string bytes = written("out.xlsx", data);
  test::MemoryInput in(bytes);
  const ZipMembers members(in, "b");
  EXPECT_THAT(read_all(*members.open(members.find("docProps/core.xml")), 1 << 20, "b"),
              HasSubstr("1980-01-01"));
  EXPECT_EQ(written("out.xlsx", data), bytes);
}

TEST_F(XlsxBack, labels_change_in_their_place_and_columns_beside_come_last) {
  Dataset data = read_dataset({folder_ / "in.xlsx"}, options_);
  data.candidates.set(0, 0, false);
  data.candidates.set(1, 1, true);
  table_.beside = {{"was:a", [](std::size_t) { return "1"; }}};
  const std::string table =
      "tags,code,ticket_id,when,at,paid,price,url,was:a\n"
      "b,12,t1,2024-03-05,2024-03-05 18:00:00,TRUE,2.5,x/y,1\n"
      "\"a; b\",007,t2,1900-02-28,2024-03-06,FALSE,,x/z,1\n";
  EXPECT_EQ(text_of(written("out.xlsx", data)), table);
}

TEST_F(XlsxBack, some_rows_come_back_as_such) {
  const std::vector<std::size_t> second = {1};
  const Dataset data = read_dataset({folder_ / "in.xlsx"}, options_).select_rows(second);
  EXPECT_EQ(text_of(written("out.xlsx", data)),
            "tags,code,ticket_id,when,at,paid,price,url\n"
            "a,007,t2,1900-02-28,2024-03-06,FALSE,,x/z\n");
}

TEST_F(XlsxBack, a_sheet_goes_to_csv_and_a_csv_file_to_a_sheet) {
  const std::string csv = written("out.csv", read_dataset({folder_ / "in.xlsx"}, options_));
  std::string lines = csv;  // the blank ones are of empty rows
  for (std::size_t at; (at = lines.find("\n\n")) != lines.npos;) lines.erase(at, 1);
  EXPECT_EQ(lines.substr(lines.find_first_not_of('\n')), kTickets);
  test::write_file(folder_ / "in.csv",
                   "\xEF\xBB\xBFtags,ticket_id,\"code\"\r\n\r\na;b,t1,\"07\"\r\nb,t2,8");
  options_.table = {.category = {"code"}};
  EXPECT_EQ(text_of(written("out.xlsx", read_dataset({folder_ / "in.csv"}, options_))),
            "tags,ticket_id,code\n\"a;b\",t1,07\nb,t2,8\n");
}

TEST_F(XlsxBack, sheets_put_together_come_back_together) {
  const std::string first = sheet_rows({{"label:a", "x", "name"}, {"1", "1", "n1"}});
  const std::string second = sheet_rows({{"label:a", "x", "name"}, {"0", "2", "n2"}});
  test::write_file(folder_ / "two.xlsx",
                   TestBook{.sheets = {{"one", first}, {"two", second}}}.bytes());
  const Dataset data = read_dataset({folder_ / "two.xlsx"}, {.keep_cells = true});
  EXPECT_EQ(text_of(written("out.xlsx", data)), "label:a,x,name\n1,1,n1\n0,2,n2\n");
  EXPECT_EQ(source_of(data)->ending(), ".xlsx");
}

TEST_F(XlsxBack, a_workbook_that_changed_meanwhile_is_refused) {
  const Dataset data = read_dataset({folder_ / "in.xlsx"}, options_);
  test::write_file(folder_ / "in.xlsx", tickets().bytes() + " ");
  int code = 0;
  EXPECT_THAT(refusal([&] { written("out.xlsx", data); }, &code), HasSubstr("has changed"));
  EXPECT_EQ(code, 3);
  EXPECT_FALSE(FileSystem::real().exists(folder_ / "out.xlsx"));
}

TEST(XlsxDates, numbers_and_texts_of_dates_are_the_same_there_and_back) {
  for (const double number : {1.0, 59.0, 61.0, 45356.0, 45356.75, 0.25, 2958465.0, 45356.000012}) {
    std::string text;
    ASSERT_TRUE(append_date(text, number, false));
    const auto back = number_of_date(text);
    ASSERT_TRUE(back) << text;
    EXPECT_NEAR(*back, number, 1e-8) << text;
  }
  for (const char* none : {"", "2024", "2024-13-01", "2024-02-30", "2024-3-5", "next week",
                           "2024-03-05T18:00:00", "25:00:00", "1899-01-01"})
    EXPECT_FALSE(number_of_date(none)) << none;
}

TEST(XlsxWriting, refuses_what_a_sheet_cannot_hold) {
  Dataset data;
  data.features = Matrix(1, 0);
  data.candidates = test::labels_of({"1"});
  data.label_names = {"a"};
  data.ids = {std::string(40000, 'x')};
  test::MemoryOutput out;
  int code = 0;
  EXPECT_THAT(refusal([&] { write_xlsx(data, out, {}); }, &code), HasSubstr("32,767 characters"));
  EXPECT_EQ(code, 2);
  EXPECT_EQ(out.text, "");
}

TEST(XlsxWriting, leaves_nothing_or_all_whichever_call_fails) {
  const Dataset data = data_of({.sheets = {{"s", kTable}}});
  for (std::size_t failing = 0;; ++failing) {
    const TempFolder folder;
    test::FaultyFiles files(failing, true);
    WriteOptions options;
    options.files = &files;
    const std::string path = folder / "out.xlsx";
    const std::string message = refusal([&] { write_dataset(data, path, options); });
    for (const std::string& name : FileSystem::real().list(folder.path())) {
      EXPECT_EQ(name, "out.xlsx");
      EXPECT_EQ(read_dataset({path}).ids, data.ids);
    }
    if (!message.empty()) continue;
    EXPECT_GT(failing, 2U);
    break;
  }
}

}  // namespace
}  // namespace sieve
