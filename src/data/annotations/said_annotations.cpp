#include "data/annotations/said_annotations.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <set>
#include <span>
#include <unordered_map>
#include <utility>

#include "data/annotations/label_lists.h"
#include "data/annotations/plain_names.h"
#include "data/ids.h"
#include "data/parts_of_list.h"
#include "data/question.h"
#include "labelsieve/error.h"
#include "labelsieve/options.h"

namespace sieve {
namespace {

// A comma where there are none: a setting needs a value.
std::string listed(const std::set<std::string>& words) {
  return words.empty() ? "," : fmt::format("{}", fmt::join(words, ","));
}

class WordReader {
 public:
  WordReader(const SaidAnnotations& said, const AnnotationOptions& options, const std::string& path)
      : said_(said), options_(options), path_(path), names_(said.words.names()) {
    counts_.resize(names_.size());
    for (const std::uint32_t word : said.said) ++counts_[word];
  }

  WordLabels read() {
    choose_separators();
    cut_words();
    return std::move(out_);
  }

 private:
  void note(std::string sentence) { out_.notes.push_back(std::move(sentence)); }

  bool is_whole(std::size_t word) const {
    return said_.chosen[word] || is_empty_word(names_[word]) ||
           (options_.separator.empty() && said_.is_beside_lists(word));
  }

  // Some write "a, b" and some "a/b": parts may be lists with another separator.
  void choose_separators() {
    if (!options_.separator.empty()) {
      separators_ = {LabelCutter(options_.separator, {}).separator()};
      return;
    }
    std::set<std::string_view> texts;
    for (std::size_t k = 0; k < names_.size(); ++k)
      if (!is_whole(k)) texts.insert(names_[k]);
    while (true) {
      const Separation found = separation_of({texts.begin(), texts.end()});
      if (found.texts != Separation::Texts::Lists) return note_uncut(found, texts);
      separators_.emplace_back(found.separator);
      note("labels in " + said_.text_columns() + " are separated by '" +
           std::string(found.separator == "\n" ? "line ends" : found.separator) + "'");
      out_.has_lists = true;
      std::set<std::string_view> parts;
      for (const std::string_view text : texts)
        for_parts(text, found.separator, [&](std::string_view part) { parts.insert(part); });
      texts = std::move(parts);
    }
  }

  bool from_a_marketplace() const {
    return std::ranges::any_of(said_.files, &SaidAnnotations::File::from_marketplace);
  }

  void note_uncut(const Separation& found, const std::set<std::string_view>& texts) {
    if (!separators_.empty()) return;  // see cut_words()
    if (found.texts == Separation::Texts::Doubtful) ask_for_separator(found);
    if (const auto uncut = texts_with_separator({texts.begin(), texts.end()}); !uncut.empty()) {
      note(
          "texts with a separator in them are one label each, as their parts are no labels "
          "elsewhere: " +
          counted_names(uncut.size(), uncut) + "; " + term("ticks.separator") + " would cut them");
    }
  }

  [[noreturn]] void ask_for_separator(const Separation& found) const {
    const std::string mark(found.separator == "\t" ? "tab" : found.separator);
    throw ReadQuestion(
        fmt::format("cannot tell whether texts in {} are lists of labels or one label "
                    "each, as only some of their parts are labels elsewhere: {}",
                    said_.text_columns(), counted_names(found.examples.size(), found.examples)),
        {path_, 0, 0},
        {{"to cut them", {{"ticks.separator", mark}}},
         {"to take each as one label", {{"ticks.separator", std::string(kNoSeparator)}}}});
  }

  template <class Visit>
  void for_all_parts(std::string_view text, std::span<const std::string> separators,
                     const Visit& visit) const {
    if (separators.empty()) return visit(plain_name(text));
    for_parts(text, separators.front(),
              [&](std::string_view part) { for_all_parts(part, separators.subspan(1), visit); });
  }

