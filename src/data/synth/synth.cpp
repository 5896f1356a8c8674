#include "labelsieve/prepare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/require.h"
#include "data/synth/synth_world.h"

namespace sieve {
namespace {

constexpr std::size_t kBlock = 256;
constexpr std::size_t kCellsAtOnce = std::size_t{1} << 22;  // of a set in blocks
// The thresholds are set on a pilot of some rows (the set itself where its size is in between),
// fewer where that would make more than kPilotCells margins.
constexpr std::size_t kLeastPilot = 2048, kMostPilot = 16384, kPilotCells = std::size_t{1} << 22;

void require_within(const char* option, double value, double low, double high) {
  require(value >= low && value <= high,
          fmt::format("{} is {}, but must lie between {} and {}", option, value, low, high));
}

void check(const SynthOptions& o) {
  require_within("rows", static_cast<double>(o.rows), 1, 1e9);
  require_within("features", static_cast<double>(o.features), 1, 1e6);
  require_within("entries", static_cast<double>(o.entries), 0,
                 std::floor(static_cast<double>(o.features) / 2));
  require_within("labels", static_cast<double>(o.labels), 1, 1e4);
  require_within("annotators", static_cast<double>(o.annotators), 1, 1e3);
  require_within("annotators per row", static_cast<double>(o.annotators_per_row), 1,
                 static_cast<double>(o.annotators));
  const auto labels = static_cast<double>(o.labels);
  require_within("cardinality", o.cardinality, 1, labels);
  require_within("noise", o.noise, 0, labels - o.cardinality);
  require_within("missing", o.missing, 0, 0.9);
}

// The entry below which the given share of the values lies.
double quantile(std::vector<double> values, double share) {
  const double place = share * static_cast<double>(values.size() - 1);
  const auto nth = values.begin() + std::lround(place);
  std::ranges::nth_element(values, nth);
  return *nth;
}

// The labels above the threshold, ascending; `at_least_one`: else the largest.
std::vector<std::size_t> labels_above(std::span<const double> margins, double threshold,
                                      bool at_least_one) {
  std::vector<std::size_t> labels;
  for (std::size_t k = 0; k < margins.size(); ++k)
    if (margins[k] > threshold) labels.push_back(k);
  if (labels.empty() && at_least_one)
    labels.push_back(static_cast<std::size_t>(std::ranges::max_element(margins) - margins.begin()));
  return labels;
}

std::size_t count_on(const MatrixD& margins, double threshold, std::size_t at_least) {
  std::size_t total = 0;
  for (std::size_t i = 0; i < margins.rows(); ++i) {
    std::size_t on = 0;
    for (const double margin : margins.row(i)) on += margin > threshold;
    total += std::max(on, at_least);
  }
  return total;
}

// The threshold at which rows get `average` labels on average.
double find_threshold(const MatrixD& margins, double average, std::size_t at_least) {
  double low = -1e6, high = 1e6;  // all labels; none
  if (average >= static_cast<double>(margins.cols())) return low;
  for (int halving = 0; halving < 60; ++halving) {
    const double middle = (low + high) / 2;
    const auto on = static_cast<double>(count_on(margins, middle, at_least));
    (on >= average * static_cast<double>(margins.rows()) ? low : high) = middle;
  }
  return low;
}

struct Thresholds {
  double truth, noise;
};

// Sets the world's offsets so that labels differ in frequency, and finds the thresholds that meet
// the wanted averages.
Thresholds calibrate(SynthWorld& world, const SynthOptions& options, ThreadPool& pool) {
  const std::size_t wanted = std::clamp(options.rows, kLeastPilot, kMostPilot);
  MatrixD margins(std::min(wanted, std::max<std::size_t>(kPilotCells / options.labels, 1)),
                  options.labels);
  const auto for_rows = [&](const auto& body) {
    pool.for_blocks(margins.rows(), kBlock, [&](std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i) body(i);
    });
  };
  for_rows([&](std::size_t i) { world.truth_margins(world.cause(i), i, margins.row(i)); });
  std::vector<double> offsets(options.labels);
  pool.for_each(options.labels, [&](std::size_t k) {
    std::vector<double> column(margins.rows());
    for (std::size_t i = 0; i < margins.rows(); ++i) column[i] = margins(i, k);
    offsets[k] = quantile(std::move(column), 1 - world.rate(k));
    for (std::size_t i = 0; i < margins.rows(); ++i) margins(i, k) -= offsets[k];
  });
  world.set_offsets(std::move(offsets));

