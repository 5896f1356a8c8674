#pragma once

#include <string>

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

}  // namespace sieve
