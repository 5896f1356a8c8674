#include "methods/neighbours/neighbours_model.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/random.h"
#include "linalg/entries.h"

namespace sieve {
namespace {

constexpr int kRounds = 15;
constexpr double kNothing = 1e-8;  // of a length: rounding
constexpr std::size_t kRowsAtOnce = 512;

// Adds row i times w to `out`.
void add_turned(const Features& x, std::size_t i, const MatrixD& w, std::span<double> out) {
  for_each_entry(x, i, [&](std::size_t j, float value) {
    const auto of_feature = w.row(j);
    for (std::size_t c = 0; c < out.size(); ++c) out[c] += double{value} * of_feature[c];
  });
}

// The rows with the mean of every feature subtracted and its spread divided by; they are not stored
// so, and sparse ones stay sparse.
class Standardised {
 public:
  explicit Standardised(const Features& x) : x_(x), mean_(x.cols()), factor_(x.cols()) {
    const auto rows = static_cast<double>(x.rows());
    std::vector<double> sums(x.cols()), squares(x.cols()), entries(x.cols());
    each_entry([&](std::size_t j, double value) { sums[j] += value; });
    for (std::size_t j = 0; j < sums.size(); ++j) mean_[j] = static_cast<float>(sums[j] / rows);
    each_entry([&](std::size_t j, double value) {
      squares[j] += (value - double{mean_[j]}) * (value - double{mean_[j]});
      entries[j] += 1;
    });
    for (std::size_t j = 0; j < sums.size(); ++j) {
      const double mean = double{mean_[j]};
      const double spread = std::sqrt((squares[j] + (rows - entries[j]) * mean * mean) / rows);
      factor_[j] = spread > kNothing * std::abs(mean) ? 1 / spread : 0;
    }
  }

  std::vector<float> mean() const { return mean_; }
  double factor(std::size_t feature) const { return factor_[feature]; }

  // Z' Z w. Blocks of rows are summed up one after another.
  MatrixD spread_along(const MatrixD& w, ThreadPool& pool) const {
    MatrixD scaled = w.clone();
    std::vector<double> shift(w.cols());
    for (std::size_t j = 0; j < w.rows(); ++j)
      for (std::size_t c = 0; c < w.cols(); ++c) {
        scaled(j, c) *= factor_[j];
        shift[c] -= double{mean_[j]} * scaled(j, c);
      }
    std::vector<MatrixD> sums((x_.rows() + kRowsAtOnce - 1) / kRowsAtOnce);
    std::vector<std::vector<double>> totals(sums.size(), std::vector<double>(w.cols()));
    pool.for_each(sums.size(), [&](std::size_t b) {
      sums[b] = MatrixD(w.rows(), w.cols());
      std::vector<double> along(w.cols());
      for (std::size_t i = b * kRowsAtOnce; i < std::min(x_.rows(), (b + 1) * kRowsAtOnce); ++i) {
        along = shift;
        add_turned(x_, i, scaled, along);
        for_each_entry(x_, i, [&](std::size_t j, float value) {
          const auto of_feature = sums[b].row(j);
          for (std::size_t c = 0; c < along.size(); ++c) of_feature[c] += double{value} * along[c];
        });
        for (std::size_t c = 0; c < along.size(); ++c) totals[b][c] += along[c];
      }
    });
    MatrixD out(w.rows(), w.cols());
    for (std::size_t b = 0; b < sums.size(); ++b)
      for (std::size_t j = 0; j < w.rows(); ++j)
        for (std::size_t c = 0; c < w.cols(); ++c)
          out(j, c) += factor_[j] * (sums[b](j, c) - double{mean_[j]} * totals[b][c]);
    return out;
  }

 private:
  template <class Visit>
  void each_entry(Visit&& visit) const {
    for (std::size_t i = 0; i < x_.rows(); ++i)
      for_each_entry(x_, i, [&](std::size_t j, float value) { visit(j, double{value}); });
  }

  const Features& x_;
  std::vector<float> mean_;
  std::vector<double> factor_;
};

// Columns of length 1 at right angles; those that the ones before them explain are left out.
MatrixD orthonormal(const MatrixD& from) {
  std::vector<std::vector<double>> kept;
  for (std::size_t c = 0; c < from.cols(); ++c) {
    std::vector<double> column(from.rows());
    for (std::size_t j = 0; j < column.size(); ++j) column[j] = from(j, c);
    const auto length = [&] {
      return std::sqrt(std::inner_product(column.begin(), column.end(), column.begin(), 0.0));
    };
    const double before = length();
    // Twice, as rounding leaves something the first time.
    for (int time = 0; time < 2; ++time)
      for (const auto& other : kept) {
        const double part = std::inner_product(column.begin(), column.end(), other.begin(), 0.0);
        for (std::size_t j = 0; j < column.size(); ++j) column[j] -= part * other[j];
      }
    const double after = length();
    if (!(after > kNothing * before)) continue;
    for (double& value : column) value /= after;
    kept.push_back(std::move(column));
  }
  MatrixD out(from.rows(), kept.size());
  for (std::size_t c = 0; c < kept.size(); ++c)
    for (std::size_t j = 0; j < out.rows(); ++j) out(j, c) = kept[c][j];
  return out;
}

}  // namespace

Matrix Directions::along(const Features& x, ThreadPool& pool) const {
  MatrixD wide(turn.rows(), turn.cols());
  std::vector<double> shift(turn.cols());
  for (std::size_t j = 0; j < turn.rows(); ++j)
    for (std::size_t c = 0; c < turn.cols(); ++c) {
      wide(j, c) = double{turn(j, c)};
      shift[c] -= double{mean[j]} * wide(j, c);
    }
  Matrix out(x.rows(), turn.cols());
  pool.for_blocks(x.rows(), kRowsAtOnce, [&](std::size_t first, std::size_t last) {
    std::vector<double> sums;
    for (std::size_t i = first; i < last; ++i) {
      sums = shift;
      add_turned(x, i, wide, sums);
      std::ranges::transform(sums, out.row(i).begin(),
                             [](double sum) { return static_cast<float>(sum); });
    }
  });
  return out;
}

Directions learn_directions(const Features& x, std::size_t most, std::uint64_t seed,
                            ThreadPool& pool) {
  const Standardised z(x);
  MatrixD w(x.cols(), std::min({most, x.cols(), x.rows()}));
  Random random(seed, Purpose::Init);
  for (std::size_t j = 0; j < w.rows(); ++j)
    for (double& value : w.row(j)) value = random.normal();
  for (int round = 0; round < kRounds; ++round) w = orthonormal(z.spread_along(w, pool));
  Directions out{z.mean(), Matrix(w.rows(), w.cols())};
  for (std::size_t j = 0; j < w.rows(); ++j)
    for (std::size_t c = 0; c < w.cols(); ++c)
      out.turn(j, c) = static_cast<float>(z.factor(j) * w(j, c));
  return out;
}

}  // namespace sieve
