#include "data/numpy/npy.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include <zip.h>

#include "data/text/utf.h"
#include "labelsieve/error.h"

namespace sieve {
namespace {

// A number of 16 bits (IEEE 754), which C++20 has no type for.
struct Half {
  std::uint16_t bits;
  operator float() const {  // NOLINT: a number
    const std::uint32_t sign = std::uint32_t{bits & 0x8000U} << 16, rest = bits & 0x7fffU;
    if (rest >= 0x7c00)  // infinite, or not a number
      return std::bit_cast<float>(sign | 0x7f800000U | (rest & 0x3ffU) << 13);
    if (rest >= 0x400) return std::bit_cast<float>(sign | ((rest << 13) + (112U << 23)));
    const float small = static_cast<float>(rest) * 0x1p-24F;
    return sign != 0 ? -small : small;
  }
};

// The number at `from`, in the byte order of the file.
template <class T>
T number_at(const char* from, bool swapped) {
  std::array<char, sizeof(T)> bytes;
  std::memcpy(bytes.data(), from, sizeof(T));
  if (swapped) std::ranges::reverse(bytes);
  return std::bit_cast<T>(bytes);
}

// Calls use(T{}) with the type of the items of a header.
template <class Use>
void with_type(const NpyHeader& header, const Use& use) {
  const auto by_size = [&](auto one, auto two, auto four, auto eight) {
    if (header.item == 1) return use(one);
    if (header.item == 2) return use(two);
    if (header.item == 4) return use(four);
    return use(eight);
  };
  if (header.kind == 'f') return by_size(Half{}, Half{}, float{}, double{});
  if (header.kind == 'i')
    return by_size(std::int8_t{}, std::int16_t{}, std::int32_t{}, std::int64_t{});
  by_size(std::uint8_t{}, std::uint16_t{}, std::uint32_t{}, std::uint64_t{});
}

bool is_finite(float value) {
  return (std::bit_cast<std::uint32_t>(value) & 0x7f800000U) != 0x7f800000U;
}

// How rows lie in the bytes: item (i, j) is at i * down + j * across.
struct Steps {
  std::size_t down, across;
};
Steps steps_of(const NpyHeader& header) {
  if (header.fortran) return {header.item, header.item * header.rows()};
  return {header.item * header.cols(), header.item};
}

// One row (or one column, by other steps) of items as float32.
template <class T>
void convert(const char* from, std::size_t step, bool swapped, float* to, std::size_t to_step,
             std::size_t count) {
  if (!swapped && step == sizeof(T) && to_step == 1) {
    for (std::size_t k = 0; k < count; ++k)
      to[k] = static_cast<float>(number_at<T>(from + k * sizeof(T), false));
    return;
  }
  for (std::size_t k = 0; k < count; ++k)
    to[k * to_step] = static_cast<float>(number_at<T>(from + k * step, swapped));
}

}  // namespace

void NpyArray::refuse(const std::string& why, const std::string& hint) const {
  throw Error(Failure::Data, why, {path, 0, 0}, hint);
}

void NpyArray::require_matrix() const {
  if (header.kind == 'U' || header.kind == 'S')
    refuse(name + " holds text, but a matrix of numbers is needed", "save numbers");
  if (header.shape.size() == 2) return;
  std::string shape;
  for (const std::size_t length : header.shape)
    shape += (shape.empty() ? "" : " x ") + std::to_string(length);
  refuse(name + " has " + std::to_string(header.shape.size()) + " dimensions" +
             (shape.empty() ? "" : " (" + shape + ")") + ", but two are needed",
         "reshape it to rows x columns");
}

bool NpyArray::copy_rows(std::size_t first, std::size_t count, float* to,
                         std::size_t stride) const {
  const Steps steps = steps_of(header);
  const std::size_t cols = header.cols();
  const char* begin = bytes.data() + first * steps.down;
  with_type(header, [&](auto type) {
    using T = decltype(type);
    if (header.fortran)  // a column after the other: they lie far apart
      for (std::size_t j = 0; j < cols; ++j)
        convert<T>(begin + j * steps.across, steps.down, header.swapped, to + j, stride, count);
    else
      for (std::size_t i = 0; i < count; ++i)
        convert<T>(begin + i * steps.down, steps.across, header.swapped, to + i * stride, 1, cols);
  });
  bool all_finite = true;
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t j = 0; j < cols; ++j) all_finite &= is_finite(to[i * stride + j]);
  if (all_finite) return false;
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t j = 0; j < cols; ++j)
      if (std::isinf(to[i * stride + j]))
        refuse_number(first + i, j, "is not a finite 32-bit number");
  return true;
}

