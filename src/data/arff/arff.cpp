#include "data/arff/arff.h"

#include <algorithm>
#include <cmath>

#include "data/arff/arff_header.h"
#include "data/arff/arff_rows.h"
#include "data/label_columns.h"
#include "data/recipe/recipe_use.h"
#include "labelsieve/error.h"

namespace sieve {
namespace {

// Whether the first row is sparse; it is left in place. Refuses a file without rows.
bool first_row_is_sparse(LineSource& source) {
  std::string_view text;
  while (source.next(text)) {
    ArffLine line(text, source.line_number());
    line.skip_blanks();
    if (line.at_end()) continue;
    source.put_back();
    return line.sees('{');
  }
  throw Error(Failure::Data, "there are no rows after @data", {source.name(), 0, 0},
              "the file may have been cut off");
}

// Puts the parts of a file together.
class Table {
 public:
  Table(const ArffRowParser& rows, bool sparse, std::size_t header_bytes, const std::string& path)
      : path_(path), bytes_(header_bytes), absent_(1, rows.labels()), labels_(0, rows.labels()) {
    for (const std::size_t label : rows.labels_on_when_absent()) absent_.set(0, label);
    if (!sparse) {
      features_ = Matrix(0, rows.features());
      return;
    }
    CsrMatrix empty;
    empty.cols = rows.features();
    empty.starts.push_back(0);
    features_ = std::move(empty);
  }

  void add(ArffPart&& part) {
    bytes_ += part.bytes;
    add_labels(part);
    if (features_.is_sparse())
      add_sparse(part);
    else
      add_dense(part);
  }

  Features features_;
  LabelMatrix take_labels() { return std::move(labels_); }

 private:
  void add_labels(const ArffPart& part) {
    const std::size_t before = labels_.rows();
    check_label_budget(before + part.rows(), labels_.labels(), bytes_, path_);
    labels_.resize_rows(before + part.rows());
    std::size_t flip = 0;
    for (std::size_t i = 0; i < part.rows(); ++i) {
      std::ranges::copy(absent_.words(0), labels_.words(before + i).begin());
      for (; flip < part.flip_ends[i]; ++flip)
        labels_.set(before + i, part.flips[flip], !absent_.get(0, part.flips[flip]));
    }
  }
  void add_sparse(const ArffPart& part) {
    CsrMatrix& sparse = features_.sparse();
    const std::uint64_t before = sparse.nonzeros();
    sparse.columns.append(part.columns);
    sparse.values.append(part.values);
    for (const std::uint64_t end : part.ends) sparse.starts.push_back(before + end);
  }
  void add_dense(const ArffPart& part) {
    Matrix& dense = features_.dense();
    const std::size_t before = dense.rows(), width = dense.cols();
    dense.resize_rows(before + part.rows());
    for (std::size_t i = 0; i < part.rows(); ++i)
      std::copy_n(part.values.data() + i * width, width, dense.row(before + i).begin());
  }

  const std::string& path_;
  std::size_t bytes_;
  LabelMatrix absent_, labels_;
};

bool has_gaps(const Features& x) {
  if (x.is_sparse()) return false;
  for (std::size_t i = 0; i < x.rows(); ++i)
    if (std::ranges::any_of(x.dense().row(i), [](float value) { return std::isnan(value); }))
      return true;
  return false;
}

}  // namespace

Likeness looks_like_arff(std::string_view front) {
  const std::string_view line = first_content(front, '%');
  const bool begins =
      same_word(line.substr(0, 9), "@relation") || same_word(line.substr(0, 10), "@attribute");
  return begins ? Likeness::Surely : Likeness::No;
}

Dataset read_arff(InputStream& in, const std::string& path, const ReadOptions& options) {
  return with_features(read_arff_raw(in, path, options), options);
}

RawSet read_arff_raw(InputStream& in, const std::string& path, const ReadOptions& options) {
  LineSource source(in, path);
  ArffHeader header = read_arff_header(source);
  const LabelMask mask = arff_labels(header, path, options);
  const bool sparse = first_row_is_sparse(source);
  const ArffRowParser rows(header, mask, sparse, path);
  Table table(rows, sparse, source.bytes_read(), path);
  parse_blocks<ArffPart>(
      source, options.threads, false,
      [&](const TextBlock& block, ArffPart& part) { rows.parse(block, part); },
      [&](ArffPart&& part) { table.add(std::move(part)); });

  RawSet set;
  Dataset& data = set.data;
  std::vector<std::string> label_names;
  for (std::size_t i = 0; i < mask.size(); ++i)
    (mask[i] ? label_names : data.feature_names).push_back(std::move(header.names[i]));
  set_labels(data, table.take_labels(), std::move(label_names), options.role, path);
  if (has_gaps(table.features_))
    set.table = RawTable{data.feature_names, std::move(table.features_.dense()), {}, path};
  else
    data.features = std::move(table.features_);
  return set;
}

}  // namespace sieve
