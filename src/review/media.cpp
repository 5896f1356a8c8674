#include "review/media.h"

#include <algorithm>
#include <filesystem>
#include <set>

namespace sieve {
namespace {

namespace fs = std::filesystem;

std::optional<std::string> file_under(const fs::path& root, const fs::path& name) {
  std::error_code failed;
  const fs::path file = fs::canonical(name.is_absolute() ? name : root / name, failed);
  if (failed || !fs::is_regular_file(file, failed)) return std::nullopt;
  const auto [in_root, in_file] = std::mismatch(root.begin(), root.end(), file.begin(), file.end());
  return in_root == root.end() ? std::optional(file.string()) : std::nullopt;
}

}  // namespace

std::optional<std::string> media_file(const std::string& folder, std::string_view name) {
  if (media_type(name).empty() || name.find('\0') != name.npos) return std::nullopt;
  std::error_code failed;
  const fs::path root = fs::canonical(folder, failed);
  if (failed) return std::nullopt;
  const std::string_view path = path_of_name(name);
  if (auto file = file_under(root, fs::path(path))) return file;
  return path == name ? std::nullopt : file_under(root, fs::path(path).filename());
}

std::vector<std::string> missing_media(const std::string& folder,
                                       const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::string> missing;
  std::set<std::string_view> seen;
  for (const std::vector<std::string>& row : rows)
    for (const std::string& cell : row)
      if (!media_type(cell).empty() && seen.insert(cell).second && !media_file(folder, cell))
        missing.push_back(cell);
  return missing;
}

}  // namespace sieve
