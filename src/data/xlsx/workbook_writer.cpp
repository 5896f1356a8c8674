#include "data/xlsx/workbook_writer.h"

#include <dlfcn.h>
#include <xlsxwriter.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "base/parse_number.h"
#include "data/csv/csv_cells.h"
#include "data/library_output.h"
#include "data/text/text_lines.h"
#include "data/xlsx/sheet_text.h"
#include "data/xlsx/workbook.h"
#include "labelsieve/error.h"

namespace sieve {
namespace {

constexpr std::size_t kMostRows = LXW_ROW_MAX, kMostColumns = LXW_COL_MAX;
constexpr std::time_t kCreated = 315532800;  // 1980: what is the same is written as the same
constexpr std::size_t kLongestText = 32767;  // in units of UTF-16

// Loaded when the first sheet is written: most runs write none.
class Library {
  void* handle_ = ::dlopen(LABELSIEVE_XLSXWRITER, RTLD_NOW | RTLD_LOCAL);

  template <class Function>
  Function find(const char* name) {
    void* found = handle_ != nullptr ? ::dlsym(handle_, name) : nullptr;
    if (found == nullptr)
      throw Error(Failure::Io, std::string("cannot load ") + LABELSIEVE_XLSXWRITER, {},
                  "install libxlsxwriter, or write another format");
    return reinterpret_cast<Function>(found);
  }

 public:
#define FUNCTION(name) decltype(&::name) name = find<decltype(&::name)>(#name)
  FUNCTION(workbook_new_opt);
  FUNCTION(workbook_add_worksheet);
  FUNCTION(workbook_add_format);
  FUNCTION(workbook_set_properties);
  FUNCTION(workbook_close);
  FUNCTION(format_set_bold);
  FUNCTION(worksheet_write_number);
  FUNCTION(worksheet_write_string);
  FUNCTION(worksheet_write_boolean);
  FUNCTION(format_set_num_format);
  FUNCTION(worksheet_freeze_panes);
  FUNCTION(worksheet_autofilter);
  FUNCTION(lxw_strerror);
#undef FUNCTION
};

[[noreturn]] void fail(const std::string& why) {
  throw Error(Failure::Io, "the workbook could not be written: " + why, {},
              "it takes room in /tmp and in memory; or write another format");
}

[[noreturn]] void refuse(const std::string& what) {
  throw Error(Failure::Usage, what, {}, "write CSV or another format instead");
}

class BytesInput final : public InputStream {
 public:
  explicit BytesInput(std::string_view bytes) : rest_(bytes) {}
  std::size_t read(char* into, std::size_t size) override {
    const std::size_t part = std::min(size, rest_.size());
    std::memcpy(into, rest_.data(), part);
    rest_.remove_prefix(part);
    return part;
  }

 private:
  std::string_view rest_;
};

// The number that a sheet would show as this very text, and keep to the last digit.
std::optional<double> plain_number(const std::string& text) {
  if (text.empty() || text.size() > 24) return std::nullopt;
  const auto number = parse_number<double>(text);
  if (!number) return std::nullopt;
  std::array<char, 32> stored;  // as libxlsxwriter does
  const int size = std::snprintf(stored.data(), stored.size(), "%.16G", *number);
  if (parse_number<double>({stored.data(), static_cast<std::size_t>(size)}) != number)
    return std::nullopt;
  const auto end = std::to_chars(stored.data(), stored.data() + stored.size(), *number).ptr;
  return std::string_view(stored.data(), end) == text ? number : std::nullopt;
}

std::size_t utf16_size(std::string_view text) {
  std::size_t size = 0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    size += (byte & 0xC0) != 0x80;
    size += byte >= 0xF0;
  }
  return size;
}

}  // namespace

class WorkbookWriter::Book {
 public:
  Book() {
    lxw_workbook_options options{};
    options.constant_memory = 1;
    book_ = library_.workbook_new_opt(file_.name().c_str(), &options);
    if (book_ == nullptr) fail("no memory");
    lxw_doc_properties properties{};
    properties.created = kCreated;
    check(library_.workbook_set_properties(book_, &properties));
    bold_ = library_.workbook_add_format(book_);
    library_.format_set_bold(bold_);
  }
  ~Book() {
    if (book_ != nullptr) library_.workbook_close(book_);
  }
  Book(const Book&) = delete;
  Book& operator=(const Book&) = delete;

  void begin_sheet(const std::string& name) {
    sheet_ = library_.workbook_add_worksheet(book_, name.c_str());
    if (sheet_ == nullptr) refuse("'" + name + "' cannot be the name of a sheet");
    library_.worksheet_freeze_panes(sheet_, 1, 0);
    rows_.push_back(0);
    width_ = 0;
  }
  void add_row(const std::vector<std::string>& cells, const ColumnTypes& types) {
    const std::size_t row = rows_.back()++;
    if (row == 0) kinds_ = kinds_of(cells, types);
    width_ = std::max(width_, cells.size());
    if (row >= kMostRows) refuse("a sheet has room for 1,048,576 rows, with that of the names");
    if (cells.size() > kMostColumns) refuse("a sheet has room for 16,384 columns");
    for (std::size_t k = 0; k < cells.size(); ++k)
      if (!cells[k].empty())
        check(put(static_cast<lxw_row_t>(row), static_cast<lxw_col_t>(k), cells[k]));
  }
  void end_sheet() {
    if (width_ != 0)
      check(library_.worksheet_autofilter(sheet_, 0, 0, static_cast<lxw_row_t>(rows_.back() - 1),
                                          static_cast<lxw_col_t>(width_ - 1)));
  }
  void finish(OutputStream& out) {
    check(library_.workbook_close(std::exchange(book_, nullptr)));
    const std::shared_ptr<const MappedFile> packed = file_.map();
    if (!packed) fail("it is empty");
    require_all_rows(packed->bytes());
    out.write(packed->bytes());
  }

