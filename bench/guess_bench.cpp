// What reference crowds teach about guesses (docs/results/claims.md), and how often guesses hold.
//
// usage: guess_bench <data folder> [table=FILE] [seed=1] [check-seed=30] [calibration=draws]
//        [gold=seeds] [union=no]
//
// The crowds are those of reference_crowds.h: relex, xray and brighter, mirflickr (a union), and
// six simulated kinds. For each it compares what the model estimates with the truth: the share of
// wrong candidates, of all and of each label, by votes alone and without names (forest, out of
// fold), the rates of annotators, and the share of their ticks that is wrong. With table=FILE, the
// errors become src/claims/guess_table.inc. Then it prints, leaving out the crowd at hand, how
// often 90 % ranges hold and how wide they are; simulated kinds, and the annotations drawn of
// brighter, have the other seeds (check-seed and the two after it) there. The last table corrects
// by 30 random gold cells per label. With calibration=N it only prints the calibration error of
// candidates (ten classes) and F1 of the cleaned labels, without gold and with 5, 10 and 30 random
// gold cells per label, as means over N draws. With gold=N it only prints the last table, over N
// seeds, by the errors of the source. With union=no it leaves out crowds without names, and takes
// their errors from the source: after a change of the model of annotators that is enough, and takes
// a tenth of the time.
#include <fmt/core.h>

#include <array>
#include <cmath>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "labelsieve/claims.h"
#include "labelsieve/error.h"
#include "reference_crowds.h"

