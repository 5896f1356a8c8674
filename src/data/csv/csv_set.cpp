#include "data/csv/csv_set.h"

#include <utility>

#include "data/feature_stream.h"
#include "data/ids.h"
#include "data/label_columns.h"
#include "data/parts_of_list.h"
#include "data/take_rows.h"
#include "labelsieve/error.h"
#include "labelsieve/options.h"

namespace sieve {
namespace {

void set_listed_labels(Dataset& data, const LabelLists& lists, std::size_t bytes_read,
                       const ReadOptions& options, const std::string& path) {
  data.label_names = lists.sorted_names();
  if (data.label_names.empty())
    throw Error(Failure::Data, "no row has a label in column '" + options.labels.column + "'",
                {path, 0, 0}, "check " + term("labels.column"));
  check_names(data.label_names, "label", path);
  if (const auto unsplit = list_like_labels(data.label_names);
      options.notes != nullptr && !unsplit.empty())
    options.notes->push_back(path + ": labels that look like an unsplit list: " +
                             counted_names(unsplit.size(), unsplit) + "; check " +
                             term("labels.separator"));
  check_label_budget(lists.rows(), data.label_names.size(), bytes_read, path);
  data.candidates = lists.matrix(data.label_names);
  if (options.role == LabelRole::Truth) data.truth = data.candidates.clone();
}

}  // namespace

Dataset dataset_of(CsvTable table, const CsvColumns& columns, std::size_t bytes_read,
                   const ReadOptions& options, const std::string& path) {
  table.features.shrink_to_fit();
  Dataset data;
  data.features = std::move(table.features);
  data.feature_names = columns.feature_names;
  data.ids = std::move(table.ids);
  if (columns.has_list)
    set_listed_labels(data, table.lists, bytes_read, options, path);
  else
    set_labels(data, std::move(table.labels), columns.label_names, options.role, path);
  return data;
}

RawSet raw_set(CsvTable table, const CsvColumns& columns, const NumberMarks& marks,
               std::size_t bytes_read, const ReadOptions& options, const std::string& path) {
  RawSet set;
  if (!columns.left_out_names.empty())
    set.left_out = std::make_shared<const LeftOutTexts>(
        LeftOutTexts{columns.left_out_names, std::exchange(table.left_out, CellTexts())});
  if (table.has_gaps || !marks.plain())
    set.table = RawTable{columns.feature_names,
                         std::exchange(table.features, Matrix()),
                         std::move(table.texts),
                         path,
                         std::exchange(table.spellings, Spellings()),
                         marks,
                         std::exchange(table.unspelled, {})};
  set.unspelled = std::move(table.unspelled);
  auto spelled =
      spelled_numbers(columns.feature_names, std::move(table.spellings), columns.features);
  set.data = dataset_of(std::move(table), columns, bytes_read, options, path);
  set.data.cells = std::move(spelled);
  return set;
}

std::size_t stream_table(const TableText& text, const ReadOptions& options, std::size_t rows_before,
                         const TakeFeatures& take) {
  constexpr std::size_t kTextAtOnce = std::size_t{1} << 19;
  const BlockRecipe& recipe = text.recipe;
  FeatureStream<RawText> stream(
      [&](RawText& raw) {
        return text.source.next_block(raw.storage, raw.text, text.quotes, kTextAtOnce);
      },
      [&](RawText& raw, FeatureBlock& block) {
        CsvTable table(text.columns);
        if (!recipe)
          table.features = std::move(dense_room(block.features, 0, text.columns.features));
        text.parse(raw.text, table);
        block.features = recipe ? recipe.features(std::move(table.features), std::move(table.texts),
                                                  std::move(table.spellings))
                                : std::move(table.features);
        block.ids = std::move(table.ids);
      },
      recipe ? options.recipe->feature_names() : text.columns.feature_names, take);
  return stream.run(options.threads, rows_before);
}

}  // namespace sieve
