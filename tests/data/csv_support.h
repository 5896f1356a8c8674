#pragma once

#include <algorithm>
#include <string>
#include <utility>

#include "data/formats.h"

namespace sieve::test {

class StringInput final : public InputStream {
 public:
  explicit StringInput(std::string text) : text_(std::move(text)) {}
  std::size_t read(char* into, std::size_t size) override {
    const std::size_t part = std::min(size, text_.size() - at_);
    std::copy_n(text_.data() + at_, part, into);
    at_ += part;
    return part;
  }

 private:
  std::string text_;
  std::size_t at_ = 0;
};

class StringOutput final : public OutputStream {
 public:
  void write(std::string_view bytes) override { text += bytes; }
  void sync() override {}
  void close() override {}
  std::string text;
};

inline Dataset from_csv(std::string text, const ReadOptions& options = {}) {
  StringInput in(std::move(text));
  return read_csv(in, "t.csv", options);
}

inline std::string csv_text(const Dataset& data, const WriteOptions& options = {}) {
  StringOutput out;
  write_csv(data, out, options);
  return out.text;
}

}  // namespace sieve::test
