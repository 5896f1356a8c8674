#include "data/formats.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <utility>

#include "data/feature_stream.h"
#include "data/file_content.h"
#include "data/ids.h"
#include "data/label_columns.h"
#include "data/numpy/npy.h"
#include "data/recipe/recipe.h"
#include "labelsieve/error.h"
#include "labelsieve/options.h"
#include "linalg/entries.h"
#include "linalg/paging.h"

namespace sieve {
namespace {

constexpr std::string_view kZipMagic = "PK\x03\x04";
constexpr std::size_t kRowsAtOnce = 256;

// ---- a full matrix ------------------------------------------------------------------------------

bool all_finite(const NpyArray& array, ThreadPool& pool) {
  constexpr std::uint32_t kNotFinite = 0x7f800000;
  const std::size_t cols = array.header.cols();
  const auto* numbers = reinterpret_cast<const std::uint32_t*>(array.bytes.data());
  std::atomic<bool> good = true;
  pool.for_blocks(array.header.rows(), kRowsAtOnce, [&](std::size_t first, std::size_t last) {
    std::uint32_t bad = 0;
    for (std::size_t k = first * cols; k < last * cols; ++k)
      bad |= static_cast<std::uint32_t>((numbers[k] & kNotFinite) == kNotFinite);
    if (bad != 0) good = false;
  });
  return good;
}

// A matrix that lies in the file as it would in memory can stay there.
bool can_stay(const NpyHeader& header) {
  return header.kind == 'f' && header.item == 4 && !header.swapped && !header.fortran &&
         header.offset % 64 == 0 && padded_stride(header.cols()) == header.cols();
}

// The features, or a table where some are NaN.
void set_features(const NpyArray& array, ThreadPool& pool, RawSet& set) {
  const NpyHeader& header = array.header;
  Matrix rows(header.rows(), header.cols());
  std::atomic<bool> gaps = false;
  pool.for_blocks(header.rows(), kRowsAtOnce, [&](std::size_t first, std::size_t last) {
    if (array.copy_rows(first, last - first, rows.row(first).data(), rows.stride())) gaps = true;
  });
  if (gaps)
    set.table = RawTable{set.data.feature_names, std::move(rows), {}, array.path};
  else
    set.data.features = std::move(rows);
}

// ---- sparse rows, as scipy.sparse.save_npz writes them ------------------------------------------

class SparseReader {
 public:
  explicit SparseReader(NpzFile& file) : file_(file) {}

  CsrMatrix read() {
    const NpyArray starts = list("indptr"), columns = list("indices"), shape = list("shape");
    const NpyArray values = file_.array("data");
    const std::size_t rows = starts.header.rows() - 1, entries = columns.header.rows();
    if (starts.header.rows() == 0 || shape.header.rows() != 2 || shape.whole_number(0) != rows ||
        values.header.shape.size() != 1 || values.header.rows() != entries)
      starts.refuse("the parts of the sparse matrix do not fit together", kHint);
    CsrMatrix out;
    out.cols = shape.whole_number(1);
    if (out.cols > kMostColumns) shape.refuse("the sparse matrix has too many columns", kHint);
    numbers_ = values_of(values);
    out.starts.push_back(0);
    for (std::size_t i = 0; i < rows; ++i) {
      const std::uint64_t first = starts.whole_number(i), last = starts.whole_number(i + 1);
      if (first > last || last > entries || (i == 0 && first != 0))
        starts.refuse("row " + std::to_string(i + 1) + " of the sparse matrix lies outside it",
                      kHint);
      add_row(columns, first, last, out);
    }
    return out;
  }

 private:
  static constexpr const char* kHint = "save it again with scipy.sparse.save_npz";
  static constexpr std::size_t kMostColumns = std::size_t{1} << 31;

