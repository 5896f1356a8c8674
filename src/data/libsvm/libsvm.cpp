#include "data/formats.h"

#include <algorithm>
#include <cctype>

#include "data/feature_stream.h"
#include "data/label_columns.h"
#include "data/libsvm/libsvm_rows.h"
#include "data/text/text_lines.h"
#include "labelsieve/error.h"
#include "labelsieve/options.h"
#include "linalg/entries.h"

namespace sieve {
namespace {

// "index:value" with digits before the colon.
bool is_pair(std::string_view token) {
  const std::size_t colon = token.find(':');
  return colon != 0 && colon != std::string_view::npos &&
         std::ranges::all_of(token.substr(0, colon),
                             [](unsigned char c) { return std::isdigit(c); });
}

constexpr std::size_t kTextAtOnce = std::size_t{1} << 18;

// How many a file of any size may have.
constexpr std::size_t kFreeLabels = std::size_t{1} << 16, kFreeFeatures = std::size_t{1} << 25;

void refuse_without_rows(std::size_t rows, const std::string& path) {
  if (rows == 0)
    throw Error(Failure::Data, "there are no rows", {path, 0, 0},
                "the file may be empty or cut off");
}

// Puts the parts of a file together.
class Table {
 public:
  Table(std::optional<LibsvmSize> size, std::string path) : size_(size), path_(std::move(path)) {
    label_starts_.push_back(0);
  }

  void add(LibsvmPart&& part) {
    add_features(std::move(part.features));
    for (const std::uint64_t end : part.label_ends) label_starts_.push_back(labels_.size() + end);
    labels_.append(part.labels);
    bytes_ += part.bytes;
    label_range_.add(part.label_range);
    column_range_.add(part.column_range);
  }

  Features features() {
    finish_features();
    return std::move(features_);
  }

  Dataset finish(const ReadOptions& options) {
    refuse_without_rows(features_.rows(), path_);
    Dataset data;
    const bool none = options.labels.optional && label_range_.limit == 0 && !size_;
    if (options.labels.count == 0 || none)
      data.candidates = LabelMatrix(features_.rows(), 0);
    else
      finish_labels(data, options.role);
    data.features = features();
    return data;
  }

 private:
  void add_features(CsrMatrix part) {
    if (features_.starts.empty()) {
      features_ = std::move(part);
      return;
    }
    for (std::size_t i = 0; i < part.rows(); ++i)
      features_.starts.push_back(features_.nonzeros() + part.starts[i + 1]);
    features_.columns.append({part.columns.data(), part.columns.size()});
    features_.values.append({part.values.data(), part.values.size()});
  }

  [[noreturn]] void refuse(const std::string& message, const std::string& hint) const {
    throw Error(Failure::Data, message, {path_, 0, 0}, hint);
  }

  void check_proportion(std::size_t count, std::size_t allowed, const std::string& what) const {
    if (count > allowed)
      refuse(std::to_string(count) + " " + what + " are out of proportion to the file",
             "check for a number that is far too large");
  }

  void finish_labels(Dataset& data, LabelRole role) {
    const std::size_t first = size_ ? 0 : label_range_.first();
    const std::size_t limit = size_ ? size_->labels : label_range_.limit;
    if (limit <= first)
      refuse("no row has a label", "a row looks like 0,3 1:0.5 7:2, with the labels first");
    check_proportion(limit - first, kFreeLabels + bytes_, "labels");  // each has a name
    check_label_budget(features_.rows(), limit - first, bytes_, path_);
    std::vector<std::string> names;
    for (std::size_t label = first; label < limit; ++label) names.push_back(std::to_string(label));
    LabelMatrix matrix(features_.rows(), names.size());
    for (std::size_t i = 0; i < matrix.rows(); ++i)
      for (std::size_t k = label_starts_[i]; k < label_starts_[i + 1]; ++k)
        matrix.set(i, labels_[k] - first);
    set_labels(data, std::move(matrix), std::move(names), role, path_);
  }

  void finish_features() {
    const std::size_t first = size_ ? 1 : column_range_.first();
    const std::size_t limit = size_ ? size_->features + 1 : std::max(column_range_.limit, first);
    features_.cols = limit - first;
    // Nothing here needs memory for each feature, but whatever is done with them will.
    check_proportion(features_.cols, kFreeFeatures + 4 * bytes_, "features");
    for (std::uint32_t& column : features_.columns) column -= static_cast<std::uint32_t>(first);
  }