  void cut_words() {
    out_.of_word.resize(names_.size());
    for (std::size_t k = 0; k < names_.size(); ++k)
      for_all_parts(names_[k],
                    is_whole(k) ? std::span<const std::string>() : std::span(separators_),
                    [&](std::string_view part) { add_label(k, part); });
    settle_doubtful();
    if (!doubtful_.empty()) ask_for_empty_words();
    if (!empty_.empty())
      note("taken as no label: " + shown(counted(empty_)) + "; " + term("ticks.empty_words") +
           " says which words mean that");
    if (!chosen_empty_.empty())
      note("taken as labels, though they may mean that there is none: " +
           shown(counted(chosen_empty_)) + "; " + term("ticks.empty_words") +
           " says which words mean that");
    out_.names = label_index_.names();
    if (separators_.empty() || options_.separator == kNoSeparator) return;
    if (const auto uncut = list_like_labels(out_.names); !uncut.empty())
      note("labels that look like an unsplit list: " + counted_names(uncut.size(), uncut) +
           "; check " + term("ticks.separator"));
  }

  void add_label(std::size_t word, std::string_view name) {
    if (name.empty()) return;
    const bool is_doubtful = !options_.empty_words && is_doubtful_word(name);
    if (options_.empty_words) {
      if (is_named_empty(name)) return count(empty_, word, name);
    } else if (said_.chosen[word]) {
      if (is_empty_word(name) || is_doubtful) count(chosen_empty_, word, name);
    } else if (is_empty_word(name)) {
      return count(empty_, word, name);
    } else if (is_doubtful) {
      count(from_a_marketplace() ? chosen_empty_ : doubtful_, word, name);
    }
    const std::uint32_t label = label_index_.number(name);
    out_.counts.resize(label_index_.size());
    out_.counts[label] += counts_[word];
    out_.of_word[word].push_back(label);
    if (is_doubtful) doubtful_labels_.emplace(label, folded_name(name));
  }

  // Who lists a word beside labels does not mean that there is none.
  void settle_doubtful() {
    std::set<std::string> beside_labels;
    for (const std::vector<std::uint32_t>& labels : out_.of_word)
      if (labels.size() > 1 && !doubtful_.empty())
        for (const std::uint32_t label : labels)
          if (doubtful_labels_.contains(label)) beside_labels.insert(doubtful_labels_.at(label));
    std::erase_if(doubtful_, [&](const auto& counted) {
      const bool is_label = beside_labels.contains(folded_name(counted.first));
      if (is_label) chosen_empty_.insert(counted);
      return is_label;
    });
  }

  bool is_named_empty(std::string_view name) const {
    bool found = false;
    for_parts(*options_.empty_words, ",",
              [&](std::string_view word) { found |= folded_name(word) == folded_name(name); });
    return found;
  }

  using Counts = std::map<std::string, std::size_t, std::less<>>;
  void count(Counts& counts, std::size_t word, std::string_view name) {
    counts[std::string(name)] += counts_[word];
  }
  static std::vector<CountedName> counted(const Counts& counts) {
    std::vector<CountedName> names;
    for (const auto& [name, count] : counts) names.push_back({name, count});
    return names;
  }

  [[noreturn]] void ask_for_empty_words() const {
    std::set<std::string> sure, all;
    for (const auto& [name, count] : empty_) sure.insert(folded_name(name));
    all = sure;
    for (const auto& [name, count] : doubtful_) all.insert(folded_name(name));
    throw ReadQuestion("cannot tell whether these are labels or mean that there is none: " +
                           shown(counted(doubtful_)),
                       {path_, 0, 0},
                       {{"if they mean that there is none", {{"ticks.empty_words", listed(all)}}},
                        {"if they are labels", {{"ticks.empty_words", listed(sure)}}}});
  }

