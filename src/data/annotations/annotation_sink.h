#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/annotations/item_data.h"
#include "data/annotations/plain_names.h"
#include "data/annotations/said_annotations.h"
#include "labelsieve/data_io.h"
#include "labelsieve/error.h"

namespace sieve {

// Takes in annotations in any order: who looked at what, and what they ticked there. What a text
// means (a label, a list of them, no label) and which of several annotations of one annotator for
// one item count is decided by all of them in the end.
class AnnotationSink {
 public:
  // `data`, which may be null, takes in the data of the items.
  explicit AnnotationSink(const AnnotationOptions& options, ItemData* data = nullptr)
      : options_(options), data_(data) {}

  // An annotator looks at an item; what follows belongs to this annotation. Error(Data) at `place`
  // for a blank item or annotator.
  void annotate(std::string_view item, std::string_view annotator, const Place& place);
  // One label that was chosen, perhaps with a grade.
  void tick(std::string_view label, std::uint8_t grade = 0);
  // The text in a cell of that column: one label, or several with a separator.
  void text(std::string_view cell, const std::string& column, std::uint8_t grade = 0);
  // The same for labels that the annotation says nothing of: neither yes nor no.
  void unsure(std::string_view label);
  void unsure_text(std::string_view cell, const std::string& column);
  // The annotator is a program.
  void is_program(std::string_view annotator);
  // A cell of that column held a list, so that texts in its other cells are one label each.
  void has_lists(const std::string& column) { said_.has_lists[number_of(column)] = true; }
  // What follows is of another file. Unless it says otherwise, each record is an annotation.
  void begin_file() { said_.files.push_back({said_.annotations.size()}); }
  // Texts are what annotators chose in a form, where a word such as "none" is a choice they had;
  // and dates have the month first.
  void comes_from_a_marketplace() { said_.files.back().from_marketplace = true; }
  // When the annotation was made, and what names the record it came with; an empty cell says
  // nothing.
  void time(std::string_view cell, const std::string& column);
  void record(std::string_view cell);
  // An annotator looked at an item, whatever they ticked.
  void looked(std::string_view item, std::string_view annotator, const Place& place);

  // Where the data of the items go; null if nobody wants them.
  ItemData* data() const { return data_; }

  bool knows_annotator(std::string_view name) const {
    return said_.annotators.has(plain_name(name));
  }

  // What to tell the user beside the votes; once, though each file of a folder may say it.
  void note(std::string sentence) {
    if (std::ranges::find(notes_, sentence) == notes_.end()) notes_.push_back(std::move(sentence));
  }
  // The column that the items are in.
  void name_items(const std::string& column) {
    if (item_column_.empty()) item_column_ = column;
  }
  // A column of the file is taken for this: "id", "annotator", "label" ("labels" if it lists them),
  // "vote", "date", "ignore".
  void use(const std::string& column, std::string_view role) { used_.try_emplace(column, role); }
  const std::map<std::string, std::string>& used() const { return used_; }
  void leave_out() { ++left_out_; }  // an annotation that was rejected
  void skip() { ++skipped_; }        // an annotation that says nothing of any label
  // Lines that hold one tick each, or a list: the records of the file tell which.
  void lines_may_be_ticks() { said_.files.back().lines = SaidAnnotations::Lines::Unknown; }
  void lines_are_ticks() { said_.files.back().lines = SaidAnnotations::Lines::Ticks; }
  // Unless a line is without a tick, who saw none of the labels is not known.
  void assume_annotations() { assumed_ = true; }
  // The file tells it otherwise.
  void know_annotations() { known_ = true; }

  Annotations finish(const std::string& path, std::vector<std::string>* notes);

 private:
  SaidAnnotations::Annotation annotation_of(std::string_view item, std::string_view annotator,
                                            const Place& place);
  std::uint32_t number_of(const std::string& column);
  std::optional<std::uint32_t> word_of(std::string_view name);
  std::optional<std::uint32_t> chosen_word(std::string_view label);
  std::optional<std::uint32_t> text_word(std::string_view cell, const std::string& column);
  void say(std::optional<std::uint32_t> word, std::uint8_t grade);
  Annotations collect(const std::string& path);
  std::vector<std::uint32_t> merged(const std::vector<std::string>& names,
                                    const std::vector<std::size_t>& counts,
                                    const std::string& what);
  void note_assumed_annotations();

  const AnnotationOptions& options_;
  ItemData* data_;
  SaidAnnotations said_;
  std::vector<std::string> notes_;
  std::string item_column_;
  std::map<std::string, std::string> used_;
  std::size_t left_out_ = 0, skipped_ = 0;
  bool assumed_ = false, known_ = false;
};

}  // namespace sieve
