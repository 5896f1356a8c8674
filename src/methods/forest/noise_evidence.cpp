#include "methods/forest/noise_evidence.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

namespace sieve {
namespace {

constexpr std::size_t kGrid = 65, kBins = 100;
constexpr double kLargest = 0.9;

// Populations that rates, and the slopes by which features tell labels, may come from.
constexpr std::array kMeans{0.02, 0.05, 0.08, 0.11, 0.14, 0.17, 0.20, 0.23, 0.26,
                            0.29, 0.32, 0.35, 0.38, 0.41, 0.44, 0.47, 0.50, 0.53,
                            0.56, 0.59, 0.62, 0.65, 0.68, 0.71, 0.75, 0.80};
constexpr std::array kSizes{3.0, 12.0, 60.0, 300.0, 1500.0};
constexpr std::array kSharesOfZero{0.05, 0.4};
constexpr std::array kSlopes{0.3, 0.5, 0.9, 1.5, 2.7};
constexpr std::array kSpreads{0.35, 0.7};
constexpr std::size_t kPowers = kSlopes.size() * kSpreads.size();

using Grid = std::array<double, kGrid>;

// Finer near 0, where rare labels have theirs.
Grid rates_tried() {
  Grid rates{};
  for (std::size_t j = 0; j < kGrid; ++j) {
    const double part = static_cast<double>(j) / (kGrid - 1);
    rates[j] = kLargest * part * part;
  }
  return rates;
}

// Rows of one label that were thought about equally likely to have it.
struct Bin {
  double odds, on, off;  // the mean of log-odds, on the scale of all rows; how many have it
};

std::vector<Bin> bins_of(const Matrix& probabilities, const LabelMatrix& candidates,
                         std::size_t label) {
  constexpr double kLeast = 1e-4;
  std::vector<std::pair<float, bool>> cells(probabilities.rows());
  for (std::size_t i = 0; i < cells.size(); ++i)
    cells[i] = {probabilities(i, label), candidates.get(i, label)};
  std::ranges::sort(cells);
  const std::size_t enough = (cells.size() + kBins - 1) / kBins;
  const auto rows = static_cast<double>(cells.size());
  std::vector<Bin> bins;
  double mean = 0, square = 0;
  for (std::size_t i = 0; i < cells.size();) {
    Bin bin{0, 0, 0};
    const std::size_t first = i;
    for (; i < cells.size() && (i < first + enough || cells[i].first == cells[i - 1].first); ++i) {
      const double p = std::clamp(double{cells[i].first}, kLeast, 1 - kLeast);
      bin.odds += std::log(p / (1 - p));
      (cells[i].second ? bin.on : bin.off) += 1;
    }
    bin.odds /= bin.on + bin.off;
    mean += (bin.on + bin.off) / rows * bin.odds;
    square += (bin.on + bin.off) / rows * bin.odds * bin.odds;
    bins.push_back(bin);
  }
  const double spread = std::sqrt(std::max(square - mean * mean, 1e-6));
  for (Bin& bin : bins) bin.odds = (bin.odds - mean) / spread;
  return bins;
}

// The fit of P(candidate) = r + (1 - r) f, with f = sigmoid(a + b odds), to the bins of a label,
// for one rate r after the other.
class Fit {
 public:
  explicit Fit(const std::vector<Bin>& bins) : bins_(bins) {}

  // The largest log likelihood at this rate, from the line that was best at the last one on.
  double at(double rate) {
    constexpr int kSteps = 30;
    constexpr double kEnough = 1e-3;
    rate_ = rate;
    double here = log_likelihood(line_);
    for (int step = 0; step < kSteps; ++step) {
      const double before = here;
      here = stepped(here);
      if (here - before < kEnough) break;
    }
    return here;
  }
  double slope() const { return line_.b; }

 private:
  static constexpr double kRidge = 0.02, kLeastSlope = 0.02, kMostSlope = 20;
  struct Line {
    double a = 0, b = 1;
    double right(double odds) const {
      constexpr double kLeast = 1e-12;
      return std::clamp(1 / (1 + std::exp(-a - b * odds)), kLeast, 1 - kLeast);
    }
  };

  double log_likelihood(const Line& line) const {
    double sum = -kRidge / 2 * (line.a * line.a + line.b * line.b);
    for (const Bin& bin : bins_) {
      const double f = line.right(bin.odds);
      sum += bin.on * std::log(rate_ + (1 - rate_) * f) + bin.off * std::log((1 - rate_) * (1 - f));
    }
    return sum;
  }

