#include "data/detect.h"

#include <algorithm>
#include <cctype>

#include "data/binary/binary_format.h"
#include "data/text/text_lines.h"
#include "labelsieve/error.h"
#include "labelsieve/words.h"

namespace sieve {
namespace {

constexpr std::string_view kHdf5 = "\x89HDF\r\n\x1a\n";

bool looks_like_mat(std::string_view front) {
  return front.starts_with("MATLAB ") || front.starts_with(kHdf5) ||
         (front.size() > 512 && front.substr(512).starts_with(kHdf5));
}

// The first line that says something: not blank, not a comment.
std::string_view first_content(std::string_view front, char comment) {
  if (front.starts_with("\xEF\xBB\xBF")) front.remove_prefix(3);
  while (!front.empty()) {
    const std::string_view line = trimmed(cut_line(front));
    if (!line.empty() && line.front() != comment) return line;
  }
  return {};
}

bool looks_like_arff(std::string_view front) {
  const std::string_view line = first_content(front, '%');
  return same_word(line.substr(0, 9), "@relation") || same_word(line.substr(0, 10), "@attribute");
}

// "index:value" with digits before the colon.
bool is_pair(std::string_view token) {
  const std::size_t colon = token.find(':');
  return colon != 0 && colon != std::string_view::npos &&
         std::ranges::all_of(token.substr(0, colon),
                             [](unsigned char c) { return std::isdigit(c); });
}

bool looks_like_libsvm(std::string_view front) {
  const std::string_view line = first_content(front, '#');
  const std::size_t blank = line.find_first_of(" \t");
  if (blank == std::string_view::npos) return is_pair(line);
  const std::string_view second = trimmed(line.substr(blank));
  return is_pair(second.substr(0, second.find_first_of(" \t")));
}

// The last extension, lower case, with a final .gz set aside.
std::string extension(const std::string& path) {
  std::string name = path.substr(path.find_last_of('/') + 1);
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
  if (name.ends_with(".gz")) name.resize(name.size() - 3);
  const std::size_t dot = name.find_last_of('.');
  return dot == std::string::npos ? "" : name.substr(dot);
}

}  // namespace

std::optional<Format> format_of_name(const std::string& path) {
  const std::string ending = extension(path);
  if (ending == ".arff") return Format::Arff;
  if (ending == ".svm" || ending == ".libsvm") return Format::Libsvm;
  if (ending == ".csv" || ending == ".tsv") return Format::Csv;
  if (ending == ".mat") return Format::Mat;
  if (ending == ".sieve") return Format::Binary;
  return std::nullopt;
}

Format detect_format(std::string_view front, const std::string& path) {
  if (front.starts_with(binary::kMagic)) return Format::Binary;
  if (looks_like_mat(front)) return Format::Mat;
  if (looks_like_arff(front)) return Format::Arff;
  if (const std::optional<Format> named = format_of_name(path)) return *named;
  if (looks_like_libsvm(front)) return Format::Libsvm;
  if (first_content(front, '#').find_first_of(",;|\t") != std::string_view::npos)
    return Format::Csv;
  throw Error(Failure::Data, "neither the content nor the name tells the format", {path, 0, 0},
              "say it with " + term("format", "arff") + ", libsvm, csv, mat or binary");
}

}  // namespace sieve
