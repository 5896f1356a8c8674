#include "data/text/media_names.h"

#include <algorithm>
#include <array>

namespace sieve {
namespace {

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

}  // namespace

std::string_view path_of_name(std::string_view name) {
  const std::size_t scheme = name.find("://");
  if (scheme == name.npos) return name;
  name = name.substr(0, name.find_first_of("?#"));
  const std::size_t path = name.find('/', scheme + 3);
  return path == name.npos ? std::string_view() : name.substr(path + 1);
}

std::string media_type(std::string_view name) {
  if (name.size() > kLongestName) return {};
  std::string lower(path_of_name(name));
  std::ranges::transform(lower, lower.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  for (const Ending& row : kEndings)
    if (lower.size() > row.ending.size() && lower.ends_with(row.ending))
      return std::string(row.type);
  return {};
}

}  // namespace sieve
