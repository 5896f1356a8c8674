#include "data/annotations/asked_labels.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/named_rows.h"
#include "data/csv/csv_cells.h"
#include "labelsieve/options.h"

namespace sieve {

void AskedLabels::add(std::string_view item, std::string_view annotator, std::string_view label,
                      Vote vote, const Place& place) {
  const auto [found, fresh] =
      number_of_.try_emplace({std::string(item), std::string(annotator)}, annotations_.size());
  if (fresh) annotations_.push_back({std::string(item), std::string(annotator), place});
  const auto [answer, first] =
      annotations_[found->second].answers.try_emplace(labels_.number(label), vote);
  replaced_ += answer->second != vote;
  answer->second = vote;
}

std::set<std::uint32_t> AskedLabels::chosen_labels(const std::string& path) const {
  const std::vector<std::string> names = labels_.names();
  std::set<std::uint32_t> chosen;
  if (chosen_.empty())
    for (std::uint32_t k = 0; k < names.size(); ++k) chosen.insert(chosen.end(), k);
  else
    for (const std::string& name : cells_of(chosen_, 1, ',', path)) {
      const auto found = std::ranges::find(names, name);
      if (found == names.end())
        throw Error(
            Failure::Usage, "nobody was asked about a label '" + name + "'", {path, 0, 0},
            did_you_mean(name, names, fmt::format("the labels are {}", fmt::join(names, ", "))));
      chosen.insert(static_cast<std::uint32_t>(found - names.begin()));
    }
  return chosen;
}

// "sea (12), wood (3)": how many annotations answer for each label.
std::string AskedLabels::counts_of(const std::set<std::uint32_t>& labels) const {
  constexpr std::size_t kShown = 10;
  const std::vector<std::string> names = labels_.names();
  std::vector<std::string> parts;
  for (const std::uint32_t label : labels) {
    if (parts.size() == kShown) {
      parts.emplace_back("...");
      break;
    }
    const auto asked = std::ranges::count_if(
        annotations_, [&](const Annotation& one) { return one.answers.contains(label); });
    parts.push_back(fmt::format("{} ({})", names[label], asked));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

namespace {

// Whether every answer about these labels is unsure.
bool says_nothing(const std::map<std::uint32_t, Vote>& answers,
                  const std::set<std::uint32_t>& labels) {
  return std::ranges::all_of(answers, [&](const auto& one) {
    return one.second == Vote::Unsure || !labels.contains(one.first);
  });
}

}  // namespace

void AskedLabels::finish(const AnnotationOptions& options, AnnotationSink& sink) {
  if (annotations_.empty()) return;
  const std::vector<std::string> names = labels_.names();
  const std::set<std::uint32_t> labels = chosen_labels(options.path);
  std::size_t partial = 0, complete = 0, relevant = 0;
  for (const Annotation& one : annotations_) {
    const auto asked = static_cast<std::size_t>(std::ranges::count_if(
        labels, [&](std::uint32_t label) { return one.answers.contains(label); }));
    if (asked == 0) continue;
    ++relevant;
    ++(asked == labels.size() ? complete : partial);
    if (asked != labels.size() && !options.all_annotators) continue;
    if (says_nothing(one.answers, labels)) {
      sink.skip();
      continue;
    }
    sink.annotate(one.item, one.annotator, one.place);
    for (const auto& [label, vote] : one.answers) {
      if (!labels.contains(label)) continue;
      if (vote == Vote::Yes) sink.tick(names[label]);
      if (vote == Vote::Unsure) sink.unsure(names[label]);
    }
  }
  if (complete == 0 && !options.all_annotators)
    throw Error(
        Failure::Data,
        fmt::format("no annotator was asked about all {} labels of an item; annotations per "
                    "label: {}",
                    labels.size(), counts_of(labels)),
        {options.path, 0, 0},
        fmt::format("read one label at a time, for example {}; or take labels that were not "
                    "asked about as not ticked with {}",
                    term("ticks.label", names[*labels.begin()]), term("ticks.all_people")));
  if (partial != 0)
    sink.note(fmt::format("{} of {} annotations were asked about only some of the {} labels: {}",
                          partial, relevant, labels.size(),
                          options.all_annotators
                              ? "the other labels count as not ticked"
                              : "they are left out; choose labels with " + term("ticks.label") +
                                    " to use them. Annotations per label: " + counts_of(labels)));
  if (replaced_ != 0)
    sink.note(
        fmt::format("answers that a later one of the same annotator replaces: {}", replaced_));
}

}  // namespace sieve
