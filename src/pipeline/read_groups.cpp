#include <algorithm>
#include <unordered_map>

#include "base/nearest.h"
#include "data/text/text_lines.h"
#include "data/ticks/tick_formats.h"
#include "labelsieve/pipeline.h"

namespace sieve {
namespace {

const ColumnNames kGroupNames = {"group", "kind", "team", "model", "site"};

}  // namespace

std::vector<std::uint32_t> read_annotator_groups(const std::string& path, const Votes& votes) {
  TickRecords records(open_unpacked(FileSystem::real(), path), path);
  const std::size_t who = need_column(records, {}, kPersonNames, "annotators", path);
  const std::size_t group = need_column(records, {}, kGroupNames, "groups", path);
  const auto people = votes.people();
  std::unordered_map<std::string, std::uint32_t> number;
  std::vector<std::uint32_t> out(people.size(), kNoGroup);
  while (records.next()) {
    const std::string name(records.cell(who)), of(records.cell(group));
    const auto found = std::ranges::find(people, name);
    if (found == people.end())
      throw Error(Failure::Data, "there is no annotator '" + name + "'", records.place(),
                  did_you_mean(name, {people.begin(), people.end()},
                               "groups name annotators as the annotations do"));
    if (of.empty()) continue;
    std::uint32_t& mine = out[static_cast<std::size_t>(found - people.begin())];
    const std::uint32_t its =
        number.emplace(of, static_cast<std::uint32_t>(number.size())).first->second;
    if (mine != kNoGroup && mine != its)
      throw Error(Failure::Data, "this annotator stands in two groups", records.place(),
                  "name one group for each annotator");
    mine = its;
  }
  return out;
}

}  // namespace sieve