  NpyArray list(const std::string& name) {
    NpyArray array = file_.array(name);
    if (array.header.shape.size() != 1)
      array.refuse(array.name + " of the sparse matrix should be a list", kHint);
    return array;
  }
  static std::vector<float> values_of(NpyArray values) {
    std::vector<float> numbers(values.header.rows());
    values.header.shape.push_back(1);
    if (values.copy_rows(0, numbers.size(), numbers.data(), 1))
      values.refuse("the sparse matrix holds a value that is not a number",
                    "features must be finite numbers");
    return numbers;
  }
  // The columns of a row may come in any order.
  void add_row(const NpyArray& columns, std::size_t first, std::size_t last, CsrMatrix& out) {
    row_.clear();
    for (std::size_t k = first; k < last; ++k)
      row_.emplace_back(columns.whole_number(k), numbers_[k]);
    std::ranges::sort(row_, {}, [](const auto& entry) { return entry.first; });
    for (std::size_t k = 0; k < row_.size(); ++k) {
      const std::uint64_t column = row_[k].first;
      if (column >= out.cols || (k != 0 && column == row_[k - 1].first))
        columns.refuse("a column of the sparse matrix is out of range or given twice", kHint);
      if (is_plain_zero(row_[k].second)) continue;
      out.columns.push_back(static_cast<std::uint32_t>(column));
      out.values.push_back(row_[k].second);
    }
    out.starts.push_back(out.values.size());
  }

  NpzFile& file_;
  std::vector<float> numbers_;
  std::vector<std::pair<std::uint64_t, float>> row_;
};

// ---- which arrays -------------------------------------------------------------------------------

[[noreturn]] void refuse_without_labels(Failure kind, const std::string& path) {
  throw Error(kind, "there are features but no labels in the array", {path, 0, 0},
              "give the labels in a file of their own with " + term("label_file"));
}

// The one array of a .npy file: features or labels.
RawSet set_of_array(const NpyArray& array, const FileContent& content, const ReadOptions& options,
                    ThreadPool& pool) {
  array.require_matrix();
  const LabelColumns& wanted = options.labels;
  const NpyHeader& header = array.header;
  RawSet set;
  if (wanted.all || wanted.else_all) {
    set.data.features = Matrix(header.rows(), 0);
    set_labels(set.data, array.labels(), numbered_names("label", header.cols()), options.role,
               array.path);
    return set;
  }
  if (wanted.given() && wanted.count != 0) refuse_without_labels(Failure::Usage, array.path);
  if (!wanted.given() && !wanted.optional) refuse_without_labels(Failure::Data, array.path);
  set.data.candidates = LabelMatrix(header.rows(), 0);
  if (!content.file || !can_stay(header) || !all_finite(array, pool)) {
    set_features(array, pool, set);
    return set;
  }
  set.data.features = Matrix(header.rows(), header.cols(),
                             content.values<float>(header.offset, array.bytes.size()));
  give_back(set.data.features);
  return set;
}

std::string list_of(const NpzFile& file) {
  std::string text;
  for (const std::string& name : file.names()) {
    if (text.size() > 300) return text + ", ...";
    text += (text.empty() ? "" : ", ") + name;
  }
  return text;
}

// The arrays of an .npz file, by their names.
class NpzReader {
 public:
  NpzReader(NpzFile& file, const std::string& path, const ReadOptions& options, ThreadPool& pool)
      : file_(file), path_(path), options_(options), pool_(pool) {}

  RawSet read() {
    read_labels();
    read_names();
    if (options_.labels.all)
      set_.data.features = Matrix(set_.data.rows(), 0);
    else if (file_.has("indptr"))
      read_sparse();
    else
      read_features();
    check_rows();
    return std::move(set_);
  }

