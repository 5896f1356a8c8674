#include "data/xlsx/workbook_writer.h"

#include <dlfcn.h>
#include <xlsxwriter.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "base/parse_number.h"
#include "data/csv/csv_cells.h"
#include "data/memory_file.h"
#include "data/xlsx/sheet_text.h"
#include "data/xlsx/workbook.h"
#include "labelsieve/error.h"

namespace sieve {
namespace {

constexpr std::size_t kMostRows = LXW_ROW_MAX, kMostColumns = LXW_COL_MAX;
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
  FUNCTION(workbook_close);
  FUNCTION(format_set_bold);
  FUNCTION(worksheet_write_number);
  FUNCTION(worksheet_write_string);
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
  void add_row(const std::vector<std::string>& cells) {
    const std::size_t row = rows_.back()++;
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
  lxw_error put(lxw_row_t row, lxw_col_t column, const std::string& text) {
    lxw_format* format = row == 0 ? bold_ : nullptr;
    if (const auto number = row == 0 ? std::nullopt : plain_number(text))
      return library_.worksheet_write_number(sheet_, row, column, *number, format);
    if (utf16_size(text) > kLongestText)
      refuse("a text of more than 32,767 characters does not fit into a cell");
    if (text.find('\0') != text.npos) refuse("a text with a NUL byte does not fit into a cell");
    return library_.worksheet_write_string(sheet_, row, column, text.c_str(), format);
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
};

namespace {

// Cuts CSV text into rows of cells, as it comes.
class CellsOut final : public OutputStream {
 public:
  using TakeRow = std::function<void(const std::vector<std::string>&)>;
  explicit CellsOut(TakeRow take) : take_(std::move(take)) {}

  void write(std::string_view bytes) override {
    for (const char c : bytes) {
      if (c == '"') quoted_ = !quoted_;
      if (c != '\n' || quoted_) {
        row_ += c;
        continue;
      }
      take_(cells_of(row_, 1, ',', "table"));
      row_.clear();
    }
  }
  void sync() override {}
  void close() override {}

 private:
  TakeRow take_;
  std::string row_;
  bool quoted_ = false;
};

}  // namespace

WorkbookWriter::WorkbookWriter() : book_(std::make_unique<Book>()) {}
WorkbookWriter::~WorkbookWriter() = default;

void WorkbookWriter::add_sheet(const std::string& name,
                               const std::function<void(OutputStream& out)>& write) {
  book_->begin_sheet(name);
  CellsOut cells([this](const std::vector<std::string>& row) { book_->add_row(row); });
  write(cells);
  book_->end_sheet();
}

void WorkbookWriter::finish(OutputStream& out) {
  book_->finish(out);
}

}  // namespace sieve
