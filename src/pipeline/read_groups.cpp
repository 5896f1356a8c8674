#include <algorithm>
#include <unordered_map>

#include "base/nearest.h"
#include "data/annotations/annotation_formats.h"
#include "data/text/text_lines.h"
#include "labelsieve/pipeline.h"

namespace sieve {
namespace {

const ColumnNames kGroupNames = {"group", "kind", "team", "model", "site"};

}  // namespace

std::vector<std::uint32_t> read_annotator_groups(const std::string& path, const Votes& votes) {
  AnnotationRecords records(open_unpacked(FileSystem::real(), path), path);
  const std::size_t who = need_column(records, {}, kAnnotatorNames, "annotators", path);
  const std::size_t group = need_column(records, {}, kGroupNames, "groups", path);
  const auto annotators = votes.annotators();
  std::unordered_map<std::string, std::uint32_t> number;
  std::vector<std::uint32_t> out(annotators.size(), kNoGroup);
  while (records.next()) {
    const std::string name(records.cell(who)), of(records.cell(group));
    const auto found = std::ranges::find(annotators, name);
    if (found == annotators.end())
      throw Error(Failure::Data, "there is no annotator '" + name + "'", records.place(),
                  did_you_mean(name, {annotators.begin(), annotators.end()},
                               "groups name annotators as the annotations do"));
    if (of.empty()) continue;
    std::uint32_t& mine = out[static_cast<std::size_t>(found - annotators.begin())];
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
