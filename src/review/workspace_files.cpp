#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>

#include "base/format_text.h"
#include "data/annotations/annotation_files.h"
#include "data/annotations/open_annotations.h"
#include "labelsieve/error.h"
#include "labelsieve/review.h"

namespace sieve {
namespace {

namespace fs = std::filesystem;

using Use = WorkspaceFile::Use;

// Exports that no reader of rows knows, without the .gz that may follow.
constexpr std::array<std::string_view, 5> kExportEndings = {".json", ".zip", ".resp", ".xlsm",
                                                            ".duckdb"};

bool may_be_export(std::string name) {
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
  if (name.ends_with(".gz")) name.resize(name.size() - 3);
  return std::ranges::any_of(kExportEndings,
                             [&](std::string_view ending) { return name.ends_with(ending); });
}

bool may_be_rows(const std::string& path) {
  return !format_of_name(path).empty() || path.ends_with(".xlsm");
}

// What is said of the file decides; a file that cannot be opened is read later, to say why.
Use use_of(const std::string& path) {
  try {
    if (holds_annotations(path, !may_be_rows(path))) return Use::Annotations;
  } catch (const Error&) {
    return Use::Rows;
  }
  return may_be_rows(path) || !may_be_export(path) ? Use::Rows : Use::LeftOut;
}

std::vector<std::string> files_in(const std::string& folder) {
  std::error_code failed;
  std::vector<std::string> found;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, failed)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(".") || !entry.is_regular_file(failed)) continue;
    if (!format_of_name(name).empty() || may_be_export(name))
      found.push_back(entry.path().string());
  }
  if (failed)
    throw Error(Failure::Io, "this folder cannot be read: " + failed.message(), {folder, 0, 0},
                "change its permissions, then try again");
  std::ranges::sort(found);
  return found;
}

}  // namespace

std::vector<std::vector<std::pair<std::string, std::string>>> first_rows(const std::string& path,
                                                                         std::size_t most) {
  constexpr std::size_t kLongestCell = 300;
  std::vector<std::vector<std::pair<std::string, std::string>>> rows;
  try {
    const AnnotationOptions options;
    const auto file = open_annotations(path, options, FileSystem::real());
    const AnnotationRecords& records = file->records(0);
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

void WorkspaceFiles::answer(std::size_t question, std::size_t answer) {
  const Open asked = open.at(question);
  if (answer > asked.files.size()) throw Error(Failure::Usage, "there is no such answer");
  const bool all = answer == asked.files.size();
  for (const std::size_t file : asked.files)
    set_use(file, all || file == asked.files[answer] ? asked.use : Use::LeftOut);
}

WorkspaceFiles find_workspace_files(const std::vector<std::string>& words, bool uses_known) {
  WorkspaceFiles found;
  const bool is_folder = words.size() == 1 && FileSystem::real().is_folder(words[0]);
  found.folder = is_folder ? words[0] : fs::path(words.at(0)).parent_path().string();
  if (found.folder.empty()) found.folder = ".";
  const std::vector<std::string> paths = is_folder ? files_in(words[0]) : words;
  if (paths.empty())
    throw Error(Failure::Data, "no data here", {found.folder, 0, 0},
                "put a table of rows, and one of annotations, into the folder");
  std::vector<std::size_t> rows, annotations;
  bool alike = true;  // parts of one export
  for (const std::string& path : paths) {
    const Use use = uses_known ? Use::Rows : use_of(path);
    if (use == Use::Rows) rows.push_back(found.files.size());
    if (use == Use::Annotations) annotations.push_back(found.files.size());
    if (use == Use::Annotations && annotations.size() > 1)
      alike = alike && are_parts_of_one_export(paths[annotations.front()], path);
    found.files.push_back({path, use});
  }
  found.as_folder =
      is_folder && annotations.empty() && !rows.empty() &&
      std::ranges::none_of(rows, [&](std::size_t k) { return format_of_name(paths[k]).empty(); });
  if (annotations.size() > 1 && !alike) found.open.push_back({Use::Annotations, annotations});
  if (is_folder && !annotations.empty() && rows.size() > 1) found.open.push_back({Use::Rows, rows});
  return found;
}

}  // namespace sieve
