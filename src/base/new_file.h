#pragma once

#include <memory>
#include <string>

#include "labelsieve/files.h"

namespace sieve {

// The name of a file that is only half written. It is registered while this lives, so that a
// program that ends inside a signal handler can still remove the file.
class UnfinishedName {
 public:
  explicit UnfinishedName(std::string name);
  ~UnfinishedName();
  UnfinishedName(const UnfinishedName&) = delete;
  UnfinishedName& operator=(const UnfinishedName&) = delete;
  const std::string& text() const { return name_; }

 private:
  std::string name_;
  int slot_;
};

enum class Unnamed { IfPossible, Never };

// A new file for the place `path` on a real disk: without a name where the file system supports
// that, which leaves nothing behind however the program ends; otherwise as <path>.part-<number>,
// locked as long as this process lives.
std::unique_ptr<NewFile> make_new_file(const std::string& path,
                                       Unnamed unnamed = Unnamed::IfPossible);

// "the file exists already", with what to do.
[[noreturn]] void refuse_existing(const std::string& path);

}  // namespace sieve
