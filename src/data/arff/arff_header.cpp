#include "data/arff/arff_header.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <pugixml.hpp>
#include <unordered_map>

#include "data/label_columns.h"
#include "labelsieve/error.h"
#include "labelsieve/options.h"

namespace sieve {
namespace {

char escaped(char c) {
  switch (c) {
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    default:
      return c;
  }
}

}  // namespace

std::optional<std::string_view> ArffLine::word(std::string_view stops, std::string& scratch) {
  if (sees('\'') || sees('"')) return quoted_word(scratch);
  const char* first = at_;
  while (at_ != end_ && *at_ != ' ' && *at_ != '\t' && stops.find(*at_) == std::string_view::npos)
    ++at_;
  return std::string_view(first, static_cast<std::size_t>(at_ - first));
}

std::optional<std::string_view> ArffLine::quoted_word(std::string& scratch) {
  const char quote = *at_++;
  scratch.clear();
  while (at_ != end_ && *at_ != quote) {
    if (*at_ == '\\' && at_ + 1 != end_)
      scratch += escaped(*++at_);
    else
      scratch += *at_;
    ++at_;
  }
  if (!take(quote)) return std::nullopt;
  return scratch;
}

namespace {

class HeaderReader {
 public:
  explicit HeaderReader(LineSource& source) : source_(source) {}

  ArffHeader read() {
    std::string_view text;
    while (source_.next(text)) {
      ArffLine line(text, source_.line_number());
      line.skip_blanks();
      if (!line.at_end() && !declaration(line)) return finish();
    }
    if (source_.bytes_read() == 0) refuse("the file is empty", {source_.name(), 0, 0});
    refuse(
        "there is no @data line", {source_.name(), source_.line_number(), 0},
        "an ARFF file has @attribute lines, then @data, then the rows; it may have been cut off");
  }

 private:
  [[noreturn]] static void refuse(const std::string& message, Place where,
                                  const std::string& hint = {}) {
    throw Error(Failure::Data, message, std::move(where), hint);
  }
  Place here(const ArffLine& line) const { return {source_.name(), line.number(), line.column()}; }

  // False when this was @data.
  bool declaration(ArffLine& line) {
    const Place place = here(line);
    const std::string keyword = word(line, "'\"");
    line.skip_blanks();
    if (same_word(keyword, "@data")) return false;
    if (same_word(keyword, "@relation"))
      header_.relation =
          line.sees('\'') || line.sees('"') ? word(line, "") : std::string(trimmed(line.rest()));
    else if (same_word(keyword, "@attribute"))
      attribute(line);
    else
      refuse("expected @relation, @attribute or @data", place,
             "check that this is an ARFF file; a comment begins with %");
    return true;
  }

  std::string word(ArffLine& line, std::string_view stops) {
    const Place place = here(line);
    const std::optional<std::string_view> found = line.word(stops, scratch_);
    if (!found) refuse("a quote is not closed", place, "close it with the same quote");
    return std::string(*found);
  }

  void attribute(ArffLine& line) {
    header_.lines.push_back(line.number());
    header_.names.push_back(word(line, "{"));
    line.skip_blanks();
    const auto [known, fresh] =
        type_by_text_.try_emplace(std::string(line.rest()), header_.types.size());
    if (fresh) header_.types.push_back(line.sees('{') ? nominal(line) : numeric(line));
    header_.type_of.push_back(static_cast<std::uint32_t>(known->second));
  }

  ArffType numeric(ArffLine& line) {
    const Place place = here(line);
    const std::string type = word(line, "");
    for (const char* known : {"numeric", "real", "integer"})
      if (same_word(type, known)) return {};
    refuse("attribute '" + header_.names.back() + "' has the type '" + type +
               "', which cannot be used here",
           place,
           "remove it or make it numeric or nominal; string, date and relational are not read");
  }

  ArffType nominal(ArffLine& line) {
    const Place place = here(line);
    ArffType type;
    line.take('{');
    do {
      line.skip_blanks();
      if (line.sees(',') || line.sees('}')) refuse("a listed value is empty", here(line));
      type.values.emplace_back(word(line, ",}"), static_cast<float>(type.values.size()));
      line.skip_blanks();
    } while (line.take(','));
    if (!line.take('}'))
      refuse("expected , or } in the list of values", here(line), "quote values with blanks");
    use_numbers(type);
    std::sort(type.values.begin(), type.values.end());
    const auto same = [](const auto& a, const auto& b) { return a.first == b.first; };
    const auto twice = std::adjacent_find(type.values.begin(), type.values.end(), same);
    if (twice != type.values.end())
      refuse("the value '" + twice->first + "' is listed twice", place);
    return type;
  }

