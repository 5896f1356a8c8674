#include "report/comparison_document.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "labelsieve/options.h"

namespace sieve {
namespace {

std::string fixed(double value) {
  return fmt::format("{:.3f}", value);
}

std::string arrow(const MetricInfo& metric) {
  return metric.better == Direction::HigherIsBetter ? "↑" : "↓";
}

std::vector<std::string> columns(const std::string& first, const Comparison& all) {
  std::vector<std::string> header = {first};
  for (std::size_t m = 0; m < all.methods.size(); ++m)
    header.push_back(all.methods[m] + (all.oracle[m] ? " (oracle)" : ""));
  return header;
}

DocumentCell mean_cell(const MeanCell& cell) {
  std::string text =
      !cell.complete()
          ? cell.values.empty() ? "-" : fmt::format("{}/{} done", cell.values.size(), cell.planned)
      : std::isnan(cell.std) ? fixed(cell.mean)
                             : fixed(cell.mean) + "±" + fixed(cell.std);
  if (cell.paper != nullptr) text += " (" + fixed(cell.paper->value) + ")";
  return {text, cell.best};
}

DocumentTable means(const Comparison& all, const MeasureTable& table) {
  DocumentTable out{table.metric.title + " " + arrow(table.metric), columns("data", all), {}, {}};
  for (std::size_t v = 0; v < all.variants.size(); ++v) {
    std::vector<DocumentCell> row = {{all.variants[v].data_set + " " + all.variants[v].noise}};
    for (const MeanCell& cell : table.cells[v]) row.push_back(mean_cell(cell));
    out.rows.push_back(std::move(row));
  }
  return out;
}

// What a method did over all cells of all tables.
struct Record {
  std::size_t cells = 0, best = 0, with_paper = 0, as_paper = 0;
  double ranks = 0;
};

Record record_of(const Comparison& all, std::size_t method) {
  Record record;
  for (const MeasureTable& table : all.tables)
    for (const auto& row : table.cells) {
      const MeanCell& cell = row[method];
      if (!cell.complete()) continue;
      ++record.cells;
      record.best += cell.best ? 1 : 0;
      record.ranks += cell.rank;
      if (cell.paper == nullptr) continue;
      ++record.with_paper;
      const double better = table.metric.better == Direction::HigherIsBetter
                                ? cell.mean - cell.paper->value
                                : cell.paper->value - cell.mean;
      record.as_paper += better > -0.0005 ? 1 : 0;
    }
  return record;
}

DocumentTable summary(const Comparison& all) {
  DocumentTable out{"Summary over all cells",
                    {"method", "best or tied", "mean rank", "at least the paper's figure"},
                    {},
                    "best, tied and equal are to three decimals; oracles are out of competition"};
  for (std::size_t m = 0; m < all.methods.size(); ++m) {
    const Record record = record_of(all, m);
    const auto of = [](std::size_t part, std::size_t whole) {
      return whole == 0 ? "-" : fmt::format("{} of {}", part, whole);
    };
    out.rows.push_back(
        {{columns("", all)[m + 1]},
         {all.oracle[m] ? "-" : of(record.best, record.cells)},
         {all.oracle[m] ? "-"
                        : fmt::format("{:.2f}", record.ranks / static_cast<double>(record.cells))},
         {of(record.as_paper, record.with_paper)}});
  }
  return out;
}

// The paper's count for the same pair, where there is one.
std::string paper_counts(const Comparison& all, const MeasureTable& table, const Duel& duel) {
  if (all.methods[all.control] != "pml-gan") return {};
  std::vector<double> counts;
  for (const char* which : {"/win", "/tie", "/loss"})
    for (const PaperFigure& figure : paper_figures())
      if (figure.table == 3 && figure.what == table.metric.key + which &&
          figure.method == all.methods[duel.method])
        counts.push_back(figure.value);
  return counts.size() == 3 ? fmt::format(" ({}/{}/{})", counts[0], counts[1], counts[2]) : "";
}

// What stands below the counts of t-tests.
std::string note_on_tests(const Comparison& all, bool corrected) {
  std::string note = corrected ? "corrected for overlapping training sets (Nadeau and Bengio)" : "";
  for (const MeasureTable& table : all.tables)
    for (const Duel& duel : table.duels)
      if (duel.repeats < kLeastRepeats)
        return note + (note.empty() ? "" : "; ") +
               fmt::format("only {} repeats: with fewer than {}, t-tests say little", duel.repeats,
                           kLeastRepeats);
  return note;
}

DocumentTable duels(const Comparison& all, bool corrected) {
  DocumentTable out{fmt::format("Win/tie/loss of {}, {} t-test at {}", all.methods[all.control],
                                corrected ? "corrected" : "paired", kLevel),
                    columns("measure", all),
                    {},
                    note_on_tests(all, corrected)};
  const auto control = static_cast<std::ptrdiff_t>(all.control) + 1;
  out.header.erase(out.header.begin() + control);
  for (const MeasureTable& table : all.tables) {
    std::vector<DocumentCell> row(all.methods.size() + 1, {"-"});
    row.front().text = table.metric.title;
    for (const Duel& duel : table.duels) {
      const Counts& counts = corrected ? duel.corrected : duel.plain;
      row[duel.method + 1].text = fmt::format("{}/{}/{}", counts.wins, counts.ties, counts.losses) +
                                  (corrected ? "" : paper_counts(all, table, duel));
    }
    row.erase(row.begin() + control);
    out.rows.push_back(std::move(row));
  }
  return out;
}

DocumentTable ranking(const Comparison& all, const MeasureTable& table) {
  const Ranking& ranks = *table.ranking;
  DocumentTable out{
      fmt::format("{}: mean ranks over {} variants", table.metric.title, ranks.friedman.data_sets),
      {"method", "mean rank"},
      {},
      {}};
  for (std::size_t i = 0; i < ranks.methods.size(); ++i)
    out.rows.push_back(
        {{all.methods[ranks.methods[i]]}, {fmt::format("{:.3f}", ranks.friedman.mean_ranks[i])}});
  if (ranks.friedman.data_sets < kLeastVariants) {
    out.note =
        fmt::format("with fewer than {} variants, a test of ranks says nothing", kLeastVariants);
    return out;
  }
  out.note = fmt::format(
      "Friedman: chi square {:.2f}, F {:.2f}, p {:.2g}; critical difference "
      "(Nemenyi, {}) {:.3f}",
      ranks.friedman.chi_square, ranks.friedman.f_statistic, ranks.friedman.p_value, kLevel,
      ranks.critical_difference);
  for (const auto& group : ranks.groups) {
    std::vector<std::string> names;
    for (const std::size_t m : group) names.push_back(all.methods[m]);
    out.note += fmt::format("; no significant difference: {}", fmt::join(names, ", "));
  }
  return out;
}

DocumentTable origins(const Comparison& all) {
  DocumentTable out{"Where the columns come from",
                    {"method", "version", "processor", "finished", "seconds per training"},
                    {},
                    "a column again: run its plan with " + term("only", "METHOD")};
  for (std::size_t m = 0; m < all.methods.size(); ++m) {
    const Origin& origin = all.origins[m];
    out.rows.push_back(
        {{all.methods[m]},
         {fmt::format("{}", fmt::join(origin.versions, "; "))},
         {origin.processors.empty() ? "not known"
                                    : fmt::format("{}", fmt::join(origin.processors, "; "))},
         {origin.first == origin.last ? origin.last : origin.first + " to " + origin.last},
         {fmt::format("{:.2f}", origin.fit_seconds)}});
  }
  return out;
}

bool has_paper_figures(const Comparison& all) {
  for (const MeasureTable& table : all.tables)
    for (const auto& row : table.cells)
      for (const MeanCell& cell : row)
        if (cell.paper != nullptr) return true;
  return false;
}

// Where a set is not the one of the paper, its figures cannot be the same.
void add_other_shapes(const Comparison& all, std::vector<std::string>& remarks) {
  std::string last;
  for (const Variant& variant : all.variants) {
    const PaperFigure* rows = paper_shape("rows", variant.data_set);
    const PaperFigure* features = paper_shape("features", variant.data_set);
    const auto here = static_cast<double>(variant.train_rows + variant.test_rows);
    if (rows == nullptr || features == nullptr || variant.data_set == last) continue;
    last = variant.data_set;
    if (rows->value != here || features->value != static_cast<double>(variant.features))
      remarks.push_back(fmt::format("{} here: {} rows x {} features; in the paper: {} x {}",
                                    variant.data_set, here, variant.features, rows->value,
                                    features->value));
  }
}

}  // namespace

bool can_test_duels(const Comparison& all) {
  return all.has_duels() && std::ranges::all_of(all.tables, [](const MeasureTable& table) {
           return std::ranges::all_of(
               table.duels, [](const Duel& duel) { return duel.repeats >= kLeastRepeats; });
         });
}

Document comparison_document(const Comparison& all) {
  Document document;
  document.title = fmt::format("{}: {} of {} tasks done, {} failed", all.plan.title, all.done,
                               all.planned, all.failed);
  for (const MeasureTable& table : all.tables) document.tables.push_back(means(all, table));
  document.tables.push_back(summary(all));
  if (all.has_duels())
    for (const bool corrected : {false, true}) document.tables.push_back(duels(all, corrected));
  for (const MeasureTable& table : all.tables) {
    if (table.ranking)
      document.tables.push_back(ranking(all, table));
    else
      document.remarks.push_back(table.metric.title +
                                 ": the Friedman test needs two methods finished on "
                                 "the same two variants or more");
  }
  document.tables.push_back(origins(all));
  if (has_paper_figures(all))
    document.remarks.push_back("in parentheses: the figure of the PML-GAN paper");
  add_other_shapes(all, document.remarks);
  for (const std::string& line : all.left_out) document.remarks.push_back("left out: " + line);
  for (const std::string& line : all.missing) document.remarks.push_back("not complete: " + line);
  return document;
}

DocumentTable changes_table(const Comparison& before, const Comparison& now) {
  std::size_t compared = 0;
  const std::vector<Change> changes = changes_since(before, now, compared);
  DocumentTable out{"What changed by more than a standard error",
                    {"measure", "data", "method", "before", "now", "standard error"},
                    {},
                    fmt::format("{} of {} figures that both have; the others moved by less, or "
                                "not at all",
                                changes.size(), compared)};
  for (const Change& change : changes)
    out.rows.push_back({{change.measure},
                        {change.data_set + " " + change.noise},
                        {change.method},
                        {fixed(change.before)},
                        {fixed(change.now)},
                        {std::isnan(change.error) ? "-" : fmt::format("{:.4f}", change.error)}});
  return out;
}

namespace {

Json counts_json(const Counts& counts) {
  return Json::object({{"wins", counts.wins}, {"ties", counts.ties}, {"losses", counts.losses}});
}

Json cell_json(const MeanCell& cell, const std::string& method) {
  Json::Members members = {{"method", method},        {"done", cell.values.size()},
                           {"planned", cell.planned}, {"mean", cell.mean},
                           {"std", cell.std},         {"rank", cell.rank},
                           {"best", cell.best}};
  if (cell.paper != nullptr) {
    members.emplace_back("paper_mean", cell.paper->value);
    members.emplace_back("paper_std", cell.paper->std);
  }
  return Json::object(members);
}

Json ranking_json(const Comparison& all, const Ranking& ranking) {
  Json::Members ranks;
  for (std::size_t i = 0; i < ranking.methods.size(); ++i)
    ranks.emplace_back(all.methods[ranking.methods[i]], ranking.friedman.mean_ranks[i]);
  std::vector<Json> groups;
  for (const auto& group : ranking.groups) {
    std::vector<std::string> names;
    for (const std::size_t m : group) names.push_back(all.methods[m]);
    groups.push_back(json_strings(names));
  }
  return Json::object({{"variants", ranking.friedman.data_sets},
                       {"mean_ranks", Json::object(ranks)},
                       {"chi_square", ranking.friedman.chi_square},
                       {"f", ranking.friedman.f_statistic},
                       {"p", ranking.friedman.p_value},
                       {"critical_difference", ranking.critical_difference},
                       {"groups", Json::array(groups)}});
}

Json table_json(const Comparison& all, const MeasureTable& table) {
  std::vector<Json> rows, duels;
  for (std::size_t v = 0; v < all.variants.size(); ++v) {
    std::vector<Json> cells;
    for (std::size_t m = 0; m < all.methods.size(); ++m)
      cells.push_back(cell_json(table.cells[v][m], all.methods[m]));
    rows.push_back(Json::object({{"data_set", all.variants[v].data_set},
                                 {"noise", all.variants[v].noise},
                                 {"candidates", all.variants[v].candidates},
                                 {"cells", Json::array(cells)}}));
  }
  for (const Duel& duel : table.duels)
    duels.push_back(Json::object({{"method", all.methods[duel.method]},
                                  {"paired", counts_json(duel.plain)},
                                  {"corrected", counts_json(duel.corrected)}}));
  Json::Members members = {
      {"measure", table.metric.key},
      {"better", table.metric.better == Direction::HigherIsBetter ? "higher" : "lower"},
      {"rows", Json::array(rows)},
      {"duels", Json::array(duels)}};
  if (table.ranking) members.emplace_back("friedman", ranking_json(all, *table.ranking));
  return Json::object(members);
}

Json origin_json(const std::string& method, const Origin& origin) {
  return Json::object(
      {{"method", method},
       {"versions", json_strings({origin.versions.begin(), origin.versions.end()})},
       {"processors", json_strings({origin.processors.begin(), origin.processors.end()})},
       {"first", origin.first},
       {"last", origin.last},
       {"fit_seconds", origin.fit_seconds}});
}

Json changes_json(const Comparison& before, const Comparison& now) {
  std::size_t compared = 0;
  std::vector<Json> changes;
  for (const Change& change : changes_since(before, now, compared))
    changes.push_back(Json::object({{"measure", change.measure},
                                    {"data_set", change.data_set},
                                    {"noise", change.noise},
                                    {"method", change.method},
                                    {"before", change.before},
                                    {"now", change.now},
                                    {"standard_error", change.error}}));
  return Json::object({{"compared", compared}, {"larger_than_error", Json::array(changes)}});
}

// Lines of the CSV; numbers with all their digits, nothing for what is not a number.
class Lines {
 public:
  void add(const std::string& measure, const std::string& data_set, const std::string& noise,
           const std::string& method, const char* quantity, double value) {
    text += fmt::format("{},{},{},{},{},{}\n", measure, data_set, noise, method, quantity,
                        std::isnan(value) ? "" : fmt::format("{}", value));
  }
  void add(const std::string& measure, const std::string& method, const std::string& kind,
           const Counts& counts) {
    const std::size_t values[] = {counts.wins, counts.ties, counts.losses};
    const char* names[] = {" wins", " ties", " losses"};
    for (std::size_t i = 0; i < 3; ++i)
      add(measure, "", "", method, (kind + names[i]).c_str(), static_cast<double>(values[i]));
  }
  std::string text = "measure,data_set,noise,method,quantity,value\n";
};

void add_cells(const Comparison& all, const MeasureTable& table, Lines& lines) {
  for (std::size_t v = 0; v < all.variants.size(); ++v)
    for (std::size_t m = 0; m < all.methods.size(); ++m) {
      const MeanCell& cell = table.cells[v][m];
      const auto add = [&](const char* quantity, double value) {
        lines.add(table.metric.key, all.variants[v].data_set, all.variants[v].noise, all.methods[m],
                  quantity, value);
      };
      add("done", static_cast<double>(cell.values.size()));
      add("planned", static_cast<double>(cell.planned));
      add("mean", cell.mean);
      add("std", cell.std);
      add("rank", cell.rank);
      add("best", cell.best ? 1 : 0);
      if (cell.paper == nullptr) continue;
      add("paper mean", cell.paper->value);
      add("paper std", cell.paper->std);
    }
}

}  // namespace

Json comparison_json(const Comparison& all, const Comparison* before) {
  std::vector<Json> tables, origins;
  for (const MeasureTable& table : all.tables) tables.push_back(table_json(all, table));
  for (std::size_t m = 0; m < all.methods.size(); ++m)
    origins.push_back(origin_json(all.methods[m], all.origins[m]));
  Json::Members members = {{"plan", all.plan.title},
                           {"plan_hash", all.plan.hash},
                           {"planned", all.planned},
                           {"done", all.done},
                           {"failed", all.failed},
                           {"methods", json_strings(all.methods)},
                           {"control", all.methods[all.control]},
                           {"tables", Json::array(tables)},
                           {"origins", Json::array(origins)},
                           {"missing", json_strings(all.missing)},
                           {"left_out", json_strings(all.left_out)}};
  if (before != nullptr) members.emplace_back("changes", changes_json(*before, all));
  return Json::object(members);
}

std::string comparison_csv(const Comparison& all) {
  Lines lines;
  for (const MeasureTable& table : all.tables) {
    const std::string& measure = table.metric.key;
    add_cells(all, table, lines);
    for (const Duel& duel : table.duels) {
      lines.add(measure, all.methods[duel.method], "paired", duel.plain);
      lines.add(measure, all.methods[duel.method], "corrected", duel.corrected);
    }
    if (!table.ranking) continue;
    const Ranking& ranking = *table.ranking;
    for (std::size_t i = 0; i < ranking.methods.size(); ++i)
      lines.add(measure, "", "", all.methods[ranking.methods[i]], "mean rank",
                ranking.friedman.mean_ranks[i]);
    lines.add(measure, "", "", "", "friedman p", ranking.friedman.p_value);
    lines.add(measure, "", "", "", "critical difference", ranking.critical_difference);
  }
  return lines.text;
}

}  // namespace sieve
