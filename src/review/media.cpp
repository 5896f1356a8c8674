#include "review/media.h"

#include <algorithm>
#include <array>
#include <filesystem>

namespace sieve {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLongestName = 4096;  // of a file or a URL

struct Ending {
  std::string_view ending, type;
};
constexpr std::array kEndings = {
    Ending{".png", "image/png"},   Ending{".jpg", "image/jpeg"},  Ending{".jpeg", "image/jpeg"},
    Ending{".gif", "image/gif"},   Ending{".webp", "image/webp"}, Ending{".avif", "image/avif"},
    Ending{".bmp", "image/bmp"},   Ending{".mp3", "audio/mpeg"},  Ending{".wav", "audio/wav"},
    Ending{".ogg", "audio/ogg"},   Ending{".oga", "audio/ogg"},   Ending{".opus", "audio/ogg"},
    Ending{".flac", "audio/flac"}, Ending{".m4a", "audio/mp4"}};

// Of a URL, the path without host, query and fragment.
std::string_view path_of(std::string_view name) {
  const std::size_t scheme = name.find("://");
  if (scheme == name.npos) return name;
  name = name.substr(0, name.find_first_of("?#"));
  const std::size_t path = name.find('/', scheme + 3);
  return path == name.npos ? std::string_view() : name.substr(path + 1);
}

std::optional<std::string> file_under(const fs::path& root, const fs::path& name) {
  std::error_code failed;
  const fs::path file = fs::canonical(name.is_absolute() ? name : root / name, failed);
  if (failed || !fs::is_regular_file(file, failed)) return std::nullopt;
  const auto [in_root, in_file] = std::mismatch(root.begin(), root.end(), file.begin(), file.end());
  return in_root == root.end() ? std::optional(file.string()) : std::nullopt;
}

}  // namespace

std::string media_type(std::string_view name) {
  if (name.size() > kLongestName) return {};
  std::string lower(path_of(name));
  std::ranges::transform(lower, lower.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  for (const Ending& row : kEndings)
    if (lower.size() > row.ending.size() && lower.ends_with(row.ending))
      return std::string(row.type);
  return {};
}

std::optional<std::string> media_file(const std::string& folder, std::string_view name) {
  if (media_type(name).empty() || name.find('\0') != name.npos) return std::nullopt;
  std::error_code failed;
  const fs::path root = fs::canonical(folder, failed);
  if (failed) return std::nullopt;
  const std::string_view path = path_of(name);
  if (auto file = file_under(root, fs::path(path))) return file;
  return path == name ? std::nullopt : file_under(root, fs::path(path).filename());
}

}  // namespace sieve