  Thresholds found;
  found.truth = find_threshold(margins, options.cardinality, 1);
  for_rows([&](std::size_t i) {
    const std::vector<double> clear(margins.row(i).begin(), margins.row(i).end());
    world.noise_margins(clear, labels_above(clear, found.truth, true), i, margins.row(i));
  });
  found.noise = find_threshold(margins, options.noise, 0);
  return found;
}

// Sparse features of consecutive rows.
struct Block {
  std::vector<std::uint32_t> columns;
  std::vector<float> values;
  std::vector<std::uint64_t> ends;
};

CsrMatrix join(std::vector<Block> blocks, std::size_t features) {
  CsrMatrix out;
  out.cols = features;
  out.starts.push_back(0);
  for (Block& block : blocks) {
    const std::uint64_t before = out.values.size();
    out.columns.append(block.columns);
    out.values.append(block.values);
    for (const std::uint64_t end : block.ends) out.starts.push_back(before + end);
    block = {};
  }
  return out;
}

// Makes any rows of a set.
class RowMaker {
 public:
  RowMaker(const SynthOptions& options, ThreadPool& pool)
      : options_(options),
        pool_(pool),
        world_(options),
        thresholds_(calibrate(world_, options, pool)) {}

  Dataset rows(std::size_t first, std::size_t count) const {
    Dataset data;
    data.name = "synthetic crowd";
    data.features = options_.entries > 0 ? Features(sparse_features(first, count))
                                         : Features(dense_features(first, count));
    data.candidates = LabelMatrix(count, options_.labels);
    data.truth = LabelMatrix(count, options_.labels);
    label(data, first);
    if (options_.votes) data.votes = votes(*data.truth, first);
    for (std::size_t j = 0; j < options_.features; ++j)
      data.feature_names.push_back(fmt::format("f{}", j + 1));
    for (std::size_t k = 0; k < options_.labels; ++k)
      data.label_names.push_back(synth_label_name(k));
    return data;
  }

 private:
  Matrix dense_features(std::size_t first, std::size_t count) const {
    Matrix features(count, options_.features);
    pool_.for_blocks(count, kBlock, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i)
        world_.features(world_.cause(first + i), first + i, features.row(i));
    });
    return features;
  }

  CsrMatrix sparse_features(std::size_t first, std::size_t count) const {
    std::vector<Block> blocks((count + kBlock - 1) / kBlock);
    pool_.for_blocks(count, kBlock, [&](std::size_t begin, std::size_t end) {
      Block& block = blocks[begin / kBlock];
      for (std::size_t i = begin; i < end; ++i) {
        world_.entries(world_.cause(first + i), first + i, block.columns, block.values);
        block.ends.push_back(block.values.size());
      }
    });
    return join(std::move(blocks), options_.features);
  }

  void label(Dataset& data, std::size_t first) const {
    pool_.for_blocks(data.candidates.rows(), kBlock, [&](std::size_t begin, std::size_t end) {
      std::vector<double> margins(options_.labels), noise(options_.labels);
      for (std::size_t i = begin; i < end; ++i) {
        world_.truth_margins(world_.cause(first + i), first + i, margins);
        const std::vector<std::size_t> right = labels_above(margins, thresholds_.truth, true);
        world_.noise_margins(margins, right, first + i, noise);
        for (const std::size_t k : right) {
          data.truth->set(i, k);
          data.candidates.set(i, k, !world_.overlooked(first + i, k));
        }
        for (const std::size_t k : labels_above(noise, thresholds_.noise, false))
          data.candidates.set(i, k);
      }
    });
  }

  std::shared_ptr<const Votes> votes(const LabelMatrix& truth, std::size_t first) const {
    VoteCollector said;
    std::vector<double> margins(options_.labels);
    for (std::size_t i = 0; i < truth.rows(); ++i) {
      world_.truth_margins(world_.cause(first + i), first + i, margins);
      std::vector<std::size_t> right;
      truth.for_each(i, [&](std::size_t k) { right.push_back(k); });
      for (const auto& annotation :
           world_.annotations(margins, right, first + i, thresholds_.noise)) {
        const auto row = static_cast<std::uint32_t>(i);
        const auto annotator = static_cast<std::uint32_t>(annotation.annotator);
        said.annotate(row, annotator);
        for (const std::size_t k : annotation.ticked)
          said.tick(row, annotator, static_cast<std::uint32_t>(k));
      }
    }
    std::vector<std::string> annotators;
    for (std::size_t a = 0; a < options_.annotators; ++a)
      annotators.push_back(fmt::format("p{}", a + 1));
    return std::make_shared<const Votes>(said.finish(truth.rows(), std::move(annotators)));
  }

  const SynthOptions& options_;
  ThreadPool& pool_;
  SynthWorld world_;
  Thresholds thresholds_;
};

}  // namespace

Dataset make_synthetic(const SynthOptions& options, ThreadPool& pool) {
  check(options);
  return RowMaker(options, pool).rows(0, options.rows);
}

void make_synthetic(const SynthOptions& options, ThreadPool& pool,
                    const std::function<void(Dataset&&)>& take) {
  check(options);
  const RowMaker maker(options, pool);
  const std::size_t at_once = std::max(kCellsAtOnce / options.features, kBlock);
  for (std::size_t first = 0; first < options.rows; first += at_once)
    take(maker.rows(first, std::min(at_once, options.rows - first)));
}

}  // namespace sieve
