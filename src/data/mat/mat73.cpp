#include "data/mat/mat73.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <matio.h>
#include <unistd.h>

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>

#include "labelsieve/error.h"
#include "labelsieve/threads.h"

namespace sieve {
namespace {

[[noreturn]] void no_room(const char* call) {
  throw Error(
      Failure::Io, std::string(call) + " failed: " + std::strerror(errno), {},
      "MAT 7.3, and predicting from any MAT file, needs room in /tmp for the unpacked data");
}

}  // namespace

ScratchFile::ScratchFile() {
  std::string name = "/tmp/labelsieve-mat-XXXXXX";
  fd_ = mkostemp(name.data(), O_CLOEXEC);
  if (fd_ < 0) no_room("creating a temporary file");
  name_.emplace(name);
}

ScratchFile::~ScratchFile() {
  drop_name();
  ::close(fd_);
}

void ScratchFile::drop_name() {
  if (name_) ::unlink(name_->text().c_str());
  name_.reset();
}

void ScratchFile::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t put = ::write(fd_, bytes.data(), bytes.size());
    if (put < 0 && errno != EINTR) no_room("writing a temporary file");
    bytes.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(put, 0)));
  }
}

std::shared_ptr<const MappedFile> ScratchFile::map() const {
  const std::size_t bytes = size();
  if (bytes == 0) return nullptr;
  void* memory = mmap(nullptr, bytes, PROT_READ, MAP_SHARED, fd_, 0);
  if (memory == MAP_FAILED) no_room("mmap");
  return std::make_shared<const MappedFile>(static_cast<const char*>(memory), bytes);
}

std::size_t ScratchFile::size() const {
  struct stat info {};
  if (fstat(fd_, &info) != 0) no_room("fstat");
  return static_cast<std::size_t>(info.st_size);
}

namespace {

[[noreturn]] void fail(const char* call) {
  throw Error(Failure::Io, std::string(call) + " failed: " + std::strerror(errno), {},
              "MAT 7.3 needs a second process; -v7 files do not");
}

enum class Outcome { Failed, Good, NoMatio };

// ---- the child ----------------------------------------------------------------------------------

// matio and HDF5 bring forty libraries with them: only the child loads them.
class Matio {
  void* handle_ = ::dlopen(LABELSIEVE_MATIO, RTLD_NOW | RTLD_LOCAL);
  bool good_ = true;

  template <class Function>
  Function find(const char* name) {
    void* found = handle_ != nullptr ? ::dlsym(handle_, name) : nullptr;
    good_ = good_ && found != nullptr;
    return reinterpret_cast<Function>(found);
  }

 public:
  decltype(&Mat_Open) open = find<decltype(open)>("Mat_Open");
  decltype(&Mat_Close) close = find<decltype(close)>("Mat_Close");
  decltype(&Mat_CreateVer) create = find<decltype(create)>("Mat_CreateVer");
  decltype(&Mat_GetDir) names = find<decltype(names)>("Mat_GetDir");
  decltype(&Mat_VarRead) read = find<decltype(read)>("Mat_VarRead");
  decltype(&Mat_VarCreate) make = find<decltype(make)>("Mat_VarCreate");
  decltype(&Mat_VarWrite) write = find<decltype(write)>("Mat_VarWrite");
  decltype(&Mat_VarFree) release = find<decltype(release)>("Mat_VarFree");

  bool is_there() const { return good_; }
};

using MatFile = std::unique_ptr<mat_t, decltype(&Mat_Close)>;
using MatVar = std::unique_ptr<matvar_t, decltype(&Mat_VarFree)>;

void limit(int what, rlim_t most) {
  rlimit old{};
  getrlimit(static_cast<__rlimit_resource>(what), &old);
  most = std::min(most, old.rlim_max);
  const rlimit fresh{most, most};
  setrlimit(static_cast<__rlimit_resource>(what), &fresh);
}

// What this process has mapped already; the limit on address space counts that too.
rlim_t address_space() {
  unsigned long pages = 0;
  if (std::FILE* file = std::fopen("/proc/self/statm", "r")) {
    if (std::fscanf(file, "%lu", &pages) != 1) pages = 0;
    std::fclose(file);
  }
  return pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE));
}

