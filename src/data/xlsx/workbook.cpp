#include "data/xlsx/workbook.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <map>
#include <string>
#include <utility>

#include "base/named_rows.h"
#include "base/parse_number.h"
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

namespace {

constexpr std::size_t kMostGrowth = 200;  // real workbooks shrink to a tenth, rarely a fiftieth
constexpr std::uint64_t kLargestPart = std::uint64_t{1} << 26;
constexpr const char* kSaveAgain = "open it in a spreadsheet program and save it as .xlsx again";

std::string_view local_name(std::string_view name) {
  return name.substr(name.find(':') + 1);
}

// Calls visit(node) for each element of that name anywhere below, whatever its prefix.
template <class Visit>
void for_elements(const pugi::xml_node& root, std::string_view name, const Visit& visit) {
  for (pugi::xml_node node = root.first_child(); node && node != root;) {
    if (node.type() == pugi::node_element && local_name(node.name()) == name) visit(node);
    if (node.first_child()) {
      node = node.first_child();
      continue;
    }
    while (node != root && !node.next_sibling()) node = node.parent();
    if (node != root) node = node.next_sibling();
  }
}

// The value of an attribute, whatever its prefix.
std::string attribute(const pugi::xml_node& node, std::string_view name) {
  for (const pugi::xml_attribute& attribute : node.attributes())
    if (local_name(attribute.name()) == name) return attribute.value();
  return {};
}

bool is_yes(std::string_view value) {
  return value == "1" || value == "true" || value == "on";
}

}  // namespace

Workbook::Workbook(InputStream& in, const std::string& path) : path_(path), members_(in, path) {
  if (members_.find("xl/workbook.bin") != ZipMembers::npos)
    refuse("this is a binary workbook (.xlsb), which cannot be read", "save it as .xlsx");
  if (members_.find("xl/workbook.xml") == ZipMembers::npos)
    refuse("there is no workbook in this ZIP file", kSaveAgain);
  has_macros_ = members_.find("xl/vbaProject.bin") != ZipMembers::npos;
  read_sheets();
  read_styles();
  read_texts();
}

void Workbook::refuse(const std::string& what, const std::string& hint) const {
  throw Error(Failure::Data, what, {path_, 0, 0}, hint);
}

std::unique_ptr<InputStream> Workbook::open(std::size_t member) const {
  return members_.open(member, kMostGrowth);
}

// A part of the workbook that is small; empty if there is none.
pugi::xml_document Workbook::parse(const std::string& name) const {
  pugi::xml_document document;
  const std::size_t member = members_.find(name);
  if (member == ZipMembers::npos) return document;
  const std::string text = read_all(*open(member), kLargestPart, path_);
  const pugi::xml_parse_result result = document.load_buffer(text.data(), text.size());
  if (!result)
    refuse("'" + name + "' in the workbook is not well-formed XML: " + result.description(),
           kSaveAgain);
  return document;
}

void Workbook::read_sheets() {
  std::map<std::string, std::string> targets;
  for_elements(parse("xl/_rels/workbook.xml.rels"), "Relationship", [&](const auto& node) {
    std::string target = attribute(node, "Target");
    target = target.starts_with('/') ? target.substr(1) : "xl/" + target;
    if (attribute(node, "Type").ends_with("/worksheet")) targets[attribute(node, "Id")] = target;
  });
  const pugi::xml_document book = parse("xl/workbook.xml");
  for_elements(book, "workbookPr",
               [&](const auto& node) { counts_from_1904_ = is_yes(attribute(node, "date1904")); });
  for_elements(book, "sheet", [&](const auto& node) {
    std::string id;
    for (const pugi::xml_attribute& given : node.attributes())
      if (std::string_view(given.name()).ends_with(":id")) id = given.value();
    const auto target = targets.find(id);
    if (target == targets.end()) return;  // a page of charts
    const std::size_t member = members_.find(target->second);
    if (member == ZipMembers::npos)
      refuse("sheet '" + attribute(node, "name") + "' is missing in the workbook", kSaveAgain);
    const std::string state = attribute(node, "state");
    sheets_.push_back({attribute(node, "name"), member, !state.empty() && state != "visible"});
  });
  if (sheets_.empty()) refuse("there is no sheet in this workbook", kSaveAgain);
}

std::vector<Workbook::Sheet> Workbook::chosen(const std::vector<std::string>& wanted,
                                              const std::string& setting) const {
  if (wanted.empty()) return sheets_;
  std::vector<Sheet> out;
  for (const std::string& name : wanted) {
    auto found = std::ranges::find(sheets_, name, &Sheet::name);
    const auto number = parse_number<std::size_t>(name);
    if (found == sheets_.end() && number && *number != 0 && *number <= sheets_.size())
      found = sheets_.begin() + static_cast<std::ptrdiff_t>(*number - 1);
    if (found == sheets_.end()) {
      std::vector<std::string> names;
      for (const Sheet& sheet : sheets_) names.push_back(sheet.name);
      std::string all;
      for (const std::string& each : names) all += (all.empty() ? "" : ", ") + each;
      throw Error(Failure::Usage, "there is no sheet '" + name + "' in this workbook",
                  {path_, 0, 0},
                  did_you_mean(name, names, "check " + setting) + " (sheets: " + all + ")");
    }
    out.push_back(*found);
  }
  return out;
}

XmlRun Workbook::rows(const Sheet& sheet) const {
  return {open(sheet.member), "sheetData", "row", path_of(sheet)};
}