  std::optional<LibsvmSize> size_;
  std::string path_;
  std::size_t bytes_ = 0;
  CsrMatrix features_;
  Array<std::uint32_t> labels_;
  Array<std::uint64_t> label_starts_;
  NumberRange label_range_, column_range_;
};

// Nothing, in the memory of what was there before.
CsrMatrix sparse_room(Features& before) {
  if (!before.is_sparse()) return {};
  CsrMatrix room = std::move(before.sparse());
  room.starts.resize(0);
  room.columns.resize(0);
  room.values.resize(0);
  return room;
}

std::optional<LibsvmSize> size_in_first_line(LineSource& source) {
  std::string_view line;
  if (!source.next(line)) return std::nullopt;
  source.put_back();
  return parse_libsvm_size(line);
}

void read_rows(LineSource& source, const std::optional<LibsvmSize>& size, ThreadPool* pool,
               Table& table) {
  parse_blocks<LibsvmPart>(
      source, pool, false,
      [&](const TextBlock& block, LibsvmPart& part) {
        parse_libsvm(block, source.name(), size, part);
      },
      [&](LibsvmPart&& part) { table.add(std::move(part)); });
}

}  // namespace

Likeness looks_like_libsvm(std::string_view front) {
  const std::string_view line = first_content(front, '#');
  const std::size_t blank = line.find_first_of(" \t");
  const std::string_view second =
      blank == std::string_view::npos ? line : trimmed(line.substr(blank));
  return is_pair(second.substr(0, second.find_first_of(" \t"))) ? Likeness::Perhaps : Likeness::No;
}

Dataset read_libsvm(InputStream& in, const std::string& path, const ReadOptions& options) {
  LineSource source(in, path);
  const std::optional<LibsvmSize> size = size_in_first_line(source);
  Table table(size, path);
  read_rows(source, size, options.threads, table);
  return table.finish(options);
}

std::size_t read_libsvm_features(InputStream& in, const std::string& path,
                                 const ReadOptions& options, std::size_t rows_before,
                                 const TakeFeatures& take) {
  LineSource source(in, path);
  const std::optional<LibsvmSize> size = size_in_first_line(source);
  if (!size) {
    Table table(size, path);
    read_rows(source, size, options.threads, table);
    return take_features(table.finish(options).features, {}, options.threads, rows_before, take);
  }
  // Where there are very many features, as much text as makes them plausible.
  const std::size_t bytes = std::max(kTextAtOnce, size->features / 4);
  FeatureStream<RawText> stream(
      [&](RawText& raw) { return source.next_block(raw.storage, raw.text, false, bytes); },
      [&](RawText& raw, FeatureBlock& block) {
        LibsvmPart part;
        part.features = sparse_room(block.features);
        parse_libsvm(raw.text, path, size, part);
        Table table(size, path);
        table.add(std::move(part));
        block.features = table.features();
      },
      {}, take);
  const std::size_t rows = stream.run(options.threads, rows_before);
  refuse_without_rows(rows - rows_before, path);
  return rows;
}

namespace {

const LabelMatrix& labels_to_write(const Dataset& data, const WriteOptions& options) {
  const LabelColumnsOut columns = label_columns_to_write(data, options);
  if (columns.matrices.size() == 1) return *columns.matrices.front();
  throw Error(Failure::Usage, "a LIBSVM file holds candidates or true labels, not both", {},
              "choose with " + term("labels", "candidates") + " or " + term("labels", "truth"));
}

void write_row(const Features& features, const LabelMatrix& labels, std::size_t i,
               TextWriter& out) {
  bool first = true;
  labels.for_each(i, [&](std::size_t label) {
    if (!first) out << ',';
    first = false;
    out << label;
  });
  bool empty = first;
  for_each_nonzero(features, i, [&](std::size_t column, float value) {
    out << ' ' << column + 1 << ':' << value;
    empty = false;
  });
  // An empty line is no row. Other tools need a field, which there is none of without features.
  if (empty) out << (features.cols() == 0 ? " " : " 1:0");
}

}  // namespace

void write_libsvm(const Dataset& data, OutputStream& out, const WriteOptions& options) {
  const LabelMatrix& labels = labels_to_write(data, options);
  TextWriter text(out);
  text << to_string(LibsvmSize{data.features.cols(), labels.labels()});
  text.end_line();
  for (std::size_t i = 0; i < data.rows(); ++i) {
    write_row(data.features, labels, i, text);
    text.end_line();
  }
  text.flush();
}

}  // namespace sieve
