#include "crowd/strength.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "crowd/log_odds.h"

namespace sieve {
namespace {

// What is known beforehand: standard deviations, and centres other than 0.
constexpr double kTurn = 0.35, kBias = 1, kLapseCentre = -3, kLapse = 1.5;
constexpr double kSharpnessCentre = 0.6931471805599453, kSharpness = 0.8;
constexpr double kSlopePrecision = 1.0 / 9;
constexpr double kSteady = 1e-5;          // relative change of the likelihood that ends the rounds
constexpr std::size_t kStepsOfRound = 2;  // Fisher's scoring
constexpr std::size_t kRowsUntilFlush = 8192;
constexpr double kFarTurn = 3, kFarBias = 12;

double squared(double x) {
  return x * x;
}

// A symmetric 2 x 2 matrix and what is done with it.
struct Square {
  double aa = 0, ab = 0, bb = 0;
  std::array<double, 2> solve(double a, double b) const {
    const double det = aa * bb - ab * ab;
    return {(bb * a - ab * b) / det, (aa * b - ab * a) / det};
  }
};

}  // namespace

// Expected looks and ticks at each node, in the order of place().
struct StrengthModel::Sums {
  std::vector<double> annotations, ticks;
  std::vector<double> strength_times_covariate, covariate_squares;  // by label
  std::vector<double> likelihoods;                                  // by block of labels

