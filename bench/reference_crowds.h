#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "base/random.h"
#include "labelsieve/data_io.h"
#include "labelsieve/pipeline.h"
#include "labelsieve/prepare.h"

// Crowds with a truth: three of real people (in LABELSIEVE_DATA) and six kinds of simulated ones.
namespace sieve::reference {

struct Crowd {
  std::string name{};
  Dataset data{};
  std::vector<signed char> known{};  // rows x labels: 1 right, 0 wrong, -1 nobody can say
  int truth(std::size_t row, std::size_t label) const { return known[row * data.labels() + label]; }
};

// The rows of a table of features, with the annotations beside it.
inline Dataset read_crowd(const std::string& folder, const std::string& name,
                          const std::string& table, std::vector<std::string> text = {}) {
  const std::string at = folder + "/" + name + "/";
  ReadOptions options;
  options.ticks.path = at + "judgments.csv.gz";
  options.table.text = std::move(text);
  Dataset data = read_dataset({at + table}, options);
  data.name = name;
  return data;
}

// A crowd with decisions of experts in a file.
inline Crowd decided_crowd(const std::string& folder, const std::string& name,
                           const std::string& table, const std::string& file,
                           std::vector<std::string> text = {}) {
  Crowd crowd{name, read_crowd(folder, name, table, std::move(text))};
  crowd.known.assign(crowd.data.rows() * crowd.data.labels(), -1);
  for (const GoldCell& cell : read_gold(folder + "/" + name + "/" + file, crowd.data))
    crowd.known[cell.row * crowd.data.labels() + cell.label] = cell.on ? 1 : 0;
  return crowd;
}

inline Crowd relex(const std::string& folder) {
  return decided_crowd(folder, "relex", "texts.csv.gz", "expert.csv", {"text", "term1", "term2"});
}

inline Crowd xray(const std::string& folder) {
  return decided_crowd(folder, "xray", "features.csv.gz", "adjudicated.csv.gz");
}

// So many annotations per text, drawn at random; the majority of at least three others is the
// truth.
inline Crowd brighter(const std::string& folder, std::uint64_t seed, std::size_t drawn = 2) {
  Dataset data = read_crowd(folder, "brighter", "texts.csv.gz", {"text"});
  const Votes& all = *data.votes;
  const std::size_t labels = data.labels(), rows = data.rows();
  VoteCollector few;
  std::vector<signed char> known(rows * labels, -1);
  for (std::size_t i = 0; i < rows; ++i) {
    std::vector<std::size_t> annotations;
    for (std::size_t k = 0; k < all.annotations(i); ++k)
      annotations.push_back(all.first_annotation(i) + k);
    Random(seed, Purpose::Test, 1, i).shuffle(std::span(annotations));
    std::vector<std::size_t> ticks(labels);
    for (std::size_t k = 0; k < annotations.size(); ++k) {
      const std::uint32_t annotator = all.annotator(annotations[k]);
      if (k < drawn) few.annotate(static_cast<std::uint32_t>(i), annotator);
      for (const std::uint32_t l : all.ticked(annotations[k]))
        if (k < drawn)
          few.tick(static_cast<std::uint32_t>(i), annotator, l);
        else
          ++ticks[l];
    }
    const std::size_t others = annotations.size() - std::min(annotations.size(), drawn);
    for (std::size_t l = 0; l < labels && others >= 3; ++l)
      known[i * labels + l] = 2 * ticks[l] > others;
  }
  Votes votes = few.finish(rows, {all.annotators().begin(), all.annotators().end()});
  data.candidates = votes.any_tick(labels);
  data.votes = std::make_shared<const Votes>(std::move(votes));
  return {"brighter", std::move(data), std::move(known)};
}

// Candidates and truth without names of annotators.
inline Crowd mirflickr(const std::string& folder) {
  Crowd crowd{"mirflickr", read_dataset({folder + "/mirflickr/mirflickr_5000.mat"})};
  for (std::size_t i = 0; i < crowd.data.rows(); ++i)
    for (std::size_t l = 0; l < crowd.data.labels(); ++l)
      crowd.known.push_back(crowd.data.truth->get(i, l));
  crowd.data.truth.reset();
  return crowd;
}

// ---- simulated annotators

enum class Kind { BuiltIn, Independent, Confusions, Groups, Lines, Guessers };
inline constexpr std::array kKinds = {Kind::BuiltIn, Kind::Independent, Kind::Confusions,
                                      Kind::Groups,  Kind::Lines,       Kind::Guessers};

inline std::string to_string(Kind kind) {
  static constexpr std::array kNames = {"built-in", "independent", "shared confusions",
                                        "groups",   "other lines", "guessers"};
  return kNames[static_cast<std::size_t>(kind)];
}

inline double logistic(double x) {
  return 1 / (1 + std::exp(-x));
}

// Nine annotators, three per row, who see the truth of the built-in crowd in a way of their own.
class Simulation {
 public:
  Simulation(Kind kind, std::uint64_t seed, const LabelMatrix& truth)
      : kind_(kind), seed_(seed), truth_(truth) {
    for (std::size_t a = 0; a < kAnnotators; ++a)
      for (std::size_t l = 0; l < truth.labels(); ++l) {
        Random random(seed, Purpose::Test, 10 + a, l);
        const double skill = Random(seed, Purpose::Test, 9, a).normal();
        finds_.push_back(logistic(1.1 + 0.6 * skill + 0.4 * random.normal()));
        invents_.push_back(logistic(-2.6 - 0.5 * skill + 0.7 * random.normal()));
      }
  }

