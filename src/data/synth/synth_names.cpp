#include "data/synth/synth_names.h"

#include <array>
#include <string_view>

namespace sieve {
namespace {

// One row a round, one column a topic: coast, mountains, city, people, nature, table.
constexpr std::array<std::array<std::string_view, kTopics>, 10> kWords = {{
    {"beach", "mountain", "street", "portrait", "flower", "food"},
    {"sea", "snow", "building", "child", "tree", "coffee"},
    {"boat", "forest", "night", "smile", "bird", "fruit"},
    {"sunset", "lake", "traffic", "party", "dog", "table"},
    {"sand", "hiking", "bridge", "concert", "garden", "cake"},
    {"harbour", "valley", "tower", "wedding", "cat", "bread"},
    {"island", "river", "crowd", "dance", "horse", "wine"},
    {"surf", "rock", "station", "friends", "insect", "kitchen"},
    {"lighthouse", "waterfall", "neon", "hat", "meadow", "cheese"},
    {"shell", "trail", "shop", "band", "leaf", "picnic"},
}};

}  // namespace

std::string synth_label_name(std::size_t label) {
  const std::size_t round = label / kTopics;
  if (round < kWords.size()) return std::string(kWords[round][label % kTopics]);
  return "tag " + std::to_string(label + 1);
}

}  // namespace sieve
