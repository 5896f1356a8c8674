#include "data/formats.h"
#include "round_trip.h"
#include "support/whole_sets.h"

using namespace sieve;

namespace {

// The first byte of the input chooses the options.
ReadOptions options_of(std::uint8_t choice) {
  ReadOptions options = fuzz::without_files();
  options.labels.optional = true;
  if ((choice & 1) != 0) options.table.text = {"t"};
  if ((choice & 2) != 0) options.table.category = {"c"};
  if ((choice & 4) != 0) options.table.date = {"d"};
  if ((choice & 8) != 0) options.table.decimal = ',';
  if ((choice & 16) != 0) options.table.thousands = ' ';
  if ((choice & 32) != 0) options.table.terms.terms = 0;
  if ((choice & 64) != 0) options.table.terms.char_grams = 3;
  if ((choice & 128) != 0) options.table.ignore = {"i"};
  return options;
}

}  // namespace

// A table is read or refused; what was learnt from it makes the same features of it again.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  if (size == 0) return 0;
  const std::string text(reinterpret_cast<const char*>(bytes + 1), size - 1);
  ReadOptions options = options_of(bytes[0]);
  const std::optional<Dataset> data = fuzz::try_read(test::whole<read_csv_raw>, text, options);
  if (!data || !data->recipe || !fuzz::can_compare(*data)) return 0;
  options.recipe = data->recipe;
  const std::optional<Dataset> again = fuzz::try_read(test::whole<read_csv_raw>, text, options);
  if (!again || !same_values(data->features, again->features)) std::abort();
  return 0;
}
