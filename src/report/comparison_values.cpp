#include <fmt/format.h>

#include <cmath>

#include "report/comparison_document.h"

namespace sieve {
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
