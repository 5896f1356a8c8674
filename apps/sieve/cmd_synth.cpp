#include "labelsieve/synth.h"

#include <fmt/format.h>

#include "dataset_summary.h"
#include "format_text.h"
#include "reading.h"
#include "verbs.h"
#include "writing.h"

namespace sieve {
namespace {

SynthOptions synth_options(const Arguments& arguments) {
  return {.rows = arguments.count("rows"),
          .features = arguments.count("features"),
          .entries = arguments.count("entries"),
          .labels = arguments.count("labels"),
          .annotators = arguments.count("annotators"),
          .annotators_per_row = arguments.count("annotators-per-row"),
          .cardinality = arguments.real("cardinality"),
          .noise = arguments.real("noise"),
          .seed = static_cast<std::uint64_t>(arguments.integer("seed"))};
}

Report run(const Arguments& arguments) {
  if (!arguments.has("out")) throw usage_error("--out is needed", "e.g. --out crowd.arff");
  const std::string& out = arguments.text("out");
  WriteOptions options;
  options.if_exists = if_exists(arguments);
  check_output(out, options);

  ThreadPool pool(arguments.count("threads"));
  const Dataset data = make_synthetic(synth_options(arguments), pool);
  write_dataset(data, out, options);

  const LabelNoise noise = label_noise(data.candidates, *data.truth);
  return {.text = written_line(data, out, options) +
                  fmt::format("{} candidates a row: {} true and {} noise\n",
                              decimal_text(noise.candidates_a_row), decimal_text(noise.truth_a_row),
                              decimal_text(noise.noise_a_row)),
          .json = Json::object({{"wrote", written_json(data, out, options)},
                                {"seed", arguments.integer("seed")},
                                {"noise", noise_json(noise)}})};
}

}  // namespace

Verb synth_verb() {
  Verb verb{.name = "synth",
            .summary = "make up a crowd-annotated data set whose truth is known",
            .details =
                "A set of rows that several annotators with habits of their own have\n"
                "labelled: the candidates are all they ticked, and the truth is kept.",
            .example = "sieve synth --out crowd.arff --rows 500 --seed 3",
            .run = run};
  verb.options = {
      path("out", "the file to write"),
      integer("rows", "rows to make", 1, 1e9, "2000"),
      integer("features", "features of a row", 1, 1e9, "60"),
      integer("entries", "features of a row that are not 0; 0: dense features", 0, 1e9, "0"),
      integer("labels", "labels in all", 1, 1e9, "12"),
      integer("annotators", "people who label", 1, 1e9, "9"),
      integer("annotators-per-row", "how many of them see a row", 1, 1e9, "3"),
      real("cardinality", "true labels a row on average", 0, 1e9, "2.5"),
      real("noise", "noise labels a row on average", 0, 1e9, "2.5"),
      seed_option(),
      threads_option(),
      force_option()};
  return verb;
}

}  // namespace sieve
