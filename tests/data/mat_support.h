#pragma once

#include <string>

#include "data/formats.h"

namespace sieve::test {

// A stream over bytes in memory.
class BytesIn final : public InputStream {
 public:
  explicit BytesIn(std::string_view bytes) : rest_(bytes) {}
  std::size_t read(char* into, std::size_t size) override {
    const std::size_t part = rest_.copy(into, size);
    rest_.remove_prefix(part);
    return part;
  }

 private:
  std::string_view rest_;
};

class BytesOut final : public OutputStream {
 public:
  void write(std::string_view bytes) override { bytes_ += bytes; }
  void sync() override {}
  void close() override {}
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

inline Dataset load_mat(std::string_view bytes, const ReadOptions& options = {}) {
  BytesIn in(bytes);
  return read_mat(in, "test.mat", options);
}

inline std::string saved_mat(const Dataset& data, const WriteOptions& options = {}) {
  BytesOut out;
  write_mat(data, out, options);
  return out.bytes();
}

}  // namespace sieve::test
