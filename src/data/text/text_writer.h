#pragma once

#include <string>
#include <string_view>

#include "data/text/numbers.h"
#include "labelsieve/files.h"

namespace sieve {

// Gathers text and hands it on in large pieces. Nothing is written by the destructor: call flush().
class TextWriter {
 public:
  explicit TextWriter(OutputStream& out) : out_(out) {}

  TextWriter& operator<<(std::string_view text) {
    buffer_ += text;
    return *this;
  }
  TextWriter& operator<<(char c) {
    buffer_ += c;
    return *this;
  }
  TextWriter& operator<<(std::size_t number) { return *this << std::to_string(number); }
  TextWriter& operator<<(float number) {
    append_float(buffer_, number);
    return *this;
  }
  void end_line() {
    buffer_ += '\n';
    if (buffer_.size() >= kPiece) flush();
  }
  void flush() {
    out_.write(buffer_);
    buffer_.clear();
  }

 private:
  static constexpr std::size_t kPiece = std::size_t{1} << 16;
  OutputStream& out_;
  std::string buffer_;
};

}  // namespace sieve
