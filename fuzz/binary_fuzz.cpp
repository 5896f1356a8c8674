#include "data/formats.h"
#include "round_trip.h"
#include "support/binary_seal.h"

namespace {

void read_write_read(const std::string& bytes) {
  using namespace sieve;
  const ReadOptions options = fuzz::without_files();
  const std::optional<Dataset> data = fuzz::try_read(read_binary, bytes, options);
  if (data && fuzz::can_compare(*data))
    fuzz::check_round_trip(*data, read_binary, options, write_binary, {});
}

}  // namespace

// As it is, and with the checksums made right: else hardly any input would get past them.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string bytes(reinterpret_cast<const char*>(data), size);
  read_write_read(bytes);
  sieve::test::seal_binary(bytes);
  read_write_read(bytes);
  return 0;
}
