#include <cmath>
#include <filesystem>

#include <fmt/format.h>

#include "base/format_text.h"
#include "base/streams.h"
#include "base/table.h"
#include "data/csv/csv_cells.h"
#include "data/table_source.h"
#include "labelsieve/prepare.h"
#include "reading.h"
#include "terminal_progress.h"
#include "verbs.h"
#include "writing.h"

namespace sieve {
namespace {

struct Part {
  std::string name;
  std::vector<std::size_t> rows;
};

// How far a label's share in a part is from its share in the whole.
struct Deviation {
  std::size_t label = 0;
  double whole = 0, part = 0;
};

std::vector<std::string> part_names(const Arguments& arguments) {
  if (!arguments.has("folds")) return {"train", "test"};
  std::vector<std::string> names;
  for (std::size_t k = 1; k <= arguments.count("folds"); ++k)
    names.push_back("fold" + std::to_string(k));
  return names;
}

std::vector<Part> split_rows(const Dataset& data, const Arguments& arguments) {
  const auto seed = static_cast<std::uint64_t>(arguments.integer("seed"));
  const bool random = arguments.text("how") == "random";
  const LabelMatrix& labels = data.truth ? *data.truth : data.candidates;
  std::vector<std::vector<std::size_t>> rows;
  if (arguments.has("folds")) {
    const std::size_t k = arguments.count("folds");
    if (k > data.rows()) throw usage_error(fmt::format("--folds {} for {} rows", k, data.rows()));
    rows = random ? folds_random(data.rows(), k, seed) : folds_stratified(labels, k, seed);
  } else {
    const double share = arguments.real("test-share");
    Split split =
        random ? split_random(data.rows(), share, seed) : split_stratified(labels, share, seed);
    rows = {std::move(split.train), std::move(split.test)};
  }
  const std::vector<std::string> names = part_names(arguments);
  std::vector<Part> parts;
  for (std::size_t p = 0; p < rows.size(); ++p) parts.push_back({names[p], std::move(rows[p])});
  return parts;
}

// "parts/" or a folder: parts/train.csv; "parts/yeast": parts/yeast-train.csv
std::string file_of(const std::string& out, const std::string& part, const std::string& format) {
  const bool folder = out.ends_with("/") || FileSystem::real().is_folder(out);
  return out + (!folder ? "-" : out.ends_with("/") ? "" : "/") + part + extension_of(format);
}

WriteOptions part_options(const Arguments& arguments) {
  WriteOptions options = write_options(arguments);
  if (options.format.empty()) options.format = format_of_name(arguments.words().front());
  if (options.format.empty()) options.format = "csv";
  return options;
}

void check_request(const Arguments& arguments) {
  if (!arguments.has("out") && !arguments.has("indices"))
    throw usage_error("nothing to write", "give --out for data files, --indices for row numbers");
  if (arguments.given("folds") && arguments.given("test-share"))
    throw usage_error("--folds and --test-share exclude each other");
}

void write_indices(const Dataset& data, const std::vector<Part>& parts, const std::string& path,
                   OutputStream& file) {
  const bool ids = !data.ids.empty();
  if (unpacked_name(path).ends_with(".json")) {
    Json::Members members, ids_of_parts;
    for (const Part& part : parts) {
      members.emplace_back(part.name, Json::array({part.rows.begin(), part.rows.end()}));
      std::vector<Json> names;
      for (const std::size_t row : part.rows)
        if (ids) names.emplace_back(data.ids[row]);
      ids_of_parts.emplace_back(part.name, Json::array(names));
    }
    if (ids) members.emplace_back("ids", Json::object(ids_of_parts));
    file.write(Json::object(members).text() + "\n");
  } else {
    file.write(ids ? "id\trow\tpart\n" : "row\tpart\n");
    for (const Part& part : parts)
      for (const std::size_t row : part.rows) {
        std::string line;
        if (ids) append_csv_cell(line, data.ids[row], '\t');
        file.write(line + fmt::format("{}{}\t{}\n", ids ? "\t" : "", row, part.name));
      }
  }
}

void write_parts(const Dataset& data, const std::vector<Part>& parts, const Arguments& arguments,
                 const WriteOptions& options, FileSet& set) {
  TerminalProgress progress(ProgressOutput::standard_error(arguments));
  progress.begin("Write", parts.size());
  for (std::size_t p = 0; p < parts.size(); ++p) {
    const std::string path = file_of(arguments.text("out"), parts[p].name, options.format);
    write_table(data.select_rows(parts[p].rows), path, options, {.as_read = true}, set);
    progress.update(p + 1, path);
  }
}

Deviation worst_deviation(const LabelMatrix& labels, const Part& part) {
  const std::vector<std::size_t> whole = labels.label_counts();
  const std::vector<std::size_t> here = labels.select_rows(part.rows).label_counts();
  Deviation worst;
  for (std::size_t k = 0; k < whole.size(); ++k) {
    const Deviation one{k, share_of(whole[k], labels.rows()), share_of(here[k], part.rows.size())};
    if (std::abs(one.part - one.whole) > std::abs(worst.part - worst.whole)) worst = one;
  }
  return worst;
}

Report report_of(const Dataset& data, const std::vector<Part>& parts) {
  const LabelMatrix& labels = data.truth ? *data.truth : data.candidates;
  TextTable table({"part", "rows", "worst label", "share here", "in the whole"},
                  {Align::Left, Align::Right, Align::Left, Align::Right, Align::Right});
  std::vector<Json> json;
  for (const Part& part : parts) {
    const Deviation worst = worst_deviation(labels, part);
    const std::string name = data.labels() == 0 ? "" : data.label_names[worst.label];
    table.add({part.name, std::to_string(part.rows.size()), shortened(name, 30),
               percent_text(worst.part), percent_text(worst.whole)});
    json.push_back(Json::object({{"part", part.name},
                                 {"rows", part.rows.size()},
                                 {"worst_label", name},
                                 {"worst_share", worst.part},
                                 {"whole_share", worst.whole}}));
  }
  return {.text = table.text(), .json = Json::object({{"parts", Json::array(json)}})};
}

Report run(const Arguments& arguments) {
  check_request(arguments);
  const WriteOptions options = part_options(arguments);
  const std::string& out = arguments.text("out");
  if (out.ends_with("/")) std::filesystem::create_directories(out);
  if (!out.empty())
    for (const std::string& name : part_names(arguments))
      check_output(arguments, out, file_of(out, name, options.format), options);
  if (arguments.has("indices")) check_writable(arguments, arguments.text("indices"));

  ThreadPool pool(arguments.count("threads"));
  std::vector<std::string> notes;
  const Dataset data = arguments.has("out")
                           ? read_to_write(arguments, arguments.words(), pool, notes)
                           : read_ticked(arguments, arguments.words(), pool, notes);
  const std::vector<Part> parts = split_rows(data, arguments);
  FileSet set;
  if (const std::string& path = arguments.text("indices"); !path.empty())
    write_indices(data, parts, path, set.add(FileSystem::real(), path, if_exists(arguments)));
  if (!out.empty()) {
    write_parts(data, parts, arguments, options, set);
    add_lost(notes, data, file_of(out, "*", options.format), options);
  }
  set.commit();
  Report report = report_of(data, parts);
  report.notes = std::move(notes);
  return report;
}

}  // namespace

Verb split_verb() {
  Verb verb{.name = "split",
            .summary = "split a data set into train and test, or into folds",
            .arguments = "IN...",
            .least_words = 1,
            .most_words = 1000,
            .details =
                "Writes <out>-train and <out>-test (or <out>-fold1, ...), or files of these\n"
                "names in the folder <out>. Stratified parts have nearly the same share of\n"
                "every label. Rows in --indices count from 0; a name in .json makes it JSON.",
            .example = "sieve split scene.arff --out scene --folds 5 --to csv",
            .run = run};
  verb.options = {path("out", "output folder (ends in / or exists), or prefix of the file names"),
                  path("indices", "write only row numbers and their part to this file"),
                  real("test-share", "share of the rows for the test", 0.000001, 0.999999, "0.2"),
                  integer("folds", "split into N folds instead", 2, 1e6),
                  choice("how", {"stratified", "random"}, "how rows are assigned", "stratified"),
                  seed_option()};
  for (const auto& more :
       {writing_options(), reading_options("candidates"), annotation_options(), {truth_option()}})
    verb.options.insert(verb.options.end(), more.begin(), more.end());
  return verb;
}

}  // namespace sieve