  Votes votes() const {
    VoteCollector all;
    for (std::size_t i = 0; i < truth_.rows(); ++i) {
      std::vector<std::size_t> annotators(kAnnotators);
      for (std::size_t a = 0; a < kAnnotators; ++a) annotators[a] = a;
      Random(seed_, Purpose::Test, 30, i).shuffle(std::span(annotators));
      for (std::size_t k = 0; k < kPerRow; ++k) {
        const auto row = static_cast<std::uint32_t>(i);
        const auto annotator = static_cast<std::uint32_t>(annotators[k]);
        all.annotate(row, annotator);
        for (std::size_t l = 0; l < truth_.labels(); ++l)
          if (ticks(i, annotators[k], l)) all.tick(row, annotator, static_cast<std::uint32_t>(l));
      }
    }
    std::vector<std::string> names;
    for (std::size_t a = 0; a < kAnnotators; ++a) names.push_back("a" + std::to_string(a));
    return all.finish(truth_.rows(), names);
  }

 private:
  static constexpr std::size_t kAnnotators = 9, kPerRow = 3, kGroups = 3, kGuessing = 3;

  double cell_uniform(std::uint64_t step, std::size_t row, std::size_t label) const {
    return Random(seed_, Purpose::Test, step, row * truth_.labels() + label).uniform();
  }
  bool independent(bool right, std::size_t row, std::size_t a, std::size_t l) const {
    const std::size_t at = a * truth_.labels() + l;
    return cell_uniform(100 + a, row, l) < (right ? finds_[at] : invents_[at]);
  }
  bool ticks(std::size_t row, std::size_t a, std::size_t l) const {
    const bool right = truth_.get(row, l);
    switch (kind_) {
      case Kind::Confusions: {  // the next label looks like this one, to everybody
        const bool lookalike = truth_.get(row, (l + 1) % truth_.labels());
        const bool confusing = lookalike && cell_uniform(50, row, l) < 0.4;
        return independent(right || confusing, row, a, l);
      }
      case Kind::Groups: {  // members of a group share half of their mistakes
        const std::size_t group = a % kGroups, at = group * truth_.labels() + l;
        if (cell_uniform(60 + group, row, l) < 0.5)
          return cell_uniform(70 + group, row, l) < (right ? finds_[at] : invents_[at]);
        return independent(right, row, a, l);
      }
      case Kind::Lines: {  // a cell is more or less clear, and the crowd ticks sooner than experts
        Random random(seed_, Purpose::Test, 40, row * truth_.labels() + l);
        const double clear = right ? std::fabs(random.normal()) : -1.8 * std::fabs(random.normal());
        const double line = -0.6 + 0.5 * Random(seed_, Purpose::Test, 41, l).normal() +
                            0.3 * Random(seed_, Purpose::Test, 42, a).normal();
        return cell_uniform(100 + a, row, l) < logistic(4 * (clear - line));
      }
      case Kind::Guessers:
        if (a < kGuessing) return cell_uniform(100 + a, row, l) < 0.15;
        return independent(right, row, a, l);
      default:
        return independent(right, row, a, l);
    }
  }

  Kind kind_;
  std::uint64_t seed_;
  const LabelMatrix& truth_;
  std::vector<double> finds_{}, invents_{};
};

inline Crowd simulated(Kind kind, std::uint64_t seed, ThreadPool& pool) {
  Crowd crowd{to_string(kind), make_synthetic({.seed = seed, .votes = true}, pool)};
  Dataset& data = crowd.data;
  const LabelMatrix truth = data.truth->clone();
  if (kind != Kind::BuiltIn) {
    Votes votes = Simulation(kind, seed, truth).votes();
    data.candidates = votes.any_tick(data.labels());
    data.votes = std::make_shared<const Votes>(std::move(votes));
  }
  data.truth.reset();  // nobody learns from it by accident
  for (std::size_t i = 0; i < data.rows(); ++i)
    for (std::size_t l = 0; l < data.labels(); ++l) crowd.known.push_back(truth.get(i, l));
  return crowd;
}

}  // namespace sieve::reference
