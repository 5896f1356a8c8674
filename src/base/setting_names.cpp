#include "labelsieve/setting_names.h"

#include <atomic>

namespace sieve {
namespace {

std::atomic<Words> words_in_use = nullptr;
std::atomic<Rerun> rerun_in_use = nullptr;

}  // namespace

std::string term(std::string_view name, std::string_view value) {
  if (const Words words = words_in_use) return words({name, value});
  return std::string(name) + (value.empty() ? "" : "=") + std::string(value);
}

void use_words(Words words) {
  words_in_use = words;
}

std::string rerun(std::initializer_list<Term> settings) {
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
