// A table with a column for each annotator, who are named as their columns are.
#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "data/annotations/item_column.h"
#include "data/annotations/label_lists.h"
#include "data/annotations/layouts.h"
#include "data/csv/csv_cells.h"
#include "data/text/text_lines.h"

namespace sieve {
namespace {

constexpr std::size_t npos = AnnotationRecords::npos;

// "rater_a", "Annotator 2", but not "rater_id".
bool names_one_annotator(std::string_view name) {
  const std::string bare = bare_name(name);
  return std::ranges::find(kAnnotatorNames, bare) == kAnnotatorNames.end() &&
         std::ranges::any_of(kPlainAnnotatorNames, [&](std::string_view kind) {
           return bare.size() <= kind.size() + 2 && bare.starts_with(kind);
         });
}

std::vector<std::size_t> rater_columns(const AnnotationFile& file) {
  const AnnotationRecords& records = file.records;
  std::vector<std::size_t> columns;
  if (file.options.label.empty()) {
    columns = columns_where(records, names_one_annotator);
    if (columns.empty()) refuse_columns(records, "labels", file.path);
  } else {
    for (const std::string& name : cells_of(file.options.label, 1, ',', file.path))
      columns.push_back(find_column(records, name, {}, file.path));
  }
  return columns;
}

}  // namespace

bool have_alike_texts(const AnnotationRecords& records, const std::vector<std::size_t>& columns) {
  std::vector<std::set<std::string>> texts;
  std::size_t filled = 0;
  std::set<std::string> all;
  for (const std::size_t k : columns) {
    std::set<std::string>& own = texts.emplace_back();
    for (const std::string& cell : sample_of(records, k))
      if (const std::string text(trimmed(cell)); !text.empty()) own.insert(text), ++filled;
    all.insert(own.begin(), own.end());
  }
  const auto is_shared = [&](const std::string& text) {
    return std::ranges::count_if(texts, [&](const auto& own) { return own.contains(text); }) > 1;
  };
  return columns.size() > 1 && all.size() * 2 <= filled &&
         std::ranges::all_of(texts, [&](const std::set<std::string>& own) {
           const auto shared = std::ranges::count_if(own, is_shared);
           return !own.empty() && 2 * static_cast<std::size_t>(shared) >= own.size();
         });
}

bool looks_like_raters(const AnnotationRecords& records) {
  const auto is_annotator = [](std::string_view name) {
    return std::ranges::find(kAnnotatorNames, bare_name(name)) != kAnnotatorNames.end();
  };
  return columns_where(records, is_annotator).empty() && !item_candidates(records, {}).empty() &&
         have_alike_texts(records, columns_where(records, names_one_annotator));
}

void read_raters(const AnnotationFile& file) {
  AnnotationRecords& records = file.records;
  const std::vector<std::size_t> raters = rater_columns(file);
  ItemColumn choice(file, npos, npos, raters);
  const std::size_t item = choice.column();
  file.sink.name_items(records.names()[item]);
  use_column(file, item, "id");
  std::vector<std::string> cells;
  for (const std::size_t k : raters) {
    use_column(file, k, "label");
    std::ranges::move(sample_of(records, k), std::back_inserter(cells));
  }
  // Where all say yes and no, that is about one label.
  VoteWords in_sample;
  const bool bits = std::ranges::all_of(cells, [&](const std::string& cell) {
    return trimmed(cell).empty() || in_sample.read(trimmed(cell));
  });
  file.sink.note(
      fmt::format("each of {} columns has the labels of one annotator, from '{}' to '{}'{}",
                  raters.size(), records.names()[raters.front()], records.names()[raters.back()],
                  bits ? "; they say yes and no to one label, 'yes'" : ""));
  LabelCutter cutter(file.options.separator, cells);
  VoteWords words;
  while (records.next()) {
    const Place place = records.place();
    choice.see();
    for (const std::size_t k : raters) {
      const std::string cell(trimmed(records.cell(k)));
      if (cell.empty()) continue;  // did not look
      file.sink.annotate(records.cell(item), records.names()[k], place);
      if (!bits) {
        cutter.cut(cell, place, [&](std::string_view label) { file.sink.tick(label); });
      } else if (const auto vote = words.read(cell); !vote || *vote == Vote::Unsure) {
        file.sink.unsure("yes");
      } else if (*vote == Vote::Yes) {
        file.sink.tick("yes");
      }
    }
  }
  choice.confirm();
}

}  // namespace sieve
