#include "crowd/covariate.h"

#include <algorithm>
#include <cmath>

#include "crowd/evidence.h"
#include "crowd/scores.h"

namespace sieve {
namespace {

constexpr std::size_t kFolds = 5;
constexpr double kRidge = 10;             // in units of rows
constexpr std::size_t kMostLabels = 100;  // beyond, ticks of other labels are left alone
constexpr double kMostCells = 250e6;
constexpr std::size_t kMostRows = 200'000;  // that the regressions are learnt from

std::size_t fold_of(std::size_t row) {
  return (row * 2654435761ULL >> 7) % kFolds;
}

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

// Solves A x = b for a symmetric A > 0, both overwritten (Cholesky).
void solve(MatrixD& a, std::vector<double>& b) {
  const std::size_t n = b.size();
  for (std::size_t j = 0; j < n; ++j) {
    double d = a(j, j);
    for (std::size_t k = 0; k < j; ++k) d -= a(j, k) * a(j, k);
    a(j, j) = std::sqrt(std::max(d, 1e-12));
    for (std::size_t i = j + 1; i < n; ++i) {
      double s = a(i, j);
      for (std::size_t k = 0; k < j; ++k) s -= a(i, k) * a(j, k);
      a(i, j) = s / a(j, j);
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < i; ++k) b[i] -= a(i, k) * b[k];
    b[i] /= a(i, i);
  }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t k = i + 1; k < n; ++k) b[i] -= a(k, i) * b[k];
    b[i] /= a(i, i);
  }
}

// Predicts the strength of each label from those of the others, and from scores where there are
// any, by ridge regressions that have not seen the row's fold.
class Regressions {
 public:
  Regressions(const Matrix& strengths, const Matrix* scores, const Votes& votes, ThreadPool& pool)
      : strengths_(strengths), scores_(scores), labels_(strengths.cols()) {
    const std::size_t size = inputs();
    for (std::size_t fold = 0; fold < kFolds; ++fold) sums_.emplace_back(size, size);
    const std::size_t stride = votes.rows() / kMostRows + 1;
    pool.for_each(kFolds, [&](std::size_t fold) {
      std::vector<double> at(size);
      for (std::size_t row = 0; row < votes.rows(); row += stride) {
        if (fold_of(row) != fold || votes.annotations(row) == 0) continue;
        gather(row, at);
        for (std::size_t i = 0; i < size; ++i)
          for (std::size_t j = 0; j <= i; ++j) sums_[fold](i, j) += at[i] * at[j];
      }
    });
  }

  Matrix predict(ThreadPool& pool) const {
    Matrix out(strengths_.rows(), labels_);
    std::vector<std::vector<double>> weights(kFolds * labels_);
    pool.for_each(weights.size(),
                  [&](std::size_t k) { weights[k] = learn(k / labels_, k % labels_); });
    pool.for_blocks(out.rows(), 512, [&](std::size_t first, std::size_t last) {
      std::vector<double> at(inputs());
      for (std::size_t row = first; row < last; ++row) {
        gather(row, at);
        for (std::size_t l = 0; l < labels_; ++l) {
          const std::vector<double>& w = weights[fold_of(row) * labels_ + l];
          double sum = 0;
          for (std::size_t i = 0; i < at.size(); ++i) sum += w[i] * at[i];
          out(row, l) = static_cast<float>(sum);
        }
      }
    });
    return out;
  }

 private:
  std::size_t inputs() const { return labels_ * (scores_ != nullptr ? 2 : 1); }
  void gather(std::size_t row, std::vector<double>& at) const {
    for (std::size_t l = 0; l < labels_; ++l) {
      at[l] = double{strengths_(row, l)};
      if (scores_ != nullptr) at[labels_ + l] = double{(*scores_)(row, l)};
    }
  }
  // The weight of the label itself is 0.
  std::vector<double> learn(std::size_t held_out, std::size_t label) const {
    const std::size_t size = inputs();
    MatrixD a(size - 1, size - 1);
    std::vector<double> b(size - 1);
    const auto sum = [&](std::size_t i, std::size_t j) {
      double all = 0;
      for (std::size_t fold = 0; fold < kFolds; ++fold)
        if (fold != held_out) all += sums_[fold](std::max(i, j), std::min(i, j));
      return all;
    };
    const auto place = [&](std::size_t i) { return i < label ? i : i + 1; };
    for (std::size_t i = 0; i + 1 < size; ++i) {
      for (std::size_t j = 0; j <= i; ++j) a(i, j) = sum(place(i), place(j));
      a(i, i) += kRidge;
      b[i] = sum(place(i), label);
    }
    solve(a, b);
    b.insert(b.begin() + static_cast<std::ptrdiff_t>(label), 0.0);
    return b;
  }

  const Matrix& strengths_;
  const Matrix* scores_;
  std::size_t labels_;
  std::vector<MatrixD> sums_;
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
