#include "labelsieve/labels.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace sieve {

void Votes::append_annotation(std::uint32_t annotator, std::span<const std::uint32_t> ticked) {
  annotator_.push_back(annotator);
  label_.insert(label_.end(), ticked.begin(), ticked.end());
  first_tick_.push_back(label_.size());
}

LabelMatrix Votes::any_tick(std::size_t labels) const {
  LabelMatrix out(rows(), labels);
  for (std::size_t row = 0; row < rows(); ++row)
    for (std::size_t annotation = first_annotation(row); annotation < first_annotation(row + 1);
         ++annotation)
      for (const std::uint32_t label : ticked(annotation)) out.set(row, label);
  return out;
}

Votes Votes::select_rows(std::span<const std::size_t> rows) const {
  Votes out;
  out.annotators_ = annotators_;
  for (const std::size_t row : rows) {
    for (std::size_t annotation = first_annotation(row); annotation < first_annotation(row + 1);
         ++annotation)
      out.append_annotation(annotator(annotation), ticked(annotation));
    out.first_annotation_.push_back(out.annotations());
  }
  return out;
}

Votes Votes::select_labels(std::span<const std::size_t> labels) const {
  Votes out;
  out.annotators_ = annotators_;
  out.first_annotation_ = first_annotation_;
  std::vector<std::uint32_t> kept;
  for (std::size_t annotation = 0; annotation < annotations(); ++annotation) {
    kept.clear();
    for (const std::uint32_t label : ticked(annotation))
      if (const auto at = std::ranges::lower_bound(labels, label);
          at != labels.end() && *at == label)
        kept.push_back(static_cast<std::uint32_t>(at - labels.begin()));
    out.append_annotation(annotator(annotation), kept);
  }
  return out;
}

Votes Votes::renumber_labels(std::span<const std::uint32_t> number) const {
  Votes out = *this;
  for (std::uint32_t& label : out.label_) label = number[label];
  for (std::size_t annotation = 0; annotation < annotations(); ++annotation)
    std::sort(out.label_.begin() + static_cast<std::ptrdiff_t>(first_tick_[annotation]),
              out.label_.begin() + static_cast<std::ptrdiff_t>(first_tick_[annotation + 1]));
  return out;
}

void VoteCollector::annotate(std::uint32_t row, std::uint32_t annotator) {
  said_.push_back({row, annotator, kNoLabel});
}

void VoteCollector::tick(std::uint32_t row, std::uint32_t annotator, std::uint32_t label) {
  said_.push_back({row, annotator, label});
}

Votes VoteCollector::finish(std::size_t rows, std::vector<std::string> annotators) {
  if (!std::ranges::is_sorted(said_)) std::ranges::sort(said_);
  said_.erase(std::unique(said_.begin(), said_.end()), said_.end());

  Votes out;
  out.annotators_ = std::move(annotators);
  std::vector<std::uint32_t> ticked;
  std::size_t at = 0;
  for (std::size_t row = 0; row < rows; ++row) {
    while (at < said_.size() && said_[at].row == row) {
      const std::uint32_t annotator = said_[at].annotator;
      ticked.clear();
      for (; at < said_.size() && said_[at].row == row && said_[at].annotator == annotator; ++at)
        if (said_[at].label != kNoLabel) ticked.push_back(said_[at].label);
      out.append_annotation(annotator, ticked);
    }
    out.first_annotation_.push_back(out.annotations());
  }
  said_ = {};
  return out;
}

Votes stack_rows(const Votes& above, const Votes& below) {
  std::vector<std::string> annotators(above.annotators().begin(), above.annotators().end());
  std::unordered_map<std::string, std::uint32_t> number;
  for (const std::string& name : annotators)
    number.emplace(name, static_cast<std::uint32_t>(number.size()));
  VoteCollector collected;
  const auto collect = [&](const Votes& votes, std::size_t first_row, auto annotator_of) {
    for (std::size_t row = 0; row < votes.rows(); ++row)
      for (std::size_t annotation = votes.first_annotation(row);
           annotation < votes.first_annotation(row + 1); ++annotation) {
        const auto to = static_cast<std::uint32_t>(first_row + row);
        collected.annotate(to, annotator_of(annotation));
        for (const std::uint32_t label : votes.ticked(annotation))
          collected.tick(to, annotator_of(annotation), label);
      }
  };
  collect(above, 0, [&](std::size_t annotation) { return above.annotator(annotation); });
  std::vector<std::uint32_t> renumbered;
  for (const std::string& name : below.annotators()) {
    const auto [at, fresh] = number.emplace(name, static_cast<std::uint32_t>(annotators.size()));
    if (fresh) annotators.push_back(name);
    renumbered.push_back(at->second);
  }
  collect(below, above.rows(),
          [&](std::size_t annotation) { return renumbered[below.annotator(annotation)]; });
  return collected.finish(above.rows() + below.rows(), std::move(annotators));
}

}  // namespace sieve
