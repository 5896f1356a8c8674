#include "data/formats.h"
#include "round_trip.h"
#include "support/whole_sets.h"

namespace {

void read_write_read(const std::string& text, std::optional<long> label_count) {
  using namespace sieve;
  const ReadOptions plain = fuzz::without_files();
  ReadOptions options = plain;
  options.labels.count = label_count;
  const std::optional<Dataset> data = fuzz::try_read(test::whole<read_arff_raw>, text, options);
  if (!data || !fuzz::can_compare(*data)) return;
  WriteOptions write;
  fuzz::check_round_trip(*data, test::whole<read_arff_raw>, plain, write_arff, write);
  write.sparse = true;
  fuzz::check_round_trip(*data, test::whole<read_arff_raw>, plain, write_arff, write);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  read_write_read(text, std::nullopt);
  read_write_read(text, -1);
  return 0;
}
