#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "data/ticks/plain_names.h"
#include "data/ticks/said_ticks.h"
#include "labelsieve/data_io.h"
#include "labelsieve/error.h"

namespace sieve {

// Takes in annotations in any order: who looked at what, and what they ticked there. What a text
// means (a label, a list of them, no label) and which of several annotations of one annotator for
// one item count is decided by all of them in the end.
class TickSink {
 public:
  explicit TickSink(const TickOptions& options) : options_(options) {}

  // A person looks at an item; what follows belongs to this annotation. Error(Data) at `place` for
  // a blank item or person.
  void look(std::string_view item, std::string_view person, const Place& place);
  // One label that was chosen.
  void tick(std::string_view label);
  // The text in a cell of that column: one label, or several with a separator.
  void text(std::string_view cell, const std::string& column);
  // A cell held a list, so that texts in other cells are one label each.
  void has_lists() { said_.has_lists = true; }
  // Texts are what annotators chose in a form, where a word such as "none" is a choice they had;
  // and dates have the month first.
  void comes_from_a_marketplace() { said_.from_marketplace = true; }
  // When the annotation was made, and what names the record it came with; an empty cell says
  // nothing.
  void time(std::string_view cell, const std::string& column);
  void record(std::string_view cell);
  // A person looked at an item, whatever they ticked.
  void looked(std::string_view item, std::string_view person, const Place& place);

  bool knows_person(std::string_view name) const { return said_.people.has(plain_name(name)); }

  // What to tell the user beside the votes; once, though each file of a folder may say it.
  void note(std::string sentence) {
    if (std::ranges::find(notes_, sentence) == notes_.end()) notes_.push_back(std::move(sentence));
  }
  // The column that the items are in.
  void name_items(const std::string& column) {
    if (item_column_.empty()) item_column_ = column;
  }
  void leave_out() { ++left_out_; }  // a judgement that was rejected
  // Lines that hold one tick each, or a list: the records of the file tell which.
  void lines_may_be_ticks() { said_.lines = SaidTicks::Lines::Unknown; }
  void lines_are_ticks() { said_.lines = SaidTicks::Lines::Ticks; }
  // Unless a line is without a tick, who saw none of the labels is not known.
  void assume_looks() { assumed_ = true; }
  // The file tells it otherwise.
  void know_looks() { known_ = true; }

  Ticks finish(const std::string& path, std::vector<std::string>* notes);

 private:
  SaidTicks::Look look_of(std::string_view item, std::string_view person, const Place& place);
  void add_word(std::string_view name, bool chosen);
  Ticks collect(const std::string& path);
  std::vector<std::uint32_t> merged(const std::vector<std::string>& names,
                                    const std::vector<std::size_t>& counts,
                                    const std::string& what);
  void tell_assumed_looks();

  const TickOptions& options_;
  SaidTicks said_;
  std::vector<std::string> notes_;
  std::string item_column_;
  std::size_t left_out_ = 0;
  bool assumed_ = false, known_ = false;
};

}  // namespace sieve
