#include "labelsieve/labels.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace sieve {

void Votes::append_annotation(std::uint32_t annotator, std::span<const std::uint32_t> ticked,
                              std::span<const std::uint32_t> unsure,
                              std::span<const std::uint8_t> grades) {
  annotator_.push_back(annotator);
  label_.insert(label_.end(), ticked.begin(), ticked.end());
  if (!grade_.empty() ||
      std::ranges::any_of(grades, [](std::uint8_t grade) { return grade > 0; })) {
    grade_.resize(label_.size());
    std::ranges::copy(grades, grade_.end() - static_cast<std::ptrdiff_t>(ticked.size()));
  }
  first_tick_.push_back(label_.size());
  if (unsure.empty() && first_unsure_.empty()) return;
  // Nobody was unsure so far.
  if (first_unsure_.empty()) first_unsure_.assign(annotator_.size(), 0);
  unsure_.insert(unsure_.end(), unsure.begin(), unsure.end());
  first_unsure_.push_back(unsure_.size());
}

bool Votes::is_unsure(std::size_t annotation, std::uint32_t label) const {
  return std::ranges::binary_search(unsure(annotation), label);
}

std::size_t Votes::votes_on(std::size_t row, std::size_t label) const {
  std::size_t count = annotations(row);
  if (unsure_.empty()) return count;
  for (std::size_t annotation = first_annotation(row); annotation < first_annotation(row + 1);
       ++annotation)
    count -= speaks_of(annotation, static_cast<std::uint32_t>(label)) ? 0U : 1U;
  return count;
}

void Votes::declare(std::vector<std::uint32_t> groups, std::vector<std::uint8_t> programs) {
  group_ = std::move(groups);
  program_ = std::move(programs);
  if (std::ranges::find(program_, std::uint8_t{1}) == program_.end()) program_.clear();
  if (!program_.empty() && group_.empty()) group_.assign(annotators_.size(), kNoGroup);
  std::uint32_t next = 0;
  for (const std::uint32_t group : group_)
    if (group != kNoGroup) next = std::max(next, group + 1);
  for (std::size_t a = 0; a < program_.size(); ++a)
    if (program_[a] != 0 && group_[a] == kNoGroup) group_[a] = next;
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
  out.group_ = group_, out.program_ = program_;
  for (const std::size_t row : rows) {
    for (std::size_t annotation = first_annotation(row); annotation < first_annotation(row + 1);
         ++annotation)
      out.append_annotation(annotator(annotation), ticked(annotation), unsure(annotation),
                            grades(annotation));
    out.first_annotation_.push_back(out.annotations());
  }
  return out;
}

Votes Votes::select_labels(std::span<const std::size_t> labels) const {
  Votes out;
  out.annotators_ = annotators_;
  out.group_ = group_, out.program_ = program_;
  out.first_annotation_ = first_annotation_;
  std::vector<std::uint32_t> kept_ticks, kept_unsure;
  std::vector<std::uint8_t> kept_grades;
  const auto keep = [&](std::span<const std::uint32_t> all, std::span<const std::uint8_t> grades,
                        std::vector<std::uint32_t>& kept) {
    kept.clear();
    for (std::size_t k = 0; k < all.size(); ++k) {
      const auto at = std::ranges::lower_bound(labels, all[k]);
      if (at == labels.end() || *at != all[k]) continue;
      kept.push_back(static_cast<std::uint32_t>(at - labels.begin()));
      if (!grades.empty()) kept_grades.push_back(grades[k]);
    }
  };
  for (std::size_t annotation = 0; annotation < annotations(); ++annotation) {
    kept_grades.clear();
    keep(ticked(annotation), grades(annotation), kept_ticks);
    keep(unsure(annotation), {}, kept_unsure);
    out.append_annotation(annotator(annotation), kept_ticks, kept_unsure, kept_grades);
  }
  return out;
}

Votes Votes::renumber_labels(std::span<const std::uint32_t> number) const {
  Votes out = *this;
  // Grades, where there are any, go with their labels.
  const auto renumber = [&](std::vector<std::uint32_t>& labels,
                            const std::vector<std::uint64_t>& first,
                            std::vector<std::uint8_t>& grades) {
    std::vector<std::pair<std::uint32_t, std::uint8_t>> both;
    for (std::size_t k = 0; k + 1 < first.size(); ++k) {
      both.clear();
      for (std::uint64_t at = first[k]; at < first[k + 1]; ++at)
        both.emplace_back(number[labels[at]], grades.empty() ? std::uint8_t{0} : grades[at]);
      std::ranges::sort(both);
      for (std::uint64_t at = first[k]; at < first[k + 1]; ++at) {
        labels[at] = both[at - first[k]].first;
        if (!grades.empty()) grades[at] = both[at - first[k]].second;
      }
    }
  };
  std::vector<std::uint8_t> no_grades;
  renumber(out.label_, first_tick_, out.grade_);
  renumber(out.unsure_, first_unsure_, no_grades);
  return out;
}

void VoteCollector::annotate(std::uint32_t row, std::uint32_t annotator) {
  said_.push_back({row, annotator, kNoLabel});
}

void VoteCollector::tick(std::uint32_t row, std::uint32_t annotator, std::uint32_t label,
                         std::uint8_t grade) {
  said_.push_back({row, annotator, label});
  if (grade > 0) graded_.push_back({said_.back(), grade});
}

void VoteCollector::unsure(std::uint32_t row, std::uint32_t annotator, std::uint32_t label) {
  said_.push_back({row, annotator, kNoLabel});
  unsure_.push_back({row, annotator, label});
}

