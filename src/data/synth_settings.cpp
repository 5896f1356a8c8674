#include "data/synth_settings.h"

namespace sieve {
namespace {

using Type = OptionSpec::Type;

template <class Number>
SettingRow<SynthOptions> row(const char* key, const char* standard, const char* help, double low,
                             double high, Number SynthOptions::*field) {
  return {
      with_underscores(key),
      {.key = key,
       .type = std::floating_point<Number> ? Type::Real : Type::Integer,
       .default_value = standard,
       .help = help,
       .low = low,
       .high = high},
      [field](SynthOptions& all, const GivenValue& value) { return put_value(value, all.*field); }};
}

}  // namespace

const std::vector<SettingRow<SynthOptions>>& synth_setting_table() {
  using O = SynthOptions;
  constexpr double kNoLimit = std::numeric_limits<double>::infinity();
  static const std::vector<SettingRow<O>> table = {
      row("rows", "2000", "rows to make", 1, 1e9, &O::rows),
      row("features", "60", "features per row", 1, 1e9, &O::features),
      row("entries", "0", "non-zero features per row; 0 = dense features", 0, 1e9, &O::entries),
      row("labels", "12", "labels in all", 1, 1e9, &O::labels),
      row("annotators", "9", "annotators in all", 1, 1e9, &O::annotators),
      row("annotators-per-row", "3", "how many of them see a row", 1, 1e9, &O::annotators_per_row),
      row("cardinality", "2.5", "true labels per row, on average", 0, 1e9, &O::cardinality),
      row("noise", "2.5", "noise labels per row, on average", 0, 1e9, &O::noise),
      row("missing", "0", "share of the true labels that nobody ticks", 0, 0.9, &O::missing),
      {"votes",
       {.key = "votes", .type = Type::Flag, .help = "also who ticked what"},
       [](O& all, const GivenValue& value) { return put_value(value, all.votes); }},
      row("seed", "1", "random seed", 0, kNoLimit, &O::seed),
  };
  return table;
}

}  // namespace sieve
