#pragma once

#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>

#include "labelsieve/data_io.h"
#include "labelsieve/error.h"
#include "support/memory_streams.h"

// What the targets of the readers share: a text is read or refused with sieve::Error; what was read
// is written, read back, and must be the same.
namespace sieve::fuzz {

using Reader = Dataset (*)(InputStream&, const std::string&, const ReadOptions&);
using Writer = void (*)(const Dataset&, OutputStream&, const WriteOptions&);

// A writer that could also give a table back as it was read.
template <auto write>
void without_table(const Dataset& data, OutputStream& out, const WriteOptions& options) {
  write(data, out, options, {});
}

inline ReadOptions without_files() {
  static test::MemoryFiles none;
  ReadOptions options;
  options.files = &none;
  return options;
}

inline std::optional<Dataset> try_read(Reader read, std::string text, const ReadOptions& options) {
  try {
    test::MemoryInput in(std::move(text));
    return read(in, "input", options);
  } catch (const Error&) {
    return std::nullopt;
  }
}

// Comparing writes rows out, which is too slow for very wide data.
inline bool can_compare(const Dataset& data) {
  return data.features.cols() <= 10000 && data.labels() <= 10000;
}

// Aborts where `data` is not what its own text reads as. A set that the format can not hold is
// passed over.
inline void check_round_trip(const Dataset& data, Reader read, const ReadOptions& read_options,
                             Writer write, const WriteOptions& write_options) {
  test::MemoryOutput out;
  try {
    write(data, out, write_options);
  } catch (const Error&) {
    return;
  }
  const std::optional<Dataset> again = try_read(read, std::move(out.text), read_options);
  if (!again || !same_content(data, *again)) std::abort();
}

}  // namespace sieve::fuzz
