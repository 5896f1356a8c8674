#include "data/formats.h"
#include "round_trip.h"

namespace {

// The writer counts labels from 0, so the names are made so before the comparison.
void read_write_read(const std::string& text) {
  using namespace sieve;
  const ReadOptions options = fuzz::without_files();
  std::optional<Dataset> data = fuzz::try_read(read_libsvm, text, options);
  if (!data || !fuzz::can_compare(*data)) return;
  for (std::size_t k = 0; k < data->labels(); ++k) data->label_names[k] = std::to_string(k);
  fuzz::check_round_trip(*data, read_libsvm, options, write_libsvm, {});
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  read_write_read(std::string(reinterpret_cast<const char*>(data), size));
  return 0;
}
