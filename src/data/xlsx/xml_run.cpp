#include "data/xlsx/xml_run.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string>
#include <utility>

#include "data/text/utf.h"
#include "labelsieve/error.h"

namespace sieve {
namespace {

constexpr std::size_t kPiece = std::size_t{1} << 18;
constexpr std::size_t kLongestElement = std::size_t{1} << 26;
constexpr std::size_t kMostOfRest = std::size_t{1} << 20;
constexpr unsigned kParsing = pugi::parse_cdata | pugi::parse_escapes | pugi::parse_eol |
                              pugi::parse_ws_pcdata_single | pugi::parse_fragment;

bool ends_name(std::string_view text, std::size_t at) {
  return at < text.size() && std::string_view(" \t\r\n/>").find(text[at]) != std::string_view::npos;
}

}  // namespace

XmlRun::XmlRun(std::unique_ptr<InputStream> in, std::string_view container,
               std::string_view element, std::string path)
    : in_(std::move(in)), container_(container), element_(element), path_(std::move(path)) {}

void XmlRun::refuse(const std::string& what) const {
  throw Error(Failure::Data, what, {path_, 0, 0},
              "open the workbook in a spreadsheet program and save it again");
}

bool XmlRun::read_more() {
  const std::size_t before = buffer_.size();
  if (before > kLongestElement) refuse("one element of the XML is longer than 64 MiB");
  buffer_.resize(before + kPiece);
  const std::size_t got = in_->read(buffer_.data() + before, kPiece);
  buffer_.resize(before + got);
  bytes_read_ += got;
  return got != 0;
}

// Drops all up to the content of the container.
void XmlRun::find_container() {
  for (std::size_t from = 0;;) {
    const std::size_t open = buffer_.find('<', from), close = buffer_.find('>', open);
    if (open == buffer_.npos || close == buffer_.npos) {
      if (!read_more()) refuse("there is no <" + container_ + "> in the XML");
      continue;
    }
    const std::string_view tag = std::string_view(buffer_).substr(open + 1, close - open - 1);
    const std::string_view name = tag.substr(0, tag.find_first_of(" \t\r\n/"));
    const std::size_t local = name.find(':') + 1;  // 0 without a prefix
    from = close + 1;
    if (name.substr(local) != container_) continue;
    prefix_ = name.substr(0, local);
    over_ = tag.ends_with('/');
    inside_ = true;
    element_ = "<" + prefix_ + element_;
    container_ = "</" + prefix_ + container_;
    buffer_.erase(0, from);
    return;
  }
}

// Where the last element behind `from` begins; 0 if none does.
std::size_t XmlRun::last_element(std::size_t from) const {
  from = std::max<std::size_t>(from, 1);
  for (std::size_t end = buffer_.size(); end > from;) {
    const std::size_t at = std::string_view(buffer_).substr(from, end - from).rfind(element_);
    if (at == buffer_.npos) return 0;
    if (ends_name(buffer_, from + at + element_.size())) return from + at;
    end = from + at;
  }
  return 0;
}

bool XmlRun::cut(std::size_t size, pugi::xml_document& document) {
  piece_.assign(buffer_, 0, size);
  buffer_.erase(0, size);
  searched_ = 0;
  const pugi::xml_parse_result result =
      document.load_buffer_inplace(piece_.data(), piece_.size(), kParsing, pugi::encoding_utf8);
  if (!result) refuse(std::string("not well-formed XML: ") + result.description());
  return true;
}

bool XmlRun::next(pugi::xml_document& document) {
  if (!inside_) find_container();
  while (!over_) {
    const std::size_t end = buffer_.find(container_, searched_);
    if (end != buffer_.npos) {
      over_ = true;
      return cut(end, document);
    }
    const bool enough = buffer_.size() >= kPiece;
    if (const std::size_t last = enough ? last_element(searched_) : 0; last != 0)
      return cut(last, document);
    // Nothing is looked at twice, however long an element is.
    if (enough) searched_ = buffer_.size() - std::min(buffer_.size(), container_.size());
    if (!read_more()) refuse("the XML ends too early");
  }
  return false;
}

std::string XmlRun::rest() {
  while (buffer_.size() < kMostOfRest && read_more()) {
  }
  return std::exchange(buffer_, {});
}

void append_unescaped(std::string& out, std::string_view text) {
  constexpr std::size_t kSize = 7;  // _x000D_
  for (std::size_t at = text.find("_x"); at != text.npos; at = text.find("_x")) {
    out += text.substr(0, at);
    text.remove_prefix(at);
    std::uint32_t code = 0;
    const char* digits = text.data() + 2;
    const bool escape =
        text.size() >= kSize && text[kSize - 1] == '_' &&
        std::from_chars(digits, digits + 4, code, 16).ptr == digits + 4 &&
        std::string_view(digits, 4).find_first_not_of("0123456789abcdefABCDEF") == text.npos;
    if (!escape) {
      out += text.substr(0, 2);
      text.remove_prefix(2);
      continue;
    }
    const bool half = code >= 0xD800 && code < 0xE000;  // of a pair: no character
    out += half ? std::string(text.substr(0, kSize)) : to_utf8(std::u32string(1, code));
    text.remove_prefix(kSize);
  }
  out += text;
}

void append_text(std::string& out, const pugi::xml_node& node) {
  for (const pugi::xml_node& child : node.children())
    if (child.type() == pugi::node_pcdata || child.type() == pugi::node_cdata)
      append_unescaped(out, child.value());
}

void append_rich_text(std::string& out, const pugi::xml_node& node, const std::string& prefix) {
  const std::string text = prefix + "t", part = prefix + "r";
  for (const pugi::xml_node& child : node.children()) {
    if (child.name() == text)
      append_text(out, child);
    else if (child.name() == part)
      for (const pugi::xml_node& piece : child.children(text.c_str())) append_text(out, piece);
  }
}

}  // namespace sieve
