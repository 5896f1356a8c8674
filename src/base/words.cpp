#include "labelsieve/words.h"

#include <atomic>

namespace sieve {
namespace {

std::atomic<Words> words_in_use = nullptr;

}  // namespace

std::string term(std::string_view name, std::string_view value) {
  if (const Words words = words_in_use) return words({name, value});
  return std::string(name) + (value.empty() ? "" : "=") + std::string(value);
}

void use_words(Words words) {
  words_in_use = words;
}

}  // namespace sieve
