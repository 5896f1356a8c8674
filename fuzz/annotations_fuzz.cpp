#include <cstdint>
#include <cstdlib>
#include <string>

#include "labelsieve/data_io.h"
#include "labelsieve/error.h"
#include "support/memory_streams.h"

using namespace sieve;

namespace {

// The first byte chooses the layout, or leaves it to be recognised.
ReadOptions options_of(std::uint8_t choice, FileSystem& files) {
  ReadOptions options;
  options.files = &files;
  options.ticks.path = "input";
  const std::vector<std::string> names = annotation_format_names();
  if (choice % 16 < names.size()) options.ticks.format = names[choice % 16];
  if ((choice & 16) != 0) options.ticks.separator = ", ";
  if ((choice & 32) != 0) options.ticks.all_annotators = true;
  return options;
}

Dataset read(const std::string& text, std::uint8_t choice) {
  test::MemoryFiles files({{"input", text}});
  return read_dataset({}, options_of(choice, files));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  if (size == 0) return 0;
  test::MemoryOutput out;
  std::size_t annotations = 0, ticks = 0;
  try {
    const Dataset data = read({reinterpret_cast<const char*>(bytes + 1), size - 1}, bytes[0]);
    if (data.rows() != data.ids.size() || data.votes->rows() != data.rows()) std::abort();
    annotations = data.votes->annotations(), ticks = data.votes->ticks();
    write_annotations(data, out);
  } catch (const Error&) {
    return 0;
  }
  // Bytes that are not UTF-8 may be changed on the way, never the number of annotations and ticks.
  test::MemoryFiles files({{"input", out.text}});
  ReadOptions options = options_of(0, files);
  options.ticks.format = "long";
  const Dataset again = read_dataset({}, options);
  if (again.votes->annotations() != annotations || again.votes->ticks() != ticks) std::abort();
  return 0;
}
