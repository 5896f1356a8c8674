#include <charconv>
#include <filesystem>

#include "data/arff/arff_header.h"
#include "data/arff/label_xml.h"
#include "data/label_columns.h"
#include "labelsieve/error.h"
#include "labelsieve/options.h"

namespace sieve {
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

}  // namespace sieve