namespace {

using namespace sieve;
using namespace sieve::reference;

// What was estimated, and what is true.
struct Figure {
  double real = 0, estimate = 0, error = 0;
  GoldEvidence gold{};
};
struct Source {
  GuessAbout about;
  GuessFrom from;
  friend auto operator<=>(const Source&, const Source&) = default;
};
using Figures = std::map<Source, std::vector<Figure>>;
constexpr Source kSources[] = {{GuessAbout::Noise, GuessFrom::Votes},
                               {GuessAbout::LabelNoise, GuessFrom::Votes},
                               {GuessAbout::Recall, GuessFrom::Votes},
                               {GuessAbout::FalsePositiveRate, GuessFrom::Votes},
                               {GuessAbout::AnnotatorNoise, GuessFrom::Votes},
                               {GuessAbout::Noise, GuessFrom::Union},
                               {GuessAbout::LabelNoise, GuessFrom::Union}};
constexpr std::size_t kFewestCells = 20;

double share(std::size_t part, std::size_t all) {
  return static_cast<double>(part) / static_cast<double>(all);
}

// Only cells with a known truth count, for the estimate as for what is real.
void add_noise(const Crowd& crowd, const Judged& judged, GuessFrom from, Figures& into) {
  const std::size_t labels = crowd.data.labels();
  std::vector<std::size_t> cells(labels + 1), wrong(labels + 1);
  std::vector<double> estimated(labels + 1);
  for (std::size_t i = 0; i < crowd.data.rows(); ++i)
    crowd.data.candidates.for_each(i, [&](std::size_t l) {
      if (crowd.truth(i, l) < 0) return;
      for (const std::size_t k : {l, labels}) {
        ++cells[k];
        wrong[k] += crowd.truth(i, l) == 0;
        estimated[k] += 1 - static_cast<double>(judged.probabilities(i, l));
      }
    });
  std::vector<GoldEvidence> gold(labels + 1);
  for (std::size_t l = 0; l < judged.gold_cells.size(); ++l) gold[l].cells = judged.gold_cells[l];
  if (!judged.gold_cells.empty())
    gold[labels] =
        gold_evidence(std::span(cells).first(labels), judged.gold_cells, judged.gold_shifts);
  for (std::size_t l = 0; l <= labels; ++l) {
    if (cells[l] < kFewestCells) continue;
    const double estimate = estimated[l] / static_cast<double>(cells[l]);
    const GuessAbout about = l == labels ? GuessAbout::Noise : GuessAbout::LabelNoise;
    into[{about, from}].push_back(
        {share(wrong[l], cells[l]), estimate, chance_error(estimate, cells[l]), gold[l]});
  }
}

double error_of(const Estimate& estimate) {
  const auto log_odds = [](double p) { return std::log(p / (1 - p)); };
  return (log_odds(estimate.high) - log_odds(estimate.low)) / (2 * 1.6448536);
}

// Rates over all labels; a crowd where only some are decided teaches nothing of them.
void add_annotators(const Crowd& crowd, const Judged& judged, Figures& into) {
  if (crowd.name == "relex") return;
  const Votes& votes = *crowd.data.votes;
  const std::size_t annotators = votes.annotators().size();
  std::vector<std::size_t> right(annotators), found(annotators), others(annotators),
      wrong(annotators);
  for (std::size_t i = 0; i < crowd.data.rows(); ++i)
    for (std::size_t k = votes.first_annotation(i); k < votes.first_annotation(i + 1); ++k)
      for (std::size_t l = 0; l < crowd.data.labels(); ++l) {
        const int truth = crowd.truth(i, l);
        if (truth < 0) continue;
        const std::size_t a = votes.annotator(k);
        const bool ticked =
            std::ranges::binary_search(votes.ticked(k), static_cast<std::uint32_t>(l));
        (truth == 1 ? right : others)[a] += 1;
        (truth == 1 ? found : wrong)[a] += ticked;
      }
  for (std::size_t a = 0; a < annotators; ++a) {
    const AnnotatorQuality& one = judged.crowd->annotators[a];
    if (right[a] < kFewestCells || others[a] < kFewestCells) continue;
    into[{GuessAbout::Recall, GuessFrom::Votes}].push_back(
        {share(found[a], right[a]), one.sensitivity.value, error_of(one.sensitivity)});
    into[{GuessAbout::FalsePositiveRate, GuessFrom::Votes}].push_back(
        {share(wrong[a], others[a]), one.false_positive_rate.value,
         error_of(one.false_positive_rate)});
  }
}

// Of the ticks of each annotator that have a known truth.
void add_wrong_ticks(const Crowd& crowd, const Judged& judged, Figures& into) {
  const Votes& votes = *crowd.data.votes;
  const std::size_t annotators = votes.annotators().size();
  std::vector<std::size_t> ticks(annotators), wrong(annotators);
  std::vector<double> estimated(annotators);
  for (std::size_t i = 0; i < crowd.data.rows(); ++i)
    for (std::size_t k = votes.first_annotation(i); k < votes.first_annotation(i + 1); ++k)
      for (const std::uint32_t l : votes.ticked(k)) {
        if (crowd.truth(i, l) < 0) continue;
        const std::size_t a = votes.annotator(k);
        ++ticks[a];
        wrong[a] += crowd.truth(i, l) == 0;
        estimated[a] += 1 - static_cast<double>(judged.probabilities(i, l));
      }
  for (std::size_t a = 0; a < annotators; ++a) {
    if (ticks[a] < kFewestCells) continue;
    const double estimate = estimated[a] / static_cast<double>(ticks[a]);
    into[{GuessAbout::AnnotatorNoise, GuessFrom::Votes}].push_back(
        {share(wrong[a], ticks[a]), estimate, chance_error(estimate, ticks[a])});
  }
}

// So many random cells of each label, of candidates with a known truth.
std::vector<GoldCell> random_gold(const Crowd& crowd, std::size_t per_label, std::uint64_t seed) {
  std::vector<GoldCell> gold;
  for (std::uint32_t l = 0; l < crowd.data.labels(); ++l) {
    std::vector<std::uint32_t> rows;
    for (std::uint32_t i = 0; i < crowd.data.rows(); ++i)
      if (crowd.data.candidates.get(i, l) && crowd.truth(i, l) >= 0) rows.push_back(i);
    Random(seed, Purpose::Test, 80, l).shuffle(std::span(rows));
    for (std::size_t k = 0; k < std::min(per_label, rows.size()); ++k)
      gold.push_back({rows[k], l, crowd.truth(rows[k], l) == 1});
  }
  return gold;
}

Figures figures_of(const Crowd& crowd, bool unions, ThreadPool& pool) {
  Figures figures;
  if (crowd.data.votes) {
    const Judged judged =
        judge(crowd.data.clone(), {.check_votes = false, .fit = {.threads = &pool}});
    add_noise(crowd, judged, GuessFrom::Votes, figures);
    add_annotators(crowd, judged, figures);
    add_wrong_ticks(crowd, judged, figures);
  }
  if (unions && crowd.data.features.cols() > 0)
    add_noise(crowd,
              judge(crowd.data.clone(),
                    {.method = "forest", .use_votes = false, .fit = {.threads = &pool}}),
              GuessFrom::Union, figures);
  return figures;
}

Figures gold_figures(const Crowd& crowd, std::size_t per_label, std::uint64_t seed,
                     ThreadPool& pool) {
  Figures figures;
  const std::vector<GoldCell> gold = random_gold(crowd, per_label, seed);
  add_noise(
      crowd,
      judge(crowd.data.clone(), {.gold = gold, .check_votes = false, .fit = {.threads = &pool}}),
      GuessFrom::Votes, figures);
  return figures;
}

std::vector<Crowd> load(const std::string& folder, std::uint64_t seed, bool real,
                        ThreadPool& pool) {
  std::vector<Crowd> crowds;
  if (real) {
    crowds.push_back(relex(folder));
    crowds.push_back(xray(folder));
    crowds.push_back(mirflickr(folder));
  }
  crowds.push_back(brighter(folder, seed));
  for (const Kind kind : kKinds) crowds.push_back(simulated(kind, seed, pool));
  return crowds;
}

using Table = std::map<Source, std::vector<ReferenceErrors>>;
using Found = std::vector<std::pair<std::string, Figures>>;  // by crowd

Table table_of(const Found& found) {
  Table table;
  for (const auto& [name, figures] : found)
    for (const auto& [source, all] : figures) {
      ReferenceCrowd crowd{name};
      for (const Figure& figure : all) {
        crowd.real.push_back(figure.real);
        crowd.estimated.push_back(figure.estimate);
      }
      ReferenceErrors errors = errors_of(crowd);
      errors.crowd = name;
      table[source].push_back(errors);
    }
  return table;
}

std::string constant_name(const Source& source) {
  static constexpr const char* kAbout[] = {"Noise", "LabelNoise", "Recall", "FalsePositiveRate",
                                           "AnnotatorNoise"};
  return fmt::format("k{}{}", kAbout[static_cast<std::size_t>(source.about)],
                     source.from == GuessFrom::Votes ? "Votes" : "Union");
}

void write_table(const Table& table, const std::string& path) {
  std::ofstream out(path);
  out << "// Made by guess_bench: crowd, figures, mean error in log-odds, squares around it.\n";
  for (const Source& source : kSources) {
    out << fmt::format("constexpr ReferenceErrors {}[] = {{\n", constant_name(source));
    for (const ReferenceErrors& one : table.at(source))
      out << fmt::format("    {{\"{}\", {}, {:.4f}, {:.4f}}},\n", one.crowd, one.figures, one.mean,
                         one.squares);
    out << "};\n";
  }
  if (!out) throw Error(Failure::Io, "cannot write " + path);
}

struct Held {
  std::size_t held = 0, all = 0;
  double width = 0;
  void add(const Interval& range, double real) {
    held += range.low <= real && real <= range.high;
    width += range.width();
    ++all;
  }
  std::string text() const {
    return all == 0 ? "-" : fmt::format("{} of {}, {:.2f}", held, all, width / double(all));
  }
};

// As guess() does, with the errors measured here.
Interval range_of(const Table& table, const Source& source, const Figure& figure,
                  std::string_view without) {
  GuessSpread spread = guess_spread(table.at(source), without, 0.9);
  spread.deviation = gold_deviation(spread.deviation, figure.estimate, figure.gold.cells);
  return guess_range(figure.estimate, figure.error, spread, figure.gold.shift);
}

void print_held(const Found& found, const Table& table, const std::string& title) {
  fmt::print("\n{}\n\n| crowd |", title);
  for (const Source& source : kSources)
    fmt::print(" {}, {} |", to_string(source.about), to_string(source.from));
  fmt::print("\n|---|");
  for (std::size_t k = 0; k < std::size(kSources); ++k) fmt::print("---|");
  fmt::print("\n");
  std::map<std::string, std::map<Source, Held>> rows;
  std::map<Source, Held> total;
  std::vector<std::string> order;
  for (const auto& [name, figures] : found) {
    if (!rows.contains(name)) order.push_back(name);
    for (const auto& [source, all] : figures)
      for (const Figure& figure : all) {
        const Interval range = range_of(table, source, figure, name);
        rows[name][source].add(range, figure.real);
        total[source].add(range, figure.real);
      }
  }
  const auto print_row = [](const std::string& name, std::map<Source, Held>& held) {
    fmt::print("| {} |", name);
    for (const Source& source : kSources) fmt::print(" {} |", held[source].text());
    fmt::print("\n");
  };
  for (const std::string& name : order) print_row(name, rows[name]);
  print_row("all", total);
}

void print_spreads(const Table& table) {
  fmt::print(
      "| guess about | crowds | mean error | deviation (tau) | half range |\n"
      "|---|---|---|---|---|\n");
  for (const Source& source : kSources) {
    const auto& errors = table.at(source);
    const GuessSpread spread = guess_spread(errors, "", 0.9);
    fmt::print("| {}, {} | {} | {:+.2f} | {:.2f} | {:.2f} |\n", to_string(source.about),
               to_string(source.from), errors.size(), spread.shift, spread.deviation,
               spread.deviation * spread.quantile);
  }
}

using Claimed = std::vector<std::pair<double, bool>>;  // probability, and whether it is right

double calibration_error(const Claimed& cells) {
  std::array<double, 10> off{};
  for (const auto& [p, right] : cells)
    off[std::min<std::size_t>(9, static_cast<std::size_t>(p * 10))] += p - (right ? 1 : 0);
  double sum = 0;
  for (const double each : off) sum += std::abs(each);
  return sum / static_cast<double>(cells.size());
}

double error_of_candidates(const Crowd& crowd, const Judged& judged) {
  Claimed cells;
  for (std::size_t i = 0; i < crowd.data.rows(); ++i)
    crowd.data.candidates.for_each(i, [&](std::size_t l) {
      if (crowd.truth(i, l) >= 0)
        cells.emplace_back(judged.probabilities(i, l), crowd.truth(i, l) == 1);
    });
  return calibration_error(cells);
}

// Of the labels that clean() keeps, over the cells with a known truth.
double f1_of(const Crowd& crowd, Judged judged) {
  const Cleaned cleaned = clean(std::move(judged), {.most_suspects = 0});
  double both = 0, kept = 0, right = 0;
  for (std::size_t i = 0; i < crowd.data.rows(); ++i)
    for (std::size_t l = 0; l < crowd.data.labels(); ++l) {
      if (crowd.truth(i, l) < 0) continue;
      const bool on = cleaned.labels.kept.get(i, l);
      kept += on;
      right += crowd.truth(i, l) == 1;
      both += on && crowd.truth(i, l) == 1;
    }
  return 2 * both / (kept + right);
}

void print_calibration(const std::string& folder, std::uint64_t first, std::size_t draws,
                       ThreadPool& pool) {
  constexpr std::array<std::size_t, 4> kCells = {0, 5, 10, 30};
  fmt::print("| crowd |");
  for (const char* what : {"error", "F1"})
    for (const std::size_t cells : kCells) fmt::print(" {}, {} cells |", what, cells);
  fmt::print("\n|---|---|---|---|---|---|---|---|---|\n");
  for (const Crowd& crowd : load(folder, first, true, pool)) {
    if (!crowd.data.votes) continue;
    std::string errors, f1s;
    for (const std::size_t per_label : kCells) {
      double error = 0, f1 = 0;
      const std::size_t repeats = per_label == 0 ? 1 : draws;
      for (std::size_t draw = 0; draw < repeats; ++draw) {
        Judged judged =
            judge(crowd.data.clone(), {.gold = random_gold(crowd, per_label, 1000 + draw),
                                       .check_votes = false,
                                       .fit = {.threads = &pool}});
        error += error_of_candidates(crowd, judged) / double(repeats);
        f1 += f1_of(crowd, std::move(judged)) / double(repeats);
      }
      errors += fmt::format(" {:.3f} |", error);
      f1s += fmt::format(" {:.3f} |", f1);
    }
    fmt::print("| {} |{}{}\n", crowd.name, errors, f1s);
  }
}

Table table_of_source() {
  Table table;
  for (const Source& source : kSources) {
    const auto errors = reference_errors(source.about, source.from);
    table[source].assign(errors.begin(), errors.end());
  }
  return table;
}

void print_gold(const std::string& folder, std::uint64_t first, std::size_t seeds,
                const Table& table, ThreadPool& pool) {
  Found found;
  for (std::uint64_t seed = first; seed < first + seeds; ++seed)
    for (const Crowd& crowd : load(folder, seed, seed == first, pool))
      if (crowd.data.votes && crowd.name != "relex")
        found.emplace_back(crowd.name, gold_figures(crowd, 30, seed, pool));
  print_held(found, table, "With 30 gold cells per label: held, mean width");
}

void run(int count, char** words) {
  std::map<std::string, std::string> given = {{"table", ""}, {"seed", "1"}, {"check-seed", "30"}};
  for (int k = 2; k < count; ++k) {
    const std::string word = words[k];
    given[word.substr(0, word.find('='))] = word.substr(word.find('=') + 1);
  }
  const std::string folder = count > 1 ? words[1] : throw Error(Failure::Usage, "which data?");
  ThreadPool pool(2);
  if (given.contains("calibration")) {
    print_calibration(folder, std::stoul(given["check-seed"]), std::stoul(given["calibration"]),
                      pool);
    return;
  }
  if (given.contains("gold")) {
    print_gold(folder, std::stoul(given["check-seed"]), std::stoul(given["gold"]),
               table_of_source(), pool);
    return;
  }
  const bool unions = given["union"] != "no";
  Found found;
  for (const Crowd& crowd : load(folder, std::stoul(given["seed"]), true, pool))
    found.emplace_back(crowd.name, figures_of(crowd, unions, pool));
  Table table = table_of(found);
  if (!unions)
    for (const auto& [source, errors] : table_of_source())
      if (source.from == GuessFrom::Union) table[source] = errors;
  if (!given["table"].empty()) write_table(table, given["table"]);
  print_spreads(table);
  print_held(found, table, "Reference crowds: held, mean width");
  constexpr std::size_t kCheckSeeds = 3;
  const std::uint64_t check_seed = std::stoul(given["check-seed"]);
  Found kept_back;
  for (std::uint64_t seed = check_seed; seed < check_seed + kCheckSeeds; ++seed)
    for (const Crowd& crowd : load(folder, seed, false, pool))
      kept_back.emplace_back(crowd.name, figures_of(crowd, unions, pool));
  print_held(kept_back, table, "Other seeds: held, mean width");
  print_gold(folder, check_seed, kCheckSeeds, table, pool);
}

}  // namespace

int main(int count, char** words) {
  try {
    run(count, words);
  } catch (const Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return error.exit_code();
  }
}
