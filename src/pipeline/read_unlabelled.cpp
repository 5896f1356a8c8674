#include <utility>

#include "labelsieve/error.h"
#include "labelsieve/options.h"
#include "labelsieve/pipeline.h"

namespace sieve {
namespace {

// Columns of labels that are there are none of the features.
Dataset rows_as(const std::vector<std::string>& paths, const Dataset& data, ReadOptions options) {
  options.labels = {};
  options.labels.optional = true;
  options.label_file.clear();
  options.known_features = data.feature_names;
  options.recipe = data.recipe;
  Dataset rows = read_dataset(paths, options);
  if (!options.recipe && rows.recipe)
    throw Error(Failure::Data, "the rows with labels are numbers alone, and this table is not",
                {paths.front(), 0, 0}, "leave other columns out with " + term("table.ignore"));
  return rows;
}

// With the sentences about them where there is a tally of values.
std::shared_ptr<const Features> matched(const Dataset& rows, const Dataset& data,
                                        const RecipeTally& tally, std::vector<std::string>* notes) {
  ModelState expected;
  expected.features = data.features.cols();
  expected.feature_names = data.feature_names;
  if (rows.features.rows() == 0)
    throw Error(Failure::Data, "the rows without labels have no features", {rows.name, 0, 0});
  try {
    FeatureMatch match = match_features(expected, rows.features, rows.feature_names);
    match.missing = tally.missing;
    match.unseen = tally.unseen;
    if (notes != nullptr)
      for (const std::string& note : notes_on(match))
        notes->push_back("rows without labels: " + note);
    return std::make_shared<const Features>(matched_features(match, expected, rows.features));
  } catch (const Error& error) {
    throw Error(error.kind(), "rows without labels: " + error.message(), {rows.name, 0, 0},
                "they need the same columns as those with labels");
  }
}

}  // namespace

std::shared_ptr<const Features> unlabelled_rows(const Dataset& rows, const Dataset& data,
                                                std::vector<std::string>* notes) {
  return matched(rows, data, {}, notes);
}

std::shared_ptr<const Features> read_unlabelled(const std::vector<std::string>& paths,
                                                const Dataset& data, ReadOptions options) {
  RecipeTally tally;
  options.tally = &tally;
  return matched(rows_as(paths, data, options), data, tally, options.notes);
}

}  // namespace sieve
