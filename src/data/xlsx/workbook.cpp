#include "data/xlsx/workbook.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <utility>

#include "base/named_rows.h"
#include "base/parse_number.h"
#include "labelsieve/error.h"

namespace sieve {
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

}  // namespace sieve
