// The module that join_ranks() loads: the only code that uses MPI.
#include <mpi.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <numeric>
#include <thread>

#include "cluster/ranks.h"
#include "labelsieve/error.h"

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/lsan_interface.h>
#endif

namespace sieve {
namespace {

void check(int code, const char* call) {
  if (code == MPI_SUCCESS) return;
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int size = 0;
  MPI_Error_string(code, text.data(), &size);
  throw Error(Failure::Io, std::string(call) + " failed: " + text.data(), {},
              "see what mpirun or srun says about it");
}

// Open MPI, its threads and the plugins it unloads leave memory behind that no list of names tells
// from ours. So leaks are looked for here; it is done once in a process, not again at its end.
void start_mpi() {
#ifdef __SANITIZE_ADDRESS__
  __lsan_do_leak_check();
#endif
  check(MPI_Init(nullptr, nullptr), "MPI_Init");
}

class MpiRanks final : public Ranks {
 public:
  MpiRanks() {
    start_mpi();
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
  }
  ~MpiRanks() override {
    if (whole_)
      MPI_Finalize();
    else
      (void)sent_.release();  // the other rank may still read from there
  }
  MpiRanks(const MpiRanks&) = delete;
  MpiRanks& operator=(const MpiRanks&) = delete;

  int rank() const override { return rank_; }
  int size() const override { return size_; }

  std::vector<std::string> gather_all(const std::string& mine) override {
    const auto count = static_cast<std::size_t>(size_);
    const int length = static_cast<int>(mine.size());
    std::vector<int> lengths(count), starts(count);
    check(MPI_Allgather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, MPI_COMM_WORLD),
          "MPI_Allgather");
    std::exclusive_scan(lengths.begin(), lengths.end(), starts.begin(), 0);
    std::string all(static_cast<std::size_t>(starts.back() + lengths.back()), '\0');
    check(MPI_Allgatherv(mine.data(), length, MPI_CHAR, all.data(), lengths.data(), starts.data(),
                         MPI_CHAR, MPI_COMM_WORLD),
          "MPI_Allgatherv");
    std::vector<std::string> parts;
    for (std::size_t i = 0; i < count; ++i)
      parts.push_back(
          all.substr(static_cast<std::size_t>(starts[i]), static_cast<std::size_t>(lengths[i])));
    return parts;
  }

  bool exchange(int peer, std::span<const std::byte> out, std::span<std::byte> in,
                const std::function<bool()>& give_up) override {
    whole_ = false;
    while (!out.empty() || !in.empty()) {
      const auto give = out.first(std::min(out.size(), kLargest));
      const auto take = in.first(std::min(in.size(), kLargest));
      sent_->assign(give.begin(), give.end());
      if (!exchange_piece(peer, *sent_, take, give_up)) return false;
      out = out.subspan(give.size());
      in = in.subspan(take.size());
    }
    whole_ = true;
    return true;
  }

 private:
  // Messages between two ranks keep their order, so one tag is enough.
  static bool exchange_piece(int peer, std::span<const std::byte> out, std::span<std::byte> in,
                             const std::function<bool()>& give_up) {
    std::array<MPI_Request, 2> requests{MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    if (!in.empty())
      check(MPI_Irecv(in.data(), static_cast<int>(in.size()), MPI_BYTE, peer, 0, MPI_COMM_WORLD,
                      &requests[0]),
            "MPI_Irecv");
    if (!out.empty())
      check(MPI_Isend(out.data(), static_cast<int>(out.size()), MPI_BYTE, peer, 0, MPI_COMM_WORLD,
                      &requests[1]),
            "MPI_Isend");
    const auto start = std::chrono::steady_clock::now();
    for (unsigned turn = 1; true; ++turn) {
      int done = 0;
      check(MPI_Testall(2, requests.data(), &done, MPI_STATUSES_IGNORE), "MPI_Testall");
      if (done != 0) return true;
      if (turn % kTurnsAtOnce != 0) continue;
      if (give_up()) return false;
      if (std::chrono::steady_clock::now() - start > kAwake) std::this_thread::sleep_for(kNap);
    }
  }

  // A peer is usually only microseconds late, and waking up takes longer than that. After that, on
  // a busy machine, a sleeper is woken before those that have used up their time slice.
  static constexpr std::chrono::microseconds kAwake{200}, kNap{10};
  static constexpr unsigned kTurnsAtOnce = 16;
  static constexpr std::size_t kLargest = std::size_t{1} << 30;
  int rank_ = 0, size_ = 1;
  // False from the beginning of an exchange to its end: after one that did not end, finalising MPI
  // would wait forever.
  bool whole_ = true;
  // The message being sent. One that is given up must stay unchanged: the other rank may still
  // read it, late, straight from our memory.
  std::unique_ptr<std::vector<std::byte>> sent_ = std::make_unique<std::vector<std::byte>>();
};

}  // namespace
}  // namespace sieve

extern "C" sieve::Ranks* sieve_join_ranks() {
  return new sieve::MpiRanks;
}
