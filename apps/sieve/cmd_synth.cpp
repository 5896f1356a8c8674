#include "labelsieve/prepare.h"

#include <fmt/format.h>

#include "base/format_text.h"
#include "base/streams.h"
#include "data/read_settings.h"
#include "labelsieve/data_io.h"
#include "labelsieve/dataset.h"
#include "reading.h"
#include "report/rendered.h"
#include "verbs.h"
#include "writing.h"

namespace sieve {
namespace {

SynthOptions synth_options(const Arguments& arguments) {
  SynthOptions options;
  for (const auto& row : synth_setting_table()) {
    if (row.term == "votes") continue;
    const std::string problem = put_checked(row, options, {{arguments.text(row.option.key)}});
    if (!problem.empty()) throw usage_error(row.option, "--" + row.option.key, problem);
  }
  options.votes = arguments.has("annotations");
  return options;
}

// The data and, where wanted, who ticked what: both appear together.
void write_together(const Dataset& data, const std::string& out, const std::string& ticks,
                    const WriteOptions& options) {
  FileSet set;
  write_dataset(data, out, options, set);
  if (!ticks.empty())
    write_annotations(data, set.add(FileSystem::real(), ticks, options.if_exists));
  set.commit();
}

Report run(const Arguments& arguments) {
  if (!arguments.has("out")) throw usage_error("--out is needed", "e.g. --out crowd.arff");
  const std::string& out = arguments.text("out");
  WriteOptions options;
  options.if_exists = if_exists(arguments);
  check_output(arguments, out, options);
  const std::string& ticks = arguments.text("annotations");
  if (!ticks.empty()) check_writable(arguments, ticks);

  ThreadPool pool(arguments.count("threads"));
  const SynthOptions wanted = synth_options(arguments);
  LabelNoiseCount count;
  const auto counted = [&](Dataset data) {
    count.add(data.candidates, *data.truth);
    return data;
  };
  // Sparse features come in one block.
  const bool in_blocks = format_of_name(out) == "binary" && unpacked_name(out) == out &&
                         wanted.entries == 0 && ticks.empty();
  if (in_blocks)
    write_binary_blocks(
        [&](const auto& take) {
          make_synthetic(wanted, pool, [&](Dataset&& block) { take(counted(std::move(block))); });
        },
        out, options);
  else
    write_together(counted(make_synthetic(wanted, pool)), out, ticks, options);

  const DataShape shape{wanted.rows, wanted.features, wanted.labels};
  const LabelNoise noise = count.noise();
  return {.text = written_line(shape, out, options) +
                  fmt::format("{} candidates per row: {} true and {} noise\n",
                              decimal_text(noise.candidates_per_row),
                              decimal_text(noise.truth_per_row), decimal_text(noise.noise_per_row)),
          .json = Json::object({{"wrote", written_json(shape, out, options)},
                                {"seed", arguments.integer("seed")},
                                {"noise", noise_json(noise)}})};
}

}  // namespace

Verb synth_verb() {
  Verb verb{.name = "synth",
            .summary = "make up a crowd-annotated data set whose truth is known",
            .details =
                "Rows that several annotators, each with habits of their own, have\n"
                "labelled: the candidates are all they ticked, and the truth is kept.",
            .example = "sieve synth --out crowd.arff --rows 500 --seed 3",
            .run = run};
  verb.options = {path("out", "the file to write")};
  // The file for votes says that they are wanted.
  for (const auto& row : synth_setting_table())
    if (row.term != "votes") verb.options.push_back(row.option);
  for (const Option& more :
       {renamed(path("annotations", "also write who ticked what, as CSV"), "ticks"),
        threads_option(), force_option()})
    verb.options.push_back(more);
  return verb;
}

}  // namespace sieve
