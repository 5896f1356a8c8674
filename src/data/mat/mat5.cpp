#include "data/mat/mat5.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <new>
#include <optional>
#include <utility>

#include "data/text/utf.h"
#include "labelsieve/error.h"

namespace sieve {
namespace {

constexpr std::size_t kFileHeader = 128;
constexpr std::size_t kMostInflation = 1032;  // what deflate can reach, bytes out for a byte in
constexpr std::size_t kZlibHeader = 2;
constexpr std::size_t kLongestName = 4096;
constexpr std::size_t kMostDimensions = 32;
constexpr std::size_t kLongestDimension = 0x7fffffff;

std::uint32_t word_at(const char* bytes, bool big_endian) {
  std::uint32_t value;
  std::memcpy(&value, bytes, sizeof value);
  return big_endian ? __builtin_bswap32(value) : value;
}

template <class T, class Swap>
void swap_each(void* numbers, std::size_t count, Swap swap) {
  T* values = static_cast<T*>(numbers);
  for (std::size_t i = 0; i < count; ++i) values[i] = swap(values[i]);
}

void swap_bytes(void* numbers, std::size_t count, std::size_t width) {
  if (width == 2)
    swap_each<std::uint16_t>(numbers, count, [](auto v) { return __builtin_bswap16(v); });
  if (width == 4)
    swap_each<std::uint32_t>(numbers, count, [](auto v) { return __builtin_bswap32(v); });
  if (width == 8)
    swap_each<std::uint64_t>(numbers, count, [](auto v) { return __builtin_bswap64(v); });
}

}  // namespace

std::string class_name(const MatVariable& variable) {
  static constexpr std::array<const char*, 18> kNames = {
      "unknown", "cell",  "struct", "object", "char",   "sparse", "double", "single",   "int8",
      "uint8",   "int16", "uint16", "int32",  "uint32", "int64",  "uint64", "function", "opaque"};
  const std::string name = kNames[static_cast<std::size_t>(variable.kind)];
  if (variable.is_complex) return "complex " + name;
  return variable.is_logical && variable.kind != MatClass::Sparse ? "logical" : name;
}

// ---- bytes of one variable ----------------------------------------------------------------------

Mat5Source::Mat5Source(std::string_view bytes, bool packed, bool big_endian,
                       const std::string& path)
    : path_(path), packed_(packed), big_endian_(big_endian) {
  if (!packed) {
    plain_ = bytes;
    return;
  }
  // The zlib frame is handled here, so that the checksum can be worked out on another thread.
  const auto* frame = reinterpret_cast<const unsigned char*>(bytes.data());
  if (bytes.size() < kZlibHeader || frame[0] % 16 != Z_DEFLATED || (frame[1] & 0x20U) != 0 ||
      (frame[0] * 256 + frame[1]) % 31 != 0)
    refuse("a packed variable does not begin as one");
  stream_ = std::make_unique<z_stream>();
  stream_->next_in = const_cast<Bytef*>(frame + kZlibHeader);
  stream_->avail_in = static_cast<uInt>(bytes.size() - kZlibHeader);
  if (inflateInit2(stream_.get(), -MAX_WBITS) != Z_OK) throw std::bad_alloc();
}

Mat5Source::~Mat5Source() {
  if (stream_) inflateEnd(stream_.get());
}

void Mat5Source::refuse(const std::string& why) const {
  throw Error(Failure::Data, "damaged MAT file: " + why, {path_, 0, 0},
              "copy or download the file again, or save it anew");
}

std::uint32_t Mat5Source::word(const char* bytes) const {
  return word_at(bytes, big_endian_);
}

void Mat5Source::take(void* into, std::size_t size) {
  if (!packed_) {
    if (size > plain_.size()) refuse("a variable ends too early");
    if (size > 0) std::memcpy(into, plain_.data(), size);
    plain_.remove_prefix(size);
  } else {
    if (inflate_some(into, size) < size) refuse("a packed variable ends too early");
  }
}

// Inflates up to `size` bytes; fewer only where the packed bytes end.
std::size_t Mat5Source::inflate_some(void* into, std::size_t size) {
  stream_->next_out = static_cast<Bytef*>(into);
  std::size_t got = 0;
  while (got < size && !ended_) {
    const std::size_t part = std::min<std::size_t>(size - got, 1U << 30);
    stream_->avail_out = static_cast<uInt>(part);
    const int result = inflate(stream_.get(), Z_NO_FLUSH);
    if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR)
      refuse("a packed variable is not readable");
    ended_ = result == Z_STREAM_END;
    if (stream_->avail_out == part) break;
    got += part - stream_->avail_out;
  }
  return got;
}

void Mat5Source::add_to_sum(const void* bytes, std::size_t size) {
  if (packed_ && size > 0) sum_ = adler32_z(sum_, static_cast<const Bytef*>(bytes), size);
}

