#pragma once

#include <string>
#include <utility>
#include <vector>

#include "labelsieve/error.h"

namespace sieve {

// A setting and its value: {"ticks.item", "photo"}.
using SettingValue = std::pair<std::string, std::string>;

// What a question may be answered by.
struct ReadAnswer {
  std::string meaning;                 // "if 'photo' names the items"
  std::vector<SettingValue> settings;  // that say so
};

// Error(Data) where the files do not tell and a wrong guess would change the result. The hint shows
// how to give each answer.
class ReadQuestion : public Error {
 public:
  // The likeliest answer first.
  ReadQuestion(std::string message, Place where, std::vector<ReadAnswer> answers,
               std::string before = {});

  const std::vector<ReadAnswer>& answers() const { return answers_; }

 private:
  std::vector<ReadAnswer> answers_;
};

// Error(Data) where nothing says which columns of a table are labels.
class LabelsUnknown : public Error {
 public:
  using Error::Error;
};

// How to repeat the call with these settings.
std::string rerun_with(const std::vector<SettingValue>& settings);

}  // namespace sieve
