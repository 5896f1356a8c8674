#include <algorithm>
#include <filesystem>

#include "base/format_text.h"
#include "data/annotations/annotation_formats.h"
#include "data/annotations/annotation_records.h"
#include "labelsieve/error.h"
#include "labelsieve/review.h"

namespace sieve {
namespace {

namespace fs = std::filesystem;

// Whether a table says who annotated: then its lines are annotations, else they are rows.
bool names_annotators(const std::string& path) {
  try {
    const AnnotationRecords records(open_unpacked(FileSystem::real(), path), path);
    const auto has = [&](const ColumnNames& names) {
      return std::ranges::any_of(records.names(), [&](const std::string& name) {
        return std::ranges::count(names, bare_name(name)) != 0;
      });
    };
    return has(kPlainAnnotatorNames) || (has(kAnnotatorNames) && has(kLabelNames));
  } catch (const Error&) {
    return false;  // whoever reads the file says what is wrong with it
  }
}

bool is_table(const std::string& path) {
  const std::string format = format_of_name(path);
  return format == "csv" || format == "jsonl";
}

std::vector<std::string> files_in(const std::string& folder) {
  std::error_code failed;
  std::vector<std::string> found;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, failed)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(".") || !entry.is_regular_file(failed)) continue;
    if (!format_of_name(name).empty()) found.push_back(entry.path().string());
  }
  if (failed)
    throw Error(Failure::Io, "this folder cannot be read: " + failed.message(), {folder, 0, 0},
                "change its permissions, then try again");
  std::ranges::sort(found);
  return found;
}

std::string listed(const std::vector<std::string>& paths) {
  std::string text;
  for (const std::string& path : paths)
    text += (text.empty() ? "" : ", ") + fs::path(path).filename().string();
  return text;
}

}  // namespace

std::vector<std::vector<std::pair<std::string, std::string>>> first_rows(const std::string& path,
                                                                         std::size_t most) {
  constexpr std::size_t kLongestCell = 300;
  std::vector<std::vector<std::pair<std::string, std::string>>> rows;
  try {
    const AnnotationRecords records(open_unpacked(FileSystem::real(), path), path);
    for (const std::vector<std::string>& cells : records.sample()) {
      if (rows.size() == most) break;
      rows.emplace_back();
      for (std::size_t k = 0; k < std::min(cells.size(), records.names().size()); ++k)
        rows.back().emplace_back(records.names()[k], excerpt(cells[k], kLongestCell));
    }
  } catch (const Error&) {
    rows.clear();
  }
  return rows;
}

WorkspaceFiles find_workspace_files(const std::vector<std::string>& words, bool annotations_known) {
  WorkspaceFiles files;
  std::vector<std::string> paths = words;
  const bool is_folder = words.size() == 1 && FileSystem::real().is_folder(words[0]);
  files.folder = is_folder       ? words[0]
                 : words.empty() ? "."
                                 : fs::path(words[0]).parent_path().string();
  if (files.folder.empty()) files.folder = ".";
  if (is_folder) paths = files_in(words[0]);
  if (annotations_known || (!is_folder && words.size() == 1)) {
    files.rows = is_folder ? words : paths;
    return files;
  }
  std::vector<std::string> annotations;
  for (const std::string& path : paths)
    (is_table(path) && names_annotators(path) ? annotations : files.rows).push_back(path);
  if (is_folder && paths.empty())
    throw Error(Failure::Data, "no data here", {files.folder, 0, 0},
                "put a table of rows, and one of annotations, into the folder");
  if (annotations.size() > 1)
    throw Error(Failure::Data, "several files may hold the annotations: " + listed(annotations),
                {files.folder, 0, 0}, "name the files to read, and no others");
  if (!annotations.empty() && is_folder && files.rows.size() > 1)
    throw Error(Failure::Data, "several files may hold the rows: " + listed(files.rows),
                {files.folder, 0, 0}, "name the files to read, and no others");
  if (!annotations.empty()) files.annotations = annotations.front();
  if (annotations.empty() && is_folder) files.rows = words;  // read as any folder is
  return files;
}

}  // namespace sieve
