#include "linalg/blas.h"

#include <dlfcn.h>
#include <sys/mman.h>

#include <algorithm>
#include <semaphore>
#include <string>
#include <thread>
#include <vector>

#include "labelsieve/error.h"

namespace sieve {
namespace {

constexpr const char* kName = "libopenblas.so.0";
constexpr std::size_t kBuffer = std::size_t{132} << 20;  // what a call works in, and a little more
constexpr std::size_t kLibrary = (std::size_t{64} << 20) + 3 * kBuffer;  // with its first buffers

bool has_room(std::size_t bytes) {
  void* room = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return room != MAP_FAILED && ::munmap(room, bytes) == 0;
}

// Where the system refuses memory, OpenBLAS tries again without end. Its buffers are therefore
// taken beforehand, one for each core or as many as there is room for, and no more calls are let in
// at a time: it keeps what it has once taken.
class Library {
 public:
  Library() : handle_(open()) {
    find("dposv_", functions.dposv);
    find("dsyevd_", functions.dsyevd);
    find("dgelsd_", functions.dgelsd);
    find("dgesvd_", functions.dgesvd);
    find("dtpqrt_", functions.dtpqrt);
    look_up("omp_get_max_threads", max_threads);
    look_up("omp_set_num_threads", set_threads);
    use_one_thread();
    places.release(take_buffers());
  }

  OpenBlas functions{};
  // Of the OpenMP runtime, where OpenBLAS is built on it; both settings are a thread's own.
  int (*max_threads)() = nullptr;
  void (*set_threads)(int) = nullptr;
  std::counting_semaphore<> places{0};

 private:
  static void* open() {
    if (!has_room(kLibrary)) throw no_room(kLibrary);
    void* handle = ::dlopen(kName, RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) throw not_usable(::dlerror());
    return handle;
  }
  static Error not_usable(const std::string& why) {
    return {Failure::Io,
            "OpenBLAS cannot be loaded: " + why,
            {},
            "install it (Debian: libopenblas0-openmp), or choose a method that does not need it, "
            "such as mlp"};
  }
  static Error no_room(std::size_t bytes) {
    return {Failure::Io,
            "OpenBLAS needs " + std::to_string(bytes / 1000000) +
                " MB of address space, and the system refuses them",
            {},
            "raise the limit (see ulimit -v and ulimit -d), or choose a method that does not need "
            "OpenBLAS, such as mlp"};
  }

  template <class Function>
  bool look_up(const char* name, Function& function) const {
    function = reinterpret_cast<Function>(::dlsym(handle_, name));
    return function != nullptr;
  }
  template <class Function>
  void find(const char* name, Function& function) const {
    if (!look_up(name, function)) throw not_usable(std::string(kName) + " has no function " + name);
  }

  // The build of OpenBLAS with threads of its own knows one number of threads for all.
  void use_one_thread() const {
    constexpr int kOwnThreads = 1;
    int (*kind)() = nullptr;
    void (*set)(int) = nullptr;
    if (look_up("openblas_get_parallel", kind) && look_up("openblas_set_num_threads", set) &&
        kind() == kOwnThreads)
      set(1);
  }

  std::ptrdiff_t take_buffers() const {
    void* (*take)(int) = nullptr;
    void (*give)(void*) = nullptr;
    const bool known = look_up("blas_memory_alloc", take) && look_up("blas_memory_free", give);
    const std::ptrdiff_t most = std::max(1U, std::thread::hardware_concurrency());
    std::vector<void*> taken;
    while (std::ssize(taken) < most && has_room(kBuffer))
      taken.push_back(known ? take(0) : nullptr);
    for (void* buffer : taken)
      if (known) give(buffer);
    if (taken.empty()) throw no_room(kBuffer);
    return std::ssize(taken);
  }

  void* handle_;
};

Library& library() {
  static Library loaded;
  return loaded;
}

thread_local int scopes = 0;

}  // namespace

BlasScope::BlasScope() {
  Library& blas = library();
  if (scopes++ == 0) blas.places.acquire();
  if (blas.set_threads == nullptr) return;
  threads_before_ = blas.max_threads();
  if (threads_before_ != 1) blas.set_threads(1);
}

BlasScope::~BlasScope() {
  Library& blas = library();
  if (threads_before_ != 1) blas.set_threads(threads_before_);
  if (--scopes == 0) blas.places.release();
}

void load_blas() {
  library();
}

const OpenBlas* BlasScope::operator->() const {
  return &library().functions;
}

}  // namespace sieve