void Mat5Source::skip(std::size_t size) {
  std::array<char, 4096> ignored;
  while (size > 0) {
    const std::size_t part = std::min(size, ignored.size());
    take(ignored.data(), part);
    add_to_sum(ignored.data(), part);
    size -= part;
  }
}

MatTag Mat5Source::next_tag() {
  skip(left_ + padding_);
  std::array<char, 8> bytes;
  take(bytes.data(), 4);
  add_to_sum(bytes.data(), 4);
  const std::uint32_t first = word(bytes.data());
  MatTag tag{static_cast<MatType>(first & 0xffffU), first >> 16};
  if (tag.size != 0) {  // a small element: its content fits the second half of the tag
    if (tag.size > 4) refuse("an element has an impossible size");
    padding_ = 4 - tag.size;
  } else {
    take(bytes.data() + 4, 4);
    add_to_sum(bytes.data() + 4, 4);
    tag.size = word(bytes.data() + 4);
    padding_ = (8 - tag.size % 8) % 8;
  }
  left_ = tag.size;
  return tag;
}

void Mat5Source::read_unsettled(void* into, std::size_t size) {
  if (size > left_) refuse("an element is shorter than it has to be");
  take(into, size);
  left_ -= size;
}

void Mat5Source::settle(void* numbers, std::size_t count, std::size_t width) {
  add_to_sum(numbers, count * width);
  if (big_endian_) swap_bytes(numbers, count, width);
}

void Mat5Source::read_numbers(void* into, std::size_t count, std::size_t width) {
  read_unsettled(into, count * width);
  settle(into, count, width);
}

void Mat5Source::check_size(const MatTag& tag) const {
  const std::size_t most =
      packed_ ? kMostInflation * (std::size_t{stream_->avail_in} + 64) : plain_.size();
  if (tag.size > most) refuse("an element is larger than what is left of the file");
}

void Mat5Source::finish() {
  if (!packed_) return;
  std::array<char, 16> rest;  // some padding may stand before the end
  if (left_ == 0) add_to_sum(rest.data(), inflate_some(rest.data(), rest.size()));
  const auto* after = reinterpret_cast<const char*>(stream_->next_in);
  if (!ended_ || stream_->avail_in < 4 || __builtin_bswap32(word_at(after, false)) != sum_)
    refuse("the checksum of a packed variable does not match");
}

// ---- the file -----------------------------------------------------------------------------------

MatVariable read_mat_header(Mat5Source& source) {
  MatVariable variable;
  std::array<std::uint32_t, 2> flags;
  if (source.next_tag().type != MatType::Uint32) source.refuse("a variable has no array flags");
  source.read_numbers(flags.data(), flags.size(), 4);
  const std::uint32_t kind = flags[0] & 0xffU;
  if (kind < 1 || kind > static_cast<std::uint32_t>(MatClass::Opaque))
    source.refuse("a variable has the unknown class " + std::to_string(kind));
  variable.kind = static_cast<MatClass>(kind);
  variable.is_complex = (flags[0] & 0x800U) != 0;
  variable.is_logical = (flags[0] & 0x200U) != 0;

  if (variable.kind != MatClass::Opaque) {  // objects of newer classes have no shape here
    const MatTag shape = source.next_tag();
    if (shape.type != MatType::Int32 || shape.size % 4 != 0 || shape.size < 8 ||
        shape.size > 4 * kMostDimensions)
      source.refuse("a variable has no proper dimensions");
    std::array<std::uint32_t, kMostDimensions> lengths;
    source.read_numbers(lengths.data(), shape.size / 4, 4);
    variable.shape.assign(lengths.begin(), lengths.begin() + shape.size / 4);
    if (std::ranges::any_of(variable.shape, [](std::size_t n) { return n > kLongestDimension; }))
      source.refuse("a variable has a negative dimension");
  }
  const MatTag name = source.next_tag();
  if (name.type != MatType::Int8 || name.size > kLongestName)
    source.refuse("a variable has no proper name");
  variable.name.resize(name.size);
  source.read(variable.name.data(), name.size);
  return variable;
}

Mat5File::Mat5File(std::string_view bytes, std::string path) : path_(std::move(path)) {
  if (bytes.size() < kFileHeader) refuse("too short for a MAT file");
  big_endian_ = bytes.substr(126, 2) == "MI";
  bytes.remove_prefix(kFileHeader);
  while (!bytes.empty()) {
    if (bytes.size() < 8) refuse("the MAT file ends too early");
    const auto type = static_cast<MatType>(word_at(bytes.data(), big_endian_));
    const std::size_t size = word_at(bytes.data() + 4, big_endian_);
    bytes.remove_prefix(8);
    if (size > bytes.size()) refuse("the MAT file ends too early");
    if (type != MatType::Variable && type != MatType::Compressed)
      refuse("damaged MAT file: there is something between the variables");
    add_variable(bytes.substr(0, size), type == MatType::Compressed);
    bytes.remove_prefix(size);
  }
}

