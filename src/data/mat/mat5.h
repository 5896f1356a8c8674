#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <zlib.h>

#include "labelsieve/data_io.h"
#include "labelsieve/labels.h"
#include "labelsieve/matrix.h"
#include "labelsieve/threads.h"

// A reader of MAT level-5 files (MATLAB's -v6 and -v7, scipy.io.savemat) that trusts no byte of
// them: sizes are checked against the bytes that are there before anything is allocated, and a full
// matrix is never held in the file's own number type. Every refusal is an Error(Data).
namespace sieve {

enum class MatClass : std::uint8_t {
  Cell = 1,
  Struct,
  Object,
  Char,
  Sparse,
  Double,
  Single,
  Int8,
  Uint8,
  Int16,
  Uint16,
  Int32,
  Uint32,
  Int64,
  Uint64,
  Function,
  Opaque,
};

// How numbers are stored; a class may be stored in a smaller type than its own.
enum class MatType : std::uint32_t {
  Int8 = 1,
  Uint8 = 2,
  Int16 = 3,
  Uint16 = 4,
  Int32 = 5,
  Uint32 = 6,
  Single = 7,
  Double = 9,
  Int64 = 12,
  Uint64 = 13,
  Variable = 14,
  Compressed = 15,
  Utf8 = 16,
  Utf16 = 17,
  Utf32 = 18,
};

struct MatTag {
  MatType type;
  std::size_t size;  // bytes that follow, without padding
};

// The header of a variable and where its bytes lie.
struct MatVariable {
  std::string name;
  MatClass kind = MatClass::Double;
  bool is_complex = false, is_logical = false;
  std::vector<std::size_t> shape;
  std::string_view bytes;  // of the whole file, without the outer tag
  bool packed = false;

  std::size_t rows() const { return shape[0]; }
  std::size_t cols() const { return shape[1]; }
};

// "sparse", "complex double", "logical" and so on; for messages.
std::string class_name(const MatVariable& variable);

// The bytes of one variable in order, inflated on the way where they are packed.
class Mat5Source {
 public:
  Mat5Source(std::string_view bytes, bool packed, bool big_endian, const std::string& path);
  ~Mat5Source();
  Mat5Source(const Mat5Source&) = delete;
  Mat5Source& operator=(const Mat5Source&) = delete;

  MatTag next_tag();  // skips what is left of the element before
  // Content of the element that next_tag() gave; never beyond it.
  void read(void* into, std::size_t size) { read_numbers(into, size, 1); }
  // The same as numbers of `width` bytes, in the byte order of this machine.
  void read_numbers(void* into, std::size_t count, std::size_t width);
  // The two halves of read_numbers(). While one thread reads, another may settle what was read
  // before: add it to the checksum and turn its byte order. Settle in the order of reading.
  void read_unsettled(void* into, std::size_t size);
  void settle(void* numbers, std::size_t count, std::size_t width);
  // Enters a nested matrix element, whose parts next_tag() then gives.
  void enter() { left_ = padding_ = 0; }
  // Refuses an element larger than what the rest of the bytes can possibly hold.
  void check_size(const MatTag& tag) const;
  // Checks the checksum of packed bytes; call when the variable is read.
  void finish();
  const std::string& path() const { return path_; }
  [[noreturn]] void refuse(const std::string& why) const;

 private:
  void take(void* into, std::size_t size);
  std::size_t inflate_some(void* into, std::size_t size);
  void add_to_sum(const void* bytes, std::size_t size);
  void skip(std::size_t size);
  std::uint32_t word(const char* bytes) const;

  const std::string& path_;
  std::string_view plain_;            // what is left, if not packed
  std::unique_ptr<z_stream> stream_;  // if packed
  bool ended_ = false;                // its packed bytes
  bool packed_, big_endian_;
  std::size_t left_ = 0, padding_ = 0;  // of the element being read
  uLong sum_ = adler32(0, nullptr, 0);  // of all inflated bytes
};

// An opened file: the list of its variables, and ways to read one.
class Mat5File {
 public:
  // `bytes` must live as long as this.
  Mat5File(std::string_view bytes, std::string path);

  const std::vector<MatVariable>& variables() const { return variables_; }
  const std::string& path() const { return path_; }
  // The first of `names` that is there, or null.
  const MatVariable* find(std::initializer_list<std::string_view> names) const;

  // All of these want a real matrix of numbers with two dimensions. `across` says that samples are
  // the columns of the variable, not its rows.
  Features read_features(const MatVariable& variable, bool across, ThreadPool* pool) const;
  // Hands the numbers of a full matrix on in the order of the file, some at a time: put(numbers).
  void unpack_features(const MatVariable& variable, ThreadPool* pool,
                       const std::function<void(std::span<const float>)>& put) const;
  LabelMatrix read_labels(const MatVariable& variable, bool across) const;
  // A cell array of strings, or the rows of a char matrix without trailing blanks; UTF-8.
  std::vector<std::string> read_strings(const MatVariable& variable) const;
  [[noreturn]] void refuse(const std::string& why, const std::string& hint = {}) const;

 private:
  std::unique_ptr<Mat5Source> open(const MatVariable& variable) const;
  std::unique_ptr<Mat5Source> open_content(const MatVariable& variable) const;
  void add_variable(std::string_view bytes, bool packed);

  std::string path_;
  bool big_endian_ = false;
  std::vector<MatVariable> variables_;
};

// ---- parts of the reader, one file each ---------------------------------------------------------
// The sources stand behind the header of `variable`.

// Reads the flags, shape and name that stand before the content of a matrix element.
MatVariable read_mat_header(Mat5Source& source);

Matrix read_full_matrix(Mat5Source& source, const MatVariable& variable, bool across,
                        ThreadPool* pool);
void unpack_full_matrix(Mat5Source& source, const MatVariable& variable, ThreadPool* pool,
                        const std::function<void(std::span<const float>)>& put);
CsrMatrix read_sparse_matrix(Mat5Source& source, const MatVariable& variable, bool across);
LabelMatrix read_label_matrix(Mat5Source& source, const MatVariable& variable, bool across);
std::vector<std::string> read_string_list(Mat5Source& source, const MatVariable& variable);

// Writes a level-5 MAT file whose variables are packed, in the classical layout: data (n x d,
// single or sparse double, exact either way), partial_labels and target (q x n, uint8), label_names
// and feature_names (cell arrays of strings). Error(Usage) for a variable of 4 GB and more.
void write_mat5(const Dataset& data, OutputStream& out, const WriteOptions& options);

}  // namespace sieve
