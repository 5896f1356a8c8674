#include "labelsieve/version.h"

namespace sieve {

const char* version() {
  return LABELSIEVE_VERSION;
}

}  // namespace sieve
