#include "data/arff/arff_line.h"

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

}  // namespace sieve
