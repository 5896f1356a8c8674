#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "c_api/boundary.h"
#include "c_api/handles.h"
#include "labelsieve/error.h"
#include "pipeline/removal.h"
#include "report/rendered.h"

namespace sieve {

namespace {

double checked_missing(double share) {
  if (!(share >= 0 && share <= 0.9))
    throw Error(Failure::Usage, fmt::format("a share of {} missing labels is impossible", share),
                {}, "it is a number from 0 to 0.9");
  return share;
}

CleanRequest best_for(const char* measure) {
  if (measure == nullptr) return {};
  const std::string wanted = measure;
  if (wanted != "f1" && wanted != "hamming")
    throw Error(Failure::Usage, "no threshold is the best for '" + wanted + "'", {},
                "one of f1, hamming");
  return {.best = wanted == "f1" ? CleanFor::F1 : CleanFor::Hamming};
}

// Of the caller, or what sieve clean would go by.
bool is_usual(double threshold) {
  return std::isinf(threshold) && threshold < 0;
}

void require_threshold(double threshold) {
  if (!is_usual(threshold) && !(threshold >= 0 && threshold <= 1))
    throw Error(Failure::Usage, fmt::format("the threshold cannot be {}", threshold), {},
                "it is a probability from 0 to 1");
}

CleanRequest at(double threshold) {
  CleanRequest request;
  if (!is_usual(threshold)) request.threshold = threshold;
  return request;
}

Removal removed(const ls_cleaning& cleaning, double threshold) {
  return removal(cleaning.judged, cleaning.exclusive, at(threshold));
}

}  // namespace

extern "C" {

LS_API int ls_clean(const ls_data* data, const char* method, const char* settings, size_t folds,
                    double missing, const ls_cell* gold, size_t gold_cells, const ls_run* run,
                    ls_cleaning** cleaning) {
  return guarded([&] {
    require_argument(data, "data");
    require_argument(cleaning, "cleaning");
    Run work(run);
    auto made = std::make_unique<ls_cleaning>();
    const auto given = settings_of(settings);
    const bool usual = text_of(method) == "default";
    made->judged =
        judge(data->data.clone(), {.method = usual ? all_methods().front().name : text_of(method),
                                   .settings = given,
                                   .folds = folds,
                                   .regress = usual && given.empty(),
                                   .gold = gold_of(gold, gold_cells, data->data),
                                   .missing = checked_missing(missing),
                                   .fit = work.options()});
    made->judged.data.features = {};
    made->looked_for_missing = missing > 0;
    made->exclusive = pairs_to_keep_apart(made->judged, {});
    for (const CellProbability& cell : made->judged.missing())
      made->missing.push_back({cell.row, cell.label, double{cell.probability}});
    *cleaning = made.release();
  });
}

LS_API int ls_cleaning_info(const ls_cleaning* cleaning, double threshold, char** json) {
  return guarded([&] {
    require_argument(cleaning, "cleaning");
    require_argument(json, "json");
    require_threshold(threshold);
    const Judged& judged = cleaning->judged;
    const Removal cleaned = removed(*cleaning, threshold);
    *json = text_for_caller(render_cleaning({.judged = judged,
                                             .ranked = {},
                                             .cleaned = cleaned.labels,
                                             .quality = cleaning_quality(judged),
                                             .threshold = cleaned.threshold,
                                             .top = 0,
                                             .missing = cleaning->looked_for_missing,
                                             .exclusive = cleaning->exclusive,
                                             .kept_apart = cleaned.kept_apart})
                                .json.text());
  });
}

LS_API int ls_cleaning_cells(const ls_cleaning* cleaning, double threshold, float* confidence,
                             uint8_t* kept) {
  return guarded([&] {
    require_argument(cleaning, "cleaning");
    require_threshold(threshold);
    const Judged& judged = cleaning->judged;
    const std::size_t rows = judged.data.rows(), labels = judged.data.labels();
    for (std::size_t i = 0; i < rows && confidence != nullptr; ++i)
      for (std::size_t k = 0; k < labels; ++k)
        confidence[i * labels + k] = judged.probabilities(i, k);
    if (kept == nullptr) return;
    const Removal cleaned = removed(*cleaning, threshold);
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t k = 0; k < labels; ++k) kept[i * labels + k] = cleaned.labels.kept.get(i, k);
  });
}

LS_API int ls_cleaning_threshold(const ls_cleaning* cleaning, const char* measure,
                                 double* threshold) {
  return guarded([&] {
    require_argument(cleaning, "cleaning");
    require_argument(threshold, "threshold");
    *threshold = cleaning_threshold(cleaning->judged, best_for(measure));
  });
}

LS_API int ls_cleaning_missing(const ls_cleaning* cleaning, const ls_cell** cells, size_t* count) {
  return guarded([&] {
    require_argument(cleaning, "cleaning");
    require_argument(cells, "cells");
    require_argument(count, "count");
    *cells = cleaning->missing.data();
    *count = cleaning->missing.size();
  });
}

LS_API void ls_free_cleaning(ls_cleaning* cleaning) {
  delete cleaning;
}

}  // extern "C"
}  // namespace sieve
