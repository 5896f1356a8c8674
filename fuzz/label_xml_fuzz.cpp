#include "data/arff/arff_header.h"
#include "round_trip.h"

namespace {

std::optional<std::vector<std::string>> try_read(std::string text) {
  try {
    sieve::test::MemoryInput in(std::move(text));
    return sieve::read_label_xml(in, "input");
  } catch (const sieve::Error&) {
    return std::nullopt;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto names = try_read(std::string(reinterpret_cast<const char*>(data), size));
  if (!names) return 0;
  sieve::test::MemoryOutput out;
  sieve::write_label_xml(*names, out);
  if (try_read(std::move(out.text)) != names) std::abort();
  return 0;
}
