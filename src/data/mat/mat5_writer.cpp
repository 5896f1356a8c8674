#include "data/mat/mat5.h"

#include <zlib.h>

#include <array>
#include <limits>
#include <new>
#include <numeric>
#include <span>

#include "data/label_columns.h"
#include "data/text/utf.h"
#include "labelsieve/error.h"

namespace sieve {
namespace {

constexpr std::size_t kMostBytes = 0xffffff00;  // sizes are 32-bit numbers in the file

std::size_t padded(std::size_t size) {
  return (size + 7) / 8 * 8;
}

// One variable: its parts are packed as they come and go to the file together, because the file
// wants to know the packed size first.
class PackedVariable {
 public:
  // `size` is that of the whole matrix element, header included.
  PackedVariable(const std::string& name, std::size_t size) {
    if (size > kMostBytes)
      throw Error(Failure::Usage, "'" + name + "' is too large for a MAT file", {},
                  "a variable may take 4 GB; write another format");
    if (deflateInit(&stream_, Z_DEFAULT_COMPRESSION) != Z_OK) throw std::bad_alloc();
    tag(MatType::Variable, size);
  }
  ~PackedVariable() { deflateEnd(&stream_); }
  PackedVariable(const PackedVariable&) = delete;
  PackedVariable& operator=(const PackedVariable&) = delete;

  void tag(MatType type, std::size_t size) {
    const std::array<std::uint32_t, 2> words = {static_cast<std::uint32_t>(type),
                                                static_cast<std::uint32_t>(size)};
    raw(words.data(), sizeof words);
  }
  void raw(const void* bytes, std::size_t size) {
    stream_.next_in = static_cast<Bytef*>(const_cast<void*>(bytes));
    stream_.avail_in = static_cast<uInt>(size);
    run(Z_NO_FLUSH);
  }
  void pad(std::size_t size) { raw("\0\0\0\0\0\0\0", padded(size) - size); }

  template <class T>
  void element(MatType type, std::span<const T> values) {
    tag(type, values.size_bytes());
    raw(values.data(), values.size_bytes());
    pad(values.size_bytes());
  }
  void header(const std::string& name, MatClass kind, std::size_t rows, std::size_t cols,
              std::size_t entries = 0) {
    const std::array<std::uint32_t, 2> flags = {static_cast<std::uint32_t>(kind),
                                                static_cast<std::uint32_t>(entries)};
    const std::array<std::int32_t, 2> shape = {static_cast<std::int32_t>(rows),
                                               static_cast<std::int32_t>(cols)};
    element<std::uint32_t>(MatType::Uint32, flags);
    element<std::int32_t>(MatType::Int32, shape);
    element<char>(MatType::Int8, name);
  }
  static std::size_t header_size(const std::string& name) { return 40 + padded(name.size()); }
  static std::size_t element_size(std::size_t size) { return 8 + padded(size); }

  void write_to(OutputStream& out) {
    run(Z_FINISH);
    const std::array<std::uint32_t, 2> words = {static_cast<std::uint32_t>(MatType::Compressed),
                                                static_cast<std::uint32_t>(packed_.size())};
    out.write({reinterpret_cast<const char*>(words.data()), sizeof words});
    out.write(packed_);
  }

 private:
  void run(int flush) {
    std::array<char, 1U << 14> block;
    do {
      stream_.next_out = reinterpret_cast<Bytef*>(block.data());
      stream_.avail_out = static_cast<uInt>(block.size());
      deflate(&stream_, flush);
      packed_.append(block.data(), block.size() - stream_.avail_out);
    } while (stream_.avail_out == 0);
  }

