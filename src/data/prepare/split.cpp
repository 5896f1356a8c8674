#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <optional>
#include <queue>
#include <utility>

#include "base/random.h"
#include "base/require.h"
#include "data/prepare/shuffled.h"
#include "labelsieve/prepare.h"

namespace sieve {
namespace {

std::vector<std::size_t> shuffled_rows(std::size_t rows, std::uint64_t seed) {
  Random random(seed, Purpose::Split);
  return shuffled_indices(rows, random);
}

std::vector<std::size_t> sorted(std::span<const std::size_t> rows) {
  std::vector<std::size_t> out(rows.begin(), rows.end());
  std::ranges::sort(out);
  return out;
}

}  // namespace

Split split_random(std::size_t rows, double test_share, std::uint64_t seed) {
  require(test_share > 0 && test_share < 1,
          fmt::format("the test share is {}, but must lie between 0 and 1", test_share));
  require(rows >= 2, fmt::format("{} rows cannot be split in two", rows));
  const std::vector<std::size_t> order = shuffled_rows(rows, seed);
  const auto wanted =
      static_cast<std::size_t>(std::llround(test_share * static_cast<double>(rows)));
  const std::size_t test = std::clamp<std::size_t>(wanted, 1, rows - 1);
  const std::span<const std::size_t> all(order);
  return {sorted(all.subspan(test)), sorted(all.first(test))};
}

std::vector<std::vector<std::size_t>> folds_random(std::size_t rows, std::size_t k,
                                                   std::uint64_t seed) {
  require(k >= 2 && k <= rows, fmt::format("{} rows cannot make {} folds", rows, k),
          "use at least 2 folds and at most one per row");
  const std::vector<std::size_t> order = shuffled_rows(rows, seed);
  std::vector<std::vector<std::size_t>> folds(k);
  for (std::size_t i = 0; i < rows; ++i) folds[i % k].push_back(order[i]);
  for (auto& fold : folds) std::ranges::sort(fold);
  return folds;
}

Split split_of_fold(const std::vector<std::vector<std::size_t>>& folds, std::size_t i) {
  require(i < folds.size(), fmt::format("there is no fold {} among {}", i, folds.size()),
          "folds count from 0");
  Split split;
  split.test = folds[i];
  for (std::size_t f = 0; f < folds.size(); ++f)
    if (f != i) split.train.insert(split.train.end(), folds[f].begin(), folds[f].end());
  std::ranges::sort(split.train);
  return split;
}

namespace {

constexpr std::uint64_t kStratify = 1;  // the step of its random stream
constexpr double kLeastGain = 1e-12;    // less is rounding
constexpr std::uint32_t kNowhere = ~std::uint32_t{0};

// Labels sorted by how many of their rows are still to be placed, kept sorted in constant time:
// taking a row from a label swaps it with the first of those that have as many.
class LabelQueue {
 public:
  LabelQueue(std::vector<std::size_t> counts, Random& random)
      : counts_(std::move(counts)),
        order_(shuffled_indices(counts_.size(), random)),
        position_(counts_.size()) {
    std::ranges::stable_sort(order_, {}, [&](std::size_t k) { return counts_[k]; });
    for (std::size_t p = 0; p < order_.size(); ++p) position_[order_[p]] = p;
    const std::size_t most = order_.empty() ? 0 : counts_[order_.back()];
    for (std::size_t count = 0, p = 0; count <= most + 1; ++count) {
      while (p < order_.size() && counts_[order_[p]] < count) ++p;
      first_.push_back(p);
    }
  }

  // The label with the fewest rows left, but some.
  std::optional<std::size_t> rarest() const {
    return first_[1] < order_.size() ? std::optional(order_[first_[1]]) : std::nullopt;
  }

  void take_row(std::size_t label) {
    const std::size_t to = first_[counts_[label]]++, from = position_[label];
    std::swap(order_[from], order_[to]);
    position_[order_[from]] = from;
    position_[label] = to;
    --counts_[label];
  }

