#include "data/annotations/said_annotations.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "data/question.h"
#include "labelsieve/error.h"
#include "labelsieve/options.h"

namespace sieve {

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
  const auto rest = std::ranges::unique(found);
  found.erase(rest.begin(), rest.end());
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