void VoteCollector::add(const Votes& votes, std::size_t first_row,
                        std::span<const std::uint32_t> number_of) {
  for (std::size_t row = 0; row < votes.rows(); ++row)
    for (std::size_t annotation = votes.first_annotation(row);
         annotation < votes.first_annotation(row + 1); ++annotation) {
      const auto to = static_cast<std::uint32_t>(first_row + row);
      const std::uint32_t who = number_of[votes.annotator(annotation)];
      annotate(to, who);
      const auto ticked = votes.ticked(annotation);
      const auto grades = votes.grades(annotation);
      for (std::size_t k = 0; k < ticked.size(); ++k)
        tick(to, who, ticked[k], grades.empty() ? std::uint8_t{0} : grades[k]);
      for (const std::uint32_t label : votes.unsure(annotation)) unsure(to, who, label);
    }
}

Votes VoteCollector::finish(std::size_t rows, std::vector<std::string> annotators) {
  const auto sort = [](auto& all) {
    if (!std::ranges::is_sorted(all)) std::ranges::sort(all);
    all.erase(std::unique(all.begin(), all.end()), all.end());
  };
  sort(said_);
  sort(unsure_);
  sort(graded_);

  Votes out;
  out.annotators_ = std::move(annotators);
  std::vector<std::uint32_t> ticked, unsure;
  std::vector<std::uint8_t> grades;
  std::size_t at = 0, next_unsure = 0, next_graded = 0;
  // Of a tick, and the grades of those before it that were unsure.
  const auto grade_of = [&](const Said& tick) {
    std::uint8_t grade = 0;
    for (; next_graded < graded_.size() && graded_[next_graded].tick <= tick; ++next_graded)
      if (graded_[next_graded].tick == tick) grade = graded_[next_graded].grade;
    return grade;
  };
  for (std::size_t row = 0; row < rows; ++row) {
    while (at < said_.size() && said_[at].row == row) {
      const std::uint32_t annotator = said_[at].annotator;
      const auto is_here = [&](const Said& one) {
        return one.row == row && one.annotator == annotator;
      };
      ticked.clear(), unsure.clear(), grades.clear();
      for (; next_unsure < unsure_.size() && is_here(unsure_[next_unsure]); ++next_unsure)
        unsure.push_back(unsure_[next_unsure].label);
      for (; at < said_.size() && is_here(said_[at]); ++at)
        if (said_[at].label != kNoLabel && !std::ranges::binary_search(unsure, said_[at].label)) {
          ticked.push_back(said_[at].label);
          grades.push_back(grade_of(said_[at]));
        }
      out.append_annotation(annotator, ticked, unsure, grades);
    }
    out.first_annotation_.push_back(out.annotations());
  }
  said_ = {}, unsure_ = {}, graded_ = {};
  return out;
}

namespace {

// Groups of two sets of votes, where `below` has annotators of other numbers: those that an
// annotator of both is in are one.
struct Declared {
  std::vector<std::uint32_t> groups;
  std::vector<std::uint8_t> programs;
};
Declared declared_by_both(const Votes& above, const Votes& below, std::size_t annotators,
                          std::span<const std::uint32_t> number_below) {
  Declared out;
  if (!above.groups().empty() || !below.groups().empty()) out.groups.assign(annotators, kNoGroup);
  if (above.has_programs() || below.has_programs()) out.programs.assign(annotators, 0);
  std::uint32_t next = 0;
  for (std::size_t a = 0; a < above.annotators().size(); ++a) {
    if (above.is_program(a)) out.programs[a] = 1;
    if (above.groups().empty() || above.groups()[a] == kNoGroup) continue;
    out.groups[a] = above.groups()[a];
    next = std::max(next, above.groups()[a] + 1);
  }
  std::unordered_map<std::uint32_t, std::uint32_t> same;
  for (std::size_t b = 0; b < below.groups().size(); ++b)
    if (below.groups()[b] != kNoGroup && out.groups[number_below[b]] != kNoGroup)
      same.emplace(below.groups()[b], out.groups[number_below[b]]);
  for (std::size_t b = 0; b < below.annotators().size(); ++b) {
    if (below.is_program(b)) out.programs[number_below[b]] = 1;
    if (below.groups().empty() || below.groups()[b] == kNoGroup) continue;
    const auto [at, fresh] = same.emplace(below.groups()[b], next);
    if (fresh) ++next;
    if (std::uint32_t& group = out.groups[number_below[b]]; group == kNoGroup) group = at->second;
  }
  return out;
}

}  // namespace

Votes stack_rows(const Votes& above, const Votes& below) {
  std::vector<std::string> annotators(above.annotators().begin(), above.annotators().end());
  std::unordered_map<std::string, std::uint32_t> number;
  std::vector<std::uint32_t> number_above, number_below;
  for (const std::string& name : annotators) {
    number_above.push_back(static_cast<std::uint32_t>(number_above.size()));
    number.emplace(name, number_above.back());
  }
  for (const std::string& name : below.annotators()) {
    const auto [at, fresh] = number.emplace(name, static_cast<std::uint32_t>(annotators.size()));
    if (fresh) annotators.push_back(name);
    number_below.push_back(at->second);
  }
  Declared declared = declared_by_both(above, below, annotators.size(), number_below);
  VoteCollector collected;
  collected.add(above, 0, number_above);
  collected.add(below, above.rows(), number_below);
  Votes out = collected.finish(above.rows() + below.rows(), std::move(annotators));
  out.declare(std::move(declared.groups), std::move(declared.programs));
  return out;
}

}  // namespace sieve
