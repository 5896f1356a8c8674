#include "data/arff/label_xml.h"

#include <algorithm>
#include <pugixml.hpp>

#include "data/label_columns.h"
#include "labelsieve/error.h"
#include "labelsieve/options.h"

namespace sieve {
namespace {

constexpr std::uint64_t kLargestXml = std::uint64_t{64} << 20;
constexpr int kDeepest = 256;

// The name of an element without its namespace prefix.
std::string_view local_name(const pugi::xml_node& node) {
  const std::string_view name = node.name();
  return name.substr(name.find(':') + 1);
}

class LabelList {
 public:
  LabelList(std::string text, const std::string& path) : text_(std::move(text)), path_(path) {}

  // Nothing outside the text is ever looked at: document types and their entities are skipped.
  std::vector<std::string> read() {
    const pugi::xml_parse_result result = document_.load_buffer(text_.data(), text_.size());
    if (!result) refuse(std::string("not well-formed XML: ") + result.description(), result.offset);
    const pugi::xml_node root = document_.document_element();
    if (local_name(root) != "labels")
      refuse("the outermost element is '" + std::string(root.name()) + "', not 'labels'",
             root.offset_debug());
    walk(root);
    if (names_.empty()) refuse("no label is listed", root.offset_debug());
    check_names(names_, "label", path_);
    return std::move(names_);
  }

 private:
  // Depth first without recursion: nesting must not use up the stack.
  void walk(const pugi::xml_node& root) {
    int depth = 0;
    for (pugi::xml_node node = root.first_child(); node && node != root;) {
      if (node.type() == pugi::node_element) add(node);
      if (node.first_child()) {
        if (++depth > kDeepest) refuse("the labels are nested too deeply", node.offset_debug());
        node = node.first_child();
        continue;
      }
      for (; node != root && !node.next_sibling(); --depth) node = node.parent();
      if (node != root) node = node.next_sibling();
    }
  }

  void add(const pugi::xml_node& node) {
    if (local_name(node) != "label")
      refuse("the element '" + std::string(node.name()) + "' does not belong here",
             node.offset_debug());
    const pugi::xml_attribute name = node.attribute("name");
    if (!name) refuse("a label has no name", node.offset_debug());
    names_.emplace_back(name.value());
  }

  [[noreturn]] void refuse(const std::string& message, std::ptrdiff_t offset) const {
    const std::size_t known =
        std::min(text_.size(), static_cast<std::size_t>(std::max<std::ptrdiff_t>(offset, 0)));
    const std::string_view before = std::string_view(text_).substr(0, known);
    const auto line = static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n')) + 1;
    throw Error(Failure::Data, message, {path_, line, known - (before.rfind('\n') + 1) + 1},
                "a label list looks like <labels><label name=\"x\"/></labels>; another one can be "
                "given with " +
                    term("xml"));
  }

  std::string text_;
  const std::string& path_;
  pugi::xml_document document_;
  std::vector<std::string> names_;
};

void append_escaped(std::string& out, std::string_view text) {
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < ' ' || c == '&' || c == '<' || c == '>' || c == '"')
      out += "&#" + std::to_string(static_cast<int>(c)) + ";";
    else
      out += c;
  }
}

}  // namespace

std::vector<std::string> read_label_xml(InputStream& in, const std::string& path) {
  return LabelList(read_all(in, kLargestXml, path), path).read();
}

void write_label_xml(const std::vector<std::string>& names, OutputStream& out) {
  std::string text =
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<labels xmlns=\"http://mulan.sourceforge.net/labels\">\n";
  for (const std::string& name : names) {
    text += "  <label name=\"";
    append_escaped(text, name);
    text += "\"/>\n";
  }
  out.write(text + "</labels>\n");
}

}  // namespace sieve
