#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include "labelsieve/files.h"

namespace sieve {

class StringInput final : public InputStream {
 public:
  explicit StringInput(std::string_view text) : text_(text) {}
  std::size_t read(char* into, std::size_t size) override {
    const std::size_t part = std::min(size, text_.size());
    std::copy_n(text_.data(), part, into);
    text_.remove_prefix(part);
    return part;
  }

 private:
  std::string_view text_;
};

class StringOutput final : public OutputStream {
 public:
  void write(std::string_view bytes) override { text += bytes; }
  void sync() override {}
  void close() override {}
  std::string text;
};

}  // namespace sieve
