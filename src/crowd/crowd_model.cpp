#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>

#include "crowd/crowd_members.h"
#include "crowd/gold_weights.h"
#include "crowd/log_odds.h"
#include "labelsieve/crowd.h"

namespace sieve {
namespace {

Estimate estimate(double rate, double spread) {
  const double middle = log_odds_of(rate);
  return {kept_inside(rate), probability_of(middle - kNineTenths * spread),
          probability_of(middle + kNineTenths * spread)};
}

}  // namespace

std::size_t CrowdModel::annotators() const {
  return members_->sensitivity_spread.rows();
}

std::size_t CrowdModel::labels() const {
  return members_->labels;
}

Estimate CrowdModel::sensitivity(std::size_t annotator, std::size_t label) const {
  return estimate(members_->coins->sensitivity()(annotator, label),
                  members_->sensitivity_spread(annotator, label));
}

Estimate CrowdModel::false_positive_rate(std::size_t annotator, std::size_t label) const {
  return estimate(members_->coins->false_positive_rate()(annotator, label),
                  members_->false_positive_rate_spread(annotator, label));
}

const LabelWeights& CrowdModel::weights(std::size_t label) const {
  return members_->of_label[label];
}

std::span<const AlikePair> CrowdModel::alike() const {
  return members_->alike;
}

void CrowdModel::probabilities(const CrowdView& view, std::size_t row,
                               std::span<float> into) const {
  CrowdRow at(*this, view);
  probabilities(at, row, into);
}

void CrowdModel::probabilities(CrowdRow& at, std::size_t row, std::span<float> into) const {
  at.go_to(row);
  for (std::size_t l = 0; l < labels(); ++l)
    into[l] = static_cast<float>(corrected(gold_, labels(), l, at.final_odds(l)));
}

CrowdModel with_gold(CrowdModel model, const CrowdView& view, std::span<const GoldCell> gold) {
  check_gold(gold, view.rows(), view.labels);
  CrowdRow at(model, view);
  model.gold_ = learn_gold(gold, view.labels, [&](const GoldCell& cell) {
    at.go_to(cell.row);
    return at.final_odds(cell.label);
  });
  return model;
}

namespace {

constexpr std::size_t kBlock = 512;

// Better first; among equals by row, then by label.
bool before(const CellProbability& a, const CellProbability& b) {
  if (a.probability != b.probability) return a.probability > b.probability;
  return a.row != b.row ? a.row < b.row : a.label < b.label;
}

void keep_best(std::vector<CellProbability>& cells, std::size_t most) {
  if (cells.size() <= most) return;
  std::ranges::nth_element(cells, cells.begin() + static_cast<std::ptrdiff_t>(most), before);
  cells.resize(most);
}

using RowProbabilities = std::function<void(std::size_t row, std::span<float> into)>;
// One for each block of rows, with buffers of its own.
using BlockPosterior = std::function<RowProbabilities()>;

BlockPosterior by_crowd(const CrowdModel& model, const CrowdView& view) {
  return [&model, view]() -> RowProbabilities {
    return [&model, at = std::make_shared<CrowdRow>(model, view)](
               std::size_t row, std::span<float> into) { model.probabilities(*at, row, into); };
  };
}

BlockPosterior by_union(const UnionModel& model, const LabelMatrix& candidates,
                        const Matrix& scores) {
  return [&]() -> RowProbabilities {
    return [&](std::size_t row, std::span<float> into) {
      model.probabilities(candidates, scores, row, into);
    };
  };
}

CandidateScores probabilities_by(const BlockPosterior& of_block, const LabelMatrix& candidates,
                                 ThreadPool& pool) {
  CandidateScores out(candidates.share());
  pool.for_blocks(candidates.rows(), kBlock, [&](std::size_t first, std::size_t last) {
    const RowProbabilities probabilities_of = of_block();
    std::vector<float> probabilities(candidates.labels());
    for (std::size_t row = first; row < last; ++row) {
      probabilities_of(row, probabilities);
      out.set_row(row, probabilities);
    }
  });
  return out;
}

std::vector<CellProbability> missing_by(const BlockPosterior& of_block, const LabelMatrix& ticked,
                                        ThreadPool& pool, std::size_t most, double least) {
  std::vector<std::vector<CellProbability>> found((ticked.rows() + kBlock - 1) / kBlock);
  pool.for_blocks(ticked.rows(), kBlock, [&](std::size_t first, std::size_t last) {
    const RowProbabilities probabilities_of = of_block();
    std::vector<float> probabilities(ticked.labels());
    std::vector<CellProbability>& cells = found[first / kBlock];
    for (std::size_t row = first; row < last; ++row) {
      probabilities_of(row, probabilities);
      for (std::size_t l = 0; l < ticked.labels(); ++l)
        if (!ticked.get(row, l) && static_cast<double>(probabilities[l]) >= least)
          cells.push_back({row, l, probabilities[l]});
    }
    keep_best(cells, most);
  });
  std::vector<CellProbability> all;
  for (const auto& cells : found) all.insert(all.end(), cells.begin(), cells.end());
  keep_best(all, most);
  std::ranges::sort(all, before);
  return all;
}

}  // namespace

Matrix crowd_probabilities(const CrowdModel& model, const CrowdView& view, ThreadPool& pool) {
  Matrix out(view.rows(), view.labels);
  pool.for_blocks(view.rows(), kBlock, [&](std::size_t first, std::size_t last) {
    CrowdRow at(model, view);
    for (std::size_t row = first; row < last; ++row) model.probabilities(at, row, out.row(row));
  });
  return out;
}

Matrix crowd_strengths(const CrowdModel& model, const CrowdView& view, ThreadPool& pool) {
  Matrix out(view.rows(), view.labels);
  pool.for_blocks(view.rows(), kBlock, [&](std::size_t first, std::size_t last) {
    CrowdRow at(model, view);
    for (std::size_t row = first; row < last; ++row) {
      at.go_to(row);
      for (std::size_t l = 0; l < view.labels; ++l)
        out(row, l) = static_cast<float>(at.mean_strength(l));
    }
  });
  return out;
}

CandidateScores crowd_candidate_probabilities(const CrowdModel& model, const CrowdView& view,
                                              const LabelMatrix& candidates, ThreadPool& pool) {
  return probabilities_by(by_crowd(model, view), candidates, pool);
}

std::vector<CellProbability> missing_labels(const CrowdModel& model, const CrowdView& view,
                                            ThreadPool& pool, std::size_t most, double least) {
  return missing_by(by_crowd(model, view), view.votes->any_tick(view.labels), pool, most, least);
}

CandidateScores union_candidate_probabilities(const UnionModel& model,
                                              const LabelMatrix& candidates, const Matrix& scores,
                                              ThreadPool& pool) {
  return probabilities_by(by_union(model, candidates, scores), candidates, pool);
}

std::vector<CellProbability> missing_labels(const UnionModel& model, const LabelMatrix& candidates,
                                            const Matrix& scores, ThreadPool& pool,
                                            std::size_t most, double least) {
  return missing_by(by_union(model, candidates, scores), candidates, pool, most, least);
}

}  // namespace sieve
