#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include <fmt/format.h>

#include "base/format_text.h"
#include "base/parse_number.h"
#include "labelsieve/error.h"
#include "labelsieve/pipeline.h"
#include "labelsieve/predict.h"

namespace sieve {
namespace {

// Where nothing can be promised, these keep any promise: of a precision, and of a recall.
constexpr float kNever = std::numeric_limits<float>::infinity();
constexpr float kAlways = std::numeric_limits<float>::lowest();
constexpr double kHalf = 0.5;

// Thresholds of probabilities to try, fixed before any row is seen: as dense where labels are
// nearly sure as in the middle.
std::vector<double> thresholds_to_try() {
  constexpr int kSteps = 180;
  constexpr double kStep = 0.05;  // of log-odds
  std::vector<double> thresholds;
  for (int step = kSteps; step >= -kSteps; --step)
    thresholds.push_back(
        static_cast<double>(static_cast<float>(1 / (1 + std::exp(-kStep * step)))));
  return thresholds;
}

// Floats in the order of these numbers.
std::int64_t rank_of(float value) {
  const auto bits = std::bit_cast<std::int32_t>(value);
  return bits >= 0 ? bits : std::int64_t{std::numeric_limits<std::int32_t>::min()} - bits;
}
float float_at(std::int64_t rank) {
  return std::bit_cast<float>(static_cast<std::int32_t>(
      rank >= 0 ? rank : std::int64_t{std::numeric_limits<std::int32_t>::min()} - rank));
}

// The lowest score of each label whose probability reaches its threshold: probabilities rise with
// scores, but how is for the model to say.
std::vector<float> as_scores(const Model& model, std::span<const double> thresholds) {
  const std::size_t labels = thresholds.size();
  constexpr float kFarthest = std::numeric_limits<float>::max();
  std::vector<std::int64_t> below(labels, rank_of(-kFarthest)), reach(labels, rank_of(kFarthest));
  for (int step = 0; step < 33; ++step) {
    Matrix middle(1, labels);
    for (std::size_t l = 0; l < labels; ++l)
      middle(0, l) = float_at(below[l] + (reach[l] - below[l]) / 2);
    const Matrix there = model.probabilities(std::move(middle));
    for (std::size_t l = 0; l < labels; ++l) {
      const std::int64_t at = below[l] + (reach[l] - below[l]) / 2;
      (static_cast<double>(there(0, l)) >= thresholds[l] ? reach : below)[l] = at;
    }
  }
  std::vector<float> scores(labels);
  for (std::size_t l = 0; l < labels; ++l) scores[l] = float_at(reach[l]);
  return scores;
}

// Chooses the thresholds of one goal. Which labels are judged by themselves depends on how many
// decisions they have, never on how these came out.
class Chooser {
 public:
  Chooser(const Model& model, const DecidedRows& decided, const GuaranteeGoal& goal, double level)
      : model_(model),
        goal_(goal),
        level_(level),
        of_precision_(goal.about == "precision"),
        fewest_(fewest_decisions(goal.share, 1 - level)),
        rows_(decided.scores.rows()),
        of_label_(decided.scores.cols()) {
    const Matrix probabilities = model.probabilities(decided.scores.clone());
    for (const GoldCell& cell : decided.cells)
      of_label_[cell.label].push_back(
          {cell.row, {static_cast<double>(probabilities(cell.row, cell.label)), cell.on}});
  }

  Guarantee choose() {
    Guarantee chosen{goal_.about, goal_.share, level_, rows_, {}};
    chosen.labels.assign(of_label_.size(), {of_precision_ ? kNever : kAlways, false, 0});
    probability_.assign(of_label_.size(), kHalf);
    for (std::size_t l = 0; l < of_label_.size(); ++l)
      if (counting(l) < fewest_)
        few_.push_back(l);
      else
        choose_alone(l, chosen.labels[l]);
    if (!few_.empty()) choose_together(chosen.labels);
    const std::vector<float> scores = as_scores(model_, probability_);
    bool any = false;
    for (std::size_t l = 0; l < of_label_.size(); ++l)
      if (chosen.labels[l].decisions > 0) any = true, chosen.labels[l].threshold = scores[l];
    if (!any) refuse();
    return chosen;
  }

 private:
  struct Cell {
    std::size_t row;
    ScoredDecision decision;
  };
  double risk() const { return 1 - level_; }

  // Decisions that count for a label: right ones for a recall; for a precision those that the model
  // would rather switch on.
  bool counts(const ScoredDecision& decision) const {
    return of_precision_ ? decision.score >= kHalf : decision.right;
  }
  std::size_t counting(std::size_t label) const {
    return static_cast<std::size_t>(std::ranges::count_if(
        of_label_[label], [&](const Cell& cell) { return counts(cell.decision); }));
  }

