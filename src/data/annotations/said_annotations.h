#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/name_index.h"
#include "labelsieve/data_io.h"

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
    for_lines_of(unsure, annotation, [&](const Unsure& one) { visit(one.word); });
  }
  template <class Visit>
  void for_graded(std::size_t annotation, const Visit& visit) const {
    for_lines_of(graded, annotation, [&](const Graded& one) { visit(one.word, one.grade); });
  }

 private:
  // Lines stand in the order of annotations.
  template <class Line, class Visit>
  static void for_lines_of(const std::vector<Line>& lines, std::size_t annotation,
                           const Visit& visit) {
    auto line = std::ranges::lower_bound(lines, annotation, {}, &Line::annotation);
    for (; line != lines.end() && line->annotation == annotation; ++line) visit(*line);
  }
};

// The labels that each word stands for: a text may list several of them, or mean that there is
// none.
struct WordLabels {
  std::vector<std::vector<std::uint32_t>> of_word;
  std::vector<std::string> names;   // of the labels
  std::vector<std::size_t> counts;  // how often each was said
  bool has_lists = false;           // some texts were cut
  std::vector<std::string> notes;

  std::size_t count(const SaidAnnotations& said, std::size_t annotation) const {
    std::size_t labels = 0;
    said.for_words(annotation, [&](std::uint32_t word) { labels += of_word[word].size(); });
    return labels;
  }
};

// By all words together; see docs/formats/ticks.md. Error(Data) at `path` where they do not tell
// and the options do not either.
WordLabels labels_of_words(const SaidAnnotations& said, const AnnotationOptions& options,
                           const std::string& path);

// Which annotations of an annotator at an item count, where there are several.
class Repeats {
 public:
  // `person_of` has the number that an annotator of the annotations goes by. Error(Data) at `path`
  // where it cannot be told what several lines are. All must outlive it.
  Repeats(const SaidAnnotations& said, const WordLabels& labels,
          const std::vector<std::uint32_t>& annotator_of, const AnnotationOptions& options,
          const std::string& path);

  // Calls visit(item, annotator, labels, grades, unsure) with what counts of each annotator at each
  // item; labels ascend, and each has a grade. `label_of` has the number that a label goes by.
  using Visit = std::function<void(
      std::uint32_t item, std::uint32_t annotator, const std::vector<std::uint32_t>& labels,
      const std::vector<std::uint8_t>& grades, const std::vector<std::uint32_t>& unsure)>;
  void for_annotations(const std::vector<std::uint32_t>& label_of, const Visit& visit);

  // What to tell the user, after for_annotations().
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  // What makes one annotation of the annotations of an annotator at an item: all of them, or each
  // annotation, or those with the same time or record.
  enum class Rule { All, Annotation, Time, Record };
  struct Place {
    std::uint64_t group;  // item and annotator
    std::size_t annotation;
    friend auto operator<=>(const Place&, const Place&) = default;
  };
  // The annotations of one annotator at one item, in the order of time.
  struct Group {
    std::span<const Place> annotations;
    std::uint32_t item() const { return static_cast<std::uint32_t>(annotations[0].group >> 32); }
    std::uint32_t annotator() const { return static_cast<std::uint32_t>(annotations[0].group); }
  };
  // Groups of several annotations of which some share a key, or none do; and those of several keys.
  struct Sharing {
    std::size_t shared = 0, unshared = 0, differing = 0;
    bool tells() const { return shared > 0 && shared >= unshared && differing > 0; }
  };

  void sort_by_time();
  template <class Visitor>
  void for_ranges(const Visitor& visit) const;
  bool is_nobody(const Group& group) const { return group.annotator() == nobody_; }
  bool may_be_ticks(const Group& group) const {
    const std::size_t last = group.annotations.back().annotation;
    return said_.file_of(last).lines == SaidAnnotations::Lines::Unknown;
  }
  Rule rule_for(const Group& group) const;
  std::uint64_t key_of(Rule rule, std::size_t annotation) const;
  std::size_t keys_of(Rule rule, const Group& group) const;
  Sharing sharing(Rule rule) const;
  Rule choose_rule();
  Rule rule_for_single_labels(std::size_t several);
  [[noreturn]] void ask(std::size_t several, const std::string& how) const;
  template <class Test>
  std::vector<std::uint32_t> labels_where(const Group& group,
                                          const std::vector<std::uint32_t>& label_of,
                                          const Test& test) const;
  // The highest of each label.
  template <class Test>
  std::vector<std::uint8_t> grades_where(const Group& group,
                                         const std::vector<std::uint32_t>& label_of,
                                         const std::vector<std::uint32_t>& labels,
                                         const Test& test) const;
  template <class Test>
  std::vector<std::uint32_t> unsure_where(const Group& group,
                                          const std::vector<std::uint32_t>& label_of,
                                          const Test& test) const;
  void tell(std::size_t again, std::size_t revised, bool by_time);

  const SaidAnnotations& said_;
  const WordLabels& labels_;
  const AnnotationOptions& options_;
  const std::string& path_;
  std::vector<Place> order_;
  std::uint32_t nobody_ = 0xffffffff;
  bool has_times_ = false;
  Rule rule_ = Rule::All;  // for lines that may be ticks
  std::vector<std::string> notes_;
};

}  // namespace sieve