void Workbook::read_texts() {
  const std::size_t member = members_.find("xl/sharedStrings.xml");
  if (member == ZipMembers::npos) return;
  XmlRun run(open(member), "sst", "si", path_);
  pugi::xml_document document;
  while (run.next(document)) {
    const std::string name = run.prefix() + "si";
    for (const pugi::xml_node& text : document.children(name.c_str())) {
      append_rich_text(texts_, text, run.prefix());
      text_ends_.push_back(texts_.size());
    }
  }
}

bool Workbook::text(std::size_t number, std::string_view& text) const {
  if (number >= text_ends_.size()) return false;
  const std::size_t begin = number == 0 ? 0 : text_ends_[number - 1];
  text = std::string_view(texts_).substr(begin, text_ends_[number] - begin);
  return true;
}

void Workbook::read_styles() {
  const pugi::xml_document styles = parse("xl/styles.xml");
  std::map<std::string, bool> is_date;  // formats of the workbook's own
  for_elements(styles, "numFmt", [&](const auto& node) {
    is_date[attribute(node, "numFmtId")] = is_date_format(attribute(node, "formatCode"));
  });
  for_elements(styles, "cellXfs", [&](const pugi::xml_node& list) {
    for (const pugi::xml_node& style : list.children()) {
      const std::string id = attribute(style, "numFmtId");
      const auto own = is_date.find(id);
      // Formats 14 to 22 and 45 to 47 are dates and times everywhere; 46 counts hours past a day.
      // 27 to 36 and 50 to 58 are dates of Eastern Asia.
      const unsigned number = parse_number<unsigned>(id).value_or(0);
      const bool known = (number >= 14 && number <= 22) || number == 45 || number == 47 ||
                         (number >= 27 && number <= 36) || (number >= 50 && number <= 58);
      date_styles_.push_back(own != is_date.end() ? own->second : known);
    }
  });
}

bool is_date_format(std::string_view format) {
  bool date = false;
  for (std::size_t i = 0; i < format.size(); ++i) {
    const char c = format[i];
    if (c == ';') break;  // what follows is for negative numbers, zero and text
    if (c == '\\' || c == '_' || c == '*') {
      ++i;  // the next character is shown, skipped or repeated
    } else if (c == '"') {
      i = std::min(format.find('"', i + 1), format.size());
    } else if (c == '[') {
      const std::size_t end = std::min(format.find(']', i), format.size());
      const std::string_view inside = format.substr(i + 1, end - i - 1);
      // [h] counts the hours of a span of time.
      if (!inside.empty() && inside.find_first_not_of("hHmMsS") == inside.npos) return false;
      i = end;
    } else if (std::string_view("dDmMyYhHsS").find(c) != std::string_view::npos) {
      date = true;
    } else if (c == '0' && !date) {
      return false;
    } else if (c == '#' || c == '?' || format.substr(i).starts_with("General")) {
      return false;
    }
  }
  return date;
}

bool append_date(std::string& out, double number, bool from_1904) {
  constexpr double kLast = 2958466;  // the first day of the year 10000
  constexpr long kMilliseconds = 86400000;
  if (!(number >= 0 && number < kLast)) return false;
  auto day = static_cast<long>(std::floor(number));
  auto time = std::lround((number - static_cast<double>(day)) * kMilliseconds);
  if (time == kMilliseconds) time = 0, ++day;
  // Excel believes that 1900 was a leap year: day 60 never was, and those before count from one
  // later.
  if (!from_1904 && day == 60) return false;
  const long before = from_1904 ? 24107 : day < 60 ? 25568 : 25569;  // 1970-01-01
  const bool only_time = day == 0 && (time != 0 || !from_1904);
  if (!only_time) {
    const std::chrono::year_month_day date{std::chrono::sys_days{std::chrono::days{day - before}}};
    fmt::format_to(std::back_inserter(out), "{:04}-{:02}-{:02}", static_cast<int>(date.year()),
                   static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()));
  }
  if (time == 0 && !only_time) return true;
  if (!only_time) out += ' ';
  fmt::format_to(std::back_inserter(out), "{:02}:{:02}:{:02}", time / 3600000, time / 60000 % 60,
                 time / 1000 % 60);
  if (time % 1000 != 0) fmt::format_to(std::back_inserter(out), ".{:03}", time % 1000);
  return true;
}

std::optional<double> number_of_date(std::string_view text) {
  int year = 1900, month = 1, day = 0, hour = 0, minute = 0, read = 0;
  double second = 0;
  const std::string all(text);
  const bool has_day = std::sscanf(all.c_str(), "%4d-%2d-%2d%n", &year, &month, &day, &read) == 3;
  const char* rest = all.c_str() + (has_day ? read : 0);
  if (*rest != 0 && std::sscanf(rest, "%2d:%2d:%lf", &hour, &minute, &second) != 3)
    return std::nullopt;
  double days = 0;
  if (has_day) {
    const std::chrono::year_month_day date{std::chrono::year{year},
                                           std::chrono::month{static_cast<unsigned>(month)},
                                           std::chrono::day{static_cast<unsigned>(day)}};
    const auto since_1970 = std::chrono::sys_days{date}.time_since_epoch().count();
    days = static_cast<double>(since_1970) + 25569;
    if (days < 61) --days;  // append_date() says why
  }
  const double number = days + (hour * 3600 + minute * 60 + second) / 86400;
  std::string shown;
  return append_date(shown, number, false) && shown == text ? std::optional(number) : std::nullopt;
}

}  // namespace sieve
