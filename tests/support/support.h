#pragma once

#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "labelsieve/dataset.h"

namespace sieve::test {

// A folder of its own, gone when this is.
class TempFolder {
 public:
  TempFolder();
  ~TempFolder();
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;
  const std::string& path() const { return path_; }
  std::string operator/(std::string_view name) const { return path_ + "/" + std::string(name); }

 private:
  std::string path_;
};

void write_file(const std::string& path, std::string_view content);
std::string read_file(const std::string& path);

// The folder of real data sets, from LABELSIEVE_DATA; nullopt if that is not set (then the test
// skips itself with a clear word). Set but missing is a failure.
std::optional<std::string> data_folder();

// Labels from rows of '0' and '1', e.g. {"1010", "0001"}.
LabelMatrix labels_of(std::initializer_list<std::string_view> rows);

// The set with four of five values gone, stored as sparse.
Dataset thinned(Dataset data);

// What a call threw: "" for nothing, else the whole message of the Error. `exit_code` gets its
// code.
std::string refusal(const std::function<void()>& call, int* exit_code = nullptr);

}  // namespace sieve::test

// Skips the test where the real data sets are not there.
#define REQUIRE_DATA_FOLDER(variable)                                     \
  const std::optional<std::string> variable = sieve::test::data_folder(); \
  if (!variable) GTEST_SKIP() << "set LABELSIEVE_DATA to the folder of real data sets to run this"