  // A step by the expected curvature. One too far is taken again at half the size.
  double stepped(double here) {
    constexpr double kFurthest = 2;
    double by_a = -kRidge * line_.a, by_b = -kRidge * line_.b, aa = kRidge, ab = 0, bb = kRidge;
    for (const Bin& bin : bins_) {
      const double f = line_.right(bin.odds), candidate = rate_ + (1 - rate_) * f;
      const double by_on = (1 - rate_) * f * (1 - f) / candidate, by_off = f;
      const double slope = bin.on * by_on - bin.off * by_off;
      const double curve = (bin.on + bin.off) * by_on * by_off;
      by_a += slope;
      by_b += slope * bin.odds;
      aa += curve;
      ab += curve * bin.odds;
      bb += curve * bin.odds * bin.odds;
    }
    const double determinant = std::max(aa * bb - ab * ab, 1e-12);
    const double da = (bb * by_a - ab * by_b) / determinant;
    const double db = (aa * by_b - ab * by_a) / determinant;
    double part = kFurthest / std::max({std::abs(da), std::abs(db), kFurthest});
    for (int halving = 0; halving < 10; ++halving, part /= 2) {
      const Line next{line_.a + part * da,
                      std::clamp(line_.b + part * db, kLeastSlope, kMostSlope)};
      const double there = log_likelihood(next);
      if (!(there > here)) continue;
      line_ = next;
      return there;
    }
    return here;
  }

