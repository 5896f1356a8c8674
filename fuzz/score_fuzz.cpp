#include <cmath>
#include <cstdint>
#include <cstdlib>

#include "labelsieve/data_io.h"
#include "labelsieve/error.h"
#include "support/memory_streams.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace sieve;
  test::MemoryFiles files({{"input", {reinterpret_cast<const char*>(data), size}}});
  try {
    const ScoreTable table = read_score_table("input", {"a", "b"}, files);
    if (!table.names.empty() && table.names.size() != table.values.cols()) std::abort();
    for (std::size_t i = 0; i < table.values.rows(); ++i)
      for (std::size_t k = 0; k < table.values.cols(); ++k)
        if (!std::isfinite(table.values(i, k))) std::abort();
  } catch (const Error&) {
  }
  return 0;
}
