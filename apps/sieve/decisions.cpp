#include "decisions.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <map>

#include "base/format_text.h"
#include "data/annotations/annotations_back.h"
#include "labelsieve/review.h"
#include "pipeline/columns_beside.h"
#include "reading.h"

namespace sieve {

const char* const kAuditAnew =
    "labels that were corrected by decided cells need a new audit: these cells do not measure them";

#ifdef LABELSIEVE_WEB
namespace {

bool is_decision_file(const std::string& path) {
  std::error_code none;
  if (!std::filesystem::is_regular_file(path, none)) return false;
  constexpr std::string_view kMagic = "SQLite format 3";
  std::string begin(kMagic.size(), '\0');
  std::ifstream(path, std::ios::binary).read(begin.data(), static_cast<long>(begin.size()));
  return begin == kMagic;
}

// First answers, and in their place third ones, which settle what two people saw differently.
std::vector<GoldCell> audited_cells(const std::string& path, const Dataset& data) {
  std::map<std::pair<std::size_t, std::size_t>, bool> first, third;
  for (const AuditOnPage::Answer& one : read_audit(path, data).answers)
    if (one.pass != 2 && one.answer != AuditAnswer::Unsure)
      (one.pass == 3 ? third : first)[{one.row, one.label}] = one.answer == AuditAnswer::Right;
  for (const auto& [at, on] : third) first[at] = on;
  std::vector<GoldCell> cells;
  for (const auto& [at, on] : first)
    cells.push_back(
        {static_cast<std::uint32_t>(at.first), static_cast<std::uint32_t>(at.second), on});
  return cells;
}

}  // namespace
#endif

std::vector<GoldCell> gold_cells(const Arguments& arguments, const Dataset& data) {
  const std::string& path = arguments.text("gold");
#ifdef LABELSIEVE_WEB
  if (is_decision_file(path)) return audited_cells(path, data);
#endif
  return read_gold(path, data);
}

Reviewed read_decisions(const Arguments& arguments, [[maybe_unused]] const Dataset& data,
                        [[maybe_unused]] std::vector<std::string>& notes) {
  Reviewed reviewed;
  if (!arguments.has("decisions")) return reviewed;
#ifdef LABELSIEVE_WEB
  reviewed = read_reviewed(arguments.text("decisions"), data);
  notes.insert(notes.end(), reviewed.notes.begin(), reviewed.notes.end());
  if (reviewed.unknown_cells > 0)
    notes.push_back(fmt::format("{} decisions are about rows or labels that the data do not have",
                                reviewed.unknown_cells));
#else
  throw usage_error("this sieve was built without reviews", "build it with -DLABELSIEVE_WEB=ON");
#endif
  return reviewed;
}

void write_tasks(const Arguments& arguments, const Dataset& data, const Reviewed& reviewed,
                 const Predictions& predictions, OutputStream& out,
                 std::vector<std::string>& notes) {
  const AddedAnnotations what = added_decisions(data, reviewed, predictions);
  write_label_studio(data, what, annotation_options_of(arguments), FileSystem::real(), out);
  if (const auto unknown = unknown_to_label_studio(what); !unknown.empty())
    notes.push_back(
        fmt::format("Label Studio knows annotators by number or e-mail address, which these are "
                    "not: {}",
                    joined(unknown, ", ")));
}

void write_back(const Arguments& arguments, const Dataset& data, const Reviewed& reviewed,
                const Predictions& predictions, OutputStream& out,
                std::vector<std::string>& notes) {
  write_annotations_back(data, decisions_written_back(data, reviewed, predictions),
                         annotation_options_of(arguments), FileSystem::real(), out, notes);
}

void check_layout(const Arguments& arguments, const std::string& layout) {
  const std::string is =
      layout_of_annotations(annotation_options_of(arguments), FileSystem::real());
  const auto& known = layouts_written_back();
  if (is.empty()) throw usage_error("there are no annotations to write back", "give --annotations");
  if (layout.empty() ? std::ranges::find(known, is) == known.end() : is != layout)
    throw usage_error(
        fmt::format("the annotations are of the layout '{}'{}", is,
                    layout.empty() ? ", which is not written back" : ", not '" + layout + "'"),
        layout.empty() ? "these are: " + joined(known, ", ") : "say --to " + is);
}

Option with_option() {
  return list("with", "NAMES",
              "columns to write beside each label: " + joined(names_beside(), ", "));
}

}  // namespace sieve