  void choose_alone(std::size_t label, GuaranteedLabel& into) {
    std::vector<ScoredDecision> decisions;
    for (const Cell& cell : of_label_[label]) decisions.push_back(cell.decision);
    const std::optional<double> found =
        of_precision_
            ? precision_threshold(decisions, tried_below_top(decisions), goal_.share, risk())
            : recall_threshold(decisions, goal_.share, risk());
    if (!found) return;
    probability_[label] = *found;
    into.decisions = static_cast<std::uint64_t>(std::ranges::count_if(
        decisions, [&](auto& each) { return of_precision_ ? each.score >= *found : each.right; }));
  }

  // One wrong decision among the first few would end the tests at once. Where there are decisions
  // enough, they begin where two or one may be wrong; that depends on scores alone.
  std::span<const double> tried_below_top(std::span<const ScoredDecision> decisions) const {
    const auto above = [&](double threshold) {
      return static_cast<std::size_t>(std::ranges::count_if(
          decisions, [&](const ScoredDecision& each) { return each.score >= threshold; }));
    };
    const std::size_t half = above(kHalf) / 2;
    std::size_t begin = 0;
    for (std::size_t wrong = 1; wrong <= 2; ++wrong)
      if (const std::size_t n = fewest_decisions(goal_.share, risk(), wrong); n <= half) begin = n;
    std::span<const double> tried = tried_;
    while (!tried.empty() && above(tried.front()) < begin) tried = tried.subspan(1);
    return tried;
  }

  void choose_together(std::vector<GuaranteedLabel>& into) {
    std::map<std::size_t, ScoredRow> by_row;
    for (const std::size_t l : few_)
      for (const Cell& cell : of_label_[l]) by_row[cell.row].push_back(cell.decision);
    std::vector<ScoredRow> rows;
    for (auto& [row, cells] : by_row) {
      together_ += std::ranges::any_of(cells, [&](auto& each) { return counts(each); });
      rows.push_back(std::move(cells));
    }
    const auto found = of_precision_ ? shared_precision_threshold(rows, tried_, goal_.share, risk())
                                     : shared_recall_threshold(rows, tried_, goal_.share, risk());
    if (!found) return;
    for (const std::size_t l : few_) {
      probability_[l] = found->threshold;
      into[l].shared = true;
      into[l].decisions = found->rows;
    }
  }

  [[noreturn]] void refuse() const {
    const std::string promise = to_string(goal_);
    if (few_.empty() || together_ >= fewest_)
      throw Error(
          Failure::Data,
          fmt::format("the decisions do not show {} for any label at any threshold", promise), {},
          "promise less, train a better model, or decide more rows");
    const std::string names = first_names();
    const std::string counted =
        of_precision_ ? fmt::format("the model finds a label of {} more likely than not", names)
                      : fmt::format("a label of {} is right", names);
    throw Error(Failure::Data,
                fmt::format("{} are too few for {}: in {} of them {}, and {} are needed",
                            count_text(rows_, "decided row"), promise, together_, counted, fewest_),
                {},
                together_ == 0
                    ? "decide more rows drawn at random"
                    : fmt::format("decide about {} rows drawn at random",
                                  (rows_ * (fewest_ + fewest_ / 4) + together_ - 1) / together_));
  }
  std::string first_names() const {
    constexpr std::size_t kShown = 3;
    std::vector<std::string> names;
    for (std::size_t k = 0; k < std::min(few_.size(), kShown); ++k)
      names.push_back("'" + model_.state().label_names[few_[k]] + "'");
    if (few_.size() > kShown) names.push_back(fmt::format("{} more", few_.size() - kShown));
    return fmt::format("{}", fmt::join(names, ", "));
  }

