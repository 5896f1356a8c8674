#include "decisions.h"

#include <fmt/format.h>

#include "base/format_text.h"
#include "data/annotations/annotations_back.h"
#include "pipeline/columns_beside.h"
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
