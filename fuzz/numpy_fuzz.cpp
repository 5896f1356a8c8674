#include "data/formats.h"

#include "round_trip.h"
#include "support/whole_sets.h"

using namespace sieve;

// The first byte of the input chooses whether the array is labels, features, or as the file says.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  if (size == 0) return 0;
  ReadOptions options = fuzz::without_files();
  if (bytes[0] % 3 == 1) options.labels.all = true;
  if (bytes[0] % 3 == 2) options.labels.optional = true;
  const std::string text(reinterpret_cast<const char*>(bytes + 1), size - 1);
  std::optional<Dataset> data = fuzz::try_read(test::whole<read_numpy_raw>, text, options);
  if (!data || data->labels() == 0 || !fuzz::can_compare(*data)) return 0;
  data->recipe.reset();
  if (data->features.cols() != data->feature_names.size()) data->feature_names.clear();
  fuzz::check_round_trip(*data, test::whole<read_numpy_raw>, fuzz::without_files(), write_numpy,
                         {});
  return 0;
}
