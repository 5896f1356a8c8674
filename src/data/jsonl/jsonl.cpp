#include "data/formats.h"

#include <utility>

#include "data/csv/csv_set.h"
#include "data/ids.h"
#include "data/jsonl/jsonl_table.h"
#include "data/recipe/recipe_use.h"
#include "data/table_source.h"
#include "labelsieve/error.h"

namespace sieve {
namespace {

constexpr std::size_t kLongestLine = std::size_t{64} << 20;

void refuse_without_rows(std::size_t rows, const std::string& path) {
  if (rows == 0)
    throw Error(Failure::Data, "there are no rows of data", {path, 0, 0},
                "check that the file was copied or downloaded whole");
}

}  // namespace

Likeness looks_like_jsonl(std::string_view front) {
  const std::string_view line = first_content(front, '#');
  const std::size_t second = line.find_first_not_of(" \t", 1);
  const char next = second == line.npos ? '\0' : line[second];
  if (line.starts_with('{') && (next == '"' || next == '}' || next == '\0'))
    return Likeness::Surely;
  return line.starts_with('[') ? Likeness::Perhaps : Likeness::No;
}

RawSet read_jsonl_raw(InputStream& in, const std::string& path, const ReadOptions& options) {
  LineSource source(in, path, kLongestLine);
  const JsonlKeys keys(source, options);
  JsonlLayout layout{keys, options.labels.separator, path, NumberMarks(options)};
  layout.spellings = options.keep_cells ? KeepSpellings::All : KeepSpellings::BesideText;
  CsvTable table(keys.columns());
  parse_blocks<std::unique_ptr<CsvTable>>(
      source, options.threads, false,
      [&](const TextBlock& block, std::unique_ptr<CsvTable>& part) {
        part = std::make_unique<CsvTable>(keys.columns());
        parse_jsonl_block(layout, block, *part);
      },
      [&](std::unique_ptr<CsvTable>&& part) { append_rows(table, std::move(*part)); });
  refuse_without_rows(table.rows(), path);
  check_ids(table.ids, path);
  RawSet set =
      raw_set(std::move(table), keys.columns(), layout.marks, source.bytes_read(), options, path);
  if (options.keep_cells && !keys.lines_are_lists())
    set.layout = std::make_shared<const SourceLayout>(keys.source_layout(options.labels.separator));
  return set;
}

std::size_t read_jsonl_features(InputStream& in, const std::string& path,
                                const ReadOptions& options, std::size_t rows_before,
                                const TakeFeatures& take) {
  LineSource source(in, path, kLongestLine);
  const JsonlKeys keys(source, options);
  const CsvColumns& columns = keys.columns();
  const BlockRecipe recipe(options, columns.feature_names, columns.features, path);
  const JsonlLayout layout{keys, options.labels.separator, path, NumberMarks(options), !recipe};
  const std::size_t rows = stream_table(
      {source, false, columns, recipe,
       [&](const TextBlock& block, CsvTable& table) { parse_jsonl_block(layout, block, table); }},
      options, rows_before, take);
  refuse_without_rows(rows - rows_before, path);
  return rows;
}

}  // namespace sieve