  double likelihood() const { return std::accumulate(likelihoods.begin(), likelihoods.end(), 0.0); }
  void add(const Sums& other) {
    for (std::size_t k = 0; k < annotations.size(); ++k) annotations[k] += other.annotations[k];
    for (std::size_t k = 0; k < ticks.size(); ++k) ticks[k] += other.ticks[k];
    for (std::size_t l = 0; l < covariate_squares.size(); ++l) {
      strength_times_covariate[l] += other.strength_times_covariate[l];
      covariate_squares[l] += other.covariate_squares[l];
    }
    for (std::size_t b = 0; b < likelihoods.size(); ++b) likelihoods[b] += other.likelihoods[b];
  }
};

std::vector<float> nodes_table(std::size_t labels) {
  std::vector<float> table(padded_labels(labels) * kNodes);
  for (std::size_t n = 0; n < kNodes; ++n)
    for (std::size_t l = 0; l < padded_labels(labels); ++l)
      table[cell_at(n, l)] = static_cast<float>(node_at(n));
  return table;
}

StrengthModel::StrengthModel(const MemberInput& input, const StrengthModel* from) {
  if (from != nullptr) {
    annotators_ = from->annotators_;
    first_answers_ = from->first_answers_;
    labels_ = from->labels_;
    padded_ = from->padded_;
    annotations_ = from->annotations_;
    guess_ = from->guess_.clone();
    lapse_ = from->lapse_;
    sharpness_ = from->sharpness_;
    threshold_ = from->threshold_;
    slope_ = from->slope_;
    turn_ = from->turn_.clone();
    bias_ = from->bias_.clone();
    passed_ = from->passed_.clone();
    more_if_ticked_ = from->more_if_ticked_.clone();
    return;
  }
  start(input);
}

void StrengthModel::start(const MemberInput& input) {
  const Votes& votes = *input.votes;
  annotators_ = votes.annotators().size();
  first_answers_ = input.annotators;
  labels_ = input.labels;
  padded_ = padded_labels(labels_);
  annotations_.assign(annotators_, 0);
  guess_ = MatrixD(annotators_, labels_);
  std::vector<double> rate(labels_), unsure_of(labels_);
  MatrixD unsure(votes.unsure() > 0 ? annotators_ : 0, labels_);
  double all = 0;
  for (std::size_t annotation = 0; annotation < votes.annotations(); ++annotation) {
    const double weight = double{input.weight(annotation)};
    const std::uint32_t annotator = votes.annotator(annotation);
    const double of_label = annotator < first_answers_ ? weight : 0;
    annotations_[annotator] += weight;
    all += of_label;
    for (const std::uint32_t l : votes.ticked(annotation)) {
      guess_(annotator, l) += weight;
      rate[l] += of_label;
    }
    for (const std::uint32_t l : votes.unsure(annotation)) {
      unsure(annotator, l) += weight;
      unsure_of[l] += of_label;
    }
  }
  for (std::size_t l = 0; l < labels_; ++l) rate[l] = (rate[l] + 0.5) / (all - unsure_of[l] + 1);
  for (std::size_t a = 0; a < annotators_; ++a)
    for (std::size_t l = 0; l < labels_; ++l)
      guess_(a, l) = (guess_(a, l) + 2 * rate[l]) /
                     (annotations_[a] - (unsure.rows() > 0 ? unsure(a, l) : 0) + 2);
  lapse_.assign(annotators_, kLapseCentre);
  sharpness_.assign(labels_, kSharpnessCentre);
  slope_.assign(labels_, 0);
  threshold_.resize(labels_);
  // A curve twice as steep as usual, over strengths that differ by 1, is 1.6 times as flat.
  for (std::size_t l = 0; l < labels_; ++l) threshold_[l] = 1.6 * log_odds_of(rate[l]);
  turn_ = MatrixD(annotators_, labels_);
  bias_ = MatrixD(annotators_, labels_);
  passed_ = Array<float>(annotators_ * table_size());
  more_if_ticked_ = Array<float>(annotators_ * table_size());
}

double StrengthModel::tick_rate(std::size_t annotator, std::size_t label, std::size_t node) const {
  const double theta = std::exp(sharpness_[label]) * node_at(node) + threshold_[label];
  const double lapse = probability_of(lapse_[annotator]);
  const double seen =
      probability_of(std::exp(turn_(annotator, label)) * theta + bias_(annotator, label));
  return kept_inside(lapse * guess_(annotator, label) + (1 - lapse) * seen);
}

void StrengthModel::set_tables(ThreadPool& pool) {
  pool.for_blocks(annotators_, 8, [&](std::size_t first, std::size_t last) {
    for (std::size_t a = first; a < last; ++a)
      for (std::size_t n = 0; n < kNodes; ++n)
        for (std::size_t l = 0; l < labels_; ++l) {
          const double p = tick_rate(a, l, n);
          const double passed = std::log1p(-p);
          const std::size_t at = place(a, n, l);
          passed_.data()[at] = static_cast<float>(passed);
          more_if_ticked_.data()[at] = static_cast<float>(std::log(p) - passed);
        }
  });
}

void StrengthModel::set_mean_rates() {
  std::vector<double> sums(table_size());
  double all = 0;
  for (std::size_t a = 0; a < first_answers_; ++a) {
    if (annotations_[a] <= 0) continue;
    all += annotations_[a];
    for (std::size_t n = 0; n < kNodes; ++n)
      for (std::size_t l = 0; l < labels_; ++l)
        sums[cell_at(n, l)] += annotations_[a] * tick_rate(a, l, n);
  }
  mean_rates_.resize(table_size());
  for (std::size_t k = 0; k < mean_rates_.size(); ++k)
    mean_rates_[k] = static_cast<float>(sums[k] / std::max(all, 1e-9));
}

void StrengthModel::add_prior(const MemberInput& input, std::size_t row, float* into) const {
  for (std::size_t n = 0; n < kNodes; ++n) {
    const auto z = static_cast<float>(node_at(n));
    for (std::size_t l = 0; l < padded_; ++l) into[cell_at(n, l)] += -0.5F * z * z;
    if (input.covariate == nullptr) continue;
    const auto x = input.covariate->row(row);
    for (std::size_t l = 0; l < labels_; ++l)
      into[cell_at(n, l)] += z * static_cast<float>(slope_[l]) * x[l];
  }
}

void StrengthModel::add_votes(const MemberInput& input, std::size_t row, float* into) const {
  const Votes& votes = *input.votes;
  for (std::size_t annotation = votes.first_annotation(row);
       annotation < votes.first_annotation(row + 1); ++annotation) {
    const float weight = input.weight(annotation);
    const std::size_t annotator = votes.annotator(annotation);
    for (std::size_t block = 0; block < blocks(); ++block)
      add_block(weight, passed_.data() + block_place(annotator, block), into + block * kBlockSize);
    for (const std::uint32_t l : votes.ticked(annotation))
      for (std::size_t n = 0; n < kNodes; ++n)
        into[cell_at(n, l)] += weight * more_if_ticked_.data()[place(annotator, n, l)];
    for (const std::uint32_t l : votes.unsure(annotation))
      for (std::size_t n = 0; n < kNodes; ++n)
        into[cell_at(n, l)] -= weight * passed_.data()[place(annotator, n, l)];
  }
}

// Adds what the rows of a part say about a block of labels. A row's nodes stay in registers while
// its annotators' tables are added up, and again while they get their shares.
void StrengthModel::expect_block(const MemberInput& input, std::size_t first_row,
                                 std::size_t last_row, std::size_t block, Sums& sums) const {
  const Votes& votes = *input.votes;
  const std::size_t first = block * kLabelsInStep;
  const std::size_t last = std::min(first + kLabelsInStep, labels_);
  std::array<float, kBlockSize> nodes, standard, prior, q;
  for (std::size_t k = 0; k < kBlockSize; ++k) {
    nodes[k] = static_cast<float>(node_at(k / kLabelsInStep));
    standard[k] = -0.5F * nodes[k] * nodes[k];
  }
  std::array<float, kLabelsInStep> largest, total, mean;
  std::vector<float> recent(annotators_ * kBlockSize);
  std::vector<bool> touched(annotators_);
  std::vector<Weighted<const float>> tables;
  std::vector<Weighted<float>> shares;
  std::size_t since = 0;
  double likelihood = 0;
  const auto flush = [&] {
    for (std::size_t a = 0; a < annotators_; ++a)
      if (touched[a])
        flush_table(recent.data() + a * kBlockSize, kBlockSize,
                    sums.annotations.data() + block_place(a, block));
    touched.assign(annotators_, false);
    since = 0;
  };
  // The nodes of those labels that are in the block.
  const auto each_node = [&](std::span<const std::uint32_t> labels, const auto& visit) {
    for (const std::uint32_t l : labels)
      if (l >= first && l < last)
        for (std::size_t at = l - first; at < kBlockSize; at += kLabelsInStep) visit(at);
  };
  for (std::size_t row = first_row; row < last_row; ++row) {
    if (votes.annotations(row) == 0) continue;
    const std::size_t begin = votes.first_annotation(row), end = votes.first_annotation(row + 1);
    tables.clear();
    shares.clear();
    for (std::size_t annotation = begin; annotation < end; ++annotation) {
      const std::size_t a = votes.annotator(annotation);
      const float weight = input.weight(annotation);
      tables.push_back({passed_.data() + block_place(a, block), weight});
      shares.push_back({recent.data() + a * kBlockSize, weight});
      touched[a] = true;
    }
    const float* start = standard.data();
    if (input.covariate != nullptr) {
      const auto x = input.covariate->row(row);
      prior = standard;
      for (std::size_t n = 0; n < kNodes; ++n)
        for (std::size_t l = first; l < last; ++l)
          prior[n * kLabelsInStep + l - first] +=
              nodes[n * kLabelsInStep] * static_cast<float>(slope_[l]) * x[l];
      start = prior.data();
    }
    sum_blocks(start, tables.data(), tables.size(), q.data());
    for (std::size_t annotation = begin; annotation < end; ++annotation) {
      const Weighted<const float>& table = tables[annotation - begin];
      const float* more = more_if_ticked_.data() + (table.block - passed_.data());
      each_node(votes.ticked(annotation),
                [&](std::size_t at) { q[at] += table.weight * more[at]; });
      each_node(votes.unsure(annotation),
                [&](std::size_t at) { q[at] -= table.weight * table.block[at]; });
    }
    normalise_nodes(q.data(), kLabelsInStep, largest.data(), total.data());
    double product = 1;  // of at most 16 numbers up to 21
    for (std::size_t lane = 0; lane < last - first; ++lane) {
      likelihood += double{largest[lane]};
      product *= double{total[lane]};
    }
    likelihood += std::log(product);
    if (input.covariate != nullptr) {
      mean_over_nodes(q.data(), nodes.data(), kLabelsInStep, mean.data());
      const auto x = input.covariate->row(row);
      for (std::size_t l = first; l < last; ++l) {
        sums.strength_times_covariate[l] += double{mean[l - first]} * double{x[l]};
        sums.covariate_squares[l] += double{x[l]} * double{x[l]};
        // The prior's own sum over the nodes, as if they had no ends.
        likelihood -= 0.5 * squared(slope_[l] * double{x[l]});
      }
    }
    add_to_blocks(q.data(), shares.data(), shares.size());
    for (std::size_t annotation = begin; annotation < end; ++annotation) {
      const Weighted<float>& share = shares[annotation - begin];
      double* ticks = sums.ticks.data() + block_place(votes.annotator(annotation), block);
      each_node(votes.ticked(annotation),
                [&](std::size_t at) { ticks[at] += double{share.weight * q[at]}; });
      each_node(votes.unsure(annotation),
                [&](std::size_t at) { share.block[at] -= share.weight * q[at]; });
    }
    if (++since == kRowsUntilFlush) flush();
  }
  flush();
  sums.likelihoods[block] = likelihood;
}

StrengthModel::Sums StrengthModel::expect(const MemberInput& input, ThreadPool& pool) const {
  const std::size_t size = table_size();
  const Parts parts(input.votes->rows(), annotators_ * size * (2 * sizeof(double) + sizeof(float)));
  std::vector<Sums> partial(parts.count);
  for (Sums& sums : partial) {
    sums.annotations.resize(annotators_ * size);
    sums.ticks.resize(annotators_ * size);
    sums.strength_times_covariate.resize(labels_);
    sums.covariate_squares.resize(labels_);
    sums.likelihoods.resize(blocks());
  }
  pool.for_each(parts.count * blocks(), [&](std::size_t task) {
    const std::size_t part = task / blocks();
    expect_block(input, parts.first(part), parts.first(part + 1), task % blocks(), partial[part]);
  });
  for (std::size_t part = 1; part < parts.count; ++part) partial[0].add(partial[part]);
  return std::move(partial[0]);
}

// Fisher's scoring for all that belongs to a label. Only the label's own two numbers connect the
// annotators, so that they are solved for last (the matrix has the form of an arrow).
void StrengthModel::move_label(const Sums& sums, std::size_t label) {
  struct Annotator {
    Square own;                   // information about d and b
    std::array<double, 2> score;  // by d and b
    std::array<double, 4> cross;  // of (d, b) with (sharpness, threshold)
  };
  std::vector<Annotator> all(annotators_);
  for (std::size_t step = 0; step < kStepsOfRound; ++step) {
    Square common{1 / squared(kSharpness), 0, 1e-6};
    std::array<double, 2> score{(kSharpnessCentre - sharpness_[label]) / squared(kSharpness), 0};
    const double steep = std::exp(sharpness_[label]);
    for (std::size_t a = 0; a < annotators_; ++a) {
      Annotator& one = all[a];
      one = {{1 / squared(kTurn), 0, 1 / squared(kBias)},
             {-turn_(a, label) / squared(kTurn), -bias_(a, label) / squared(kBias)},
             {}};
      if (annotations_[a] <= 0) continue;
      const double turn = std::exp(turn_(a, label)), lapse = probability_of(lapse_[a]);
      for (std::size_t n = 0; n < kNodes; ++n) {
        const std::size_t at = place(a, n, label);
        const double annotations = sums.annotations[at], ticks = sums.ticks[at];
        if (annotations < 1e-12) continue;
        const double z = node_at(n), theta = steep * z + threshold_[label];
        const double seen = probability_of(turn * theta + bias_(a, label));
        const double p = kept_inside(lapse * guess_(a, label) + (1 - lapse) * seen);
        const double by = (1 - lapse) * seen * (1 - seen), room = p * (1 - p);
        const double slope = (ticks - annotations * p) / room * by,
                     told = annotations * by * by / room;
        const double d = turn * theta, s = turn * steep * z, t = turn;
        one.score[0] += slope * d;
        one.score[1] += slope;
        one.own.aa += told * d * d;
        one.own.ab += told * d;
        one.own.bb += told;
        one.cross[0] += told * d * s;
        one.cross[1] += told * d * t;
        one.cross[2] += told * s;
        one.cross[3] += told * t;
        score[0] += slope * s;
        score[1] += slope * t;
        common.aa += told * s * s;
        common.ab += told * s * t;
        common.bb += told * t * t;
      }
    }
    for (const Annotator& one : all) {
      const auto by_score = one.own.solve(one.score[0], one.score[1]);
      const auto by_s = one.own.solve(one.cross[0], one.cross[2]);
      const auto by_t = one.own.solve(one.cross[1], one.cross[3]);
      score[0] -= one.cross[0] * by_score[0] + one.cross[2] * by_score[1];
      score[1] -= one.cross[1] * by_score[0] + one.cross[3] * by_score[1];
      common.aa -= one.cross[0] * by_s[0] + one.cross[2] * by_s[1];
      common.ab -= one.cross[0] * by_t[0] + one.cross[2] * by_t[1];
      common.bb -= one.cross[1] * by_t[0] + one.cross[3] * by_t[1];
    }
    auto move = common.solve(score[0], score[1]);
    move[0] = std::clamp(move[0], -0.7, 0.7);
    move[1] = std::clamp(move[1], -1.5, 1.5);
    sharpness_[label] = std::clamp(sharpness_[label] + move[0], -kFarTurn, kFarTurn);
    threshold_[label] = std::clamp(threshold_[label] + move[1], -2 * kFarBias, 2 * kFarBias);
    for (std::size_t a = 0; a < annotators_; ++a) {
      const Annotator& one = all[a];
      const auto own =
          one.own.solve(one.score[0] - one.cross[0] * move[0] - one.cross[1] * move[1],
                        one.score[1] - one.cross[2] * move[0] - one.cross[3] * move[1]);
      turn_(a, label) =
          std::clamp(turn_(a, label) + std::clamp(own[0], -0.5, 0.5), -kFarTurn, kFarTurn);
      bias_(a, label) =
          std::clamp(bias_(a, label) + std::clamp(own[1], -1.5, 1.5), -kFarBias, kFarBias);
    }
  }
  if (!sums.covariate_squares.empty())
    slope_[label] =
        sums.strength_times_covariate[label] / (sums.covariate_squares[label] + kSlopePrecision);
}

void StrengthModel::move_lapse(const Sums& sums, std::size_t annotator) {
  for (std::size_t step = 0; step < kStepsOfRound; ++step) {
    const double lapse = probability_of(lapse_[annotator]), by = lapse * (1 - lapse);
    double score = (kLapseCentre - lapse_[annotator]) / squared(kLapse);
    double told = 1 / squared(kLapse);
    for (std::size_t l = 0; l < labels_; ++l) {
      const double turn = std::exp(turn_(annotator, l)), steep = std::exp(sharpness_[l]);
      for (std::size_t n = 0; n < kNodes; ++n) {
        const std::size_t at = place(annotator, n, l);
        const double annotations = sums.annotations[at];
        if (annotations < 1e-12) continue;
        const double theta = steep * node_at(n) + threshold_[l];
        const double seen = probability_of(turn * theta + bias_(annotator, l));
        const double p = kept_inside(lapse * guess_(annotator, l) + (1 - lapse) * seen);
        const double slope = (guess_(annotator, l) - seen) * by, room = p * (1 - p);
        score += (sums.ticks[at] - annotations * p) / room * slope;
        told += annotations * slope * slope / room;
      }
    }
    lapse_[annotator] =
        std::clamp(lapse_[annotator] + std::clamp(score / told, -1.0, 1.0), -kFarthest, 6.0);
  }
}

void StrengthModel::maximise(const Sums& sums, ThreadPool& pool) {
  pool.for_each(labels_, [&](std::size_t label) { move_label(sums, label); });
  pool.for_each(annotators_, [&](std::size_t annotator) {
    if (annotations_[annotator] > 0) move_lapse(sums, annotator);
  });
  set_tables(pool);
}

void StrengthModel::fit(const MemberInput& input, std::size_t rounds, ThreadPool& pool) {
  set_tables(pool);
  double before = 0;
  for (std::size_t round = 0; round < rounds; ++round) {
    Sums sums = expect(input, pool);
    if (input.covariate == nullptr) sums.covariate_squares.clear();
    const double likelihood = sums.likelihood();
    maximise(sums, pool);
    if (round > 0 && std::abs(likelihood - before) <= kSteady * std::abs(before)) break;
    before = likelihood;
  }
  set_mean_rates();
}

}  // namespace sieve
