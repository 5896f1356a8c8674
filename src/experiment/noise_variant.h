#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "labelsieve/dataset.h"
#include "labelsieve/threads.h"

namespace sieve {

// How the candidates of a task come about: a protocol of prepare.h and its numbers, or the
// candidates that the data set brings along.
struct NoiseVariant {
  std::string protocol = "given";
  double level = 0;                                             // the first option of the protocol
  std::vector<std::pair<std::string, std::string>> settings{};  // of its others, if not as usual
};

// "given" and the names of all protocols.
std::vector<std::string> noise_names();

// "fill-10", "flip-0.2", "crowd-3:hidden=0.2:people=20", "given".
std::string to_string(const NoiseVariant& noise);
// The other way round; nullopt for a protocol that is not there or a number out of its range.
std::optional<NoiseVariant> parse_noise(const std::string& text);

// These rows of `data` with their candidates; what is plausible is learnt from them alone.
// Error(Data) without truth.
Dataset noisy_rows(const Dataset& data, std::span<const std::size_t> rows,
                   const NoiseVariant& noise, std::uint64_t seed, ThreadPool& pool);

}  // namespace sieve
