#include "linalg/neighbours.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/stage_progress.h"
#include "linalg/compute.h"
#include "linalg/entries.h"
#include "linalg/products.h"

namespace sieve {
namespace {

constexpr std::size_t kQueries = 64, kPoints = 512;  // a block of products
constexpr std::size_t kWaiting = 64;                 // points measured at once
constexpr std::size_t kLanes = 8;

// Squares are summed by column in kLanes sums, so that zeros which are not stored change nothing.
class SquareSum {
 public:
  void add(std::size_t column, float a, float b) {
    const double difference = static_cast<double>(a) - b;
    sums_[column % kLanes] += difference * difference;
  }
  double total() const {
    return ((sums_[0] + sums_[4]) + (sums_[1] + sums_[5])) +
           ((sums_[2] + sums_[6]) + (sums_[3] + sums_[7]));
  }

 private:
  double sums_[kLanes] = {};
};

double square_distance(std::span<const float> a, std::span<const float> b) {
  SquareSum sum;
  std::size_t j = 0;
  for (; j + kLanes <= a.size(); j += kLanes)
    for (std::size_t lane = 0; lane < kLanes; ++lane) sum.add(lane, a[j + lane], b[j + lane]);
  for (; j < a.size(); ++j) sum.add(j, a[j], b[j]);
  return sum.total();
}

double square_distance(const CsrMatrix::Row& a, const CsrMatrix::Row& b) {
  SquareSum sum;
  std::size_t i = 0, j = 0;
  while (i < a.columns.size() || j < b.columns.size()) {
    const bool left =
        j == b.columns.size() || (i < a.columns.size() && a.columns[i] <= b.columns[j]);
    const bool right =
        i == a.columns.size() || (j < b.columns.size() && b.columns[j] <= a.columns[i]);
    sum.add(left ? a.columns[i] : b.columns[j], left ? a.values[i] : 0, right ? b.values[j] : 0);
    i += left;
    j += right;
  }
  return sum.total();
}

double square_distance(const Features& a, std::size_t i, const Features& b, std::size_t j) {
  return a.is_sparse() ? square_distance(a.sparse().row(i), b.sparse().row(j))
                       : square_distance(a.dense().row(i), b.dense().row(j));
}

std::vector<double> row_norms(const Features& x) {
  std::vector<double> norms(x.rows());
  for (std::size_t i = 0; i < x.rows(); ++i) {
    for_each_entry(x, i, [&](std::size_t, double value) { norms[i] += value * value; });
    norms[i] = std::sqrt(norms[i]);
  }
  return norms;
}

// The best points of one query so far. Points wait until there are enough to measure.
class Shortlist {
 public:
  Shortlist(const Features& queries, std::size_t query, const Features& points, std::size_t k)
      : queries_(queries), query_(query), points_(points), k_(k) {}

  // `least` is a lower bound of the squared distance.
  void offer(std::size_t point, double least) {
    if (least > bound_) return;
    waiting_.push_back({least, static_cast<std::uint32_t>(point)});
    if (waiting_.size() == kWaiting) measure();
  }

  const std::vector<std::pair<double, std::uint32_t>>& finish() {
    measure();
    return best_;
  }

 private:
  void measure() {
    for (const auto& [least, point] : waiting_)
      if (least <= bound_)
        best_.emplace_back(square_distance(queries_, query_, points_, point), point);
    waiting_.clear();
    std::ranges::sort(best_);
    if (best_.size() < k_) return;
    best_.resize(k_);
    bound_ = best_.back().first;
  }

  const Features& queries_;
  std::size_t query_;
  const Features& points_;
  std::size_t k_;
  double bound_ = std::numeric_limits<double>::infinity();
  std::vector<std::pair<double, std::uint32_t>> best_, waiting_;
};

class Search {
 public:
  Search(const Features& queries, const Features& points, std::size_t k, Self self)
      : queries_(queries),
        points_(points),
        self_(self),
        query_norms_(row_norms(queries)),
        point_norms_(row_norms(points)) {
    const std::size_t others = points.rows() - (self == Self::Excluded && points.rows() > 0);
    found_.count = std::min(k, others);
    found_.index.resize(queries.rows() * found_.count);
    found_.distance.resize(queries.rows() * found_.count);
    // The rounding error of a float32 product of n terms in any order, with a margin.
    error_ = 2.5 * static_cast<double>(points.cols() + 2) * std::ldexp(1.0, -24);
    if (points.is_sparse()) index_columns();
  }

