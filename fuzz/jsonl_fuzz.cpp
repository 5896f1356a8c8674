#include "data/formats.h"
#include "data/label_columns.h"
#include "round_trip.h"
#include "support/whole_sets.h"

using namespace sieve;

namespace {

// The first byte of the input chooses the options.
ReadOptions options_of(std::uint8_t choice) {
  ReadOptions options = fuzz::without_files();
  if (choice % 4 == 1) options.labels.column = "a";
  if (choice % 4 == 2) options.labels.count = -1;
  if (choice % 4 == 3) options.labels.optional = true;
  if ((choice & 8) != 0) options.table.text = {"t"};
  if ((choice & 16) != 0) options.table.terms.terms = 0;
  if ((choice & 32) != 0) options.table.terms.char_grams = 3;
  if ((choice & 64) != 0) options.table.category = {"c"};
  return options;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  if (size == 0) return 0;
  const std::string text(reinterpret_cast<const char*>(bytes + 1), size - 1);
  std::optional<Dataset> data =
      fuzz::try_read(test::whole<read_jsonl_raw>, text, options_of(bytes[0]));
  if (!data || data->labels() == 0 || !fuzz::can_compare(*data)) return 0;
  if (data->feature_names.empty())
    data->feature_names = numbered_names("feature", data->features.cols());
  data->recipe.reset();
  fuzz::check_round_trip(*data, test::whole<read_jsonl_raw>, fuzz::without_files(),
                         fuzz::without_table<write_jsonl>, {});
  return 0;
}
