// The module that join_ranks() loads: all there is of MPI.
#include <mpi.h>

#include <array>
#include <numeric>

#include "cluster/ranks.h"
#include "labelsieve/error.h"

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

class MpiRanks final : public Ranks {
 public:
  MpiRanks() {
    check(MPI_Init(nullptr, nullptr), "MPI_Init");
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
  }
  ~MpiRanks() override { MPI_Finalize(); }
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

 private:
  int rank_ = 0, size_ = 1;
};

}  // namespace
}  // namespace sieve

extern "C" sieve::Ranks* sieve_join_ranks() {
  return new sieve::MpiRanks;
}