  const std::vector<Bin>& bins_;
  double rate_ = 0;
  Line line_;
};

// How likely a label's candidates are at each rate, for each power of the features; the largest
// is 1.
using Evidence = std::array<Grid, kPowers>;

Evidence evidence_of(const std::vector<Bin>& bins, const Grid& rates) {
  double on = 0, all = 0;
  for (const Bin& bin : bins) on += bin.on, all += bin.on + bin.off;
  const double frequency = on / all;
  const double most = frequency + 2 * std::sqrt(frequency * (1 - frequency) / all);
  Fit fit(bins);
  std::array<Grid, kPowers> logs{};
  std::size_t tried = 0;
  double largest = -std::numeric_limits<double>::infinity();
  for (; tried < kGrid && (tried == 0 || rates[tried] <= most); ++tried) {
    const double likelihood = fit.at(rates[tried]), slope = std::log(fit.slope());
    for (std::size_t p = 0; p < kPowers; ++p) {
      const double spread = kSpreads[p % kSpreads.size()];
      const double from = (slope - std::log(kSlopes[p / kSpreads.size()])) / spread;
      logs[p][tried] = likelihood - from * from / 2 - std::log(spread);
      largest = std::max(largest, logs[p][tried]);
    }
  }
  Evidence evidence{};
  for (std::size_t p = 0; p < kPowers; ++p)
    for (std::size_t j = 0; j < tried; ++j) evidence[p][j] = std::exp(logs[p][j] - largest);
  return evidence;
}

// A Beta distribution on the grid, and a share of labels without noise.
Grid population(const Grid& rates, double mean, double size, double zero) {
  Grid logs{}, out{};
  for (std::size_t j = 0; j < kGrid; ++j) {
    const double low = j == 0 ? 0 : (rates[j - 1] + rates[j]) / 2;
    const double high = j + 1 == kGrid ? 1 : (rates[j] + rates[j + 1]) / 2;
    const double at = (low + high) / 2;
    logs[j] = std::log(high - low) + (mean * size - 1) * std::log(at) +
              ((1 - mean) * size - 1) * std::log1p(-at);
  }
  const double most = *std::ranges::max_element(logs);
  for (std::size_t j = 0; j < kGrid; ++j) out[j] = std::exp(logs[j] - most);
  const double sum = std::accumulate(out.begin(), out.end(), 0.0);
  for (double& part : out) part *= (1 - zero) / sum;
  out[0] += zero;
  return out;
}

// Where rates may come from; the first has no noise at all, and half of the weight beforehand.
std::vector<Grid> populations(const Grid& rates) {
  std::vector<Grid> all(1);
  all[0][0] = 1;
  for (const double mean : kMeans)
    for (const double size : kSizes)
      for (const double zero : kSharesOfZero) all.push_back(population(rates, mean, size, zero));
  return all;
}

double product(const Grid& a, const Grid& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

// The median of what each label's rate may be, given how likely each population with each power is.
std::vector<float> median_rates(const std::vector<Evidence>& evidence, const std::vector<Grid>& all,
                                const std::vector<double>& weights, const Grid& rates,
                                ThreadPool& pool) {
  std::vector<float> medians(evidence.size());
  pool.for_each(evidence.size(), [&](std::size_t k) {
    Grid chances{};
    for (std::size_t w = 0; w < weights.size(); ++w) {
      const Grid &population = all[w / kPowers], &label = evidence[k][w % kPowers];
      const double sum = product(population, label);
      if (sum > 0)
        for (std::size_t j = 0; j < kGrid; ++j)
          chances[j] += weights[w] / sum * population[j] * label[j];
    }
    const double half = std::accumulate(chances.begin(), chances.end(), 0.0) / 2;
    std::size_t j = 0;
    for (double below = chances[0]; below < half && j + 1 < kGrid;) below += chances[++j];
    medians[k] = static_cast<float>(rates[j]);
  });
  return medians;
}

}  // namespace

NoiseEvidence weigh_noise(const Matrix& probabilities, const LabelMatrix& candidates,
                          ThreadPool& pool) {
  const Grid rates = rates_tried();
  const std::vector<Grid> all = populations(rates);
  std::vector<Evidence> evidence(candidates.labels());
  pool.for_each(evidence.size(), [&](std::size_t k) {
    evidence[k] = evidence_of(bins_of(probabilities, candidates, k), rates);
  });
  // Of each population with each power of the features, in logarithms.
  std::vector<double> weights(all.size() * kPowers);
  pool.for_each(weights.size(), [&](std::size_t w) {
    if (w < kPowers) weights[w] = std::log(static_cast<double>(all.size() - 1));
    for (const Evidence& label : evidence)
      weights[w] += std::log(std::max(product(all[w / kPowers], label[w % kPowers]), 1e-300));
  });
  const double most = *std::ranges::max_element(weights);
  for (double& weight : weights) weight = std::exp(weight - most);
  const double none = std::accumulate(weights.begin(), weights.begin() + kPowers, 0.0);
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  std::fill_n(weights.begin(), kPowers, 0.0);
  return {none / sum, median_rates(evidence, all, weights, rates, pool)};
}

namespace {

constexpr std::size_t kMostRows = 20000;  // enough to tell

// One row in every `stride`.
Matrix some_rows(const Matrix& all, std::size_t stride) {
  Matrix some((all.rows() + stride - 1) / stride, all.cols());
  for (std::size_t i = 0; i < some.rows(); ++i)
    std::ranges::copy(all.row(i * stride), some.row(i).begin());
  return some;
}

// The correlation of candidates with how likely they were thought to be, on average over the labels
// that some rows have and others have not.
double mean_correlation(const Matrix& probabilities, const LabelMatrix& candidates) {
  const auto rows = static_cast<double>(candidates.rows());
  double sum = 0, labels = 0;
  for (std::size_t k = 0; k < candidates.labels(); ++k) {
    double on = 0, p = 0, pp = 0, both = 0;
    for (std::size_t i = 0; i < candidates.rows(); ++i) {
      const double likely = double{probabilities(i, k)};
      p += likely / rows;
      pp += likely * likely / rows;
      if (candidates.get(i, k)) on += 1 / rows, both += likely / rows;
    }
    const double spread = std::sqrt(std::max(pp - p * p, 0.0) * on * (1 - on));
    if (!(spread > 1e-9)) continue;
    sum += (both - p * on) / spread;
    labels += 1;
  }
  return labels > 0 ? sum / labels : 0;
}

// Such rows say beforehand that there is noise.
double no_noise_where_filled_up(double no_noise) {
  constexpr double kOdds = 20;
  return no_noise / (no_noise + kOdds * (1 - no_noise));
}

LabelMatrix some_rows(const LabelMatrix& all, std::size_t stride) {
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < all.rows(); i += stride) rows.push_back(i);
  return all.select_rows(rows);
}

}  // namespace

bool are_filled_up(const LabelMatrix& candidates) {
  std::size_t fewest = candidates.labels(), rows = 0;
  for (std::size_t i = 0; i < candidates.rows(); ++i) {
    const std::size_t count = candidates.count(i);
    if (count < fewest) fewest = count, rows = 0;
    if (count == fewest) ++rows;
  }
  return fewest >= 2 && fewest < candidates.labels() && 2 * rows >= candidates.rows();
}

std::optional<std::vector<float>> find_noise(const Matrix& probabilities,
                                             const LabelMatrix& candidates, ThreadPool& pool) {
  constexpr double kSure = 0.1, kLikely = 0.5, kUnlikely = 0.9;
  constexpr double kMuch = 0.1;     // of the candidates
  constexpr double kTelling = 0.5;  // correlation
  if (const std::size_t stride = (candidates.rows() + kMostRows - 1) / kMostRows; stride > 1)
    return find_noise(some_rows(probabilities, stride), some_rows(candidates, stride), pool);
  NoiseEvidence by_features = weigh_noise(probabilities, candidates, pool);
  NoiseEvidence by_labels =
      weigh_noise(supported_by_other_labels(probabilities, candidates, pool), candidates, pool);
  if (are_filled_up(candidates))
    for (NoiseEvidence* evidence : {&by_features, &by_labels})
      evidence->no_noise = no_noise_where_filled_up(evidence->no_noise);
  const double all = std::accumulate(by_labels.rates.begin(), by_labels.rates.end(), 0.0) *
                     static_cast<double>(candidates.rows());
  const bool much = all > kMuch * static_cast<double>(candidates.count());
  const bool found =
      much ? by_features.no_noise < kUnlikely &&
                 (by_features.no_noise < kSure || by_labels.no_noise < kLikely ||
                  by_features.no_noise * by_labels.no_noise < kLikely * kLikely)  // both together
           : std::max(by_features.no_noise, by_labels.no_noise) < kSure &&
                 mean_correlation(probabilities, candidates) > kTelling;
  if (!found) return {};
  return std::move(by_features.rates);
}

}  // namespace sieve
