#pragma once

#include <memory>
#include <string>

#include "labelsieve/files.h"

namespace sieve {

// A file in memory that has a name, for libraries that insist on one. Gone when this is.
class MemoryFile final : public OutputStream {
 public:
  MemoryFile();  // Error(Io) where the system has none
  ~MemoryFile() override;
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  std::string name() const { return "/proc/self/fd/" + std::to_string(fd_); }
  void write(std::string_view bytes) override;
  void sync() override {}
  void close() override {}
  // The content as it is now, which outlives this; null if there is none.
  std::shared_ptr<const MappedFile> map() const;

 private:
  int fd_;
};

}  // namespace sieve
