#include "crowd/fit_steps.h"

#include <algorithm>
#include <cmath>

#include "crowd/scores.h"
#include "crowd/strength.h"
#include "linalg/dense.h"
#include "linalg/entries.h"

namespace sieve {
namespace {

constexpr double kRidge = 10;             // in units of rows
constexpr std::size_t kMostLabels = 100;  // beyond, ticks of other labels are left alone
constexpr double kMostCells = 250e6;
constexpr std::size_t kMostRows = 200'000;  // that the regressions are learnt from

void standardise(Matrix& x, const Votes& votes) {
  for (std::size_t l = 0; l < x.cols(); ++l) {
    double sum = 0, squares = 0, count = 0;
    for (std::size_t row = 0; row < x.rows(); ++row) {
      if (votes.annotations(row) == 0) continue;
      sum += double{x(row, l)};
      squares += double{x(row, l)} * double{x(row, l)};
      count += 1;
    }
    const double mean = sum / std::max(count, 1.0);
    const double spread = std::sqrt(std::max(squares / std::max(count, 1.0) - mean * mean, 0.0));
    const double scale = spread > 1e-6 ? 1 / spread : 0;
    for (std::size_t row = 0; row < x.rows(); ++row)
      x(row, l) = static_cast<float>((double{x(row, l)} - mean) * scale);
  }
}

Matrix mean_strengths(const StrengthModel& strength, const MemberInput& input, ThreadPool& pool) {
  Matrix out(input.votes->rows(), input.labels);
  const std::size_t size = strength.table_size(), padded = strength.padded();
  const std::vector<float> nodes = nodes_table(input.labels);
  pool.for_blocks(out.rows(), 512, [&](std::size_t first, std::size_t last) {
    std::vector<float> q(size), largest(padded), sums(padded), mean(padded);
    for (std::size_t row = first; row < last; ++row) {
      std::ranges::fill(q, 0.0F);
      strength.add_prior(input, row, q.data());
      strength.add_votes(input, row, q.data());
      normalise_nodes(q.data(), padded, largest.data(), sums.data());
      mean_over_nodes(q.data(), nodes.data(), padded, mean.data());
      std::copy_n(mean.begin(), input.labels, out.row(row).begin());
    }
  });
  return out;
}

// Predicts the strength of each label from those of the others, and from scores where there are
// any, by ridge regressions that have not seen the row. All of them are in one inverse: of the
// weights for a label, that of another is minus their entry over the label's own, and what a row
// would be predicted without it follows from how far it pulls its own prediction.
class Regressions {
 public:
  Regressions(const Matrix& strengths, const Matrix* scores, const Votes& votes, ThreadPool& pool)
      : strengths_(strengths),
        scores_(scores),
        votes_(votes),
        stride_(votes.rows() / kMostRows + 1) {
    const std::size_t size = inputs();
    const Parts parts(votes.rows(), size * size * sizeof(double));
    std::vector<MatrixD> partial(parts.count);
    pool.for_each(parts.count, [&](std::size_t part) {
      MatrixD sums(size, size);
      std::vector<double> at(size);
      for (std::size_t row = parts.first(part); row < parts.first(part + 1); ++row) {
        if (!learnt_from(row)) continue;
        gather(row, at);
        for (std::size_t i = 0; i < size; ++i)
          for (std::size_t j = 0; j <= i; ++j) sums(i, j) += at[i] * at[j];
      }
      partial[part] = std::move(sums);
    });
    MatrixD all(size, size);
    for (std::size_t i = 0; i < size; ++i) {
      for (std::size_t j = 0; j <= i; ++j)
        for (const MatrixD& sums : partial) all(i, j) += sums(i, j);
      all(i, i) += kRidge;
      for (std::size_t j = 0; j < i; ++j) all(j, i) = all(i, j);
    }
    inverse_ = small_inverse(all);
  }

  Matrix predict(ThreadPool& pool) const {
    Matrix out(strengths_.rows(), strengths_.cols());
    pool.for_blocks(out.rows(), 512, [&](std::size_t first, std::size_t last) {
      std::vector<double> at(inputs()), turned(inputs());
      for (std::size_t row = first; row < last; ++row) {
        gather(row, at);
        std::ranges::fill(turned, 0.0);
        for (std::size_t i = 0; i < at.size(); ++i) axpy(at[i], inverse_.row(i), turned);
        double length = 0;
        for (std::size_t i = 0; i < at.size(); ++i) length += at[i] * turned[i];
        for (std::size_t l = 0; l < out.cols(); ++l)
          out(row, l) =
              static_cast<float>(at[l] - left(row, at[l], turned[l], inverse_(l, l), length));
      }
    });
    return out;
  }

 private:
  std::size_t inputs() const { return strengths_.cols() * (scores_ != nullptr ? 2 : 1); }
  bool learnt_from(std::size_t row) const {
    return row % stride_ == 0 && votes_.annotations(row) > 0;
  }
  void gather(std::size_t row, std::vector<double>& at) const {
    const std::size_t labels = strengths_.cols();
    for (std::size_t l = 0; l < labels; ++l) {
      at[l] = double{strengths_(row, l)};
      if (scores_ != nullptr) at[labels + l] = double{(*scores_)(row, l)};
    }
  }
  // What the others leave of a label of the row. A row that was learnt from pulls its prediction
  // by this share, which is what its length without the label comes to.
  double left(std::size_t row, double value, double turned, double own, double length) const {
    const double residual = turned / own;
    if (!learnt_from(row)) return residual;
    const double without = turned - value * own;
    const double pull = length - 2 * value * turned + value * value * own - without * without / own;
    return residual / std::max(1 - pull, 1e-6);
  }

  const Matrix& strengths_;
  const Matrix* scores_;
  const Votes& votes_;
  std::size_t stride_;
  MatrixD inverse_;
};

Matrix predicted(const Matrix& strengths, const Matrix* scores, const Votes& votes,
                 ThreadPool& pool) {
  Matrix out = Regressions(strengths, scores, votes, pool).predict(pool);
  standardise(out, votes);
  return out;
}

}  // namespace

Covariates covariates_of(const StrengthModel& strength, const MemberInput& input,
                         const Matrix* scores, bool other_labels, ThreadPool& pool) {
  const Votes& votes = *input.votes;
  Covariates out;
  std::optional<Matrix> own;
  if (scores != nullptr) {
    own.emplace(scores->rows(), scores->cols());
    for (std::size_t row = 0; row < own->rows(); ++row)
      for (std::size_t l = 0; l < own->cols(); ++l)
        (*own)(row, l) = score_log_odds((*scores)(row, l));
    standardise(*own, votes);
  }
  const bool others = other_labels && input.labels > 1 && input.labels <= kMostLabels &&
                      static_cast<double>(votes.rows() * input.labels) <= kMostCells;
  if (!others) {
    out.all = std::move(own);
    return out;
  }
  Matrix strengths = mean_strengths(strength, input, pool);
  standardise(strengths, votes);
  out.all = predicted(strengths, own ? &*own : nullptr, votes, pool);
  if (own) out.others = predicted(strengths, nullptr, votes, pool);
  return out;
}

}  // namespace sieve
