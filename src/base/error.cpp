#include "labelsieve/error.h"

#include <utility>

namespace sieve {

std::string to_string(const Place& place) {
  std::string text = place.file;
  for (const std::size_t number : {place.line, place.column}) {
    if (number == 0) break;
    if (!text.empty()) text += ':';
    text += std::to_string(number);
  }
  return text;
}

namespace {

std::string render(const std::string& message, const Place& where, const std::string& hint) {
  std::string text = to_string(where);
  if (!text.empty()) text += ": ";
  text += message;
  if (!hint.empty()) text += "\n  " + hint;
  return text;
}

}  // namespace

Error::Error(Failure kind, std::string message, Place where, std::string hint)
    : std::runtime_error(render(message, where, hint)),
      kind_(kind),
      message_(std::move(message)),
      where_(std::move(where)),
      hint_(std::move(hint)) {}

}  // namespace sieve
