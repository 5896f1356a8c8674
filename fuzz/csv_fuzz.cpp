#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "data/formats.h"
#include "labelsieve/error.h"
#include "memory_streams.h"

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
    default:
      break;
  }
  if ((choice & 8) != 0) options.delimiter = ';';
  if ((choice & 16) != 0) options.role = LabelRole::Truth;
  if ((choice & 96) != 0) options.header = (choice & 32) != 0;
  return options;
}

Dataset read(std::string_view text, const ReadOptions& options) {
  StringInput in(text);
  return read_csv(in, "fuzz.csv", options);
}

// What was read must survive being written and read again.
void check_round_trip(Dataset data) {
  StringOutput out;
  try {
    write_csv(data, out, {});
  } catch (const Error&) {
    return;  // a feature named like a label
  }
  if (data.feature_names.empty())
    data.feature_names = numbered_names("feature", data.features.cols());
  if (data.labels() != 0 && !same_content(read(out.text, {}), data)) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(bytes + 1), size - 1);
  Dataset data;
  try {
    data = read(text, options_of(bytes[0]));
  } catch (const Error&) {
    return 0;
  }
  check_round_trip(std::move(data));
  return 0;
}
