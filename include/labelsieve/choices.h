#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace sieve {

// How a model works on the rows of a block.
enum class RowStorage { Dense, Sparse };

// Which scores of a row mean "on".
enum class DecisionRule {
  Constant,   // score >= threshold
  RowMinMax,  // the row scaled to [0, 1] >= threshold; a row of equal scores has none on
  Regressed,  // score >= [scores of the row, 1] . weights
  Top,        // the `top` highest of a row (ties: the smaller index)
};
// "constant", "row-min-max", "regressed" or "top", as model files have it.
const char* name_of(DecisionRule rule);

// Settings of a finished or unfinished training that later work depends on. A field is empty where
// the method has no such choice, or where the version that wrote the file did not keep it.
struct Choices {
  std::optional<std::uint64_t> seed{};
  std::optional<std::uint64_t> rows{};           // trained on
  std::optional<std::uint64_t> data_checksum{};  // a checkpoint goes on with the same data alone
  std::optional<RowStorage> storage{};
  std::optional<DecisionRule> decision{};
  std::optional<std::string> activation{};  // of hidden layers: "leaky-relu"
  std::optional<std::uint64_t> depth{};     // number of hidden layers
  std::optional<double> noise_share{};      // of candidates
  std::optional<double> beta{};             // weight of the adversarial loss
  std::optional<double> share{};            // of the game in what a predictor learns from
  // What a checkpoint has counted, by name; of a real number its bits.
  std::map<std::string, std::uint64_t> counters{};

  bool operator==(const Choices&) const = default;
};

}  // namespace sieve
