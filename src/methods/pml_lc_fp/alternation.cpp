#include "methods/pml_lc_fp/alternation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace sieve {
namespace {

constexpr std::size_t kRowsAtOnce = 64;

struct Objective {
  double before = 0, after = 0;  // of the P-step
};

// The P-step of all rows. Sums are taken in the order of the rows.
Objective improve_confidence(const PairRanker& ranker, const CandidateLists& lists,
                             const ConfidenceTerms& terms, std::vector<double>& confidence,
                             ThreadPool& pool) {
  std::vector<ConfidenceStep::Change> changes(lists.rows());
  pool.for_blocks(lists.rows(), kRowsAtOnce, [&](std::size_t first, std::size_t last) {
    ConfidenceStep step(lists, terms);
    std::vector<double> scores(ranker.padded_labels());
    for (std::size_t i = first; i < last; ++i) {
      if (lists.count(i) == 0) continue;
      ranker.scores(i, scores);
      changes[i] = step.improve(i, scores, lists.part(confidence, i));
    }
  });
  Objective sum{ranker.squared_norm(), ranker.squared_norm()};
  for (const ConfidenceStep::Change& change : changes)
    sum.before += change.before, sum.after += change.after;
  return sum;
}

}  // namespace

AlternationResult alternate(const ScaledRows& rows, const CandidateLists& lists,
                            const ConfidenceTerms& terms, const AlternationSettings& settings,
                            FitRun& run) {
  PairRanker ranker(rows, lists, terms.weight, settings.seed);
  AlternationResult out;
  std::vector<double> confidence(lists.all.size(), 1.0);
  run.begin("training", settings.rounds * settings.passes);
  for (std::size_t round = 0; round < settings.rounds; ++round) {
    for (std::size_t pass = 0; pass < settings.passes; ++pass) {
      const double gap = ranker.pass(confidence);
      ++out.passes;
      run.update(round * settings.passes + pass + 1,
                 fmt::format("round {}  duality gap {:.4f}", round + 1, gap));
      if (gap <= settings.gap) break;
    }
    const Objective now = improve_confidence(ranker, lists, terms, confidence, run.pool());
    // A W-step that ends early may leave weights worse than those it began with: keep the old ones.
    if (!out.objective.empty() && now.before > out.objective.back()) break;
    const double last = out.objective.empty() ? INFINITY : out.objective.back();
    out.weights = ranker.weights();
    out.bias = ranker.bias();
    out.confidence = confidence;
    out.objective.insert(out.objective.end(), {now.before, now.after});
    if (last - now.after <= settings.tolerance * std::max(std::abs(now.after), 1.0)) break;
  }
  run.end();
  return out;
}

}  // namespace sieve