void NpyArray::refuse_gap(std::size_t first, const Matrix& rows) const {
  for (std::size_t i = 0; i < rows.rows(); ++i)
    for (std::size_t j = 0; j < rows.cols(); ++j)
      if (std::isnan(rows(i, j))) refuse_number(first + i, j, "is NaN, a missing value");
}

void NpyArray::refuse_number(std::size_t row, std::size_t column, const char* what) const {
  refuse("row " + std::to_string(row + 1) + ", column " + std::to_string(column + 1) + " of " +
             name + " " + what,
         "features must be finite numbers");
}

std::uint64_t NpyArray::whole_number(std::size_t at) const {
  std::uint64_t value = 0;
  bool good = header.kind == 'i' || header.kind == 'u';
  with_type(header, [&](auto type) {
    using T = decltype(type);
    if constexpr (std::is_integral_v<T>) {
      const T number = number_at<T>(bytes.data() + at * header.item, header.swapped);
      good = good && number >= 0;
      value = static_cast<std::uint64_t>(number);
    }
  });
  if (!good) refuse(name + " should hold whole numbers from 0 on", "save it again");
  return value;
}

LabelMatrix NpyArray::labels() const {
  require_matrix();
  LabelMatrix out(header.rows(), header.cols());
  std::vector<float> row(header.cols());
  std::vector<signed char> off(header.cols(), 1);  // what says "off" in a column: 0, -1, or neither
  for (std::size_t i = 0; i < header.rows(); ++i) {
    copy_rows(i, 1, row.data(), 0);
    for (std::size_t j = 0; j < header.cols(); ++j) {
      const float value = row[j];
      if (value == 1) {
        out.set(i, j);
        continue;
      }
      const bool mixed = off[j] != 1 && value != static_cast<float>(off[j]);
      if ((value != 0 && value != -1) || mixed)
        refuse("row " + std::to_string(i + 1) + ", column " + std::to_string(j + 1) + " of " +
                   name +
                   (mixed ? " is 0 or -1, where the column has the other one above"
                          : " is not a label value"),
               "labels must be 0 and 1, or -1 and 1, in a matrix of rows x labels");
      off[j] = static_cast<signed char>(value);
    }
  }
  return out;
}

std::vector<std::string> NpyArray::texts() const {
  if (header.shape.size() != 1 || (header.kind != 'U' && header.kind != 'S'))
    refuse(name + " should be a list of texts", "save it as numpy.array([...], dtype=str)");
  std::vector<std::string> out(header.rows());
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::string_view item = bytes.substr(i * header.item, header.item);
    if (header.kind == 'S') {
      out[i] = item.substr(0, item.find_last_not_of('\0') + 1);
      continue;
    }
    std::u32string points;
    for (std::size_t k = 0; k < item.size(); k += 4)
      points += number_at<char32_t>(item.data() + k, header.swapped);
    points.resize(points.find_last_not_of(U'\0') + 1);
    for (const char32_t point : points)
      if (point > 0x10ffff || (point >= 0xd800 && point < 0xe000))
        refuse(name + " holds text that is not valid Unicode", "save it again");
    out[i] = to_utf8(points);
  }
  return out;
}

namespace {

constexpr std::size_t kPiece = std::size_t{1} << 20;
constexpr zip_int64_t kMostMembers = 10000;

[[noreturn]] void refuse(const std::string& why, const std::string& path) {
  throw Error(Failure::Data, why, {path, 0, 0},
              "check that the file was copied or downloaded whole");
}

struct CloseFile {
  void operator()(zip_file_t* file) const { zip_fclose(file); }
};

}  // namespace