  const Model& model_;
  const GuaranteeGoal& goal_;
  double level_;
  bool of_precision_;
  std::size_t fewest_, rows_;
  std::vector<std::vector<Cell>> of_label_;
  std::vector<double> tried_ = thresholds_to_try(), probability_{};
  std::vector<std::size_t> few_{};  // labels with too few decisions
  std::size_t together_ = 0;        // rows where one of them counts
};

// Whether this many of the drawn rows would have the candidate by chance: five standard deviations,
// and a little more for small numbers.
bool could_be_random(std::size_t drawn, std::size_t with, std::size_t all, std::size_t all_with) {
  const double share = static_cast<double>(all_with) / static_cast<double>(all);
  const double n = static_cast<double>(drawn), expected = n * share;
  return std::fabs(static_cast<double>(with) - expected) <=
         5 * std::sqrt(expected * (1 - share)) + 2;
}

void check_random(const Dataset& data, std::span<const GoldCell> cells) {
  const std::vector<std::size_t> all = data.candidates.label_counts();
  std::vector<std::size_t> drawn(data.labels()), with(data.labels());
  for (const GoldCell& cell : cells) {
    ++drawn[cell.label];
    with[cell.label] += data.candidates.get(cell.row, cell.label);
  }
  for (std::size_t l = 0; l < data.labels(); ++l)
    if (!could_be_random(drawn[l], with[l], data.rows(), all[l]))
      throw Error(Failure::Data,
                  fmt::format("the rows decided for label '{}' were not drawn at random: it is a "
                              "candidate in {} of {} of them, and in {} of all {} rows",
                              data.label_names[l], with[l], drawn[l], all[l], data.rows()),
                  {}, "a promise needs rows drawn at random, whatever their candidates are");
}

}  // namespace

GuaranteeGoal parse_guarantee(const std::string& text) {
  const std::size_t at = text.find('=');
  const std::string about = text.substr(0, at);
  const double share = at == text.npos ? 0 : parse_number<double>(text.substr(at + 1)).value_or(0);
  const bool known = about == "precision" || about == "recall" || about == "fdr";
  if (!known || !(share > 0 && share < 1))
    throw Error(Failure::Usage, "'" + text + "' is not a guarantee", {},
                "say for example precision=0.9, recall=0.9 or fdr=0.1, between 0 and 1");
  if (about != "fdr") return {about, share};
  return {"precision", std::round((1 - share) * 1e12) / 1e12};
}

std::string to_string(const GuaranteeGoal& goal) {
  return fmt::format("{}={}", goal.about, goal.share);
}

GuaranteeGoal goal_of(const Guarantee& guarantee) {
  return {guarantee.about, guarantee.share};
}

std::vector<std::size_t> rows_without(std::span<const GoldCell> cells, std::size_t rows) {
  std::vector<bool> decided(rows);
  for (const GoldCell& cell : cells) decided[cell.row] = true;
  std::vector<std::size_t> rest;
  for (std::size_t i = 0; i < rows; ++i)
    if (!decided[i]) rest.push_back(i);
  return rest;
}

DecidedRows decided_rows(const Model& model, const Dataset& data, ThreadPool& pool) {
  const std::vector<std::size_t> columns =
      match_columns(model.state().label_names, data.label_names, data.name);
  const LabelMatrix& labels = data.truth ? *data.truth : data.candidates;
  DecidedRows decided{predict(model, data, pool).scores, {}};
  for (std::size_t i = 0; i < data.rows(); ++i)
    for (std::size_t l = 0; l < columns.size(); ++l)
      decided.cells.push_back({static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(l),
                               labels.get(i, columns[l])});
  return decided;
}

DecidedRows decided_rows(const Model& model, const Dataset& data, std::span<const GoldCell> cells,
                         ThreadPool& pool) {
  check_random(data, cells);
  const std::vector<std::size_t> columns =
      match_columns(model.state().label_names, data.label_names, data.name);
  std::vector<std::uint32_t> in_model(columns.size());
  for (std::uint32_t l = 0; l < columns.size(); ++l) in_model[columns[l]] = l;
  std::map<std::size_t, std::uint32_t> place;
  for (const GoldCell& cell : cells) place.emplace(cell.row, 0);
  std::vector<std::size_t> rows;
  for (auto& [row, at] : place) {
    at = static_cast<std::uint32_t>(rows.size());
    rows.push_back(row);
  }
  const Features all = features_for(model, data);
  DecidedRows decided{ask_of_rows(rows, [&] { return model.scores(all.subset(rows), pool); }),
                      {cells.begin(), cells.end()}};
  for (GoldCell& cell : decided.cells)
    cell.row = place.at(cell.row), cell.label = in_model[cell.label];
  return decided;
}

Guarantee guarantee(const Model& model, const DecidedRows& decided, const GuaranteeGoal& goal,
                    double level) {
  if (decided.cells.empty())
    throw Error(Failure::Data, "no row was decided, so nothing can be promised", {},
                "decide some hundred rows drawn at random");
  return Chooser(model, decided, goal, level).choose();
}

const Guarantee* find_guarantee(const ModelState& state, const GuaranteeGoal& goal) {
  const auto& all = state.choices.guarantees;
  const auto found = std::ranges::find_if(all, [&](const Guarantee& each) {
    return each.about == goal.about && std::fabs(each.share - goal.share) < 1e-9;
  });
  return found == all.end() ? nullptr : &*found;
}

LabelMatrix decide_by(const Guarantee& guarantee, const Matrix& scores) {
  LabelMatrix on(scores.rows(), scores.cols());
  for (std::size_t i = 0; i < scores.rows(); ++i)
    for (std::size_t l = 0; l < scores.cols(); ++l)
      if (scores(i, l) >= guarantee.labels[l].threshold) on.set(i, l);
  return on;
}

}  // namespace sieve
