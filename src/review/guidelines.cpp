#include "review/guidelines.h"

#include <algorithm>
#include <optional>

namespace sieve {
namespace {

constexpr std::size_t kDeepest = 6, kLongest = 8000;  // bytes about one label

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

struct Heading {
  std::size_t level = 0;
  std::string_view name{};
};

std::optional<Heading> heading_of(std::string_view line) {
  const std::size_t level = line.find_first_not_of('#');
  if (level == 0 || level == line.npos || level > kDeepest || line[level] != ' ')
    return std::nullopt;
  return Heading{level, trimmed(line.substr(level))};
}

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

std::optional<std::size_t> label_named(std::string_view name, std::span<const std::string> labels) {
  if (const auto same = std::ranges::find(labels, name); same != labels.end())
    return static_cast<std::size_t>(same - labels.begin());
  const auto alike = std::ranges::find_if(labels, [&](const std::string& label) {
    return std::ranges::equal(label, name, {}, lower, lower);
  });
  if (alike == labels.end()) return std::nullopt;
  return static_cast<std::size_t>(alike - labels.begin());
}

}  // namespace

std::vector<std::string> guidelines_of(std::string_view markdown,
                                       std::span<const std::string> labels) {
  std::vector<std::string> texts(labels.size());
  std::optional<std::size_t> label;
  std::size_t level = 0;
  for (std::size_t at = 0; at < markdown.size();) {
    const std::size_t end = std::min(markdown.find('\n', at), markdown.size());
    const std::string_view line = markdown.substr(at, end - at);
    at = end + 1;
    const std::optional<Heading> heading = heading_of(line);
    const auto named = heading ? label_named(heading->name, labels) : std::nullopt;
    if (named || (heading && heading->level <= level)) {
      label = named;
      level = named ? heading->level : 0;
    } else if (label && texts[*label].size() + line.size() < kLongest) {
      texts[*label].append(line).append("\n");
    }
  }
  for (std::string& text : texts) text = trimmed(text);
  return texts;
}

}  // namespace sieve
