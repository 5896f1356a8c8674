#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "labelsieve/judging.h"
#include "reading.h"
#include "verbs.h"
#include "writing.h"

namespace sieve {
namespace {

const std::vector<std::pair<std::string, Aggregation>>& ways() {
  static const std::vector<std::pair<std::string, Aggregation>> all = {
      {"people", Aggregation::HeldOut},   {"dawid-skene", Aggregation::TwoCoins},
      {"one-coin", Aggregation::OneCoin}, {"majority", Aggregation::Majority},
      {"at-least", Aggregation::AtLeast}, {"share", Aggregation::Share},
      {"union", Aggregation::Union}};
  return all;
}

Report run(const Arguments& arguments) {
  if (!arguments.has("out")) throw usage_error("--out is needed", "e.g. --out labels.csv");
  const std::string& out = arguments.text("out");
  check_writable(out, if_exists(arguments));
  ThreadPool pool(arguments.count("threads"));
  std::vector<std::string> notes;
  const Dataset data = read_ticked(arguments, arguments.words(), pool, notes);
  if (!data.votes) throw usage_error("nothing says who ticked what", "give the ticks with --ticks");
  const auto way =
      std::ranges::find(ways(), arguments.text("how"), &std::pair<std::string, Aggregation>::first);
  const Matrix likely =
      aggregate(*data.votes, data.labels(), way->second, pool, arguments.count("least"));
  FileSet set;
  write_posterior(data, likely, set.add(FileSystem::real(), out, if_exists(arguments)));
  set.commit();
  std::size_t kept = 0;
  for (std::size_t i = 0; i < likely.rows(); ++i)
    kept += static_cast<std::size_t>(
        std::ranges::count_if(likely.row(i), [](float p) { return p >= 0.5F; }));
  return {
      .text = fmt::format("wrote {}: {} rows x {} labels; {} of {} ticked cells are more likely "
                          "right than not\n",
                          out, data.rows(), data.labels(), kept, data.candidates.count()),
      .json = Json::object({{"wrote", out},
                            {"rows", data.rows()},
                            {"labels", data.labels()},
                            {"how", way->first},
                            {"likely", kept},
                            {"ticked", data.candidates.count()}}),
      .notes = std::move(notes)};
}

}  // namespace

Verb aggregate_verb() {
  Verb verb{.name = "aggregate",
            .summary = "combine several people's ticks into one answer, without features",
            .arguments = "[IN...]",
            .least_words = 1,
            .most_words = 1000,
            .details =
                "Needs --ticks and no other data. Writes how likely each label of each row is, as\n"
                "predict writes scores. people: a model of each person's habits, tempered by\n"
                "predicting the votes of people left out; dawid-skene and one-coin: the classical\n"
                "models; majority, at-least (with --least) and share of those who looked; union.",
            .example = "sieve aggregate --ticks ticks.csv --out labels.csv",
            .run = run};
  std::vector<std::string> names;
  for (const auto& way : ways()) names.push_back(way.first);
  verb.options = {choice("how", names, "how to combine the ticks", names.front()),
                  integer("least", "at-least: how many people must tick a label", 1, 1e9, "2"),
                  path("out", "write how likely each label is here, as CSV"), force_option()};
  for (const auto& more : {reading_options("candidates"), ticks_options(), {truth_option()}})
    verb.options.insert(verb.options.end(), more.begin(), more.end());
  return verb;
}

}  // namespace sieve
