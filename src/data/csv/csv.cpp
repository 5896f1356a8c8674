#include "data/csv/csv_rows.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "data/csv/csv_cells.h"
#include "data/csv/csv_columns.h"
#include "data/feature_stream.h"
#include "data/formats.h"
#include "data/ids.h"
#include "data/label_columns.h"
#include "data/parts_of_list.h"
#include "data/recipe/recipe.h"
#include "data/table_source.h"
#include "data/text/numbers.h"
#include "data/text/text_lines.h"
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

namespace {

std::vector<std::string> read_names(std::string_view line, std::size_t line_number, char delimiter,
                                    const std::string& path) {
  std::vector<std::string> names;
  CellCursor cells(line, line_number, delimiter, path);
  while (cells.next()) {
    if (cells.cell().empty() && names.empty()) {
      names.emplace_back(kUnnamedColumn);
      continue;
    }
    if (cells.cell().empty())
      throw Error(Failure::Data, "column " + std::to_string(names.size() + 1) + " has a blank name",
                  cells.place(), "give every column a name in the first line");
    names.emplace_back(cells.cell());
  }
  return names;
}

std::size_t count_cells(std::string_view line, char delimiter, const std::string& path) {
  CellCursor cells(line, 1, delimiter, path);
  std::size_t count = 0;
  while (cells.next()) ++count;
  return count;
}

bool looks_like_header(std::string_view line, char delimiter, const ReadOptions& options,
                       const std::string& path) {
  return is_header(line, delimiter, path) ||
         (!options.header_names.empty() &&
          same_names(cells_of(line, 1, delimiter, path), options.header_names));
}

// Whether the values of a column in the first rows are all there and different, and text if its
// name alone does not make them ids.
bool are_ids(std::string_view text, char delimiter, std::size_t column, IdName name,
             const std::string& path) {
  std::unordered_set<std::string> seen;
  bool numbers = true;
  while (!text.empty()) {
    std::string id;
    try {
      CellCursor cells(text, 1, delimiter, path);
      for (std::size_t i = 0; cells.next(); ++i)
        if (i == column) id = cells.cell();
      const std::size_t size = static_cast<std::size_t>(cells.position() - text.data());
      const std::string_view row = text.substr(0, size);
      text.remove_prefix(size);
      if (trimmed(row).find_first_not_of("\r\n") == row.npos) continue;
    } catch (const Error&) {
      break;  // a row that is cut off, or not a row at all
    }
    if (id.empty() || !seen.insert(id).second) return false;
    float ignored = 0;
    numbers = numbers && parse_float(id, ignored);
  }
  return !seen.empty() && (name == IdName::Yes || !numbers);
}

// The whole rows among the text to come, as far as line ends tell them.
std::string_view first_rows(LineSource& source) {
  const std::string_view text = source.peek();
  const std::size_t end = text.rfind('\n');
  return end == text.npos ? text : text.substr(0, end + 1);
}

// Takes the line of names, if there is one, and decides what the columns are.
CsvColumns read_head(LineSource& source, char delimiter, const ReadOptions& options) {
  std::string_view line;
  do {
    if (!source.next(line, true))
      throw Error(Failure::Data, "the file is empty", {source.name(), 0, 0},
                  "check that it was copied or downloaded whole");
  } while (line.find_first_not_of(' ') == line.npos);
  const std::size_t count = count_cells(line, delimiter, source.name());
  const bool header =
      options.header ? *options.header : looks_like_header(line, delimiter, options, source.name());
  std::vector<std::string> names;
  if (header)
    names = read_names(line, source.line_number(), delimiter, source.name());
  else
    source.put_back();
  return choose_columns(
      std::move(names), count, options, source.name(), [&](std::size_t column, IdName name) {
        return are_ids(first_rows(source), delimiter, column, name, source.name());
      });
}

// A label column says "off" by 0 or by -1. One that holds both says neither.
class LabelSigns {
 public:
  void add(const CsvTable& table) {
    rows_ += table.rows();
    add(table.labels.label_counts(), ones_);
    add(table.minus_ones, minus_ones_);
  }
  void refuse_mixed(const CsvColumns& columns, const std::string& path) const {
    for (std::size_t k = 0; k < minus_ones_.size(); ++k)
      if (minus_ones_[k] != 0 && minus_ones_[k] + ones_[k] != rows_)
        throw Error(Failure::Data,
                    "label column '" + columns.label_names[k] + "' holds both 0 and -1",
                    {path, 0, 0}, "use 0 and 1, or -1 and 1");
  }

