#pragma once

#include <string>
#include <vector>

#include "labelsieve/data_io.h"
#include "support/memory_streams.h"
#include "support/support.h"

namespace sieve::test {

// The annotations in a file "t" of this text.
inline Ticks ticks_of(const std::string& text, TickOptions options = {},
                      std::vector<std::string>* notes = nullptr) {
  MemoryFiles files({{"t", text}});
  options.path = "t";
  return read_ticks(options, files, notes);
}

// "item person: label label; ..." in the order of items, people and labels.
inline std::string told(const Ticks& ticks) {
  std::string out;
  for (std::size_t item = 0; item < ticks.items.size(); ++item)
    for (std::size_t look = ticks.votes.first_look(item); look < ticks.votes.first_look(item + 1);
         ++look) {
      out += ticks.items[item] + " " + ticks.votes.people()[ticks.votes.person(look)] + ":";
      for (const std::uint32_t label : ticks.votes.ticked(look)) out += " " + ticks.labels[label];
      out += "; ";
    }
  return out;
}

}  // namespace sieve::test
