#include "labelsieve/error.h"

namespace sieve {

const char* version() {
  return LABELSIEVE_VERSION;
}

}  // namespace sieve
