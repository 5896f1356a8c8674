#include "labelsieve/data_io.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <optional>
#include <set>
#include <unordered_set>
#include <utility>

#include "base/streams.h"
#include "data/annotations/annotation_files.h"
#include "data/binary/binary_format.h"
#include "data/duckdb/duckdb_table.h"
#include "data/feature_stream.h"
#include "data/formats.h"
#include "data/ids.h"
#include "data/parts.h"
#include "data/recipe/recipe.h"
#include "data/table_source.h"
#include "data/text/text_lines.h"
#include "labelsieve/error.h"
#include "labelsieve/options.h"
#include "labelsieve/threads.h"

namespace sieve {
namespace {

constexpr std::size_t kLookedAt = 4096;
constexpr std::size_t kCellsAtOnce = std::size_t{1} << 20;

struct OpenFile {
  std::unique_ptr<InputStream> in;
  const FormatRow& format;
};

// DuckDB opens what it reads itself.
class NoInput final : public InputStream {
 public:
  std::size_t read(char*, std::size_t) override { return 0; }
};

OpenFile open_file(const std::string& path, const ReadOptions& options) {
  // A folder here is one of Parquet files.
  if (path.starts_with(kSqlMark) || options.files->is_folder(path))
    return {std::make_unique<NoInput>(), kDuckDbRow};
  std::unique_ptr<InputStream> in = open_unpacked(*options.files, path);
  std::string front = read_front(*in, kLookedAt);
  if (front.empty())
    throw Error(Failure::Data, "the file is empty", {path, 0, 0},
                "check that it was copied or downloaded whole");
  if (begins_as_database(front)) return {std::make_unique<NoInput>(), kDuckDbRow};
  if (options.format.empty()) refuse_foreign_format(front, path);
  const FormatRow& format =
      options.format.empty() ? detect_format(front, path) : format_row(options.format);
  return {rewound(std::move(in), std::move(front)), format};
}

RawSet read_raw(const OpenFile& file, const std::string& path, const ReadOptions& options) {
  RawSet set;
  const std::string stamp = options.keep_cells ? options.files->stamp(path) : "";
  if (file.format.read_raw != nullptr)
    set = file.format.read_raw(*file.in, path, options);
  else
    set.data = file.format.read(*file.in, path, options);
  set.data.name = path;
  if (set.data.rows() == 0) throw Error(Failure::Data, "there are no rows of data", {path, 0, 0});
  const bool text = file.format.name == "csv" || file.format.name == "jsonl";
  if (!text || !set.layout || !options.files->map(path)) return set;  // not a pipe
  const auto read = [path, &files = *options.files] {
    return read_all(*open_unpacked(files, path), std::numeric_limits<std::uint64_t>::max(), path);
  };
  set.source = std::make_shared<const TableSource>(std::make_shared<const SourceFile>(
      *set.layout, set.data.rows(),
      SourceFile::Origin{path, file.format.name, unchanged(path, stamp, *options.files, read)}));
  return set;
}

RawSet read_file(const std::string& path, const ReadOptions& options) {
  return read_raw(open_file(path, options), path, options);
}

// The labels of the same rows in a file of their own. One that was not named as such holds nothing
// else.
Dataset read_label_file(const std::string& path, ReadOptions options) {
  if (path != options.label_file) {
    options.labels = {};
    options.labels.all = true;
    options.role = LabelRole::Candidates;
  }
  options.labels.else_all = !options.labels.given();
  return read_file(path, options).data;
}

void refuse_other_labels(const Dataset& labels, const Dataset& beside, const std::string& path) {
  if (beside.label_names.empty() || beside.label_names == labels.label_names) return;
  throw Error(Failure::Data,
              std::to_string(labels.labels()) +
                  " labels here do not fit the rest of the set: others, or in another order",
              {path, 0, 0}, "the files must have the same labels in the same order");
}

void note_repeated_files(const std::vector<std::string>& paths, const ReadOptions& options) {
  if (options.notes == nullptr) return;
  std::set<std::string> seen;
  for (const std::string& path : paths)
    if (!seen.insert(path).second)
      options.notes->push_back(path + " is given twice: its rows count twice");
}

RawSet read_tables(const SetParts& parts, ReadOptions options) {
  if (parts.tables.size() > 1) note_repeated_files(parts.tables, options);
  if (!options.label_file.empty()) options.labels = {};
  if (parts.has_label_files() && !options.labels.given()) options.labels.count = 0;
  RawSet set;
  for (std::size_t i = 0; i < parts.tables.size(); ++i) {
    RawSet part = read_file(parts.tables[i], options);
    set = i == 0 ? std::move(part) : stack_rows(std::move(set), std::move(part));
  }
  return set;
}

// One id per line.
std::vector<std::string> read_ids(const std::string& path, FileSystem& files) {
  const std::unique_ptr<InputStream> in = open_unpacked(files, path);
  LineSource lines(*in, path);
  std::vector<std::string> ids;
  std::unordered_set<std::string> known;
  for (std::string_view line; lines.next(line);) {
    const std::string_view id = trimmed(line);
    if (id.empty() || !known.emplace(id).second)
      throw Error(
          Failure::Data,
          id.empty() ? "an empty line" : "the id '" + std::string(id) + "' for a second time",
          {path, lines.line_number(), 0}, "each row needs an id of its own");
    ids.emplace_back(id);
  }
  return ids;
}

void check_id_count(std::size_t ids, std::size_t rows, const std::string& path) {
  if (ids != rows)
    throw Error(Failure::Data, std::to_string(ids) + " ids for " + std::to_string(rows) + " rows",
                {path, 0, 0}, "the file needs one line per row");
}

// Adds a file of labels to the set, which may have nothing else yet.
void add_label_file(RawSet& set, const std::string& path, bool is_truth,
                    const ReadOptions& options) {
  Dataset labels = read_label_file(path, options);
  Dataset& data = set.data;
  refuse_other_labels(labels, data, path);
  const bool is_whole_set = rows_of(set) == 0;
  if (!is_whole_set)
    labels = labels_for_rows(set, std::move(labels), path, options.notes);
  else if (data.ids.empty())
    data.ids = std::move(labels.ids);
  if (is_truth) data.truth = labels.candidates.clone();
  if (path == options.label_file && labels.truth) data.truth = std::move(labels.truth);
  if (is_whole_set) data.features = Matrix(labels.rows(), 0);
  if (!data.label_names.empty()) return;
  data.candidates = std::move(labels.candidates);
  data.label_names = std::move(labels.label_names);
}

Dataset read_parts(const SetParts& parts, const ReadOptions& options) {
  RawSet set = read_tables(parts, options);
  if (!options.id_file.empty()) {
    set.data.ids = read_ids(options.id_file, *options.files);
    if (!parts.tables.empty()) check_id_count(set.data.ids.size(), rows_of(set), options.id_file);
  }
  for (const std::string& path : {parts.candidates, parts.truth})
    if (!path.empty()) add_label_file(set, path, path == parts.truth, options);
  if (!options.id_file.empty() && parts.tables.empty())
    check_id_count(set.data.ids.size(), set.data.rows(), options.id_file);
  return with_features(std::move(set), options);
}

SetParts parts_of(const std::vector<std::string>& paths, const ReadOptions& options) {
  if (paths.empty()) throw Error(Failure::Usage, "no data file was named");
  SetParts parts = find_parts(paths, *options.files);
  if (options.label_file.empty()) return parts;
  if (!parts.candidates.empty())
    throw Error(Failure::Usage, "two files of labels: this one and " + options.label_file,
                {parts.candidates, 0, 0}, "leave one of them out");
  parts.candidates = options.label_file;
  return parts;
}

// Chooses rows to learn from among those that the ticks leave, with the labels that they give.
std::vector<std::size_t> learnt_rows(const Dataset& data, const Annotations& ticks,
                                     const ReadOptions& options) {
  Dataset joined = data.clone();
  joined.features = Matrix(data.rows(), 0);
  AnnotationOptions all = options.ticks;
  all.keep_unseen = true;  // so that rows keep their numbers
  join_annotations(joined, ticks, all);
  std::vector<std::size_t> seen;
  for (std::size_t row = 0; row < joined.rows(); ++row)
    if (options.ticks.keep_unseen || joined.votes->annotations(row) != 0) seen.push_back(row);
  if (!options.learn_from) return seen;
  std::vector<std::size_t> rows = options.learn_from(joined.select_rows(seen));
  for (std::size_t& row : rows) row = seen[row];
  return rows;
}

// Items with the data that came with their annotations.
Dataset read_item_data(const ItemData& carried, const Annotations& ticks,
                       const ReadOptions& options) {
  ReadOptions own = options;
  own.format = "csv";
  own.delimiter = ',';
  own.header = true;
  own.table = carried.table();
  own.id_column = carried.id_column(ticks.item_column);
  own.learn_from = [&](const Dataset& all) { return learnt_rows(all, ticks, options); };
  const std::string text = carried.csv(ticks.items, *own.id_column);
  RawSet set = format_row(own.format).read_raw(*reading(text), options.ticks.path, own);
  set.data.name = options.ticks.path;
  return with_features(std::move(set), own);
}

// The items of the annotations alone, as rows.
Dataset read_items(AnnotationReader& reader, const ReadOptions& options, bool guess_texts) {
  ItemData carried(options.table);
  const bool wants_data = guess_texts || !options.table.text.empty() ||
                          !options.table.category.empty() || !options.table.date.empty();
  Annotations ticks = reader.read(nullptr, options.notes, wants_data ? &carried : nullptr);
  std::vector<std::string> said;
  if (wants_data) carried.finish(options.ticks.path, said);
  if (options.notes != nullptr)
    options.notes->insert(options.notes->end(), said.begin(), said.end());
  Dataset data;
  if (carried.empty()) {
    data.name = options.ticks.path;
    data.ids = ticks.items;
    data.features = Matrix(ticks.items.size(), 0);
    data.candidates = LabelMatrix(ticks.items.size(), 0);
  } else {
    data = read_item_data(carried, ticks, options);
  }
  AnnotationOptions by_id = options.ticks;
  by_id.items_are = "ids";
  join_annotations(data, std::move(ticks), by_id, options.notes);
  return data;
}

// The rows of the files with who ticked what, or the items of the ticks alone. Which column has the
// items is decided once the ids of the data are known.
Dataset read_with_annotations(const std::vector<std::string>& paths, ReadOptions options,
                              bool guess_texts) {
  options.labels.optional = true;
  AnnotationReader reader(options.ticks, *options.files);
  if (paths.empty()) return read_items(reader, options, guess_texts);
  const bool by_id = options.ticks.items_are.empty() || options.ticks.items_are == "ids";
  std::string id_column;
  std::optional<Annotations> ticks;
  const auto ticks_on = [&](const Dataset& data) -> Annotations& {
    if (ticks) return *ticks;
    const RowIds ids(data.ids, id_column);
    const bool known = by_id && !data.ids.empty();
    return ticks.emplace(reader.read(known ? &ids : nullptr, options.notes));
  };
  ReadOptions reading = options;
  if (by_id && options.id_file.empty()) reading.item_names = reader.item_names();
  reading.id_column_taken = &id_column;
  reading.learn_from = [&](const Dataset& all) { return learnt_rows(all, ticks_on(all), options); };
  Dataset data = read_parts(parts_of(paths, options), reading);
  join_annotations(data, std::move(ticks_on(data)), options.ticks, options.notes);
  if (options.id_column_taken != nullptr) *options.id_column_taken = id_column;
  return data;
}

// Names the files where reading them takes more memory than there may be.
template <class Read>
auto within_memory(const std::vector<std::string>& paths, const Read& read) {
  try {
    return read();
  } catch (const OverMemory& error) {
    throw Error(Failure::Data, error.what(), {paths.front(), 0, 0},
                "allow more memory, or convert the data to a .sieve file, which need not fit");
  }
}

// The features of one file; the number of rows so far, those of the files before included.
std::size_t read_features(const std::string& path, const ReadOptions& options, std::size_t rows,
                          const TakeFeatures& take) {
  const OpenFile file = open_file(path, options);
  // A recipe needs the columns as they are in the file.
  const bool streams = !options.recipe || file.format.read_raw != nullptr;
  if (file.format.stream != nullptr && streams)
    return file.format.stream(*file.in, path, options, rows, take);
  Dataset data = with_known_features(read_raw(file, path, options), options);
  return take_features(data.features, std::move(data.feature_names), options.threads, rows, take,
                       data.ids);
}

std::string without_suffix(std::string path, std::string_view suffix) {
  if (path.size() > suffix.size() &&
      same_word(std::string_view(path).substr(path.size() - suffix.size()), suffix))
    path.resize(path.size() - suffix.size());
  return path;
}

const FormatRow& format_to_write(const std::string& path, const WriteOptions& options) {
  if (same_word(path.substr(path.size() - std::min<std::size_t>(path.size(), 4)), ".npy"))
    throw Error(Failure::Usage, "a .npy file holds one array, and a data set is more than that",
                {path, 0, 0}, "end the name in .npz");
  const std::string name = options.format.empty() ? format_of_name(path) : options.format;
  if (!name.empty()) return format_row(name);
  throw Error(Failure::Usage, "cannot tell the output format from the name", {path, 0, 0},
              "end it in one of " + all_extensions() + " (and .gz to pack it), or say " +
                  term("WriteOptions::format"));
}

std::string file_beside(std::string path, const FormatRow& format) {
  path = unpacked_name(path);
  for (const std::string& extension : format.extensions)
    path = without_suffix(std::move(path), extension);
  return path + format.beside;
}

}  // namespace

bool LabelColumns::given() const {
  return !names.empty() || !prefix.empty() || count || !column.empty() || all;
}

Dataset read_dataset(const std::vector<std::string>& paths, const ReadOptions& options) {
  return read_dataset_with_texts(paths, options, false);
}

Dataset read_dataset_with_texts(const std::vector<std::string>& paths, const ReadOptions& options,
                                bool guess_texts) {
  const bool joined = !options.ticks.path.empty();
  Dataset data =
      joined ? within_memory({options.ticks.path},
                             [&] { return read_with_annotations(paths, options, guess_texts); })
             : within_memory(paths, [&, parts = parts_of(paths, options)] {
                 return read_parts(parts, options);
               });
  join_programs(data, options.ticks, *options.files, options.notes);
  return data;
}

void read_features(const std::vector<std::string>& paths, const ReadOptions& options,
                   const TakeFeatures& take) {
  const SetParts parts = parts_of(paths, options);
  if (parts.tables.empty())
    throw Error(Failure::Data, "there are labels but no features", {paths.front(), 0, 0});
  within_memory(paths, [&] {
    std::vector<std::string> ids;
    if (!options.id_file.empty()) ids = read_ids(options.id_file, *options.files);
    const TakeFeatures take_with_ids = [&](FeatureBlock& block) {
      const std::size_t first = std::min(block.first_row, ids.size());
      const std::size_t last = std::min(block.first_row + block.features.rows(), ids.size());
      block.ids.assign(ids.begin() + static_cast<std::ptrdiff_t>(first),
                       ids.begin() + static_cast<std::ptrdiff_t>(last));
      block.ids.resize(block.features.rows());
      return take(block);
    };
    std::size_t rows = 0;
    for (const std::string& path : parts.tables)
      rows = read_features(path, options, rows, options.id_file.empty() ? take : take_with_ids);
    if (!options.id_file.empty()) check_id_count(ids.size(), rows, options.id_file);
  });
}

void write_dataset(const Dataset& data, const std::string& path, const WriteOptions& options) {
  FileSet set;
  write_dataset(data, path, options, set);
  set.commit();
}

void write_dataset(const Dataset& data, const std::string& path, const WriteOptions& options,
                   FileSet& set) {
  write_table(data, path, options, {}, set);
}

void write_table(const Dataset& data, const std::string& path, const WriteOptions& options,
                 const TableWriting& table, FileSet& set) {
  const FormatRow& format = format_to_write(path, options);
  const auto has_tabs = [](const std::string& name) {
    const std::string plain(unpacked_name(name));
    return plain != without_suffix(plain, ".tsv");
  };
  WriteOptions effective = options;
  if (options.delimiter == 0 && has_tabs(path)) effective.delimiter = '\t';
  if (options.delimiter == 0 && !has_tabs(path) && has_tabs(data.name)) effective.delimiter = ',';
  if (format.write_table == nullptr && !table.beside.empty())
    throw Error(Failure::Usage, "a file of this format has no columns beside the labels",
                {path, 0, 0}, "write CSV, JSON lines, Excel or Parquet");

  OutputStream& file = set.add(*options.files, path, options.if_exists);
  if (!format.beside.empty())
    format.write_beside(data, set.add(*options.files, file_beside(path, format), options.if_exists),
                        options);
  write_as(format, data, file, effective, table);
}

std::vector<std::string> lost_by_writing(const Dataset& data, const std::string& path,
                                         const WriteOptions& options) {
  const FormatRow& format = format_to_write(path, options);
  std::vector<std::string> lost;
  const auto add = [&](bool has, bool holds, const std::string& what) {
    if (has && !holds)
      lost.push_back(path + ": a file of this format holds no " + what + ": they are not in it");
  };
  add(!data.ids.empty(), format.holds.ids, "ids");
  add(data.votes != nullptr, format.holds.votes, "votes (who ticked what)");
  if (data.recipe && !(format.holds.cells && data.cells))
    lost.push_back(path + ": it has the features that were made of the columns, not the columns");
  return lost;
}

std::vector<std::string> files_written(const std::string& path, const WriteOptions& options) {
  const FormatRow& format = format_to_write(path, options);
  std::vector<std::string> files = {path};
  if (!format.beside.empty()) files.push_back(file_beside(path, format));
  return files;
}

DataShape write_binary_blocks(const DatasetBlocks& blocks, const std::string& path,
                              const WriteOptions& options) {
  AtomicFile file(*options.files, path, options.if_exists);
  BinaryWriter writer(file, options.labels);
  blocks([&](Dataset&& block) { writer.add(block); });
  writer.finish();
  file.commit();
  return writer.shape();
}

DataShape convert_to_binary(const std::vector<std::string>& paths, const ReadOptions& read,
                            const std::string& path, const WriteOptions& write) {
  const SetParts parts = parts_of(paths, read);
  const bool one_table = parts.tables.size() == 1 && !parts.has_label_files();
  const auto whole = [&](const std::function<void(Dataset &&)>& take) {
    take(read_parts(parts, read));
  };
  if (!one_table || !read.id_file.empty()) return write_binary_blocks(whole, path, write);
  const std::string& source = parts.tables.front();
  const std::size_t notes = read.notes != nullptr ? read.notes->size() : 0;
  try {
    return write_binary_blocks(
        [&](const std::function<void(Dataset &&)>& take) {
          const OpenFile table = open_file(source, read);
          if (table.format.blocks != nullptr)
            return table.format.blocks(*table.in, source, read, kCellsAtOnce, take);
          take(with_features(read_raw(table, source, read), read));
        },
        path, write);
  } catch (const Error& error) {
    // A table with gaps or text has to be read as a whole: what a gap becomes is known at its end.
    if (error.kind() != Failure::Data || source.starts_with(kSqlMark) || !read.files->map(source))
      throw;
    if (read.notes != nullptr) read.notes->resize(notes);
  }
  return write_binary_blocks(whole, path, write);
}

}  // namespace sieve