 private:
  std::vector<std::size_t> counts_, order_, position_;
  std::vector<std::size_t> first_;  // where the labels with at least this many rows begin
};

// The rows of each label, and those without any as one more "label".
class RowLists {
 public:
  RowLists(const LabelMatrix& labels, std::span<const std::size_t> counts)
      : starts_(labels.labels() + 2) {
    std::inclusive_scan(counts.begin(), counts.end(), starts_.begin() + 1);
    std::vector<std::size_t> next = starts_;
    std::vector<std::uint32_t> unlabelled;
    const auto rows = static_cast<std::uint32_t>(labels.rows());
    for (std::uint32_t row = 0; row < rows; ++row)
      if (labels.count(row) == 0) unlabelled.push_back(row);
    rows_.reserve(starts_[labels.labels()] + unlabelled.size());
    rows_.resize(starts_[labels.labels()]);
    for (std::uint32_t row = 0; row < rows; ++row)
      labels.for_each(row, [&](std::size_t k) { rows_[next[k]++] = row; });
    rows_.insert(rows_.end(), unlabelled.begin(), unlabelled.end());
    starts_.back() = rows_.size();
  }

  std::span<const std::uint32_t> operator[](std::size_t label) const {
    return std::span(rows_).subspan(starts_[label], starts_[label + 1] - starts_[label]);
  }

 private:
  std::vector<std::size_t> starts_;
  std::vector<std::uint32_t> rows_;
};

// Hands every row to a part. Works on a shuffled copy of the labels, which it can read in order.
class Dealer {
 public:
  Dealer(const LabelMatrix& labels, std::span<const double> shares, std::uint64_t seed)
      : parts_(shares.size()),
        random_(seed, Purpose::Split, kStratify),
        order_(shuffled_indices(labels.rows(), random_)),
        labels_(labels.select_rows(order_)),
        counts_(labels.label_counts()),
        part_(labels.rows(), kNowhere) {
    const double whole = std::accumulate(shares.begin(), shares.end(), 0.0);
    std::vector<std::size_t> totals = counts_;
    totals.push_back(labels.rows());
    for (const std::size_t total : totals)
      for (const double share : shares)
        wants_.push_back(share / whole * static_cast<double>(total));
  }

  // Cost: the labels set, rows * log(parts), labels * parts.
  void deal() {
    LabelQueue queue(counts_, random_);
    const RowLists lists(labels_, counts_);
    while (const std::optional<std::size_t> label = queue.rarest())
      deal(lists[*label], wants(*label), &queue);
    deal(lists[labels_.labels()], wants(labels_.labels()), nullptr);
  }

  // Rows that were dealt for a rare label leave frequent ones uneven. One sweep moves rows out of
  // parts that have a row too many of something, wherever that lessens the sum of
  // (rows got - rows wanted)^2 / rows of the label. Only such rows cost labels * parts each.
  void even_out() {
    std::vector<double> gain(parts_);
    for (std::size_t row = 0; row < part_.size(); ++row) {
      if (!has_surplus(row)) continue;
      const std::uint32_t from = part_[row];
      std::ranges::fill(gain, 0.0);
      for_each_want(row, [&](std::span<const double> wanted, std::size_t total) {
        for (std::size_t to = 0; to < parts_; ++to)
          gain[to] += (wanted[to] - wanted[from] - 1) / static_cast<double>(total);
      });
      gain[from] = 0;
      const auto best = std::ranges::max_element(gain);
      if (*best > kLeastGain) move(row, static_cast<std::uint32_t>(best - gain.begin()));
    }
  }

  // Ascending rows; no part is empty.
  std::vector<std::vector<std::size_t>> parts() const {
    std::vector<std::vector<std::size_t>> out(parts_);
    std::vector<std::uint32_t> part_of(part_.size());
    for (std::size_t row = 0; row < part_.size(); ++row) part_of[order_[row]] = part_[row];
    for (std::size_t row = 0; row < part_.size(); ++row) out[part_of[row]].push_back(row);
    for (auto& part : out) {
      if (!part.empty()) continue;
      auto& largest = *std::ranges::max_element(out, {}, &std::vector<std::size_t>::size);
      part.push_back(largest.back());
      largest.pop_back();
    }
    return out;
  }

