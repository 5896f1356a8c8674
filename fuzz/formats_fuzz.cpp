#include "data/formats.h"

#include "data/recipe/recipe.h"
#include "round_trip.h"

using namespace sieve;

namespace {

std::optional<Dataset> try_read(const FormatRow& format, std::string text) {
  const ReadOptions options = fuzz::without_files();
  if (format.read != nullptr) return fuzz::try_read(format.read, std::move(text), options);
  try {
    test::MemoryInput in(std::move(text));
    return with_features(format.read_raw(in, "input", options), options);
  } catch (const Error&) {
    return std::nullopt;
  }
}

// Aborts where the set is not what its own file reads as, as far as the format holds it.
void check_round_trip(Dataset data, const FormatRow& format) {
  WriteOptions options;
  if (!format.holds.both_labels) {
    options.labels = WriteOptions::Labels::Candidates;
    data.truth.reset();
  }
  test::MemoryOutput out;
  try {
    write_as(format, data, out, options);
  } catch (const Error&) {
    return;
  }
  std::optional<Dataset> again = try_read(format, std::move(out.text));
  if (!again) std::abort();
  if (!format.holds.label_names) again->label_names = data.label_names;
  if (!format.holds.feature_names || data.feature_names.empty())
    again->feature_names = data.feature_names;
  if (!same_content(data, *again)) std::abort();
}

}  // namespace

// For every row of the table: whatever a file's content makes it, it is read or refused, and what
// was read comes back. Formats with more ways to be read have targets of their own.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(bytes), size);
  try {
    const FormatRow& format = detect_format(text, "input");
    std::optional<Dataset> data = try_read(format, text);
    if (data && data->labels() != 0 && fuzz::can_compare(*data))
      check_round_trip(std::move(*data), format);
  } catch (const Error&) {
    return 0;  // no format
  }
  return 0;
}