 private:
  void read_labels() {
    const std::string candidates =
        file_.first_of({"candidates", "candidate_labels", "partial_labels", "labels", "Y", "y"});
    const std::string truth = file_.first_of({"truth", "target"});
    const bool wanted = options_.labels.count != 0;
    if (!wanted || (candidates.empty() && truth.empty())) {
      if (wanted && !options_.labels.optional)
        refuse("there is no array with the labels",
               "call it candidates, labels or truth, or give it in a file of its own with " +
                   term("label_file") + "; the file has " + list_of(file_));
      return;
    }
    Dataset& data = set_.data;
    if (!truth.empty()) data.truth = file_.array(truth).labels();
    data.candidates = candidates.empty() ? data.truth->clone() : file_.array(candidates).labels();
    if (data.truth && (data.truth->rows() != data.candidates.rows() ||
                       data.truth->labels() != data.candidates.labels()))
      refuse("the candidates and the truth differ in shape", "both need the same rows and labels");
    if (!data.truth && options_.role == LabelRole::Truth) data.truth = data.candidates.clone();
    data.label_names = file_.has("label_names") ? file_.array("label_names").texts()
                                                : numbered_names("label", data.labels());
    if (data.label_names.size() != data.labels())
      refuse("there are " + std::to_string(data.label_names.size()) + " label names for " +
                 std::to_string(data.labels()) + " labels",
             "save one name per label");
    check_names(data.label_names, "label", path_);
  }
  void read_names() {
    if (file_.has("ids")) {
      set_.data.ids = file_.array("ids").texts();
      check_ids(set_.data.ids, path_);
    }
    if (!file_.has("feature_names")) return;
    set_.data.feature_names = file_.array("feature_names").texts();
    check_names(set_.data.feature_names, "feature", path_);
  }
  void read_sparse() {
    if (file_.has("format")) {
      NpyArray format = file_.array("format");
      format.header.shape = {1};
      const std::string kind = format.texts().front();
      if (kind != "csr")
        refuse("the sparse matrix is stored as '" + kind + "'",
               "save it by rows: scipy.sparse.save_npz(name, x.tocsr())");
    }
    set_.data.features = SparseReader(file_).read();
  }
  void read_features() {
    std::string name = file_.first_of({"X", "x", "features", "data", "embeddings"});
    if (name.empty()) name = file_.first_of({"arr_0"});
    if (name.empty())
      refuse("there is no array with the features", "call it X; the file has " + list_of(file_));
    const NpyArray array = file_.array(name);
    array.require_matrix();
    set_features(array, pool_, set_);
  }
  void check_rows() {
    Dataset& data = set_.data;
    const std::size_t rows = set_.table ? set_.table->rows() : data.features.rows();
    const std::size_t cols = set_.table ? set_.table->columns() : data.features.cols();
    if (data.label_names.empty()) data.candidates = LabelMatrix(rows, 0);
    if (data.rows() != rows || (!data.ids.empty() && data.ids.size() != rows))
      refuse("features, labels and ids have different numbers of rows",
             "all arrays need the same rows");
    if (options_.labels.all) data.feature_names.clear();
    if (data.feature_names.empty() || data.feature_names.size() == cols) return;
    refuse("there are " + std::to_string(data.feature_names.size()) + " feature names for " +
               std::to_string(cols) + " features",
           "save one name per feature");
  }
  [[noreturn]] void refuse(const std::string& why, const std::string& hint) const {
    throw Error(Failure::Data, why, {path_, 0, 0}, hint);
  }

  NpzFile& file_;
  const std::string& path_;
  const ReadOptions& options_;
  ThreadPool& pool_;
  RawSet set_;
};

RawSet set_of(const FileContent& content, const std::string& path, const ReadOptions& options) {
  ThreadPool alone(1);
  ThreadPool& pool = options.threads != nullptr ? *options.threads : alone;
  if (!content.bytes.starts_with(kZipMagic))
    return set_of_array(npy_array(content.bytes, "the array", path), content, options, pool);
  NpzFile file(content.bytes, path);
  return NpzReader(file, path, options, pool).read();
}

}  // namespace

Likeness looks_like_numpy(std::string_view front) {
  return front.starts_with(kNpyMagic) || front.starts_with(kZipMagic) ? Likeness::Surely
                                                                      : Likeness::No;
}

RawSet read_numpy_raw(InputStream& in, const std::string& path, const ReadOptions& options) {
  return set_of(file_content(in, path, *options.files, {kNpyMagic, kZipMagic}), path, options);
}

std::size_t read_numpy_features(InputStream& in, const std::string& path,
                                const ReadOptions& options, std::size_t rows_before,
                                const TakeFeatures& take) {
  const FileContent content = file_content(in, path, *options.files, {kNpyMagic, kZipMagic});
  if (content.bytes.starts_with(kZipMagic) || options.recipe) {
    Dataset data = with_known_features(set_of(content, path, options), options);
    return take_features(data.features, std::move(data.feature_names), options.threads, rows_before,
                         take, data.ids);
  }
  const NpyArray array = npy_array(content.bytes, "the array", path);
  array.require_matrix();
  return take_rows({array.header.rows(),
                    array.header.cols(),
                    {},
                    [&](std::size_t first, std::size_t last, Features& into) {
                      Matrix& rows = dense_room(into, last - first, array.header.cols());
                      if (array.copy_rows(first, rows.rows(), rows.data(), rows.stride()))
                        array.refuse_gap(first, rows);
                    },
                    [&] { content.give_back(0, content.bytes.size()); }},
                   options.threads, rows_before, take);
}

}  // namespace sieve
