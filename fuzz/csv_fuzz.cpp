#include "data/formats.h"
#include "data/label_columns.h"
#include "round_trip.h"
#include "support/whole_sets.h"

using namespace sieve;

namespace {

// The first byte of the input chooses the options.
ReadOptions options_of(std::uint8_t choice) {
  ReadOptions options;
  switch (choice % 8) {
    case 1:
      options.labels.all = true;
      break;
    case 2:
      options.labels.count = 1;
      break;
    case 3:
      options.labels.count = -2;
      break;
    case 4:
      options.labels.column = "a";
      break;
    case 5:
      options.labels.prefix = "a";
      break;
    case 6:
      options.labels.names = {"a", "b"};
      break;
    case 7:
      options.id_column = "a";
      break;
    default:
      break;
  }
  if ((choice & 8) != 0) options.delimiter = ';';
  if ((choice & 16) != 0) options.role = LabelRole::Truth;
  if ((choice & 96) != 0) options.header = (choice & 32) != 0;
  return options;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  if (size == 0) return 0;
  const std::string text(reinterpret_cast<const char*>(bytes + 1), size - 1);
  std::optional<Dataset> data =
      fuzz::try_read(test::whole<read_csv_raw>, text, options_of(bytes[0]));
  if (!data || data->labels() == 0) return 0;
  if (data->feature_names.empty())
    data->feature_names = numbered_names("feature", data->features.cols());
  ReadOptions back;
  back.id_column = data->ids.empty() ? "" : "id";  // a feature may have that name too
  fuzz::check_round_trip(*data, test::whole<read_csv_raw>, back, fuzz::without_table<write_csv>,
                         {});
  return 0;
}
