#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "data/formats.h"
#include "labelsieve/error.h"

namespace {

class BytesIn final : public sieve::InputStream {
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

class BytesOut final : public sieve::OutputStream {
 public:
  void write(std::string_view bytes) override { all += bytes; }
  void sync() override {}
  void close() override {}
  std::string all;
};

sieve::Dataset load(std::string_view bytes) {
  BytesIn in(bytes);
  return sieve::read_mat(in, "fuzz.mat", {});
}

// Version 7.3 goes to another process, where a fuzzer sees nothing.
bool is_hdf5(std::string_view bytes) {
  return bytes.size() >= 128 && (bytes[124] == 2 || bytes[125] == 2);
}

}  // namespace

// Any bytes are a set or a refusal, and a set survives being written and read again.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (is_hdf5(bytes)) return 0;
  sieve::Dataset set;
  try {
    set = load(bytes);
  } catch (const sieve::Error&) {
    return 0;
  }
  BytesOut out;
  sieve::write_mat(set, out, {});
  if (!sieve::same_content(set, load(out.all))) std::abort();
  return 0;
}
