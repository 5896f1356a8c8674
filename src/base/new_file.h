#pragma once

#include <memory>
#include <string>

#include "base/system_call.h"
#include "labelsieve/files.h"

namespace sieve {

// Writes to a descriptor. A long file goes to the disk while it is written, and the pages already
// there leave the page cache: they are reused, which is cheaper than allocating new ones and
// does not push out the pages of others.
class RealOutput final : public OutputStream {
 public:
  RealOutput(std::string path, Descriptor fd) : path_(std::move(path)), fd_(std::move(fd)) {}

  void write(std::string_view bytes) override;
  void sync() override;
  void close() override;
  int descriptor() const { return fd_.get(); }

 private:
  void send_stretch();

  std::string path_;
  Descriptor fd_;
  off_t written_ = 0, sent_ = 0, dropped_ = 0;
};

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
