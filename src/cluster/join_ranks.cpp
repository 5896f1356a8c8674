#include <dlfcn.h>

#include "cluster/ranks.h"
#include "labelsieve/error.h"

namespace sieve {

std::unique_ptr<Ranks> join_ranks() {
  const auto refuse = [](const std::string& why) {
    return Error(Failure::Io, "MPI cannot be used: " + why, {},
                 "install OpenMPI (Debian: libopenmpi-dev) and build LabelSieve again");
  };
  // Global, because MPI loads modules of its own that look for its symbols.
  void* module = ::dlopen("liblabelsieve_mpi.so", RTLD_NOW | RTLD_GLOBAL);
  if (module == nullptr) throw refuse(::dlerror());
  const auto join = reinterpret_cast<Ranks* (*)()>(::dlsym(module, "sieve_join_ranks"));
  if (join == nullptr) throw refuse(::dlerror());
  return std::unique_ptr<Ranks>(join());
}

}  // namespace sieve