 private:
  // What a part bids for the next row: the neediest wins, then luck decides.
  struct Bid {
    double wants_label, wants_rows;
    std::uint64_t luck;
    std::uint32_t part;
    auto operator<=>(const Bid&) const = default;
  };

  // How many more rows with a label each part should get; the last "label" stands for rows.
  std::span<double> wants(std::size_t label) {
    return std::span(wants_).subspan(label * parts_, parts_);
  }

  void deal(std::span<const std::uint32_t> rows, std::span<const double> wanted,
            LabelQueue* queue) {
    const auto bid = [&](std::uint32_t part) {
      return Bid{wanted[part], wants(labels_.labels())[part], random_.bits(), part};
    };
    std::priority_queue<Bid> bids;
    for (std::uint32_t part = 0; part < parts_; ++part) bids.push(bid(part));
    for (const std::uint32_t row : rows) {
      if (part_[row] != kNowhere) continue;
      const std::uint32_t part = bids.top().part;
      bids.pop();
      place(row, part, queue);
      bids.push(bid(part));
    }
  }

  void place(std::size_t row, std::uint32_t part, LabelQueue* queue) {
    part_[row] = part;
    wants(labels_.labels())[part] -= 1;
    labels_.for_each(row, [&](std::size_t k) {
      wants(k)[part] -= 1;
      queue->take_row(k);
    });
  }

  // Calls visit(wants, total) for the labels of a row and for the row itself.
  template <class Visit>
  void for_each_want(std::size_t row, Visit&& visit) {
    labels_.for_each(row, [&](std::size_t k) { visit(wants(k), counts_[k]); });
    visit(wants(labels_.labels()), labels_.rows());
  }

  bool has_surplus(std::size_t row) {
    bool surplus = false;
    for_each_want(row, [&](std::span<const double> wanted, std::size_t) {
      surplus = surplus || wanted[part_[row]] <= -1;
    });
    return surplus;
  }

  void move(std::size_t row, std::uint32_t to) {
    const std::uint32_t from = std::exchange(part_[row], to);
    for_each_want(row, [&](std::span<double> wanted, std::size_t) {
      wanted[from] += 1;
      wanted[to] -= 1;
    });
  }

  const std::size_t parts_;
  Random random_;
  const std::vector<std::size_t> order_;
  const LabelMatrix labels_;
  const std::vector<std::size_t> counts_;
  std::vector<std::uint32_t> part_;
  std::vector<double> wants_;
};

}  // namespace

std::vector<std::vector<std::size_t>> stratify(const LabelMatrix& labels,
                                               std::span<const double> shares, std::uint64_t seed) {
  require(shares.size() >= 1 && shares.size() <= labels.rows(),
          fmt::format("{} rows cannot make {} parts", labels.rows(), shares.size()),
          "use at least 1 part and at most one per row");
  require(labels.rows() < kNowhere, "more rows than can be stratified", "cut them at random");
  for (const double share : shares)
    require(share > 0 && std::isfinite(share),
            fmt::format("a part has the share {}, but shares must be above 0", share));
  Dealer dealer(labels, shares, seed);
  dealer.deal();
  dealer.even_out();
  return dealer.parts();
}

std::vector<std::vector<std::size_t>> folds_stratified(const LabelMatrix& labels, std::size_t k,
                                                       std::uint64_t seed) {
  require(k >= 2 && k <= labels.rows(),
          fmt::format("{} rows cannot make {} folds", labels.rows(), k),
          "use at least 2 folds and at most one per row");
  return stratify(labels, std::vector<double>(k, 1.0), seed);
}

Split split_stratified(const LabelMatrix& labels, double test_share, std::uint64_t seed) {
  require(test_share > 0 && test_share < 1,
          fmt::format("the test share is {}, but must lie between 0 and 1", test_share));
  auto parts = stratify(labels, std::array{1 - test_share, test_share}, seed);
  return {std::move(parts[0]), std::move(parts[1])};
}

}  // namespace sieve
