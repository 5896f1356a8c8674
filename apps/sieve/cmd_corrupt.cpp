#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/format_text.h"
#include "labelsieve/dataset_summary.h"
#include "labelsieve/prepare.h"
#include "reading.h"
#include "report/told.h"
#include "verbs.h"
#include "writing.h"

namespace sieve {
namespace {

struct ProtocolFlags {
  const char* protocol;
  std::vector<std::string> flags;
};

// Which numbers belong to which protocol.
const std::vector<ProtocolFlags>& protocol_flags() {
  static const std::vector<ProtocolFlags> table = {{"fill", {"average"}},
                                                   {"extra", {"extra", "share"}},
                                                   {"plausible", {"percent"}},
                                                   {"flip", {"rate", "rate-from", "rate-to"}}};
  return table;
}

void check_protocol(const Arguments& arguments) {
  if (!arguments.has("protocol"))
    throw usage_error("--protocol is needed", "one of fill, extra, plausible, flip");
  const std::string& protocol = arguments.text("protocol");
  for (const ProtocolFlags& row : protocol_flags())
    for (const std::string& flag : row.flags)
      if (row.protocol != protocol && arguments.given(flag))
        throw usage_error(
            fmt::format("--{} belongs to --protocol {}, not {}", flag, row.protocol, protocol));
  const auto need = [&](const std::string& flag) {
    if (!arguments.has(flag))
      throw usage_error("--protocol " + protocol + " needs --" + flag, "see: sieve help corrupt");
  };
  if (protocol == "fill") need("average");
  if (protocol == "extra") need("extra");
  if (protocol == "plausible") need("percent");
  if (protocol != "flip" || arguments.has("rate")) {
    if (arguments.has("rate-from") || arguments.has("rate-to"))
      throw usage_error("--rate is one rate for all labels, --rate-from and --rate-to a range",
                        "give one or the other");
    return;
  }
  need("rate-from");
  need("rate-to");
  if (arguments.real("rate-from") > arguments.real("rate-to"))
    throw usage_error("--rate-from is larger than --rate-to");
}

void add_noise(Dataset& data, const Arguments& arguments, ThreadPool& pool) {
  const std::string& protocol = arguments.text("protocol");
  const auto seed = static_cast<std::uint64_t>(arguments.integer("seed"));
  if (protocol == "fill") {
    noise_fill(data, arguments.count("average"), seed);
  } else if (protocol == "extra") {
    noise_extra(data, arguments.count("extra"), arguments.real("share"), seed);
  } else if (protocol == "plausible") {
    noise_plausible(data, arguments.real("percent"), seed, pool);
  } else if (arguments.has("rate")) {
    noise_flip(data, std::array{arguments.real("rate")}, seed);
  } else {
    noise_flip(data,
               draw_flip_rates(data.labels(), arguments.real("rate-from"),
                               arguments.real("rate-to"), seed),
               seed);
  }
}

Report run(const Arguments& arguments) {
  const std::string out = arguments.words().back();
  const std::vector<std::string> in(arguments.words().begin(), arguments.words().end() - 1);
  const WriteOptions options = write_options(arguments);
  check_protocol(arguments);
  check_output(out, options);

  ThreadPool pool(arguments.count("threads"));
  Dataset data = read_input(arguments, in, pool);
  add_noise(data, arguments, pool);
  write_dataset(data, out, options);

  const LabelNoise noise = label_noise(data.candidates, *data.truth);
  Report report{.text = written_line(data.shape(), out, options)};
  report.text += fmt::format(
      "{} candidates a row: {} true and {} noise; {} of the candidates and {} of the rows noisy\n",
      decimal_text(noise.candidates_a_row), decimal_text(noise.truth_a_row),
      decimal_text(noise.noise_a_row), percent_text(noise.noise_share),
      percent_text(noise.noisy_rows_share));
  report.json = Json::object({{"wrote", written_json(data.shape(), out, options)},
                              {"protocol", arguments.text("protocol")},
                              {"seed", arguments.integer("seed")},
                              {"noise", noise_json(noise)}});
  return report;
}

}  // namespace

Verb corrupt_verb() {
  Verb verb{.name = "corrupt",
            .summary = "add noise labels to a clean data set, with the truth kept beside them",
            .arguments = "IN... OUT",
            .least_words = 2,
            .most_words = 1000,
            .details =
                "protocols\n"
                "  fill       rows with fewer than --average labels are filled up to it at random\n"
                "  extra      --extra random labels more on a --share of the rows\n"
                "  plausible  --percent of a row's labels more, those a linear model finds likely\n"
                "  flip       each wrong label comes on with --rate, or a rate of its own",
            .example = "sieve corrupt scene.arff noisy.arff --protocol fill --average 3 --seed 7",
            .run = run};
  verb.options = {choice("protocol", {"fill", "extra", "plausible", "flip"}, "how to add noise"),
                  integer("average", "fill: candidates a row to reach", 1, 1e9),
                  integer("extra", "extra: noise labels a row", 1, 1e9),
                  real("share", "extra: share of the rows that get them", 0, 1, "1"),
                  real("percent", "plausible: noise labels in % of a row's true ones", 0, 1e6),
                  real("rate", "flip: probability for every label", 0, 1),
                  real("rate-from", "flip: lowest probability of a label", 0, 1),
                  real("rate-to", "flip: highest probability of a label", 0, 1),
                  seed_option()};
  for (const auto& more : {writing_options(), reading_options("truth"), {truth_option()}})
    verb.options.insert(verb.options.end(), more.begin(), more.end());
  return verb;
}

}  // namespace sieve
