#include "decisions.h"

#include <fmt/format.h>

#include "base/format_text.h"
#include "data/annotations/annotations_back.h"
#include "reading.h"

namespace sieve {
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

namespace {

AddedAnnotations added(const Dataset& data, const Reviewed& reviewed, const StudioTasks& tasks) {
  std::vector<std::size_t> rows;
  for (const ReviewedCell& cell : reviewed.cells) rows.push_back(cell.row);
  for (std::size_t row = 0; row < data.rows() && tasks.all_rows; ++row) rows.push_back(row);
  const LabelMatrix none(data.rows(), data.labels());
  return added_annotations(reviewed.by_reviewer,
                           tasks.model_version.empty() ? none : data.candidates, rows,
                           tasks.probabilities, tasks.model_version);
}

}  // namespace

void write_tasks(const Arguments& arguments, const Dataset& data, const Reviewed& reviewed,
                 const StudioTasks& tasks, OutputStream& out, std::vector<std::string>& notes) {
  const AddedAnnotations what = added(data, reviewed, tasks);
  write_label_studio(data, what, annotation_options_of(arguments), FileSystem::real(), out);
  if (const auto unknown = unknown_to_label_studio(what); !unknown.empty())
    notes.push_back(
        fmt::format("Label Studio knows annotators by number or e-mail address, which these are "
                    "not: {}",
                    joined(unknown, ", ")));
}

void write_back(const Arguments& arguments, const Dataset& data, const Reviewed& reviewed,
                const StudioTasks& tasks, OutputStream& out, std::vector<std::string>& notes) {
  StudioTasks named = tasks;
  std::erase(named.model_version, ',');  // a name that can be given in a list
  write_annotations_back(data, added(data, reviewed, named), annotation_options_of(arguments),
                         FileSystem::real(), out, notes);
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
              "columns to write beside each label: probability, was, decided_by, decided_at, note");
}

}  // namespace sieve
