// Loaded into a program by LD_PRELOAD: one of its calls to the file system fails, once.
//   ATTACK_CALL=N     the call to fail, from 0; without it none does
//   ATTACK_FAULT=...  EIO, ENOSPC, EINTR (reads and writes only) or SHORT (half of a read or write)
//   ATTACK_LOG=FILE   gets the number of calls when the program ends
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

std::atomic<long> calls = 0;
const pid_t first_process = getpid();  // its children have faults of their own to make

enum class Fault { None, Fail, Short };

struct Plan {
  long call = -1;
  const char* fault = "EIO";
  Plan() {
    if (const char* text = std::getenv("ATTACK_CALL")) call = std::atol(text);
    if (const char* text = std::getenv("ATTACK_FAULT")) fault = text;
  }
};

const Plan& plan() {
  static const Plan made;
  return made;
}

Fault next_fault(bool moves_bytes) {
  if (getpid() != first_process) return Fault::None;
  if (calls.fetch_add(1) != plan().call) return Fault::None;
  const char* fault = plan().fault;
  const bool soft = std::strcmp(fault, "EINTR") == 0 || std::strcmp(fault, "SHORT") == 0;
  if (soft && !moves_bytes) return Fault::None;
  if (std::strcmp(fault, "SHORT") == 0) return Fault::Short;
  errno = std::strcmp(fault, "EINTR") == 0 ? EINTR : std::strcmp(fault, "EIO") == 0 ? EIO : ENOSPC;
  return Fault::Fail;
}

template <class Function>
Function* real(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

struct Log {
  ~Log() {
    const char* path = std::getenv("ATTACK_LOG");
    if (path == nullptr || getpid() != first_process) return;
    char text[32];
    const int size = std::snprintf(text, sizeof text, "%ld\n", calls.load());
    const long fd = syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    syscall(SYS_write, fd, text, size);
  }
} log_at_end;

}  // namespace

#define FAILING(result, name, parameters, arguments)          \
  extern "C" result name parameters {                         \
    static auto* const next = real<result parameters>(#name); \
    if (next_fault(false) == Fault::Fail) return -1;          \
    return next arguments;                                    \
  }

// `size` is the parameter to halve.
#define MOVING(name, parameters, arguments)                    \
  extern "C" ssize_t name parameters {                         \
    static auto* const next = real<ssize_t parameters>(#name); \
    const Fault fault = next_fault(true);                      \
    if (fault == Fault::Fail) return -1;                       \
    if (fault == Fault::Short && size > 1) size /= 2;          \
    return next arguments;                                     \
  }

MOVING(read, (int fd, void* to, size_t size), (fd, to, size))
MOVING(write, (int fd, const void* from, size_t size), (fd, from, size))
MOVING(pread64, (int fd, void* to, size_t size, off64_t at), (fd, to, size, at))
MOVING(pwrite64, (int fd, const void* from, size_t size, off64_t at), (fd, from, size, at))
FAILING(int, fsync, (int fd), (fd))
FAILING(int, fdatasync, (int fd), (fd))
FAILING(int, ftruncate64, (int fd, off64_t size), (fd, size))
FAILING(int, rename, (const char* from, const char* to), (from, to))
FAILING(int, renameat2, (int a, const char* from, int b, const char* to, unsigned flags),
        (a, from, b, to, flags))
FAILING(int, linkat, (int a, const char* from, int b, const char* to, int flags),
        (a, from, b, to, flags))
FAILING(int, unlink, (const char* path), (path))

#define OPENING(name)                                                              \
  extern "C" int name(const char* path, int flags, ...) {                          \
    static auto* const next = real<int(const char*, int, ...)>(#name);             \
    va_list more;                                                                  \
    va_start(more, flags);                                                         \
    const int mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(more, int) : 0; \
    va_end(more);                                                                  \
    if (next_fault(false) == Fault::Fail) return -1;                               \
    return next(path, flags, mode);                                                \
  }

OPENING(open)
OPENING(open64)