 private:
  enum class Kind { Guess, Text, YesNo, Date, DateTime, Time };
  static std::vector<Kind> kinds_of(const std::vector<std::string>& names,
                                    const ColumnTypes& types) {
    std::vector<Kind> kinds;
    for (const std::string& name : names) {
      const auto type = types.find(name);
      const std::string& is = type != types.end() ? type->second : "";
      kinds.push_back(is == "VARCHAR"     ? Kind::Text
                      : is == "BOOLEAN"   ? Kind::YesNo
                      : is == "DATE"      ? Kind::Date
                      : is == "TIMESTAMP" ? Kind::DateTime
                      : is == "TIME"      ? Kind::Time
                                          : Kind::Guess);
    }
    return kinds;
  }

  lxw_error put(lxw_row_t row, lxw_col_t column, const std::string& text) {
    lxw_format* format = row == 0 ? bold_ : nullptr;
    const Kind kind = row == 0 ? Kind::Text : column < kinds_.size() ? kinds_[column] : Kind::Guess;
    if (kind == Kind::YesNo && (same_word(text, "true") || same_word(text, "false")))
      return library_.worksheet_write_boolean(sheet_, row, column, same_word(text, "true"),
                                              nullptr);
    if (kind >= Kind::Date)
      if (const auto number = number_of_date(text))
        return library_.worksheet_write_number(sheet_, row, column, *number, date_format(kind));
    if (const auto number = kind == Kind::Text ? std::nullopt : plain_number(text))
      return library_.worksheet_write_number(sheet_, row, column, *number, format);
    if (utf16_size(text) > kLongestText)
      refuse("a text of more than 32,767 characters does not fit into a cell");
    if (text.find('\0') != text.npos) refuse("a text with a NUL byte does not fit into a cell");
    return library_.worksheet_write_string(sheet_, row, column, text.c_str(), format);
  }
  lxw_format* date_format(Kind kind) {
    lxw_format*& format = date_formats_[kind];
    if (format == nullptr) {
      format = library_.workbook_add_format(book_);
      library_.format_set_num_format(format, kind == Kind::Date   ? "yyyy\\-mm\\-dd"
                                             : kind == Kind::Time ? "hh:mm:ss"
                                                                  : "yyyy\\-mm\\-dd\\ hh:mm:ss");
    }
    return format;
  }
  void check(lxw_error error) const {
    if (error != LXW_NO_ERROR) fail(library_.lxw_strerror(error));
  }
  // libxlsxwriter does not notice when there is no more room for its files.
  void require_all_rows(std::string_view packed) const {
    std::size_t sheet = 0;
    try {
      BytesInput in(packed);
      const Workbook book(in, "workbook");
      for (; sheet < book.sheets().size(); ++sheet)
        if (last_row(book, book.sheets()[sheet]) != rows_[sheet]) break;
    } catch (const Error& error) {
      fail("its files are cut off (" + error.message() + ")");
    }
    if (sheet != rows_.size()) fail("its files are cut off");
  }
  static std::size_t last_row(const Workbook& book, const Workbook::Sheet& sheet) {
    XmlRun rows = book.rows(sheet);
    std::size_t last = 0;
    pugi::xml_document document;
    while (rows.next(document))
      if (const pugi::xml_node row = document.last_child()) last = row.attribute("r").as_uint();
    return last;
  }

  const Library library_;
  MemoryFile file_;  // libxlsxwriter writes to a name
  lxw_workbook* book_ = nullptr;
  lxw_format* bold_ = nullptr;
  lxw_worksheet* sheet_ = nullptr;
  std::vector<std::size_t> rows_;  // of each sheet, that of the names too
  std::size_t width_ = 0;          // of the sheet
  std::vector<Kind> kinds_;        // of its columns
  std::map<Kind, lxw_format*> date_formats_;
};

WorkbookWriter::WorkbookWriter() : book_(std::make_unique<Book>()) {}
WorkbookWriter::~WorkbookWriter() = default;

void WorkbookWriter::add_sheet(const std::string& name,
                               const std::function<void(OutputStream& out)>& write,
                               const ColumnTypes& types) {
  book_->begin_sheet(name);
  RowsOut rows(
      [&](const std::string& row) { book_->add_row(cells_of(row, 1, ',', "table"), types); });
  write(rows);
  rows.close();
  book_->end_sheet();
}

void WorkbookWriter::finish(OutputStream& out) {
  book_->finish(out);
}

}  // namespace sieve
