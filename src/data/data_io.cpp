#include "labelsieve/data_io.h"

#include <algorithm>
#include <array>
#include <functional>
#include <utility>

#include "base/streams.h"
#include "data/binary/binary_writer.h"
#include "data/detect.h"
#include "data/feature_stream.h"
#include "data/formats.h"
#include "data/parts.h"
#include "data/text/text_lines.h"
#include "labelsieve/error.h"
#include "labelsieve/memory.h"
#include "labelsieve/words.h"

namespace sieve {
namespace {

constexpr std::size_t kLookedAt = 4096;
constexpr std::size_t kCellsAtOnce = std::size_t{1} << 20;

struct FormatRow {
  Format format;
  const char* name;
  Dataset (*read)(InputStream&, const std::string&, const ReadOptions&);
  void (*write)(const Dataset&, OutputStream&, const WriteOptions&);
};
constexpr std::array kFormats = {FormatRow{Format::Arff, "arff", read_arff, write_arff},
                                 FormatRow{Format::Libsvm, "libsvm", read_libsvm, write_libsvm},
                                 FormatRow{Format::Csv, "csv", read_csv, write_csv},
                                 FormatRow{Format::Mat, "mat", read_mat, write_mat},
                                 FormatRow{Format::Binary, "binary", read_binary, write_binary}};

const FormatRow& row_of(Format format) {
  return *std::ranges::find(kFormats, format, &FormatRow::format);
}

struct OpenFile {
  std::unique_ptr<InputStream> in;
  Format format;
};

OpenFile open_file(const std::string& path, const ReadOptions& options) {
  std::unique_ptr<InputStream> in = open_unpacked(*options.files, path);
  std::string front = read_front(*in, kLookedAt);
  if (front.empty())
    throw Error(Failure::Data, "the file is empty", {path, 0, 0},
                "check that it was copied or downloaded whole");
  const Format format = options.format ? *options.format : detect_format(front, path);
  return {rewound(std::move(in), std::move(front)), format};
}

Dataset read_table(const OpenFile& file, const std::string& path, const ReadOptions& options) {
  Dataset data = row_of(file.format).read(*file.in, path, options);
  data.name = path;
  if (data.rows() == 0) throw Error(Failure::Data, "there are no rows of data", {path, 0, 0});
  return data;
}

Dataset read_file(const std::string& path, const ReadOptions& options) {
  return read_table(open_file(path, options), path, options);
}

// A file that holds a matrix of labels and nothing else, row by row beside the others.
Dataset read_label_file(const std::string& path, ReadOptions options, const Dataset& beside) {
  options.labels = {};
  options.labels.all = true;
  options.role = LabelRole::Candidates;
  Dataset labels = read_file(path, options);
  const bool same_rows = beside.features.cols() == 0 || labels.rows() == beside.features.rows();
  if (same_rows && (beside.label_names.empty() || beside.label_names == labels.label_names))
    return labels;
  throw Error(Failure::Data,
              std::to_string(labels.rows()) + " rows of " + std::to_string(labels.labels()) +
                  " labels here do not fit the rest of the set",
              {path, 0, 0}, "the files must have the same rows and labels in the same order");
}

Dataset read_tables(const SetParts& parts, ReadOptions options) {
  if (parts.has_label_files() && !options.labels.given()) options.labels.count = 0;
  Dataset data;
  for (std::size_t i = 0; i < parts.tables.size(); ++i) {
    Dataset part = read_file(parts.tables[i], options);
    data = i == 0 ? std::move(part) : stack_rows(std::move(data), part);
  }
  return data;
}

Dataset read_parts(const SetParts& parts, const ReadOptions& options) {
  Dataset data = read_tables(parts, options);
  const bool features_known = !parts.tables.empty();
  for (const std::string& path : {parts.candidates, parts.truth}) {
    if (path.empty()) continue;
    Dataset labels = read_label_file(path, options, data);
    const bool first = data.label_names.empty();
    if (path == parts.truth) data.truth = labels.candidates.clone();
    if (first) {
      data.candidates = std::move(labels.candidates);
      data.label_names = std::move(labels.label_names);
    }
    if (!features_known) data.features = Matrix(data.rows(), 0);
  }
  if (data.truth && data.truth->rows() != data.rows())
    throw Error(Failure::Data,
                std::to_string(data.truth->rows()) + " rows of true labels for " +
                    std::to_string(data.rows()) + " rows of candidates",
                {parts.truth, 0, 0}, "the files must have the same rows in the same order");
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
  switch (file.format) {
    case Format::Csv:
      return read_csv_features(*file.in, path, options, rows, take);
    case Format::Libsvm:
      return read_libsvm_features(*file.in, path, options, rows, take);
    case Format::Mat:
      return read_mat_features(*file.in, path, options, rows, take);
    default: {
      Dataset data = row_of(file.format).read(*file.in, path, options);
      return take_features(data.features, std::move(data.feature_names), options.threads, rows,
                           take);
    }
  }
}

std::string without_suffix(std::string path, std::string_view suffix) {
  if (path.size() > suffix.size() &&
      same_word(std::string_view(path).substr(path.size() - suffix.size()), suffix))
    path.resize(path.size() - suffix.size());
  return path;
}

void write_through(OutputStream& file, bool gzip, const std::function<void(OutputStream&)>& write) {
  if (!gzip) return write(file);
  const std::unique_ptr<OutputStream> packed = gzip_into(file);
  write(*packed);
  packed->close();
}

}  // namespace

bool LabelColumns::given() const {
  return !names.empty() || !prefix.empty() || count || !column.empty() || all;
}

Dataset read_dataset(const std::vector<std::string>& paths, const ReadOptions& options) {
  if (paths.empty()) throw Error(Failure::Usage, "no data file was named");
  return within_memory(paths,
                       [&] { return read_parts(find_parts(paths, *options.files), options); });
}

std::size_t take_rows(const RowSource& source, ThreadPool* pool, std::size_t rows_before,
                      const TakeFeatures& take) {
  struct Rows {
    std::size_t first = 0, last = 0;
  };
  // As many as fit a core's cache; fewer than 32 would waste work on the shapes of the networks.
  const std::size_t height = std::clamp<std::size_t>((1U << 16) / (source.cols + 1), 32, 512);
  std::size_t next = 0, kept = 0;
  FeatureStream<Rows> stream(
      [&](Rows& rows) {
        if (next - kept >= kWindowRows) source.give_back(), kept = next;
        rows = {next, std::min(next + height, source.rows)};
        next = rows.last;
        return rows.first < rows.last;
      },
      [&](const Rows& rows, FeatureBlock& block) {
        source.copy(rows.first, rows.last, block.features);
      },
      source.names, take);
  return stream.run(pool, rows_before);
}

std::size_t take_features(const Features& features, std::vector<std::string> names,
                          ThreadPool* pool, std::size_t rows_before, const TakeFeatures& take) {
  return take_rows({features.rows(), features.cols(), std::move(names),
                    [&](std::size_t first, std::size_t last, Features& into) {
                      into = features.slice(first, last);
                    },
                    [&] { features.give_back(); }},
                   pool, rows_before, take);
}

Matrix& dense_room(Features& place, std::size_t rows, std::size_t cols) {
  if (place.is_sparse() || place.is_mapped() || place.cols() != cols) place = Matrix(rows, cols);
  place.dense().resize_rows(rows);
  return place.dense();
}

void read_features(const std::vector<std::string>& paths, const ReadOptions& options,
                   const TakeFeatures& take) {
  if (paths.empty()) throw Error(Failure::Usage, "no data file was named");
  const SetParts parts = find_parts(paths, *options.files);
  if (parts.tables.empty())
    throw Error(Failure::Data, "there are labels but no features", {paths.front(), 0, 0});
  within_memory(paths, [&] {
    std::size_t rows = 0;
    for (const std::string& path : parts.tables) rows = read_features(path, options, rows, take);
  });
}

void write_dataset(const Dataset& data, const std::string& path, const WriteOptions& options) {
  FileSet set;
  write_dataset(data, path, options, set);
  set.commit();
}

void write_dataset(const Dataset& data, const std::string& path, const WriteOptions& options,
                   FileSet& set) {
  const std::optional<Format> format = options.format ? options.format : format_of_name(path);
  if (!format)
    throw Error(Failure::Usage, "the name does not tell the format to write", {path, 0, 0},
                "end it in .arff, .svm, .csv, .tsv, .mat (and .gz) or .sieve, or say " +
                    term("WriteOptions::format"));
  const std::string plain = without_suffix(path, ".gz");
  WriteOptions effective = options;
  if (options.delimiter == 0 && plain != without_suffix(plain, ".tsv")) effective.delimiter = '\t';

  AtomicFile& file = set.add(*options.files, path, options.if_exists);
  if (*format == Format::Arff)
    write_label_xml(
        arff_label_names(data, options),
        set.add(*options.files, without_suffix(plain, ".arff") + ".xml", options.if_exists));
  write_through(file, plain != path,
                [&](OutputStream& out) { row_of(*format).write(data, out, effective); });
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
  if (paths.empty()) throw Error(Failure::Usage, "no data file was named");
  const SetParts parts = find_parts(paths, *read.files);
  const bool one_table = parts.tables.size() == 1 && !parts.has_label_files();
  return write_binary_blocks(
      [&](const std::function<void(Dataset &&)>& take) {
        if (!one_table) return take(read_parts(parts, read));
        const std::string& source = parts.tables.front();
        const OpenFile table = open_file(source, read);
        if (table.format == Format::Csv)
          return read_csv_blocks(*table.in, source, read, kCellsAtOnce, take);
        take(read_table(table, source, read));
      },
      path, write);
}

std::optional<Format> parse_format(const std::string& name) {
  const auto found = std::ranges::find(kFormats, name, &FormatRow::name);
  if (found == kFormats.end()) return std::nullopt;
  return found->format;
}

std::string to_string(Format format) {
  return row_of(format).name;
}

}  // namespace sieve
