#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <string>

#include "experiment/comparison.h"
#include "experiment/store.h"
#include "labelsieve/error.h"

// SQLite wants a file with a name; it is taken away again at once.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace sieve;
  const std::string path = "/tmp/labelsieve-fuzz-" + std::to_string(::getpid()) + ".db";
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  try {
    const StoredResults stored = read_results(path);
    compare(stored, {});
  } catch (const Error&) {
  }
  for (const char* suffix : {"", "-wal", "-shm", "-journal"}) ::unlink((path + suffix).c_str());
  return 0;
}