constexpr rlim_t kLibraries = rlim_t{128} << 20;  // what matio and its libraries take

void confine(std::size_t file_size) {
  rlim_t budget = (rlim_t{512} << 20) + 64 * rlim_t{file_size};
  if (has_memory_limit()) budget = std::min(budget, kLibraries + rlim_t{memory_limit()});
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_FSIZE, budget);
  limit(RLIMIT_AS, address_space() + budget);
  limit(RLIMIT_CPU, 20 + file_size / 1000000);
  const int nowhere = ::open("/dev/null", O_RDWR);
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::dup2(nowhere, stream);
}

bool copy_variable(const Matio& matio, mat_t* from, mat_t* to, const char* name, bool wanted,
                   matio_compression pack) {
  std::size_t empty[2] = {0, 0};
  const MatVar variable(wanted ? matio.read(from, name)
                               : matio.make(name, MAT_C_DOUBLE, MAT_T_DOUBLE, 2, empty, nullptr, 0),
                        matio.release);
  if (!variable) return false;
  // An element of a level-5 file counts its bytes in 32 bits.
  if (variable->nbytes >= (std::size_t{1} << 32) - 4096) return false;
  return matio.write(to, variable.get(), pack) == 0;
}

Outcome convert(const std::string& from_path, const std::string& to_path, mat_ft version,
                const std::function<bool(std::string_view)>& wanted) {
  const Matio matio;
  if (!matio.is_there()) return Outcome::NoMatio;
  const MatFile from(matio.open(from_path.c_str(), MAT_ACC_RDONLY), matio.close);
  const MatFile to(matio.create(to_path.c_str(), nullptr, version), matio.close);
  if (!from || !to) return Outcome::Failed;
  std::size_t count = 0;
  char* const* names = matio.names(from.get(), &count);
  const matio_compression pack =
      version == MAT_FT_MAT73 ? MAT_COMPRESSION_ZLIB : MAT_COMPRESSION_NONE;
  const bool good = count > 0 && std::all_of(names, names + count, [&](const char* name) {
                      return copy_variable(matio, from.get(), to.get(), name, wanted(name), pack);
                    });
  return good ? Outcome::Good : Outcome::Failed;
}

// ---- the parent ---------------------------------------------------------------------------------

// Runs `work` in a confined child; false if it failed, crashed or ran into a limit.
bool run_confined(std::size_t file_size, const std::function<Outcome()>& work) {
  void* shared = mmap(nullptr, sizeof(std::atomic<Outcome>), PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) fail("mmap");
  // Not the exit status: that is lost where the program ignores SIGCHLD.
  auto* outcome = new (shared) std::atomic(Outcome::Failed);
  const pid_t child = fork();
  if (child == 0) {
    confine(file_size);
    outcome->store(work());
    _exit(0);
  }
  const int error = errno;
  while (child > 0 && waitpid(child, nullptr, 0) < 0 && errno == EINTR) continue;
  const Outcome end = outcome->load();
  munmap(shared, sizeof(std::atomic<Outcome>));
  if (child < 0) errno = error, fail("fork");
  if (end == Outcome::NoMatio)
    throw Error(Failure::Io, "MAT 7.3 needs the library " LABELSIEVE_MATIO ", which is not there",
                {}, "install it (Debian: libmatio11), or save the file with -v7");
  return end == Outcome::Good;
}

}  // namespace

bool mat73_to_mat5(const ScratchFile& from, const ScratchFile& to,
                   std::span<const std::string_view> wanted) {
  return run_confined(from.size(), [&] {
    return convert(from.path(), to.path(), MAT_FT_MAT5, [&](std::string_view name) {
      return std::ranges::find(wanted, name) != wanted.end();
    });
  });
}

bool mat5_to_mat73(const ScratchFile& from, const ScratchFile& to) {
  return run_confined(64 * from.size(), [&] {
    return convert(from.path(), to.path(), MAT_FT_MAT73, [](std::string_view) { return true; });
  });
}

}  // namespace sieve
