#include "data/question.h"

#include "base/setting_names.h"

namespace sieve {
namespace {

std::string hint_of(std::string hint, const std::vector<ReadAnswer>& answers) {
  for (const ReadAnswer& answer : answers)
    hint += (hint.empty() ? "" : "\n  ") + answer.meaning + ": " + rerun_with(answer.settings);
  return hint;
}

}  // namespace

ReadQuestion::ReadQuestion(std::string message, Place where, std::vector<ReadAnswer> answers,
                           std::string before)
    : Error(Failure::Data, std::move(message), std::move(where),
            hint_of(std::move(before), answers)),
      answers_(std::move(answers)) {}

std::string rerun_with(const std::vector<SettingValue>& settings) {
  std::vector<Term> terms;
  for (const auto& [name, value] : settings) terms.push_back({name, value});
  return rerun(std::span<const Term>(terms));
}

}  // namespace sieve