void Mat5File::add_variable(std::string_view bytes, bool packed) {
  MatVariable place;
  place.bytes = bytes, place.packed = packed;
  const std::unique_ptr<Mat5Source> source = open(place);
  MatVariable variable = read_mat_header(*source);
  variable.bytes = bytes, variable.packed = packed;
  variables_.push_back(std::move(variable));
}

std::unique_ptr<Mat5Source> Mat5File::open(const MatVariable& variable) const {
  auto source = std::make_unique<Mat5Source>(variable.bytes, variable.packed, big_endian_, path_);
  if (!variable.packed) return source;
  if (source->next_tag().type != MatType::Variable)
    source->refuse("a packed element holds no variable");
  source->enter();
  return source;
}

const MatVariable* Mat5File::find(std::initializer_list<std::string_view> names) const {
  for (const std::string_view name : names) {
    const auto first = std::ranges::find(variables_, name, &MatVariable::name);
    if (first == variables_.end()) continue;
    if (std::find_if(first + 1, variables_.end(), [&](auto& v) { return v.name == name; }) !=
        variables_.end())
      refuse("the variable '" + std::string(name) + "' appears twice");
    return &*first;
  }
  return nullptr;
}

void Mat5File::refuse(const std::string& why, const std::string& hint) const {
  throw Error(Failure::Data, why, {path_, 0, 0}, hint);
}

std::unique_ptr<Mat5Source> Mat5File::open_content(const MatVariable& variable) const {
  std::unique_ptr<Mat5Source> source = open(variable);
  (void)read_mat_header(*source);
  return source;
}

Features Mat5File::read_features(const MatVariable& variable, bool across, ThreadPool* pool) const {
  const std::unique_ptr<Mat5Source> source = open_content(variable);
  if (variable.kind != MatClass::Sparse) return read_full_matrix(*source, variable, across, pool);
  return read_sparse_matrix(*source, variable, across);
}

void Mat5File::unpack_features(const MatVariable& variable, ThreadPool* pool,
                               const std::function<void(std::span<const float>)>& put) const {
  unpack_full_matrix(*open_content(variable), variable, pool, put);
}

LabelMatrix Mat5File::read_labels(const MatVariable& variable, bool across) const {
  return read_label_matrix(*open_content(variable), variable, across);
}

std::vector<std::string> Mat5File::read_strings(const MatVariable& variable) const {
  return read_string_list(*open_content(variable), variable);
}

namespace {

// All characters of a char array, in the order of the file (column by column).
std::u32string read_characters(Mat5Source& source, const MatVariable& variable) {
  const MatTag tag = source.next_tag();
  source.check_size(tag);
  std::optional<std::u32string> points;
  if (tag.type == MatType::Uint16 || tag.type == MatType::Utf16) {
    std::u16string units(tag.size / 2, u'\0');
    source.read_numbers(units.data(), units.size(), 2);
    points = code_points_of_utf16(units);
  } else if (tag.type == MatType::Utf8 || tag.type == MatType::Int8 || tag.type == MatType::Uint8) {
    std::string bytes(tag.size, '\0');
    source.read(bytes.data(), bytes.size());
    points = code_points_of_utf8(bytes);
  }
  if (!points) source.refuse("the text in '" + variable.name + "' is not valid UTF-8 or UTF-16");
  return *points;
}

// The rows of a char array, without trailing blanks where there are several.
std::vector<std::string> read_rows(Mat5Source& source, const MatVariable& variable) {
  const std::u32string points = read_characters(source, variable);
  if (variable.rows() == 1 || points.empty()) return {to_utf8(points)};
  if (points.size() != variable.rows() * variable.cols())
    source.refuse("the char matrix '" + variable.name + "' is not filled");
  std::vector<std::string> rows;
  for (std::size_t i = 0; i < variable.rows(); ++i) {
    std::u32string row;
    for (std::size_t j = 0; j < variable.cols(); ++j) row += points[j * variable.rows() + i];
    row.erase(row.find_last_not_of(U' ') + 1);
    rows.push_back(to_utf8(row));
  }
  return rows;
}

std::string read_cell(Mat5Source& source, const MatVariable& list) {
  const MatTag tag = source.next_tag();
  if (tag.type != MatType::Variable) source.refuse("the cell array '" + list.name + "' ends early");
  if (tag.size == 0) return {};
  source.enter();
  MatVariable cell = read_mat_header(source);
  cell.name = list.name;
  if (cell.kind != MatClass::Char || cell.shape.size() != 2)
    source.refuse("'" + list.name + "' should hold strings, but a cell is of class " +
                  class_name(cell));
  return read_rows(source, cell).front();
}

}  // namespace

std::vector<std::string> read_string_list(Mat5Source& source, const MatVariable& variable) {
  std::vector<std::string> strings;
  if (variable.kind == MatClass::Char) {
    strings = read_rows(source, variable);
  } else {
    const std::size_t count = variable.rows() * variable.cols();
    for (std::size_t i = 0; i < count; ++i) strings.push_back(read_cell(source, variable));
  }
  source.finish();
  return strings;
}

}  // namespace sieve
