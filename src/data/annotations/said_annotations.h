#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "data/name_index.h"

namespace sieve {

// The annotator of ticks that are nobody's in particular.
inline constexpr std::string_view kEveryone = "everyone";

// What an answer says of a label.
enum class Vote { No, Yes, Unsure };

// With a grade: how many steps above the lowest one that is a yes.
struct Answer {
  Answer(Vote said, std::uint8_t steps = 0) : vote(said), grade(steps) {}
  Vote vote;
  std::uint8_t grade;
};

// What files of annotations say, before it is decided what that means.
struct SaidAnnotations {
  struct Annotation {
    std::uint32_t item, annotator;
    std::uint64_t first_word;
  };
  enum class Lines { Annotations, Ticks, Unknown };
  // What is known of all annotations of a file.
  struct File {
    std::size_t first;  // annotation
    Lines lines = Lines::Annotations;
    bool from_marketplace = false;  // texts were chosen in a form, dates have the month first
  };

  NameIndex items, annotators, words;  // a word is what was said for a label, or for several
  std::vector<bool> chosen;            // words: as one label of a list, not as a text
  static constexpr std::uint32_t kNoColumn = 0xffffffff;
  std::vector<std::uint32_t> column_of;  // words: of the first such text
  std::vector<Annotation> annotations;
  std::vector<std::uint32_t> said;  // words, look by look
  struct Unsure {
    std::uint64_t annotation;
    std::uint32_t word;
  };
  std::vector<Unsure> unsure;  // words that are neither a yes nor a no, in the order of annotations
  struct Graded {
    std::uint64_t annotation;
    std::uint32_t word;
    std::uint8_t grade;
  };
  std::vector<Graded> graded;  // words that were said with a grade above 0, in the same order
  std::vector<bool> programs;  // of the annotators; those beyond its end are people
  std::vector<double> times;   // of the annotations, or empty; NaN where it is not known
  std::vector<std::uint64_t> records;  // of the annotations, or empty: a hash of each; 0 for none
  std::vector<Annotation> only_looked;
  NameIndex columns;            // of texts and lists
  std::vector<bool> has_lists;  // columns: a cell holds a list, so that texts are one label each
  std::vector<std::string> time_columns;
  std::string unreadable_time;
  std::vector<File> files = {{0}};

  const File& file_of(std::size_t annotation) const {
    return *std::prev(std::ranges::upper_bound(files, annotation, {}, &File::first));
  }
  bool any_lists() const { return std::ranges::find(has_lists, true) != has_lists.end(); }
  bool is_beside_lists(std::size_t word) const {
    return column_of[word] != kNoColumn && has_lists[column_of[word]];
  }
  // Of texts that may be lists.
  std::string text_columns() const {
    std::string shown;
    for (std::size_t k = 0; k < has_lists.size(); ++k)
      if (!has_lists[k]) shown += (shown.empty() ? "'" : ", '") + columns.names()[k] + "'";
    return shown;
  }
  template <class Visit>
  void for_words(std::size_t annotation, const Visit& visit) const {
    const std::uint64_t end =
        annotation + 1 < annotations.size() ? annotations[annotation + 1].first_word : said.size();
    for (std::uint64_t i = annotations[annotation].first_word; i < end; ++i) visit(said[i]);
  }
  template <class Visit>
  void for_unsure(std::size_t annotation, const Visit& visit) const {
    if (unsure.empty()) return;
    for (const Unsure& one : std::ranges::equal_range(unsure, annotation, {}, &Unsure::annotation))
      visit(one.word);
  }
  template <class Visit>
  void for_graded(std::size_t annotation, const Visit& visit) const {
    for (const Graded& one : std::ranges::equal_range(graded, annotation, {}, &Graded::annotation))
      visit(one.word, one.grade);
  }
};

}  // namespace sieve
