#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "data/name_index.h"
#include "labelsieve/error.h"
#include "labelsieve/ticks.h"

namespace sieve {

// Takes in who looked at what and ticked what, in any order.
class TickSink {
 public:
  // A person looks at an item; the ticks that follow belong to this look. Error(Data) at `place`
  // for a blank item or person.
  void look(std::string_view item, std::string_view person, const Place& place);
  void tick(std::string_view label);

  // What to tell the user beside the votes; once, though each file of a folder may say it.
  void note(std::string sentence) {
    if (std::ranges::find(notes_, sentence) == notes_.end()) notes_.push_back(std::move(sentence));
  }
  void leave_out() { ++left_out_; }  // a judgement that was rejected
  // Lines of one tick each: unless one is without, who saw none of the labels is not known.
  void assume_looks() { assumed_ = true; }
  void know_looks() { known_ = true; }

  Ticks finish(const std::string& path, std::vector<std::string>* notes);

 private:
  void end_look();

  NameIndex items_, people_, labels_;
  VoteCollector votes_;
  std::uint32_t item_ = 0, person_ = 0;
  bool open_ = false;  // a look without a tick so far
  std::vector<std::string> notes_;
  std::size_t left_out_ = 0;
  bool assumed_ = false, known_ = false;
};

}  // namespace sieve
