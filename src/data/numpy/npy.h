#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "labelsieve/labels.h"
#include "labelsieve/matrix.h"

// One array as a .npy file or a member of an .npz file holds it.
namespace sieve {

constexpr std::string_view kNpyMagic = "\x93NUMPY";

// What the front of such a file says.
struct NpyHeader {
  char kind = 'f';       // f: real numbers, i and u: whole ones, b: true or false, U and S: text
  std::size_t item = 4;  // bytes of one
  bool swapped = false;  // big-endian
  bool fortran = false;  // column by column
  std::vector<std::size_t> shape;
  std::size_t offset = 0;  // where the numbers begin

  std::size_t rows() const { return shape[0]; }
  std::size_t cols() const { return shape[1]; }
  std::size_t count() const;  // of all items; more than any file can have if that overflows
};

// A header and the bytes behind it. `name` says in messages which array it is: "the array", "'X'".
struct NpyArray {
  NpyHeader header;
  std::string_view bytes;
  std::string name;
  std::string path;

  // Error(Data) unless it is a matrix of numbers.
  void require_matrix() const;
  // `count` rows from `first` on as float32, `stride` numbers apart. True if one of them is NaN.
  // Error(Data) names the place of a number that is infinite as float32.
  bool copy_rows(std::size_t first, std::size_t count, float* to, std::size_t stride) const;
  // A number of a list.
  std::uint64_t whole_number(std::size_t at) const;  // Error(Data) if it is negative or broken
  LabelMatrix labels() const;  // Error(Data) unless all are 0 and 1, or 1 and -1
  std::vector<std::string> texts() const;

  [[noreturn]] void refuse(const std::string& why, const std::string& hint) const;
  // Error(Data) at the first NaN of rows that were copied from `first` on.
  void refuse_gap(std::size_t first, const Matrix& rows) const;

 private:
  [[noreturn]] void refuse_number(std::size_t row, std::size_t column, const char* what) const;
};

// Parses the header at the front of `bytes`, of which there must be enough. Error(Data) for all but
// a plain array of numbers or text: above all for Python objects, which are code to be run.
NpyHeader parse_npy_header(std::string_view bytes, const std::string& name,
                           const std::string& path);
// The longest a header may be, with the bytes before it.
constexpr std::size_t kLongestNpyHeader = (std::size_t{1} << 16) + 16;

// Error(Data) unless an array with this header takes `size` bytes, those of the header among them.
void require_npy_size(const NpyHeader& header, std::size_t size, const std::string& name,
                      const std::string& path);

// All of an array. Error(Data) if the bytes are not as many as its header says.
NpyArray npy_array(std::string_view bytes, const std::string& name, const std::string& path);

// The arrays of an .npz file, which is a ZIP file of .npy files. Each is unpacked when it is asked
// for, and its header is looked at before the rest.
class NpzFile {
 public:
  // `bytes` must outlive it. Error(Data) if it is not a ZIP file.
  NpzFile(std::string_view bytes, std::string path);
  ~NpzFile();

  const std::vector<std::string>& names() const { return names_; }  // without .npy
  bool has(std::string_view name) const;
  // The first of these that there is; "" for none.
  std::string first_of(std::initializer_list<std::string_view> names) const;
  // Error(Data) if it is missing or damaged. The bytes live as long as this.
  NpyArray array(const std::string& name);

 private:
  struct Zip;
  std::unique_ptr<Zip> zip_;
  std::string path_;
  std::vector<std::string> names_;
  std::vector<AlignedBytes> unpacked_;
};

}  // namespace sieve
