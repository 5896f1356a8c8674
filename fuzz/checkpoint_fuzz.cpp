#include "state_target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  sieve::fuzz::read_state(sieve::StateKind::Checkpoint,
                          {reinterpret_cast<const char*>(data), size});
  return 0;
}
