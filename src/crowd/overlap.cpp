#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include <fmt/format.h>

#include "labelsieve/crowd.h"

namespace sieve {
namespace {

// The share of annotated rows that need a second annotation: with a tenth, names made cleaned
// labels of simulated crowds worse than leaving them out did (docs/crowd.md).
constexpr double kLeastShared = 0.2;

// Annotators in sets that grow together where they meet.
class Meetings {
 public:
  explicit Meetings(std::size_t annotators) : parent_(annotators) {
    std::iota(parent_.begin(), parent_.end(), std::size_t{0});
  }
  void meet(std::size_t a, std::size_t b) { parent_[top(a)] = top(b); }
  std::size_t top(std::size_t a) {
    while (parent_[a] != a) a = parent_[a] = parent_[parent_[a]];
    return a;
  }

 private:
  std::vector<std::size_t> parent_;
};

Meetings meetings_of(const Votes& votes) {
  Meetings meetings(votes.annotators().size());
  for (std::size_t row = 0; row < votes.rows(); ++row) {
    const std::size_t first = votes.first_annotation(row);
    for (std::size_t k = first; k < first + votes.annotations(row); ++k)
      meetings.meet(votes.annotator(first), votes.annotator(k));
  }
  return meetings;
}

}  // namespace

Overlap overlap_of(const Votes& votes) {
  Overlap overlap;
  std::vector<bool> seen(votes.annotators().size());
  Meetings meetings = meetings_of(votes);
  for (std::size_t row = 0; row < votes.rows(); ++row) {
    const std::size_t annotations = votes.annotations(row), first = votes.first_annotation(row);
    if (annotations == 0) continue;
    ++overlap.rows;
    overlap.single += annotations == 1 ? 1 : 0;
    for (std::size_t annotation = first; annotation < first + annotations; ++annotation)
      seen[votes.annotator(annotation)] = true;
  }
  for (std::size_t a = 0; a < seen.size(); ++a) {
    overlap.annotators += seen[a] ? 1 : 0;
    overlap.groups += seen[a] && meetings.top(a) == a ? 1 : 0;
  }
  return overlap;
}

std::size_t Overlap::rows_missing() const {
  const auto least = static_cast<std::size_t>(std::ceil(kLeastShared * static_cast<double>(rows)));
  const std::size_t wanted = std::max(least, std::size_t{1});
  return wanted - std::min(rows - single, wanted);
}

std::vector<bool> comparable_annotators(const Votes& votes) {
  Meetings meetings = meetings_of(votes);
  std::vector<Overlap> of_group(votes.annotators().size());
  for (std::size_t row = 0; row < votes.rows(); ++row) {
    if (votes.annotations(row) == 0) continue;
    Overlap& group = of_group[meetings.top(votes.annotator(votes.first_annotation(row)))];
    ++group.rows;
    group.single += votes.annotations(row) == 1 ? 1 : 0;
  }
  std::vector<bool> out(of_group.size());
  for (std::size_t a = 0; a < out.size(); ++a)
    out[a] = of_group[meetings.top(a)].identifies_annotators();
  return out;
}

std::string why_names_are_ignored(const Votes& votes) {
  const Overlap overlap = overlap_of(votes);
  if (overlap.identifies_annotators()) return {};
  return fmt::format("{} of {} rows have one annotation: annotators cannot be compared",
                     overlap.single, overlap.rows);
}

}  // namespace sieve
