#include <algorithm>

#include "c_api/boundary.h"
#include "c_api/handles.h"
#include "crowd/aggregation_names.h"
#include "labelsieve/error.h"
#include "report/rendered.h"

namespace sieve {

namespace {

const Votes& votes_of(const ls_data* data) {
  require_argument(data, "data");
  if (!data->data.votes)
    throw Error(Failure::Data, "nothing says who ticked what", {}, "give annotations or votes");
  return *data->data.votes;
}

Aggregation aggregation_of(const char* how) {
  const auto& all = aggregations();
  const std::string wanted = how != nullptr ? how : all.front().first;
  const auto found = std::ranges::find(all, wanted, &std::pair<std::string, Aggregation>::first);
  if (found != all.end()) return found->second;
  std::string names;
  for (const auto& [name, way] : all) names += (names.empty() ? "" : ", ") + name;
  throw Error(Failure::Usage, "votes cannot be combined by '" + wanted + "'", {},
              "one of " + names);
}

}  // namespace

extern "C" {

LS_API int ls_aggregate(const ls_data* data, const char* how, size_t least, const ls_run* run,
                        float* probabilities, char** names_ignored) {
  return guarded([&] {
    const Votes& votes = votes_of(data);
    require_argument(probabilities, "probabilities");
    const Aggregation way = aggregation_of(how);
    if (least == 0) throw Error(Failure::Usage, "at least 0 ticks are no condition");
    Run work(run);
    const Matrix right = aggregate(votes, data->data.labels(), way, work.pool(), least);
    const std::string why = way == Aggregation::CrowdModel ? why_names_are_ignored(votes) : "";
    if (names_ignored != nullptr) *names_ignored = text_for_caller(why);
    for (std::size_t i = 0; i < right.rows(); ++i)
      std::ranges::copy(right.row(i), probabilities + i * right.cols());
  });
}

LS_API int ls_agreement(const ls_data* data, size_t resamples, const ls_run* run, char** json) {
  return guarded([&] {
    const Votes& votes = votes_of(data);
    require_argument(json, "json");
    Run work(run);
    const Agreement found =
        measure_agreement(votes, data->data.labels(), work.pool(),
                          {.seed = work.options().seed, .resamples = resamples});
    *json = text_for_caller(render_agreement(data->data, found, data->data.labels()).json.text());
  });
}

LS_API int ls_annotators(const ls_data* data, size_t most, const ls_run* run, char** json) {
  return guarded([&] {
    votes_of(data);
    require_argument(json, "json");
    Run work(run);
    *json = text_for_caller(report_annotators(data->data, most, work.pool()).rendered.json.text());
  });
}

LS_API int ls_ask(const ls_data* data, const char* about, size_t budget, const ls_run* run,
                  char** json) {
  return guarded([&] {
    votes_of(data);
    require_argument(json, "json");
    const std::string what = about != nullptr ? about : "rows";
    if (what != "rows" && what != "cells")
      throw Error(Failure::Usage, "nobody can be asked about '" + what + "'", {},
                  "ask about rows or cells");
    if (budget == 0) throw Error(Failure::Usage, "a budget of 0 asks nothing");
    Run work(run);
    *json =
        text_for_caller(report_questions(data->data, what == "rows" ? AskFor::Rows : AskFor::Cells,
                                         budget, 0, work.pool())
                            .rendered.json.text());
  });
}

}  // extern "C"
}  // namespace sieve
