#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <vector>

#include "experiment/crew.h"
#include "experiment/task.h"
#include "labelsieve/error.h"
#include "labelsieve/options.h"

namespace sieve {
namespace {

struct Worker {
  Task task;
  pid_t process = -1;
  int pipe = -1;  // where its outcome comes out
  std::string received;
  std::uint64_t inherited = 0;  // bytes that its parent had
  std::chrono::steady_clock::time_point started = std::chrono::steady_clock::now();
};

// What a child begins with: all that is resident but the pages of files.
std::uint64_t inherited_bytes() {
  unsigned long all = 0, resident = 0, of_files = 0;
  if (std::FILE* file = std::fopen("/proc/self/statm", "r")) {
    if (std::fscanf(file, "%lu %lu %lu", &all, &resident, &of_files) != 3) resident = of_files;
    std::fclose(file);
  }
  return std::uint64_t{resident - of_files} * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

void write_whole(int descriptor, const std::string& bytes) {
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t wrote = ::write(descriptor, bytes.data() + done, bytes.size() - done);
    if (wrote < 0 && errno != EINTR) return;
    if (wrote > 0) done += static_cast<std::size_t>(wrote);
  }
}

// The life of a worker. It leaves without the destructors and buffers that belong to its parent;
// an exception ends it here, for above are the frames of the parent.
[[noreturn]] void work(const Task& task, const Dataset& data, pid_t parent, int pipe) noexcept {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);
  // A request to end may reach the whole group, but it is for the parent to decide.
  for (const int request : {SIGINT, SIGTERM, SIGHUP}) ::signal(request, SIG_IGN);
  write_whole(pipe, pack_outcome(run_task(task, data)));
  ::_exit(0);
}

std::string reason_of(int status) {
  if (!WIFSIGNALED(status))
    return "the worker ended with code " + std::to_string(WEXITSTATUS(status));
  const int signal = WTERMSIG(status);
  return std::string("the worker was ended by signal ") + std::to_string(signal) + " (" +
         ::strsignal(signal) + (signal == SIGKILL ? "; perhaps memory ran out)" : ")");
}

class ForkCrew final : public Crew {
 public:
  ForkCrew(std::size_t size, const std::map<std::string, Dataset>& sets,
           const std::vector<int>* wake)
      : size_(size), sets_(sets), wake_(wake) {}
  ForkCrew(const ForkCrew&) = delete;
  ForkCrew& operator=(const ForkCrew&) = delete;

  ~ForkCrew() override {
    for (const Worker& worker : workers_) ::kill(worker.process, SIGKILL);
    for (Worker& worker : workers_) end(worker);
  }

  std::size_t size() const override { return size_; }
  std::size_t running() const override { return workers_.size(); }

  void start(const Task& task) override {
    const Dataset& data = sets_.at(task.data_set);
    std::array<int, 2> ends{};
    if (::pipe(ends.data()) != 0) throw failed("a pipe");
    Worker worker;
    worker.task = task;
    worker.pipe = ends[0];
    worker.inherited = inherited_bytes();
    const pid_t parent = ::getpid();
    worker.process = ::fork();
    if (worker.process == 0) work(task, data, parent, ends[1]);
    const int error = errno;
    ::close(ends[1]);
    if (worker.process < 0) {
      ::close(ends[0]);
      errno = error;
      throw failed("a process");
    }
    workers_.push_back(std::move(worker));
  }

  std::optional<Result> next(std::chrono::milliseconds patience) override {
    std::vector<pollfd> pipes;
    for (const Worker& worker : workers_) pipes.push_back({worker.pipe, POLLIN, 0});
    if (wake_ != nullptr)
      for (const int descriptor : *wake_) pipes.push_back({descriptor, POLLIN, 0});
    if (::poll(pipes.data(), pipes.size(), static_cast<int>(patience.count())) <= 0)
      return std::nullopt;
    for (std::size_t i = 0; i < workers_.size(); ++i)
      if (pipes[i].revents != 0 && !receive(workers_[i])) {
        Result result = end(workers_[i]);
        workers_.erase(workers_.begin() + static_cast<std::ptrdiff_t>(i));
        return result;
      }
    return std::nullopt;
  }

 private:
  static Error failed(const std::string& what) {
    return {Failure::Io,
            what + " for a task cannot be created: " + std::strerror(errno),
            {},
            "try fewer " + term("jobs") + "; stored results are safe"};
  }

  // False once the worker has said all.
  static bool receive(Worker& worker) {
    std::array<char, 4096> block{};
    const ssize_t got = ::read(worker.pipe, block.data(), block.size());
    if (got > 0) worker.received.append(block.data(), static_cast<std::size_t>(got));
    return got > 0 || (got < 0 && errno == EINTR);
  }

  static Result end(Worker& worker) {
    ::close(worker.pipe);
    int status = 0;
    rusage usage{};
    while (::wait4(worker.process, &status, 0, &usage) < 0 && errno == EINTR) {
    }
    Result result;
    if (!unpack_outcome(worker.received, result)) {
      result = {};
      result.status = Result::Status::Failed;
      result.reason = reason_of(status);
      result.seconds =
          std::chrono::duration<double>(std::chrono::steady_clock::now() - worker.started).count();
    }
    const std::uint64_t peak = static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
    result.peak_bytes = peak - std::min(worker.inherited, peak);
    result.task = std::move(worker.task);
    return result;
  }

  std::size_t size_;
  const std::map<std::string, Dataset>& sets_;
  const std::vector<int>* wake_;
  std::vector<Worker> workers_;
};

}  // namespace

std::unique_ptr<Crew> fork_crew(std::size_t size, const std::map<std::string, Dataset>& sets,
                                const std::vector<int>* wake) {
  return std::make_unique<ForkCrew>(size, sets, wake);
}

}  // namespace sieve