 private:
  static void add(const std::vector<std::size_t>& more, std::vector<std::size_t>& counts) {
    counts.resize(std::max(counts.size(), more.size()));
    for (std::size_t k = 0; k < more.size(); ++k) counts[k] += more[k];
  }
  std::size_t rows_ = 0;
  std::vector<std::size_t> ones_, minus_ones_;
};

CsvLayout layout_of(const CsvColumns& columns, char delimiter, const ReadOptions& options,
                    const std::string& path) {
  return {columns, delimiter, options.labels.separator, path, NumberMarks(options)};
}

char delimiter_of(LineSource& source, const ReadOptions& options) {
  return options.delimiter != 0 ? options.delimiter : detect_delimiter(source.peek());
}

// Where the labels stand in a row.
SourceLayout source_layout(const CsvColumns& columns, char delimiter,
                           const std::string& separator) {
  SourceLayout layout{.delimiter = delimiter,
                      .header = !columns.header.empty(),
                      .label_names = columns.label_names,
                      .separator = separator};
  std::size_t column = 0;
  for (const CsvColumns::Run& run : columns.runs)
    for (std::size_t k = 0; k < run.count; ++k, ++column) {
      if (run.kind == CsvColumns::Kind::Label) layout.labels.push_back({column});
      if (run.kind == CsvColumns::Kind::LabelList) layout.list = {column};
      if (run.kind == CsvColumns::Kind::Id) layout.id_column = columns.header[column];
    }
  return layout;
}

void refuse_without_rows(std::size_t rows, const std::string& path) {
  if (rows == 0)
    throw Error(Failure::Data, "there is a line of names but no row of data", {path, 0, 0},
                "check that the file was copied or downloaded whole");
}

}  // namespace

Likeness looks_like_csv(std::string_view front) {
  return first_content(front, '#').find_first_of(",;|\t") == std::string_view::npos
             ? Likeness::No
             : Likeness::Perhaps;
}

void read_csv_blocks(InputStream& in, const std::string& path, const ReadOptions& options,
                     std::size_t cells_at_once, const std::function<void(Dataset&&)>& take) {
  LineSource source(in, path);
  const char delimiter = delimiter_of(source, options);
  const CsvColumns columns = read_head(source, delimiter, options);
  CsvLayout layout = layout_of(columns, delimiter, options, path);
  layout.only_numbers = true;
  CsvRowReader rows(source, layout, options.threads);
  LabelSigns signs;
  std::size_t count = 0;
  for (bool more = true; more;) {
    CsvTable table(columns);
    // The labels of a column of lists are known at the end only.
    while (more && (columns.has_list || table.rows() * columns.count < cells_at_once))
      more = rows.append_to(table);
    if (table.rows() == 0) break;
    count += table.rows();
    signs.add(table);
    take(dataset_of(std::move(table), columns, source.bytes_read(), options, path));
  }
  refuse_without_rows(count, path);
  signs.refuse_mixed(columns, path);
}

RawSet read_csv_raw(InputStream& in, const std::string& path, const ReadOptions& options) {
  LineSource source(in, path);
  const char delimiter = delimiter_of(source, options);
  const CsvColumns columns = read_head(source, delimiter, options);
  CsvLayout layout = layout_of(columns, delimiter, options, path);
  layout.spellings = options.keep_cells ? KeepSpellings::All : KeepSpellings::BesideText;
  CsvRowReader rows(source, layout, options.threads);
  CsvTable table(columns);
  while (rows.append_to(table)) {
  }
  refuse_without_rows(table.rows(), path);
  LabelSigns signs;
  signs.add(table);
  signs.refuse_mixed(columns, path);
  check_ids(table.ids, path);
  RawSet set = raw_set(std::move(table), columns, layout.marks, source.bytes_read(), options, path);
  if (options.keep_cells && columns.count > 1)
    set.layout = std::make_shared<const SourceLayout>(
        source_layout(columns, delimiter, options.labels.separator));
  return set;
}

std::size_t read_csv_features(InputStream& in, const std::string& path, const ReadOptions& options,
                              std::size_t rows_before, const TakeFeatures& take) {
  LineSource source(in, path);
  const char delimiter = delimiter_of(source, options);
  const CsvColumns columns = read_head(source, delimiter, options);
  CsvLayout layout = layout_of(columns, delimiter, options, path);
  layout.only_numbers = options.recipe == nullptr;
  const BlockRecipe recipe(options, columns.feature_names, columns.features, path);
  const std::size_t rows = stream_table(
      {source, true, columns, recipe,
       [&](const TextBlock& block, CsvTable& table) { parse_csv_block(layout, block, table); }},
      options, rows_before, take);
  refuse_without_rows(rows - rows_before, path);
  return rows;
}

}  // namespace sieve
