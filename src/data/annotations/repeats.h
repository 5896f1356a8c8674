#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "data/annotations/said_annotations.h"
#include "data/annotations/word_labels.h"
#include "labelsieve/data_io.h"

namespace sieve {

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
