#pragma once

#include <cstddef>
#include <memory>
#include <pugixml.hpp>
#include <string>
#include <string_view>

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

}  // namespace sieve