  static void use_numbers(ArffType& type) {
    float number = 0;
    const auto is_number = [&](const auto& value) { return parse_float(value.first, number); };
    const auto is_bit = [](const auto& value) { return value.first == "0" || value.first == "1"; };
    if (!std::ranges::all_of(type.values, is_number)) return;
    for (auto& [text, value] : type.values) parse_float(text, value);
    type.binary = std::ranges::all_of(type.values, is_bit);
    type.absent = type.values.front().second;
  }

  ArffHeader finish() {
    if (header_.names.empty())
      refuse("there is no @attribute before @data", {source_.name(), source_.line_number(), 0});
    check_names(header_.names, "attribute", source_.name());
    return std::move(header_);
  }

  LineSource& source_;
  ArffHeader header_;
  std::unordered_map<std::string, std::size_t> type_by_text_;
  std::string scratch_;
};

}  // namespace

ArffHeader read_arff_header(LineSource& source) {
  return HeaderReader(source).read();
}

namespace {

std::string ways_to_tell() {
  return term("xml") + ", " + term("labels.count") + ", " + term("labels.names") + " or " +
         term("labels.prefix");
}

// The number of labels as MEKA keeps it in the relation, "name: -C 6". The last -C counts, so that
// any name can stand before it.
std::optional<long> meka_label_count(const std::string& relation) {
  const auto blank = [](char c) { return c == ' ' || c == '\t'; };
  const char* end = relation.data() + relation.size();
  for (std::size_t at = relation.rfind("-C"); at != std::string::npos;
       at = at == 0 ? std::string::npos : relation.rfind("-C", at - 1)) {
    if (at != 0 && !blank(relation[at - 1]) && relation[at - 1] != ':') continue;
    const std::size_t digits = relation.find_first_not_of(" \t", at + 2);
    if (digits == std::string::npos || digits == at + 2) continue;
    long count = 0;
    const auto [after, error] = std::from_chars(relation.data() + digits, end, count);
    if (error == std::errc{} && (after == end || blank(*after))) return count;
  }
  return std::nullopt;
}

LabelMask labels_by_relation(long count, std::size_t attributes, const std::string& path) {
  std::optional<LabelMask> mask = labels_by_count(count, attributes);
  if (mask && count != 0) return *mask;
  throw Error(Failure::Data,
              "the relation line says -C " + std::to_string(count) + " labels, but there are " +
                  std::to_string(attributes) + " attributes",
              {path, 0, 0},
              "correct it, or say the labels with " + term("labels.count") + ", " +
                  term("labels.names") + " or " + term("xml"));
}

// <name>.xml beside the file, else the only .xml in its folder; "" if there is none.
std::string xml_beside(const std::string& path, FileSystem& files) {
  if (path == "-") return {};
  const std::filesystem::path file(path);
  std::filesystem::path stem = file.filename();
  for (const char* extension : {".gz", ".arff"})
    if (same_word(stem.extension().string(), extension)) stem = stem.stem();
  const std::string same_name = (file.parent_path() / (stem.string() + ".xml")).string();
  if (files.exists(same_name)) return same_name;

  const std::string folder = file.has_parent_path() ? file.parent_path().string() : ".";
  std::vector<std::string> found;
  if (files.is_folder(folder))
    for (const std::string& name : files.list(folder))
      if (same_word(std::filesystem::path(name).extension().string(), ".xml"))
        found.push_back(name);
  return found.size() == 1 ? (file.parent_path() / found.front()).string() : std::string();
}

LabelMask labels_by_xml(const std::string& xml, const std::vector<std::string>& names,
                        const std::string& path, FileSystem& files, bool optional) {
  std::string missing;
  LabelMask mask = labels_by_name(read_label_xml(*open_unpacked(files, xml), xml), names, missing);
  if (missing.empty()) return mask;
  if (optional) return LabelMask(names.size());
  throw Error(Failure::Data, "the label '" + missing + "' is not an attribute of " + path,
              {xml, 0, 0}, "give the label list of this file with " + term("xml"));
}

}  // namespace

LabelMask arff_labels(ArffHeader& header, const std::string& path, const ReadOptions& options) {
  if (!options.labels.column.empty())
    throw Error(Failure::Usage, "an ARFF file has no column with a list of labels", {path, 0, 0},
                "say the labels with " + ways_to_tell());
  std::optional<LabelMask> chosen = chosen_labels(options.labels, header.names, path);
  if (chosen) return *chosen;
  if (!options.xml.empty())
    return labels_by_xml(options.xml, header.names, path, *options.files, false);
  if (const auto count = meka_label_count(header.relation))
    return labels_by_relation(*count, header.names.size(), path);
  const std::string xml = xml_beside(path, *options.files);
  if (!xml.empty())
    return labels_by_xml(xml, header.names, path, *options.files, options.labels.optional);
  if (options.labels.optional) return LabelMask(header.names.size());
  throw Error(Failure::Data, "cannot tell which attributes are labels", {path, 0, 0},
              "put <name>.xml beside the file, or use " + ways_to_tell());
}

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
