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

std::vector<std::string> columns_of(const std::string& path) {
  return AnnotationRecords(open_unpacked(FileSystem::real(), path), path).names();
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

std::vector<std::string> WorkspaceFiles::paths(WorkspaceFile::Use use) const {
  if (as_folder && use == WorkspaceFile::Use::Rows) return {folder};
  std::vector<std::string> found;
  for (const WorkspaceFile& file : files)
    if (file.use == use) found.push_back(file.path);
  return found;
}

void WorkspaceFiles::set_use(std::size_t file, WorkspaceFile::Use use) {
  if (file >= files.size()) throw Error(Failure::Usage, "there is no such file");
  const WorkspaceFile::Use before = files[file].use;
  files[file].use = use;
  as_folder = false;
  std::erase_if(open, [&](const Open& one) { return one.use == use || one.use == before; });
}

WorkspaceFiles find_workspace_files(const std::vector<std::string>& words, bool annotations_known) {
  using Use = WorkspaceFile::Use;
  WorkspaceFiles found;
  const bool is_folder = words.size() == 1 && FileSystem::real().is_folder(words[0]);
  found.folder = is_folder ? words[0] : fs::path(words.at(0)).parent_path().string();
  if (found.folder.empty()) found.folder = ".";
  const std::vector<std::string> paths = is_folder ? files_in(words[0]) : words;
  if (paths.empty())
    throw Error(Failure::Data, "no data here", {found.folder, 0, 0},
                "put a table of rows, and one of annotations, into the folder");
  const bool sorted = !annotations_known && (is_folder || paths.size() > 1);
  std::vector<std::size_t> rows, annotations;
  bool alike = true;  // parts of one export
  for (const std::string& path : paths) {
    const bool names = sorted && is_table(path) && names_annotators(path);
    (names ? annotations : rows).push_back(found.files.size());
    alike = alike && (!names || columns_of(path) == columns_of(paths[annotations.front()]));
    found.files.push_back({path, names ? Use::Annotations : Use::Rows});
  }
  found.as_folder = is_folder && annotations.empty();
  if (annotations.size() > 1 && !alike) found.open.push_back({Use::Annotations, annotations});
  if (is_folder && !annotations.empty() && rows.size() > 1) found.open.push_back({Use::Rows, rows});
  return found;
}

}  // namespace sieve
