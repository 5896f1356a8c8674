#pragma once

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

}  // namespace sieve
