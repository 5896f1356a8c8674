#include "data/formats.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <memory>
#include <span>
#include <string_view>
#include <utility>

#include "data/feature_stream.h"
#include "data/label_columns.h"
#include "data/mat/mat5.h"
#include "data/mat/mat73.h"
#include "labelsieve/error.h"
#include "labelsieve/files.h"
#include "linalg/paging.h"

namespace sieve {
namespace {

// The full matrix of a variable, as float32 numbers in the order of the file. It is on disk, so
// that it may be larger than memory.
class UnpackedMatrix {
 public:
  // `packed` is what `file` reads from: its pages are given back on the way.
  UnpackedMatrix(const Mat5File& file, const MatVariable& variable, bool across,
                 const MappedFile& packed, ThreadPool* pool);

  std::size_t rows() const { return rows_; }
  std::size_t cols() const { return cols_; }
  // The rows from `first` on, as many as `to` has. Several threads may do so at once.
  void copy_rows(std::size_t first, Matrix& to) const;
  void give_back() const;

 private:
  void gather_rows(const float* from, Matrix& to) const;

  std::size_t rows_, cols_;
  bool across_;  // the samples are columns of the variable
  std::shared_ptr<const MappedFile> numbers_;
};

void give_back_all(const MappedFile& file) {
  give_back(file, file.bytes());
}

UnpackedMatrix::UnpackedMatrix(const Mat5File& file, const MatVariable& variable, bool across,
                               const MappedFile& packed, ThreadPool* pool)
    : rows_(variable.shape[across]), cols_(variable.shape[!across]), across_(across) {
  ScratchFile scratch;
  scratch.drop_name();
  file.unpack_features(variable, pool, [&](std::span<const float> numbers) {
    scratch.write({reinterpret_cast<const char*>(numbers.data()), numbers.size_bytes()});
    give_back_all(packed);
  });
  numbers_ = scratch.map();
}

void UnpackedMatrix::copy_rows(std::size_t first, Matrix& to) const {
  if (!numbers_) return;  // no columns
  const auto* from = reinterpret_cast<const float*>(numbers_->bytes().data());
  if (!across_) return gather_rows(from + first, to);
  for (std::size_t i = 0; i < to.rows(); ++i)
    std::copy_n(from + (first + i) * cols_, cols_, to.row(i).data());
}

// Some columns at a time, so that whole pieces of the rows are written.
void UnpackedMatrix::gather_rows(const float* from, Matrix& to) const {
  constexpr std::size_t kWide = 8;
  for (std::size_t first = 0; first < cols_; first += kWide) {
    const std::size_t last = std::min(first + kWide, cols_);
    for (std::size_t i = 0; i < to.rows(); ++i)
      for (std::size_t j = first; j < last; ++j) to(i, j) = from[j * rows_ + i];
  }
}

void UnpackedMatrix::give_back() const {
  if (numbers_) give_back_all(*numbers_);
}

constexpr std::array<std::string_view, 9> kWanted = {
    "data",   "X",     "features",    "partial_labels", "candidate_labels",
    "target", "truth", "label_names", "feature_names"};

constexpr std::size_t kMostLabels = 100000;  // and one more for each byte of the matrix

// ---- which version ------------------------------------------------------------------------------

enum class MatVersion { Level5, Hdf5 };

MatVersion version_of(std::string_view head, const std::string& path) {
  const auto refuse = [&](const std::string& why, const std::string& hint) {
    throw Error(Failure::Data, why, {path, 0, 0}, hint);
  };
  if (head.empty()) refuse("the file is empty", "check the path");
  const std::string_view order = head.size() < 128 ? "" : head.substr(126, 2);
  if (order != "IM" && order != "MI") {
    if (head.size() >= 20 && head.substr(0, 4).find('\0') != std::string_view::npos)
      refuse("this looks like a MAT file of version 4, which is not supported",
             "load it in MATLAB or Octave and save it with -v7");
    refuse("not a MAT file", "the first 128 bytes of one name its version; check the path");
  }
  const auto high = static_cast<unsigned char>(head[order == "IM" ? 125 : 124]);
  if (high == 1) return MatVersion::Level5;
  if (high != 2) refuse("a MAT file of an unknown version", "save it with -v7");
  return MatVersion::Hdf5;
}

// Fills `into` as far as the stream goes; how many bytes came.
std::size_t read_fully(InputStream& in, std::span<char> into) {
  std::size_t used = 0;
  while (used < into.size()) {
    const std::size_t got = in.read(into.data() + used, into.size() - used);
    if (got == 0) break;
    used += got;
  }
  return used;
}

// `head` and the rest of the stream in one piece; `storage` keeps it. Memory that was asked for but
// not filled costs nothing.
std::string_view read_rest(InputStream& in, std::string_view head, Array<char>& storage) {
  storage.resize(std::size_t{8} << 20);
  std::size_t used = head.copy(storage.data(), head.size());
  while (true) {
    used += read_fully(in, {storage.data() + used, storage.size() - used});
    if (used < storage.size()) return {storage.data(), used};
    storage.resize(2 * storage.size());
  }
}

// ---- which variables, which way round -----------------------------------------------------------

std::string shape_text(const MatVariable& variable) {
  std::string text;
  for (const std::size_t length : variable.shape)
    text += (text.empty() ? "" : " x ") + std::to_string(length);
  return text;
}

std::string list_of(const std::vector<MatVariable>& variables) {
  constexpr std::size_t kMost = 20;
  std::string text;
  for (std::size_t i = 0; i < std::min(kMost, variables.size()); ++i)
    text += (i == 0 ? "" : ", ") + variables[i].name + " (" + shape_text(variables[i]) + " " +
            class_name(variables[i]) + ")";
  for (char& c : text)
    if (std::iscntrl(static_cast<unsigned char>(c)) != 0) c = '?';
  if (text.empty()) return "the file has no variables";
  return "the file has " + text + (variables.size() > kMost ? ", ..." : "");
}

void require_matrix(const Mat5File& file, const MatVariable& variable) {
  if (variable.is_complex || variable.kind < MatClass::Sparse || variable.kind > MatClass::Uint64)
    file.refuse("'" + variable.name + "' is of class " + class_name(variable) +
                    ", but a matrix of real numbers is needed",
                "rename the variable, or save it as a matrix of numbers");
  if (variable.shape.size() != 2)
    file.refuse("'" + variable.name + "' has " + std::to_string(variable.shape.size()) +
                    " dimensions (" + shape_text(variable) + "), but two are needed",
                "reshape it to rows x columns");
}

struct Parts {
  const MatVariable* data;
  const MatVariable* candidates;
  const MatVariable* truth;
  bool has_labels() const { return candidates != nullptr || truth != nullptr; }
  const MatVariable& labels() const { return candidates != nullptr ? *candidates : *truth; }
};

Parts find_parts(const Mat5File& file, const LabelColumns& wanted) {
  const bool labels_only = wanted.all;
  const Parts parts = {labels_only ? nullptr : file.find({"data", "X", "features"}),
                       file.find({"partial_labels", "candidate_labels"}),
                       file.find({"target", "truth"})};
  if ((parts.data == nullptr && !labels_only) || !(parts.has_labels() || wanted.optional))
    file.refuse(std::string("there is no variable with ") + (parts.has_labels() ? "the features"
                                                             : parts.data != nullptr
                                                                 ? "the labels"
                                                                 : "features or labels"),
                "features: data, X or features; labels: partial_labels or candidate_labels, "
                "target or truth; " +
                    list_of(file.variables()));
  for (const MatVariable* part : {parts.data, parts.candidates, parts.truth})
    if (part != nullptr) require_matrix(file, *part);
  if (parts.candidates != nullptr && parts.truth != nullptr &&
      parts.candidates->shape != parts.truth->shape)
    file.refuse("'" + parts.candidates->name + "' is " + shape_text(*parts.candidates) + " but '" +
                    parts.truth->name + "' is " + shape_text(*parts.truth),
                "both need the same rows and labels");
  return parts;
}

// Whether samples are the columns of the data and of the labels. Where several readings fit, the
// first of these does: data n x d, labels q x n (the classical layout); data n x d, labels n x q;
// data d x n, labels q x n; data d x n, labels n x q. Without labels, data is n x d.
struct Layout {
  bool data_across = false, labels_across = true;
};

Layout layout_of(const Mat5File& file, const Parts& parts) {
  if (parts.data == nullptr || !parts.has_labels()) return {};
  for (const Layout layout : {Layout{false, true}, {false, false}, {true, true}, {true, false}})
    if (parts.data->shape[layout.data_across] == parts.labels().shape[layout.labels_across])
      return layout;
  file.refuse("'" + parts.data->name + "' is " + shape_text(*parts.data) + " and '" +
                  parts.labels().name + "' is " + shape_text(parts.labels()) +
                  ": they have no number of rows in common",
              "the classical layout is data n x d and labels q x n");
}

void read_names(const Mat5File& file, const std::string& what, std::size_t count,
                std::vector<std::string>& names) {
  const MatVariable* variable = file.find({what + "_names"});
  if (variable == nullptr) return;
  if ((variable->kind != MatClass::Cell && variable->kind != MatClass::Char) ||
      variable->shape.size() != 2)
    file.refuse("'" + variable->name + "' is of class " + class_name(*variable) +
                    ", but names are a cell array of strings or a char matrix",
                "remove it, or save it as a cell array");
  names = file.read_strings(*variable);
  if (names.size() != count)
    file.refuse("'" + variable->name + "' has " + std::to_string(names.size()) +
                " names, but there are " + std::to_string(count) + " " + what + "s");
  check_names(names, what, file.path());
}

void read_labels(const Mat5File& file, const Parts& parts, const Layout& layout, Dataset& data) {
  const std::size_t rows = parts.labels().shape[layout.labels_across];
  const std::size_t labels = parts.labels().shape[!layout.labels_across];
  if (rows == 0 || labels == 0)
    file.refuse("'" + parts.labels().name + "' is empty (" + shape_text(parts.labels()) + ")");
  // Every label gets a name, and a sparse matrix can claim any number of labels in a few bytes.
  if (labels > kMostLabels + parts.labels().bytes.size())
    file.refuse("'" + parts.labels().name + "' says it has " + std::to_string(labels) +
                " labels, out of proportion to the file");
  if (parts.truth != nullptr) data.truth = file.read_labels(*parts.truth, layout.labels_across);
  data.candidates = parts.candidates != nullptr
                        ? file.read_labels(*parts.candidates, layout.labels_across)
                        : data.truth->clone();
  data.label_names = numbered_names("label", labels);
  read_names(file, "label", labels, data.label_names);
}

Dataset dataset_of(const Mat5File& file, const ReadOptions& options) {
  const Parts parts = find_parts(file, options.labels);
  const Layout layout = layout_of(file, parts);
  Dataset data;
  if (parts.has_labels()) read_labels(file, parts, layout, data);
  data.features = parts.data != nullptr
                      ? file.read_features(*parts.data, layout.data_across, options.threads)
                      : Matrix(data.candidates.rows(), 0);
  if (!parts.has_labels()) data.candidates = LabelMatrix(data.features.rows(), 0);
  read_names(file, "feature", data.features.cols(), data.feature_names);
  return data;
}

// ---- the file -----------------------------------------------------------------------------------

std::string read_head(InputStream& in) {
  std::string head(128, '\0');
  head.resize(read_fully(in, head));
  return head;
}

void copy_all(std::string block, InputStream& in, ScratchFile& to) {
  while (!block.empty()) {
    to.write(block);
    block.resize(1U << 16);
    block.resize(read_fully(in, block));
  }
}

std::shared_ptr<const MappedFile> level5_of(const std::string& head, InputStream& in,
                                            const std::string& path) {
  ScratchFile packed, unpacked;
  copy_all(head, in, packed);
  if (!mat73_to_mat5(packed, unpacked, kWanted))
    throw Error(Failure::Data, "the MAT 7.3 file is damaged or needs too much memory", {path, 0, 0},
                "save it with -v7 if it opens in MATLAB or Octave");
  return unpacked.map();
}

// The file as one of level 5 that takes no memory.
std::shared_ptr<const MappedFile> mapped_file(InputStream& in, const std::string& path,
                                              FileSystem& files) {
  const std::string head = read_head(in);
  if (version_of(head, path) == MatVersion::Hdf5) return level5_of(head, in, path);
  std::shared_ptr<const MappedFile> plain = files.map(path);
  if (plain && plain->bytes().starts_with(head)) return plain;
  ScratchFile copy;  // of what came through a pipe or out of gzip
  copy.drop_name();
  copy_all(head, in, copy);
  return copy.map();
}

}  // namespace

Dataset read_mat(InputStream& in, const std::string& path, const ReadOptions& options) {
  const std::string head = read_head(in);
  if (version_of(head, path) == MatVersion::Hdf5)
    return dataset_of(Mat5File(level5_of(head, in, path)->bytes(), path), options);
  Array<char> storage;
  return dataset_of(Mat5File(read_rest(in, head, storage), path), options);
}

std::size_t read_mat_features(InputStream& in, const std::string& path, const ReadOptions& options,
                              std::size_t rows_before, const TakeFeatures& take) {
  const std::shared_ptr<const MappedFile> bytes = mapped_file(in, path, *options.files);
  const Mat5File file(bytes->bytes(), path);
  const Parts parts = find_parts(file, options.labels);
  if (parts.data == nullptr || parts.data->kind == MatClass::Sparse) {
    Dataset data = dataset_of(file, options);
    return take_features(data.features, std::move(data.feature_names), options.threads, rows_before,
                         take);
  }
  const bool across = layout_of(file, parts).data_across;
  std::vector<std::string> names;
  read_names(file, "feature", parts.data->shape[!across], names);
  const UnpackedMatrix matrix(file, *parts.data, across, *bytes, options.threads);
  return take_rows({matrix.rows(), matrix.cols(), std::move(names),
                    [&](std::size_t first, std::size_t last, Features& into) {
                      matrix.copy_rows(first, dense_room(into, last - first, matrix.cols()));
                    },
                    [&] { matrix.give_back(); }},
                   options.threads, rows_before, take);
}

void write_mat(const Dataset& data, OutputStream& out, const WriteOptions& options) {
  if (!options.mat73) return write_mat5(data, out, options);
  ScratchFile level5, hdf5;
  write_mat5(data, level5, options);
  if (!mat5_to_mat73(level5, hdf5))
    throw Error(Failure::Io, "the set could not be written as MAT 7.3", {},
                "there may be too little memory; write version 5 instead");
  out.write(hdf5.map()->bytes());
}

}  // namespace sieve
