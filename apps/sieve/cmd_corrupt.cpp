#include <utility>

#include <fmt/format.h>

#include "base/format_text.h"
#include "base/named_rows.h"
#include "data/table_source.h"
#include "labelsieve/dataset.h"
#include "labelsieve/prepare.h"
#include "reading.h"
#include "report/rendered.h"
#include "verbs.h"
#include "writing.h"

namespace sieve {
namespace {

// The library speaks of its options, the user of flags.
std::string with_flags(std::string message, const NoiseProtocol& protocol) {
  for (const OptionSpec& option : protocol.options) {
    const std::string quoted = "'" + option.key + "'";
    for (std::size_t at = 0; (at = message.find(quoted, at)) != std::string::npos;)
      message.replace(at, quoted.size(), "--" + option.key);
  }
  return message;
}

// Error(Usage) for numbers of another protocol, and for those that do not fit together.
AddNoise noise_asked_for(const Arguments& arguments) {
  if (!arguments.has("protocol"))
    throw usage_error("--protocol is needed",
                      "one of " + joined(names_of(noise_protocols()), ", "));
  const NoiseProtocol& protocol = noise_protocol(arguments.text("protocol"));
  for (const NoiseProtocol& other : noise_protocols())
    for (const OptionSpec& option : other.options)
      if (other.name != protocol.name && arguments.given(option.key))
        throw usage_error(fmt::format("--{} belongs to --protocol {}, not {}", option.key,
                                      other.name, protocol.name));
  Options options(protocol.options);
  for (const OptionSpec& option : protocol.options)
    if (arguments.has(option.key)) options.set(option.key, arguments.text(option.key));
  try {
    return protocol.make(options);
  } catch (const Error& error) {
    throw usage_error("--protocol " + with_flags(error.message(), protocol),
                      error.hint().empty() ? "see: sieve help corrupt" : error.hint());
  }
}

// What the protocols do, a line each.
std::string protocol_help() {
  std::string help = "protocols";
  for (const NoiseProtocol& protocol : noise_protocols())
    help += fmt::format("\n  {:<11}{}", protocol.name, protocol.summary);
  return help;
}

Report run(const Arguments& arguments) {
  const std::string out = arguments.words().back();
  const std::vector<std::string> in(arguments.words().begin(), arguments.words().end() - 1);
  const WriteOptions options = write_options(arguments);
  const AddNoise add_noise = noise_asked_for(arguments);
  check_output(arguments, out, options);

  ThreadPool pool(arguments.count("threads"));
  Report report;
  ReadOptions reading = read_options(arguments, pool, report.notes);
  reading.keep_cells = true;
  Dataset data = read_input(arguments, in, reading);
  add_noise(data, static_cast<std::uint64_t>(arguments.integer("seed")), pool);
  FileSet set;
  write_table(data, out, options, {.as_read = true}, set);
  set.commit();
  add_lost(report.notes, data, out, options);

  const LabelNoise noise = label_noise(data.candidates, *data.truth);
  report.text = written_line(data.shape(), out, options);
  report.text += fmt::format(
      "{} candidates per row: {} true and {} noise; {} of the candidates and {} of the rows are "
      "noisy\n",
      decimal_text(noise.candidates_per_row), decimal_text(noise.truth_per_row),
      decimal_text(noise.noise_per_row), percent_text(noise.noise_share),
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
            .details = protocol_help(),
            .example = "sieve corrupt scene.arff noisy.arff --protocol fill --average 3 --seed 7",
            .run = run};
  verb.options = {choice("protocol", names_of(noise_protocols()), "how to add noise")};
  for (const NoiseProtocol& protocol : noise_protocols())
    for (OptionSpec option : protocol.options) {
      option.help = protocol.name + ": " + option.help;
      verb.options.push_back(std::move(option));
    }
  verb.options.push_back(seed_option());
  for (const auto& more : {writing_options(), reading_options("truth"), {truth_option()}})
    verb.options.insert(verb.options.end(), more.begin(), more.end());
  return verb;
}

}  // namespace sieve
