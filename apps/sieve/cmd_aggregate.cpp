#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "crowd/aggregation_names.h"
#include "labelsieve/pipeline.h"
#include "reading.h"
#include "report/rendered.h"
#include "verbs.h"
#include "writing.h"

namespace sieve {
namespace {

bool models_annotators(Aggregation how) {
  return how == Aggregation::CrowdModel || how == Aggregation::TwoCoins ||
         how == Aggregation::OneCoin;
}

Report run(const Arguments& arguments) {
  if (!arguments.has("out")) throw usage_error("--out is needed", "e.g. --out labels.csv");
  const std::string& out = arguments.text("out");
  check_writable(arguments, out);
  ThreadPool pool(arguments.count("threads"));
  std::vector<std::string> notes;
  const Dataset data = read_votes(arguments, pool, notes);
  const auto way = std::ranges::find(aggregations(), arguments.text("how"),
                                     &std::pair<std::string, Aggregation>::first);
  const std::string ignored =
      models_annotators(way->second) ? why_names_are_ignored(*data.votes) : "";
  if (!ignored.empty())
    notes.push_back(way->second == Aggregation::CrowdModel
                        ? "names are ignored: " + ignored + "; the share of ticks is written"
                        : ignored + ": what " + way->first + " makes of names means little");
  const Matrix right =
      aggregate(*data.votes, data.labels(), way->second, pool, arguments.count("least"));
  FileSet set;
  write_probabilities(data, right, set.add(FileSystem::real(), out, if_exists(arguments)));
  set.commit();
  const std::optional<Claim> claim = noise_claim(data, right, way->second);
  const std::string why_none = why_no_claim(data, way->second);
  const std::string text =
      fmt::format("wrote {}: {} rows x {} labels, {} ticked cells\nwrong ticks: {}\n", out,
                  data.rows(), data.labels(), data.candidates.count(),
                  claim ? claim_text(*claim) : "not claimed: " + why_none);
  Json::Members json = {{"wrote", out},
                        {"rows", data.rows()},
                        {"labels", data.labels()},
                        {"how", way->first},
                        {"ticked", data.candidates.count()}};
  if (claim)
    json.emplace_back("noise_claim", render_claim(*claim).json);
  else
    json.emplace_back("not_claimed", why_none);
  if (!ignored.empty()) json.emplace_back("names_ignored", ignored);
  return {.text = text, .json = Json::object(json), .notes = std::move(notes)};
}

}  // namespace

Verb aggregate_verb() {
  Verb verb{
      .name = "aggregate",
      .summary = "combine the annotations of each row into one answer, without features",
      .arguments = "[IN...]",
      .least_words = 1,
      .most_words = 1000,
      .details =
          "Needs --annotations and no other data. Writes the probability of each label of each\n"
          "row, as predict writes scores. annotators: the model of annotators that clean uses,\n"
          "with votes alone; dawid-skene and one-coin: the classical models; majority, at-least\n"
          "(with --least), share of a row's annotators, and union are counts of votes.",
      .example = "sieve aggregate --annotations annotations.csv --out labels.csv",
      .run = run};
  std::vector<std::string> names;
  for (const auto& way : aggregations()) names.push_back(way.first);
  verb.options = {choice("how", names, "how to combine the ticks", names.front()),
                  integer("least", "at-least: how many annotators must tick a label", 1, 1e9, "2"),
                  path("out", "write the probabilities here, as CSV"), force_option()};
  const std::vector<Option> reading = vote_reading_options();
  verb.options.insert(verb.options.end(), reading.begin(), reading.end());
  return verb;
}

}  // namespace sieve
