#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <pugixml.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "data/zip_members.h"
#include "labelsieve/files.h"

namespace sieve {

// The elements of one name that stand side by side in a container, some at a time: the rows of a
// sheet, the texts of a workbook. The XML is never in memory as a whole.
class XmlRun {
 public:
  // Elements <element> of the first <container>. `path` is for messages.
  XmlRun(std::unique_ptr<InputStream> in, std::string_view container, std::string_view element,
         std::string path);

  // Makes the next elements the children of `document`, which is valid until the next call; false
  // at the end. Error(Data) for what is not well formed, and an element of more than 64 MiB.
  bool next(pugi::xml_document& document);
  // "x:" where the names of elements begin with that. Known after the first call of next().
  const std::string& prefix() const { return prefix_; }
  std::size_t bytes_read() const { return bytes_read_; }
  // Up to 1 MiB of the text behind the container, once next() has given false.
  std::string rest();

 private:
  bool read_more();
  void find_container();
  bool cut(std::size_t size, pugi::xml_document& document);
  std::size_t last_element(std::size_t from) const;
  [[noreturn]] void refuse(const std::string& what) const;

  std::unique_ptr<InputStream> in_;
  std::string container_, element_, path_, prefix_;
  std::string buffer_, piece_;
  std::size_t searched_ = 0, bytes_read_ = 0;
  bool inside_ = false, over_ = false;
};

// Texts as sheets keep them: _x000D_ stands for the character of that number.
void append_unescaped(std::string& out, std::string_view text);
// The text in an element such as <v> or <t>.
void append_text(std::string& out, const pugi::xml_node& node);
// That of one such as <si> or <is>: of its <t>, or those of its parts <r>; without what is said
// about its pronunciation.
void append_rich_text(std::string& out, const pugi::xml_node& node, const std::string& prefix);

// A workbook of Excel (.xlsx, .xlsm): what its sheets are called, and what they share. Memory: the
// packed file and the texts. Macros and formulas are never run.
class Workbook {
 public:
  struct Sheet {
    std::string name;
    std::size_t member;  // of the ZIP file
    bool hidden = false;
  };

  // Error(Data) if it is none, or packed so that it grows beyond all measure.
  Workbook(InputStream& in, const std::string& path);

  const std::string& path() const { return path_; }
  const std::vector<Sheet>& sheets() const { return sheets_; }
  // Those with these names or, where no sheet is called so, numbers from 1; all if there are none.
  // Error(Usage) for one that is not there; `setting` is what names it.
  std::vector<Sheet> chosen(const std::vector<std::string>& wanted,
                            const std::string& setting) const;
  bool has_macros() const { return has_macros_; }
  // "book.xlsx/Sheet1", for messages.
  std::string path_of(const Sheet& sheet) const { return path_ + "/" + sheet.name; }

  XmlRun rows(const Sheet& sheet) const;
  // Of the list of texts that cells refer to. False for one that is not in it.
  bool text(std::size_t number, std::string_view& text) const;
  // Whether numbers in cells of that style are dates.
  bool is_date(std::size_t style) const {
    return style < date_styles_.size() && date_styles_[style];
  }
  bool counts_from_1904() const { return counts_from_1904_; }

 private:
  pugi::xml_document parse(const std::string& name) const;
  std::unique_ptr<InputStream> open(std::size_t member) const;
  void read_sheets();
  void read_texts();
  void read_styles();
  [[noreturn]] void refuse(const std::string& what, const std::string& hint) const;

  std::string path_;
  ZipMembers members_;
  std::vector<Sheet> sheets_;
  std::string texts_;
  std::vector<std::size_t> text_ends_;
  std::vector<bool> date_styles_;
  bool has_macros_ = false, counts_from_1904_ = false;
};

// Appends the date, the time or both that a number in a cell stands for; false if it is none.
bool append_date(std::string& out, double number, bool from_1904);
// The number that append_date() shows as this very text; nullopt if there is none.
std::optional<double> number_of_date(std::string_view text);
// Whether a format of numbers shows dates or times: "yyyy-mm-dd", "[$-409]d/m/yy h:mm".
bool is_date_format(std::string_view format);

}  // namespace sieve
