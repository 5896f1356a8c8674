// How often thresholds with a guarantee break it: real sets with a known truth, whose training rows
// get noise. Each repetition trains a model on two fifths of the rows, draws decided rows among the
// others, and compares each promise with what is so over all rows that were not trained on.
// Usage: guarantee_bench FOLDER SETS METHOD FIRST_SEED LAST_SEED DECIDED [noise=KIND] [key=value
// ...]
#include <cmath>
#include <cstdio>
#include <numeric>
#include <sstream>
#include <string>
#include <vector>

#include "base/random.h"
#include "labelsieve/error.h"
#include "labelsieve/pipeline.h"
#include "paper_sets.h"

namespace {

using namespace sieve;

struct Tally {
  std::size_t alone = 0, broken = 0, together = 0, broken_together = 0, never = 0, refused = 0;
  double found = 0;  // the other measure where a label is on: recall of a precision, and back
};

// Of each label over all rows: how many are on, right, and both.
struct Counts {
  double on = 0, right = 0, both = 0;
  double of(const std::string& about) const { return both / (about == "precision" ? on : right); }
};

double shared_share(const Guarantee& chosen, const LabelMatrix& on, const LabelMatrix& truth) {
  double sum = 0, rows = 0;
  for (std::size_t i = 0; i < truth.rows(); ++i) {
    double all = 0, good = 0;
    for (std::size_t l = 0; l < chosen.labels.size(); ++l) {
      if (!chosen.labels[l].shared) continue;
      const bool counts = chosen.about == "precision" ? on.get(i, l) : truth.get(i, l);
      all += counts;
      good += counts && on.get(i, l) && truth.get(i, l);
    }
    if (all > 0) sum += good / all, ++rows;
  }
  return rows > 0 ? sum / rows : 1;
}

void count(const Guarantee& chosen, const LabelMatrix& on, const LabelMatrix& truth, Tally& tally) {
  bool together = false;
  const std::string other = chosen.about == "precision" ? "recall" : "precision";
  for (std::size_t l = 0; l < chosen.labels.size(); ++l) {
    Counts counts;
    for (std::size_t i = 0; i < truth.rows(); ++i) {
      counts.on += on.get(i, l);
      counts.right += truth.get(i, l);
      counts.both += on.get(i, l) && truth.get(i, l);
    }
    if (chosen.labels[l].decisions == 0) {
      ++tally.never;
    } else if (chosen.labels[l].shared) {
      together = true;
    } else {
      ++tally.alone;
      tally.broken += counts.of(chosen.about) < chosen.share;
      tally.found += counts.of(other);
    }
  }
  if (!together) return;
  ++tally.together;
  tally.broken_together += shared_share(chosen, on, truth) < chosen.share;
}

struct Run {
  std::string method;
  std::map<std::string, std::string> settings;
  std::size_t decided;
  std::string noise = "fill";
};

void repeat(const Dataset& whole, const std::string& set, std::uint64_t seed, const Run& run,
            std::vector<std::pair<GuaranteeGoal, Tally>>& tallies) {
  Dataset data = whole.clone();
  ThreadPool pool(1);
  add_noise(data, set, run.noise, seed, pool);
  const Split split = split_random(data.rows(), 0.6, seed);
  const Trained trained = train(data, {.method = run.method,
                                       .settings = run.settings,
                                       .rows = split.train,
                                       .fit = {.seed = seed, .threads = &pool}});
  const Dataset rest = data.select_rows(split.test);
  const Matrix scores = trained.model->scores(rest.features, pool);
  std::vector<std::size_t> order(rest.rows());
  std::iota(order.begin(), order.end(), std::size_t{0});
  Random(seed, Purpose::Audit, 1000, 0).shuffle(std::span(order));
  DecidedRows decided{Matrix(run.decided, rest.labels()), {}};
  for (std::uint32_t i = 0; i < run.decided; ++i)
    for (std::uint32_t l = 0; l < rest.labels(); ++l) {
      decided.scores(i, l) = scores(order[i], l);
      decided.cells.push_back({i, l, rest.truth->get(order[i], l)});
    }
  for (auto& [goal, tally] : tallies) try {
      const Guarantee chosen = guarantee(*trained.model, decided, goal);
      count(chosen, decide_by(chosen, scores), *rest.truth, tally);
    } catch (const Error&) {
      ++tally.refused;
    }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 7) return 2;
  Run run{argv[3], {}, std::stoul(argv[6]), "fill"};
  for (int i = 7; i < argc; ++i) {
    const std::string setting = argv[i];
    if (setting.starts_with("noise=")) {
      run.noise = setting.substr(6);
      continue;
    }
    run.settings[setting.substr(0, setting.find('='))] = setting.substr(setting.find('=') + 1);
  }
  std::printf(
      "| set | promise | alone: broken | other measure | together: broken | never or always on | "
      "refused |\n|---|---|---|---|---|---|---|\n");
  std::istringstream sets(argv[2]);
  for (std::string set; std::getline(sets, set, ',');) {
    ThreadPool pool;
    const Dataset data = read_paper_set(argv[1], set, pool);
    std::vector<std::pair<GuaranteeGoal, Tally>> tallies;
    for (const char* goal : {"precision=0.8", "precision=0.9", "recall=0.8", "recall=0.9"})
      tallies.emplace_back(parse_guarantee(goal), Tally());
    for (std::uint64_t seed = std::stoull(argv[4]); seed <= std::stoull(argv[5]); ++seed)
      repeat(data, set, seed, run, tallies);
    for (const auto& [goal, tally] : tallies)
      std::printf("| %s | %s | %zu of %zu (%.3f) | %.2f | %zu of %zu | %zu | %zu |\n", set.c_str(),
                  to_string(goal).c_str(), tally.broken, tally.alone,
                  static_cast<double>(tally.broken) / static_cast<double>(tally.alone),
                  tally.found / static_cast<double>(tally.alone), tally.broken_together,
                  tally.together, tally.never, tally.refused);
    std::fflush(stdout);
  }
}