struct NpzFile::Zip {
  ~Zip() {
    if (archive != nullptr) zip_discard(archive);
  }
  zip_t* archive = nullptr;
  std::vector<zip_uint64_t> places;  // of the names
};

NpzFile::NpzFile(std::string_view bytes, std::string path)
    : zip_(std::make_unique<Zip>()), path_(std::move(path)) {
  zip_error_t error;
  zip_error_init(&error);
  zip_source_t* source = zip_source_buffer_create(bytes.data(), bytes.size(), 0, &error);
  if (source != nullptr) zip_->archive = zip_open_from_source(source, ZIP_RDONLY, &error);
  if (zip_->archive == nullptr && source != nullptr) zip_source_free(source);
  zip_error_fini(&error);
  if (zip_->archive == nullptr) refuse("the ZIP file is damaged", path_);
  const zip_int64_t members = zip_get_num_entries(zip_->archive, 0);
  if (members > kMostMembers) refuse("the ZIP file has too many members", path_);
  for (zip_int64_t i = 0; i < members; ++i) {
    const auto place = static_cast<zip_uint64_t>(i);
    const char* name = zip_get_name(zip_->archive, place, 0);
    if (name == nullptr || !std::string_view(name).ends_with(".npy")) continue;
    names_.emplace_back(name, std::string_view(name).size() - 4);
    zip_->places.push_back(place);
  }
  if (names_.empty())
    throw Error(Failure::Data, "this is a ZIP file without NumPy arrays in it", {path_, 0, 0},
                "unpack it and name the data file inside");
}

NpzFile::~NpzFile() = default;

bool NpzFile::has(std::string_view name) const {
  return std::ranges::find(names_, name) != names_.end();
}

std::string NpzFile::first_of(std::initializer_list<std::string_view> names) const {
  for (const std::string_view name : names)
    if (has(name)) return std::string(name);
  return {};
}

NpyArray NpzFile::array(const std::string& name) {
  const auto found = std::ranges::find(names_, name);
  const std::string called = "'" + name + "'";
  if (found == names_.end()) refuse("the ZIP file has no member " + called, path_);
  const zip_uint64_t place = zip_->places[static_cast<std::size_t>(found - names_.begin())];
  zip_stat_t facts;
  if (zip_stat_index(zip_->archive, place, 0, &facts) != 0 || (facts.valid & ZIP_STAT_SIZE) == 0)
    refuse("the member " + called + " of the ZIP file is damaged", path_);
  const std::unique_ptr<zip_file_t, CloseFile> file(zip_fopen_index(zip_->archive, place, 0));
  if (!file) refuse("the member " + called + " of the ZIP file cannot be unpacked", path_);

  // Room grows with what comes, and only once the header was found to be one of such an array.
  AlignedBytes bytes;
  std::size_t used = 0, wanted = std::min<std::size_t>(facts.size, kLongestNpyHeader);
  bool looked = false;
  while (true) {
    bytes.resize(wanted);
    while (used < wanted) {
      const zip_int64_t got =
          zip_fread(file.get(), static_cast<char*>(bytes.data()) + used, wanted - used);
      if (got < 0) refuse("the member " + called + " of the ZIP file is damaged", path_);
      if (got == 0) break;
      used += static_cast<std::size_t>(got);
    }
    if (used < wanted) refuse("the member " + called + " of the ZIP file is truncated", path_);
    const std::string_view front(static_cast<const char*>(bytes.data()), used);
    if (!std::exchange(looked, true))
      require_npy_size(parse_npy_header(front, called, path_), facts.size, called, path_);
    if (used == facts.size) break;
    wanted = std::min<std::size_t>(facts.size, std::max(used + kPiece, 2 * used));
  }
  char beyond = 0;  // reading to the end makes the library compare the checksum
  if (zip_fread(file.get(), &beyond, 1) != 0)
    refuse("the checksum of the member " + called + " of the ZIP file is wrong", path_);
  unpacked_.push_back(std::move(bytes));
  return npy_array({static_cast<const char*>(unpacked_.back().data()), used}, called, path_);
}

}  // namespace sieve