  z_stream stream_{};
  std::string packed_;
};

void write_file_header(OutputStream& out) {
  std::string header = "MATLAB 5.0 MAT-file, written by LabelSieve";
  header.resize(116, ' ');
  header.append(8, '\0');
  header += std::string_view("\x00\x01IM", 4);
  out.write(header);
}

void write_full(const Matrix& matrix, OutputStream& out) {
  constexpr std::size_t kCols = 16;  // one line of each row at a time
  const std::string name = "data";
  const std::size_t rows = matrix.rows(), cols = matrix.cols();
  const std::size_t size = rows * cols * sizeof(float);
  PackedVariable variable(name,
                          PackedVariable::header_size(name) + PackedVariable::element_size(size));
  variable.header(name, MatClass::Single, rows, cols);
  variable.tag(MatType::Single, size);
  std::vector<float> column(rows * std::min(kCols, cols));
  for (std::size_t first = 0; first < cols; first += kCols) {
    const std::size_t count = std::min(kCols, cols - first);
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t j = 0; j < count; ++j) column[j * rows + i] = matrix(i, first + j);
    variable.raw(column.data(), rows * count * sizeof(float));
  }
  variable.pad(size);
  variable.write_to(out);
}

void write_sparse(const CsrMatrix& matrix, OutputStream& out) {
  const std::string name = "data";
  const std::size_t entries = matrix.nonzeros(), rows = matrix.rows();
  PackedVariable variable(name, PackedVariable::header_size(name) +
                                    PackedVariable::element_size(4 * entries) +
                                    PackedVariable::element_size(4 * (matrix.cols + 1)) +
                                    PackedVariable::element_size(8 * entries));
  std::vector<std::uint32_t> starts(matrix.cols + 1), row_of(entries);
  std::vector<double> values(entries);
  for (const std::uint32_t col : matrix.columns) ++starts[col + 1];
  std::partial_sum(starts.begin(), starts.end(), starts.begin());
  std::vector<std::uint32_t> next = starts;
  for (std::size_t i = 0; i < rows; ++i) {
    const CsrMatrix::Row row = matrix.row(i);
    for (std::size_t k = 0; k < row.columns.size(); ++k) {
      const std::size_t place = next[row.columns[k]]++;
      row_of[place] = static_cast<std::uint32_t>(i);
      values[place] = static_cast<double>(row.values[k]);
    }
  }
  variable.header(name, MatClass::Sparse, rows, matrix.cols, entries);
  variable.element<std::uint32_t>(MatType::Int32, row_of);
  variable.element<std::uint32_t>(MatType::Int32, starts);
  variable.element<double>(MatType::Double, values);
  variable.write_to(out);
}

void write_labels(const std::string& name, const LabelMatrix& labels, OutputStream& out) {
  const std::size_t size = labels.rows() * labels.labels();
  PackedVariable variable(name,
                          PackedVariable::header_size(name) + PackedVariable::element_size(size));
  variable.header(name, MatClass::Uint8, labels.labels(), labels.rows());
  variable.tag(MatType::Uint8, size);
  std::vector<std::uint8_t> cells(labels.labels());
  for (std::size_t i = 0; i < labels.rows(); ++i) {
    std::ranges::fill(cells, std::uint8_t{0});
    labels.for_each(i, [&](std::size_t k) { cells[k] = 1; });
    variable.raw(cells.data(), cells.size());
  }
  variable.pad(size);
  variable.write_to(out);
}

void write_names(const std::string& name, const std::vector<std::string>& names,
                 OutputStream& out) {
  const auto cell_size = [](const std::u16string& text) {
    return PackedVariable::header_size("") + PackedVariable::element_size(2 * text.size());
  };
  std::vector<std::u16string> texts;
  std::size_t size = PackedVariable::header_size(name);
  for (const std::string& one : names) {
    const std::optional<std::u32string> points = code_points_of_utf8(one);
    if (!points)
      throw Error(Failure::Usage, "the name '" + one + "' is not valid UTF-8", {},
                  "rename it before writing a MAT file");
    texts.push_back(to_utf16(*points));
    size += 8 + cell_size(texts.back());
  }
  PackedVariable variable(name, size);
  variable.header(name, MatClass::Cell, texts.size(), 1);
  for (const std::u16string& text : texts) {
    variable.tag(MatType::Variable, cell_size(text));
    variable.header("", MatClass::Char, 1, text.size());
    variable.element<char16_t>(MatType::Utf16, text);
  }
  variable.write_to(out);
}

}  // namespace

void write_mat5(const Dataset& data, OutputStream& out, const WriteOptions& options) {
  const LabelColumnsOut labels = label_columns_to_write(data, options);
  if (std::max(data.rows(), data.features.cols()) >= std::numeric_limits<std::int32_t>::max())
    throw Error(Failure::Usage, "too many rows or features for a MAT file");
  write_file_header(out);
  const Features features = data.features.plain();
  if (features.is_sparse())
    write_sparse(features.sparse(), out);
  else
    write_full(features.dense(), out);
  for (const LabelMatrix* matrix : labels.matrices)
    write_labels(matrix == &data.candidates ? "partial_labels" : "target", *matrix, out);
  write_names("label_names", data.label_names, out);
  if (!data.feature_names.empty()) write_names("feature_names", data.feature_names, out);
}

}  // namespace sieve
