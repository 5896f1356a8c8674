#include "labelsieve/labels.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace sieve {

void Votes::append_look(std::uint32_t person, std::span<const std::uint32_t> ticked) {
  person_.push_back(person);
  label_.insert(label_.end(), ticked.begin(), ticked.end());
  first_tick_.push_back(label_.size());
}

LabelMatrix Votes::any_tick(std::size_t labels) const {
  LabelMatrix out(rows(), labels);
  for (std::size_t row = 0; row < rows(); ++row)
    for (std::size_t look = first_look(row); look < first_look(row + 1); ++look)
      for (const std::uint32_t label : ticked(look)) out.set(row, label);
  return out;
}

Votes Votes::select_rows(std::span<const std::size_t> rows) const {
  Votes out;
  out.people_ = people_;
  for (const std::size_t row : rows) {
    for (std::size_t look = first_look(row); look < first_look(row + 1); ++look)
      out.append_look(person(look), ticked(look));
    out.first_look_.push_back(out.looks());
  }
  return out;
}

Votes Votes::select_labels(std::span<const std::size_t> labels) const {
  Votes out;
  out.people_ = people_;
  out.first_look_ = first_look_;
  std::vector<std::uint32_t> kept;
  for (std::size_t look = 0; look < looks(); ++look) {
    kept.clear();
    for (const std::uint32_t label : ticked(look))
      if (const auto at = std::ranges::lower_bound(labels, label);
          at != labels.end() && *at == label)
        kept.push_back(static_cast<std::uint32_t>(at - labels.begin()));
    out.append_look(person(look), kept);
  }
  return out;
}

Votes Votes::renumber_labels(std::span<const std::uint32_t> number) const {
  Votes out = *this;
  for (std::uint32_t& label : out.label_) label = number[label];
  for (std::size_t look = 0; look < looks(); ++look)
    std::sort(out.label_.begin() + static_cast<std::ptrdiff_t>(first_tick_[look]),
              out.label_.begin() + static_cast<std::ptrdiff_t>(first_tick_[look + 1]));
  return out;
}

void VoteCollector::look(std::uint32_t row, std::uint32_t person) {
  said_.push_back({row, person, kNoLabel});
}

void VoteCollector::tick(std::uint32_t row, std::uint32_t person, std::uint32_t label) {
  said_.push_back({row, person, label});
}

Votes VoteCollector::finish(std::size_t rows, std::vector<std::string> people) {
  if (!std::ranges::is_sorted(said_)) std::ranges::sort(said_);
  said_.erase(std::unique(said_.begin(), said_.end()), said_.end());

  Votes out;
  out.people_ = std::move(people);
  std::vector<std::uint32_t> ticked;
  std::size_t at = 0;
  for (std::size_t row = 0; row < rows; ++row) {
    while (at < said_.size() && said_[at].row == row) {
      const std::uint32_t person = said_[at].person;
      ticked.clear();
      for (; at < said_.size() && said_[at].row == row && said_[at].person == person; ++at)
        if (said_[at].label != kNoLabel) ticked.push_back(said_[at].label);
      out.append_look(person, ticked);
    }
    out.first_look_.push_back(out.looks());
  }
  said_ = {};
  return out;
}

Votes stack_rows(const Votes& above, const Votes& below) {
  std::vector<std::string> people(above.people().begin(), above.people().end());
  std::unordered_map<std::string, std::uint32_t> number;
  for (const std::string& name : people)
    number.emplace(name, static_cast<std::uint32_t>(number.size()));
  VoteCollector collected;
  const auto collect = [&](const Votes& votes, std::size_t first_row, auto person_of) {
    for (std::size_t row = 0; row < votes.rows(); ++row)
      for (std::size_t look = votes.first_look(row); look < votes.first_look(row + 1); ++look) {
        const auto to = static_cast<std::uint32_t>(first_row + row);
        collected.look(to, person_of(look));
        for (const std::uint32_t label : votes.ticked(look))
          collected.tick(to, person_of(look), label);
      }
  };
  collect(above, 0, [&](std::size_t look) { return above.person(look); });
  std::vector<std::uint32_t> renumbered;
  for (const std::string& name : below.people()) {
    const auto [at, fresh] = number.emplace(name, static_cast<std::uint32_t>(people.size()));
    if (fresh) people.push_back(name);
    renumbered.push_back(at->second);
  }
  collect(below, above.rows(), [&](std::size_t look) { return renumbered[below.person(look)]; });
  return collected.finish(above.rows() + below.rows(), std::move(people));
}

}  // namespace sieve
