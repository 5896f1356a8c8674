#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "labelsieve/files.h"

namespace sieve {

// Cuts CSV text into its rows, as it comes, without line ends, blank lines and a byte-order mark.
class RowsOut final : public OutputStream {
 public:
  using TakeRow = std::function<void(const std::string& row)>;
  explicit RowsOut(TakeRow take) : take_(std::move(take)) {}

  void write(std::string_view bytes) override {
    for (const char c : bytes) {
      if (c == '"') quoted_ = !quoted_;
      if (c == '\n' && !quoted_)
        end_row();
      else
        row_ += c;
    }
  }
  void sync() override {}
  void close() override {  // a last row without its line end
    if (!row_.empty()) end_row();
  }

 private:
  void end_row() {
    if (row_.ends_with('\r')) row_.pop_back();
    if (std::exchange(first_, false) && row_.starts_with("\xEF\xBB\xBF")) row_.erase(0, 3);
    if (row_.find_first_not_of(' ') != row_.npos) take_(row_);
    row_.clear();
  }

  TakeRow take_;
  std::string row_;
  bool quoted_ = false, first_ = true;
};

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
