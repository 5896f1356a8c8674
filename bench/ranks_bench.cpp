// Data-parallel training against one process: a full PML-GAN iteration at shape b of the engine
// (500 features, 15 labels, width 256), one thread a rank, in turn by rank 0 alone and by all ranks
// together, with the same parts of a batch. One command:
//
//   mpirun -n 2 --bind-to core build-bench/bench/ranks_bench
//
// usage: ranks_bench [parts [seconds [width]]]
// prints: milliseconds of both (minimum) and their ratio; fails if the parameters differ in a bit
#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "base/team_work.h"
#include "clock.h"
#include "cluster/ranks.h"
#include "iteration.h"

namespace {

using namespace sieve;
using bench::Iteration;

double timed(Iteration& iteration) {
  const double before = seconds_now();
  iteration.run();
  return 1e3 * (seconds_now() - before);
}

bool same_bits(const Array<float>& a, const Array<float>& b) {
  return std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

bool same_bits(const Iteration& a, const Iteration& b) {
  return same_bits(a.parameters().predictor, b.parameters().predictor) &&
         same_bits(a.parameters().disambiguator, b.parameters().disambiguator) &&
         same_bits(a.parameters().generator, b.parameters().generator) &&
         same_bits(a.parameters().discriminator, b.parameters().discriminator);
}

}  // namespace

int main(int argc, char** argv) {
  const auto number = [&](int i, double otherwise) {
    return argc > i ? std::strtod(argv[i], nullptr) : otherwise;
  };
  const auto parts = static_cast<std::size_t>(number(1, 4));
  const double seconds = number(2, 10);
  const bench::Shape shape{500, 15, static_cast<std::size_t>(number(3, 256))};
  const auto ranks = join_ranks();
  RankTeam team(*ranks, 60);
  const bool first = team.rank() == 0;
  Iteration whole(shape, 1), alone(shape, 1, BatchParts(parts)),
      shared(shape, 1, BatchParts(parts, &team));
  double least_whole = 1e9, least_alone = 1e9, least_shared = 1e9;
  const double end = seconds_now() + seconds;
  while (gathered(team, seconds_now() < end ? 1 : 0).front() != 0) {
    if (first) least_whole = std::min(least_whole, timed(whole));
    if (first) least_alone = std::min(least_alone, timed(alone));
    gathered(team, 0);  // together from here
    least_shared = std::min(least_shared, timed(shared));
  }
  if (!first) return 0;
  const bool same = same_bits(alone, shared);
  fmt::print(
      "one process {:.2f} ms, with {} parts {:.2f} ms; {} ranks {:.2f} ms: {:.2f} x and "
      "{:.2f} x, {}\n",
      least_whole, parts, least_alone, team.size(), least_shared, least_whole / least_shared,
      least_alone / least_shared, same ? "same bits" : "other bits");
  return same ? 0 : 1;
}