  Neighbours run(ThreadPool& pool, Progress& progress) {
    if (found_.count == 0) return std::move(found_);
    const std::size_t blocks = (queries_.rows() + kQueries - 1) / kQueries;
    for_each_with_progress(pool, progress, "finding neighbours", blocks, [&](std::size_t b) {
      const ComputeScope scope;
      const std::size_t first = b * kQueries, last = std::min(first + kQueries, queries_.rows());
      if (points_.is_sparse())
        search_sparse(first, last);
      else
        search_dense(first, last);
    });
    return std::move(found_);
  }

 private:
  struct Entry {
    std::uint32_t row;
    float value;
  };

  void index_columns() {
    const CsrMatrix& rows = points_.sparse();
    column_starts_.assign(rows.cols + 1, 0);
    for (const std::uint32_t column : rows.columns) ++column_starts_[column + 1];
    for (std::size_t j = 0; j < rows.cols; ++j) column_starts_[j + 1] += column_starts_[j];
    entries_.resize(rows.nonzeros());
    std::vector<std::size_t> next(column_starts_.begin(), column_starts_.end() - 1);
    for (std::size_t i = 0; i < rows.rows(); ++i)
      for_each_entry(points_, i, [&](std::size_t j, float value) {
        entries_[next[j]++] = {static_cast<std::uint32_t>(i), value};
      });
  }

  void offer(Shortlist& list, std::size_t query, std::size_t point, double product) const {
    if (self_ == Self::Excluded && query == point) return;
    const double a = query_norms_[query], b = point_norms_[point];
    const double least = a * a + b * b - 2 * product - error_ * (a * b + 1e-30);
    list.offer(point, std::isfinite(product) ? least : 0);
  }

  void keep(Shortlist& list, std::size_t query) {
    std::size_t at = query * found_.count;
    for (const auto& [square, point] : list.finish()) {
      found_.index[at] = point;
      found_.distance[at++] = std::sqrt(square);
    }
  }

  void search_dense(std::size_t first, std::size_t last) {
    const Matrix &q = queries_.dense(), &p = points_.dense();
    std::vector<Shortlist> lists;
    for (std::size_t i = first; i < last; ++i)
      lists.emplace_back(queries_, i, points_, found_.count);
    std::vector<float> products(kQueries * kPoints);
    for (std::size_t start = 0; start < p.rows(); start += kPoints) {
      const std::size_t stop = std::min(start + kPoints, p.rows());
      gemm<float>(last - first, stop - start, q.cols(), {q.row(first).data(), q.stride()},
                  {p.row(start).data(), p.stride(), true}, false, products.data(), kPoints);
      for (std::size_t i = first; i < last; ++i)
        for (std::size_t j = start; j < stop; ++j)
          offer(lists[i - first], i, j, products[(i - first) * kPoints + (j - start)]);
    }
    for (std::size_t i = first; i < last; ++i) keep(lists[i - first], i);
  }

  void search_sparse(std::size_t first, std::size_t last) {
    std::vector<double> products(points_.rows());
    for (std::size_t i = first; i < last; ++i) {
      std::ranges::fill(products, 0.0);
      for_each_entry(queries_, i, [&](std::size_t j, double value) {
        for (std::size_t e = column_starts_[j]; e < column_starts_[j + 1]; ++e)
          products[entries_[e].row] += value * entries_[e].value;
      });
      Shortlist list(queries_, i, points_, found_.count);
      for (std::size_t j = 0; j < products.size(); ++j) offer(list, i, j, products[j]);
      keep(list, i);
    }
  }

  const Features& queries_;
  const Features& points_;
  Self self_;
  std::vector<double> query_norms_, point_norms_;
  double error_ = 0;
  std::vector<std::size_t> column_starts_;
  std::vector<Entry> entries_;
  Neighbours found_;
};

}  // namespace

Neighbours nearest_neighbours(const Features& queries, const Features& points, std::size_t k,
                              Self self, ThreadPool& pool, Progress& progress) {
  return Search(queries, points, k, self).run(pool, progress);
}

}  // namespace sieve