  const SaidAnnotations& said_;
  const AnnotationOptions& options_;
  const std::string& path_;
  std::vector<std::string> names_;  // of the words, and how often each was said
  std::vector<std::size_t> counts_;
  std::vector<std::string> separators_;
  NameIndex label_index_;
  Counts empty_, doubtful_, chosen_empty_;
  std::unordered_map<std::uint32_t, std::string> doubtful_labels_;  // and the folded name of each
  WordLabels out_;
};

}  // namespace

WordLabels labels_of_words(const SaidAnnotations& said, const AnnotationOptions& options,
                           const std::string& path) {
  return WordReader(said, options, path).read();
}

using Lines = SaidAnnotations::Lines;

Repeats::Repeats(const SaidAnnotations& said, const WordLabels& labels,
                 const std::vector<std::uint32_t>& annotator_of, const AnnotationOptions& options,
                 const std::string& path)
    : said_(said), labels_(labels), options_(options), path_(path) {
  order_.reserve(said.annotations.size());
  for (std::size_t i = 0; i < said.annotations.size(); ++i) {
    const SaidAnnotations::Annotation& annotation = said.annotations[i];
    order_.push_back(
        {std::uint64_t{annotation.item} << 32 | annotator_of[annotation.annotator], i});
  }
  std::ranges::sort(order_);
  const std::vector<std::string> annotators = said.annotators.names();
  if (const auto nobody = std::ranges::find(annotators, kEveryone); nobody != annotators.end())
    nobody_ = annotator_of[static_cast<std::size_t>(nobody - annotators.begin())];
  has_times_ = said.times.size() == said.annotations.size() &&
               std::ranges::none_of(said.times, [](double time) { return std::isnan(time); });
  if (has_times_) sort_by_time();
  rule_ = choose_rule();
}

template <class Visitor>
void Repeats::for_ranges(const Visitor& visit) const {
  for (std::size_t from = 0, to = 0; from < order_.size(); from = to) {
    while (to < order_.size() && order_[to].group == order_[from].group) ++to;
    visit(from, to - from);
  }
}

void Repeats::sort_by_time() {
  for_ranges([&](std::size_t from, std::size_t count) {
    std::ranges::stable_sort(std::span(order_).subspan(from, count), {},
                             [&](const Place& place) { return said_.times[place.annotation]; });
  });
}

std::uint64_t Repeats::key_of(Rule rule, std::size_t annotation) const {
  switch (rule) {
    case Rule::Annotation:
      return annotation;
    case Rule::Time:
      return std::bit_cast<std::uint64_t>(said_.times[annotation]);
    case Rule::Record:
      return said_.records[annotation];
    case Rule::All:
      break;
  }
  return 0;
}

std::size_t Repeats::keys_of(Rule rule, const Group& group) const {
  if (group.annotations.size() == 1) return 1;
  std::set<std::uint64_t> keys;
  for (const Place& place : group.annotations) keys.insert(key_of(rule, place.annotation));
  return keys.size();
}

Repeats::Sharing Repeats::sharing(Rule rule) const {
  Sharing found;
  for_ranges([&](std::size_t from, std::size_t count) {
    const Group group{std::span(order_).subspan(from, count)};
    if (count < 2 || is_nobody(group) || !may_be_ticks(group)) return;
    const std::size_t keys = keys_of(rule, group);
    ++(keys < count ? found.shared : found.unshared);
    found.differing += keys > 1;
  });
  return found;
}

// ---- the rule -----------------------------------------------------------------------------------

// Of somebody who is in files of several kinds, that of the last.
Repeats::Rule Repeats::rule_for(const Group& group) const {
  if (is_nobody(group) || options_.repeats == "union") return Rule::All;
  switch (said_.file_of(group.annotations.back().annotation).lines) {
    case Lines::Ticks:
      return Rule::All;
    case Lines::Annotations:
      return Rule::Annotation;
    case Lines::Unknown:
      break;
  }
  return rule_;
}

Repeats::Rule Repeats::choose_rule() {
  const std::size_t several = sharing(Rule::Annotation).unshared;
  if (several == 0) return Rule::All;
  if (said_.records.size() == said_.annotations.size() && sharing(Rule::Record).tells())
    return Rule::Record;
  const Sharing times = has_times_ ? sharing(Rule::Time) : Sharing();
  if (times.tells()) return Rule::Time;
  std::size_t lists = 0;
  for (std::size_t annotation = 0; annotation < said_.annotations.size(); ++annotation)
    lists +=
        said_.file_of(annotation).lines == Lines::Unknown && labels_.count(said_, annotation) > 1;
  if (lists >= several) return Rule::Annotation;
  if (lists == 0 && times.differing == 0) return rule_for_single_labels(several);
  if (options_.repeats.empty())
    ask(several, lists == 0 ? "at different times" : "though some lines list several labels");
  return lists == 0 ? Rule::Time : Rule::Annotation;
}

// Lists of one label each may be annotations, or labels that are written so for the marks in them.
Repeats::Rule Repeats::rule_for_single_labels(std::size_t several) {
  if (!said_.any_lists()) return Rule::All;
  if (!options_.repeats.empty()) return Rule::Annotation;
  notes_.push_back(fmt::format(
      "several lines of one annotator for one item are one annotation ({} times); {} takes the "
      "last line alone",
      several, term("ticks.repeats", "last")));
  return Rule::All;
}

void Repeats::ask(std::size_t several, const std::string& how) const {
  throw ReadQuestion(
      fmt::format("cannot tell what several lines of one annotator for one item are, {} "
                  "({} times): labels of one annotation, or answers that were revised",
                  how, several),
      {path_, 0, 0},
      {{"if they are labels of one annotation", {{"ticks.repeats", "union"}}},
       {"if the last line replaces those before", {{"ticks.repeats", "last"}}}});
}

// ---- what counts --------------------------------------------------------------------------------

template <class Test>
std::vector<std::uint32_t> Repeats::labels_where(const Group& group,
                                                 const std::vector<std::uint32_t>& label_of,
                                                 const Test& test) const {
  std::vector<std::uint32_t> found;
  for (const Place& place : group.annotations)
    if (test(place.annotation))
      said_.for_words(place.annotation, [&](std::uint32_t word) {
        for (const std::uint32_t label : labels_.of_word[word]) found.push_back(label_of[label]);
      });
  std::ranges::sort(found);
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

template <class Test>
std::vector<std::uint8_t> Repeats::grades_where(const Group& group,
                                                const std::vector<std::uint32_t>& label_of,
                                                const std::vector<std::uint32_t>& labels,
                                                const Test& test) const {
  std::vector<std::uint8_t> grades(labels.size());
  if (said_.graded.empty()) return grades;
  for (const Place& place : group.annotations)
    if (test(place.annotation))
      said_.for_graded(place.annotation, [&](std::uint32_t word, std::uint8_t grade) {
        for (const std::uint32_t label : labels_.of_word[word]) {
          const auto at = std::ranges::lower_bound(labels, label_of[label]) - labels.begin();
          std::uint8_t& highest = grades[static_cast<std::size_t>(at)];
          highest = std::max(highest, grade);
        }
      });
  return grades;
}

template <class Test>
std::vector<std::uint32_t> Repeats::unsure_where(const Group& group,
                                                 const std::vector<std::uint32_t>& label_of,
                                                 const Test& test) const {
  std::vector<std::uint32_t> found;
  if (said_.unsure.empty()) return found;
  for (const Place& place : group.annotations)
    if (test(place.annotation))
      said_.for_unsure(place.annotation, [&](std::uint32_t word) {
        for (const std::uint32_t label : labels_.of_word[word]) found.push_back(label_of[label]);
      });
  return found;
}

void Repeats::for_annotations(const std::vector<std::uint32_t>& label_of, const Visit& visit) {
  std::size_t again = 0, revised = 0;
  bool by_time = false;
  for_ranges([&](std::size_t from, std::size_t count) {
    const Group group{std::span(order_).subspan(from, count)};
    const Rule rule = rule_for(group);
    const std::size_t first = group.annotations.front().annotation,
                      last = group.annotations.back().annotation;
    const std::uint64_t key = key_of(rule, options_.repeats == "first" ? first : last);
    const auto counts = [&](std::size_t annotation) { return key_of(rule, annotation) == key; };
    const std::vector<std::uint32_t> kept = labels_where(group, label_of, counts);
    visit(group.item(), group.annotator(), kept, grades_where(group, label_of, kept, counts),
          unsure_where(group, label_of, counts));
    const std::size_t keys = keys_of(rule, group);
    if (keys == 1) return;
    again += keys - 1;
    revised += labels_where(group, label_of, std::not_fn(counts)) != kept;
    by_time |= has_times_ && said_.times[first] < said_.times[last];
  });
  if (again > 0) tell(again, revised, by_time);
}

void Repeats::tell(std::size_t again, std::size_t revised, bool by_time) {
  notes_.push_back(fmt::format(
      "annotators who annotated an item again: {} annotations, of {} items with other labels; the "
      "{} {} counts; {} counts all labels",
      again, revised, options_.repeats == "first" ? "first" : "last",
      by_time ? fmt::format("by '{}'", fmt::join(said_.time_columns, "' or '"))
              : std::string("in the file"),
      term("ticks.repeats", "union")));
  if (!has_times_ && !said_.unreadable_time.empty())
    notes_.push_back(fmt::format(
        "times in '{}' cannot be read ('{}'): annotations count in the order of the file",
        fmt::join(said_.time_columns, "' or '"), said_.unreadable_time));
}

}  // namespace sieve
