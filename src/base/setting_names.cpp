#include "labelsieve/options.h"

#include "base/setting_names.h"

#include <atomic>

namespace sieve {
namespace {

std::atomic<Words> words_in_use = nullptr;
thread_local const WordTable* words_of_thread = nullptr;
std::atomic<Rerun> rerun_in_use = nullptr;

// "3", or "n" in the place of one.
bool is_number(std::string_view value) {
  return value.find_first_not_of("-.0123456789n") == value.npos;
}

}  // namespace

std::string term(std::string_view name, std::string_view value) {
  if (words_of_thread != nullptr) return named_by(*words_of_thread, {name, value});
  if (const Words words = words_in_use) return words({name, value});
  return std::string(name) + (value.empty() ? "" : "=") + std::string(value);
}

std::string named_by(const WordTable& words, const Term& term) {
  const std::string name(term.name), value(term.value);
  if (const auto row = words.find(name + "=" + value); row != words.end()) return row->second;
  const auto row = words.find(name), mark = words.find("=");
  const bool marked = mark != words.end() && !is_number(value);
  return (row != words.end() ? row->second : name) + (value.empty() ? "" : "=") +
         (marked ? mark->second + value + mark->second : value);
}

const WordTable* words_here() {
  return words_of_thread;
}

void use_words_here(const WordTable* words) {
  words_of_thread = words;
}

void use_words(Words words) {
  words_in_use = words;
}

std::string rerun(std::initializer_list<Term> settings) {
  return rerun(std::span<const Term>(settings.begin(), settings.size()));
}

std::string rerun(std::span<const Term> settings) {
  if (const Rerun own = rerun_in_use)
    if (std::string command = own(settings); !command.empty()) return command;
  std::string text;
  for (const Term& setting : settings)
    text += (text.empty() ? "" : " and ") + term(setting.name, setting.value);
  return text;
}

void use_rerun(Rerun rerun) {
  rerun_in_use = rerun;
}

}  // namespace sieve
