#include <algorithm>

#include <fmt/format.h>

#include "base/streams.h"
#include "labelsieve/prepare.h"
#include "reading.h"
#include "verbs.h"
#include "writing.h"

namespace sieve {
namespace {

Scaling scaling_of(const std::string& name) {
  if (name == "minmax") return Scaling::MinMax;
  return name == "standard" ? Scaling::Standardise : Scaling::None;
}

// Nothing is changed on the way, and the output can be mapped.
bool goes_in_blocks(const Arguments& arguments, const std::string& out,
                    const WriteOptions& options) {
  const std::string format = options.format.empty() ? format_of_name(out) : options.format;
  return !format.empty() && extension_of(format) == ".sieve" && unpacked_name(out) == out &&
         !arguments.has("keep-labels") && !arguments.flag("drop-unlabelled") &&
         !arguments.has("truth") && !arguments.has("annotations") &&
         !arguments.has("program-scores") && !arguments.has("annotator-kind") &&
         !arguments.has("annotator-groups") && !arguments.has("annotations-out") &&
         scaling_of(arguments.text("scale")) == Scaling::None;
}

// The set as it was written, and as it was before.
struct Converted {
  DataShape now, before;
};

Converted convert_at_once(const Arguments& arguments, const std::vector<std::string>& in,
                          ThreadPool& pool, const std::string& out, const WriteOptions& options,
                          std::vector<std::string>& notes) {
  Dataset data = read_to_write(arguments, in, pool, notes);
  const DataShape before = data.shape();
  filter_labels(data, arguments.count("keep-labels"), arguments.flag("drop-unlabelled"));
  const Scaling scaling = scaling_of(arguments.text("scale"));
  if (scaling != Scaling::None) {
    fit_scaler(data.features, scaling).apply(data.features);
    data.cells.reset();
  }
  FileSet set;
  write_dataset(data, out, options, set);
  if (const std::string& ticks = arguments.text("annotations-out"); !ticks.empty())
    write_annotations(data, set.add(FileSystem::real(), ticks, options.if_exists));
  set.commit();
  add_lost(notes, data, out, options);
  return {data.shape(), before};
}

Converted convert(const Arguments& arguments, const std::vector<std::string>& in,
                  const std::string& out, const WriteOptions& options,
                  std::vector<std::string>& notes) {
  ThreadPool pool(arguments.count("threads"));
  if (!goes_in_blocks(arguments, out, options))
    return convert_at_once(arguments, in, pool, out, options, notes);
  const DataShape shape = convert_to_binary(in, read_options(arguments, pool, notes), out, options);
  return {shape, shape};
}

Report run(const Arguments& arguments) {
  const std::string out = arguments.words().back();
  const std::vector<std::string> in(arguments.words().begin(), arguments.words().end() - 1);
  const WriteOptions options = write_options(arguments);
  check_output(arguments, out, options);
  if (arguments.has("annotations-out"))
    check_writable(arguments, arguments.text("annotations-out"));

  Report report;
  const auto [now, before] = convert(arguments, in, out, options, report.notes);
  report.text = written_line(now, out, options);
  if (now.labels != before.labels)
    report.text += fmt::format("kept {} of {} labels\n", now.labels, before.labels);
  if (now.rows != before.rows)
    report.text +=
        fmt::format("kept {} of {} rows; the others had no label\n", now.rows, before.rows);
  report.json = Json::object({{"wrote", written_json(now, out, options)},
                              {"labels_before", before.labels},
                              {"labels_after", now.labels},
                              {"rows_before", before.rows},
                              {"rows_after", now.rows}});
  return report;
}

}  // namespace

Verb convert_verb() {
  Verb verb{.name = "convert",
            .summary = "convert a data set to another format; filter labels, scale features",
            .arguments = "IN... OUT",
            .least_words = 2,
            .most_words = 1000,
            .details =
                "Several inputs are the parts of one set (train and test, or features and\n"
                "labels) and are joined. The name of OUT selects the format; .gz compresses.",
            .example = "sieve convert yeast.arff yeast.csv --keep-labels 10",
            .run = run};
  verb.options = {integer("keep-labels", "keep only the N most frequent labels", 1, 1e9),
                  flag("drop-unlabelled", "drop rows without labels"),
                  renamed(path("annotations-out",
                               "also write the annotations here, as CSV with a line per tick"),
                          "ticks-out"),
                  choice("scale", {"minmax", "standard", "none"}, "scale the features", "none")};
  for (const auto& more :
       {writing_options(), reading_options("candidates"), annotation_options(), {truth_option()}})
    verb.options.insert(verb.options.end(), more.begin(), more.end());
  return verb;
}

}  // namespace sieve
