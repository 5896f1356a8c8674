#include <cctype>
#include <limits>
#include <utility>

#include "base/parse_number.h"
#include "data/numpy/npy.h"
#include "labelsieve/error.h"

namespace sieve {
namespace {

// Reads the Python dictionary of a header: three keys, and no more Python than NumPy itself writes.
class HeaderParser {
 public:
  HeaderParser(std::string_view text, const std::string& name, const std::string& path)
      : rest_(text), name_(name), path_(path) {}

  NpyHeader parse() {
    expect('{');
    while (!take('}')) {
      const std::string_view key = quoted();
      expect(':');
      if (key == "descr")
        once(has_type_), read_type();
      else if (key == "fortran_order")
        once(has_order_), header_.fortran = truth();
      else if (key == "shape")
        once(has_shape_), read_shape();
      else
        damaged();
      if (take('}')) break;
      expect(',');
    }
    skip_blanks();
    if (!rest_.empty() || !has_type_ || !has_order_ || !has_shape_) damaged();
    return std::move(header_);
  }

  [[noreturn]] void damaged() const {
    refuse("the header of " + name_ + " is damaged",
           "save it again with numpy.save or numpy.savez");
  }
  [[noreturn]] void refuse(const std::string& why, const std::string& hint) const {
    throw Error(Failure::Data, why, {path_, 0, 0}, hint);
  }

 private:
  void once(bool& seen) {
    if (std::exchange(seen, true)) damaged();
  }
  void skip_blanks() {
    while (!rest_.empty() && (rest_[0] == ' ' || rest_[0] == '\n')) rest_.remove_prefix(1);
  }
  bool take(char wanted) {
    skip_blanks();
    if (rest_.empty() || rest_[0] != wanted) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void expect(char wanted) {
    if (!take(wanted)) damaged();
  }
  std::string_view quoted() {
    const char quote = take('\'') ? '\'' : '"';
    if (quote == '"') expect('"');
    const std::size_t end = rest_.find(quote);
    if (end == rest_.npos) damaged();
    const std::string_view text = rest_.substr(0, end);
    rest_.remove_prefix(end + 1);
    return text;
  }
  bool truth() {
    skip_blanks();
    for (const std::string_view word : {"True", "False"})
      if (rest_.starts_with(word)) {
        rest_.remove_prefix(word.size());
        return word == "True";
      }
    damaged();
  }
  std::size_t number() {
    skip_blanks();
    std::size_t digits = 0;
    while (digits < rest_.size() && std::isdigit(static_cast<unsigned char>(rest_[digits])) != 0)
      ++digits;
    const auto value = parse_number<std::size_t>(rest_.substr(0, digits));
    if (!value) damaged();
    rest_.remove_prefix(digits);
    return *value;
  }

  void read_shape() {
    expect('(');
    while (!take(')')) {
      header_.shape.push_back(number());
      if (header_.shape.size() > 32) damaged();
      if (take(')')) break;
      expect(',');
    }
  }

  // "<f4": byte order, kind, bytes (characters of text).
  void read_type() {
    skip_blanks();
    if (!rest_.empty() && rest_[0] == '[')
      refuse(name_ + " is an array of records",
             "save its numbers as a plain matrix, for example with "
             "numpy.lib.recfunctions.structured_to_unstructured");
    const std::string_view type = quoted();
    if (type.size() < 2) damaged();
    header_.kind = type[1];
    header_.swapped = type[0] == '>';
    if (header_.kind == 'O')
      refuse(name_ + " holds pickled Python objects, which cannot be read without running code",
             "save it as numbers, for example x.astype('float32')");
    const auto size = parse_number<std::size_t>(type.substr(2));
    if (std::string_view("<>|=").find(type[0]) == std::string_view::npos || !size) damaged();
    check_size(std::string(type), *size);
    header_.item = header_.kind == 'U' ? 4 * *size : *size;
  }
  void check_size(const std::string& type, std::uint64_t size) const {
    const char kind = header_.kind;
    const bool real = kind == 'f' && (size == 2 || size == 4 || size == 8);
    const bool whole =
        (kind == 'i' || kind == 'u') && (size == 1 || size == 2 || size == 4 || size == 8);
    const bool text = (kind == 'U' || kind == 'S') && size <= (std::uint64_t{1} << 20);
    if (real || whole || text || (kind == 'b' && size == 1)) return;
    refuse(name_ + " has items of type '" + type.substr(0, 20) +
               "'; numbers of 16, 32 or 64 bits are read, whole ones of 8 to 64 bits, and bool",
           "convert it, for example x.astype('float32')");
  }

  std::string_view rest_;
  const std::string& name_;
  const std::string& path_;
  NpyHeader header_;
  bool has_type_ = false, has_order_ = false, has_shape_ = false;
};

}  // namespace

std::size_t NpyHeader::count() const {
  constexpr std::size_t kTooMany = std::numeric_limits<std::size_t>::max();
  for (const std::size_t length : shape)
    if (length == 0) return 0;
  std::size_t product = 1;
  for (const std::size_t length : shape) {
    if (product > kTooMany / length) return kTooMany;
    product *= length;
  }
  return product;
}

NpyHeader parse_npy_header(std::string_view bytes, const std::string& name,
                           const std::string& path) {
  const HeaderParser broken({}, name, path);
  if (bytes.size() < 10 || !bytes.starts_with(kNpyMagic)) broken.damaged();
  const auto byte = [&](std::size_t at) {
    return std::size_t{static_cast<unsigned char>(bytes[at])};
  };
  const std::size_t version = byte(6);
  if (version < 1 || version > 3 || byte(7) != 0)
    broken.refuse("version " + std::to_string(version) + "." + std::to_string(byte(7)) +
                      " of the NumPy format is not known",
                  "save it again with numpy.save");
  const std::size_t begin = version == 1 ? 10 : 12;
  if (bytes.size() < begin) broken.damaged();
  std::size_t length = byte(8) + (byte(9) << 8);
  if (version > 1) length += (byte(10) << 16) + (byte(11) << 24);
  if (length > bytes.size() - begin || begin + length > kLongestNpyHeader) broken.damaged();
  NpyHeader header = HeaderParser(bytes.substr(begin, length), name, path).parse();
  header.offset = begin + length;
  return header;
}

void require_npy_size(const NpyHeader& header, std::size_t size, const std::string& name,
                      const std::string& path) {
  const std::size_t count = header.count(), item = header.item, behind = size - header.offset;
  const bool fits =
      item == 0 ? behind == 0 && count <= size : behind % item == 0 && behind / item == count;
  if (!fits)
    NpyArray{header, {}, name, path}.refuse(
        name + " should have " + std::to_string(count) + " items of " + std::to_string(item) +
            " bytes, but " + std::to_string(behind) + " bytes follow its header",
        "check that the file was copied or downloaded whole");
}

NpyArray npy_array(std::string_view bytes, const std::string& name, const std::string& path) {
  NpyArray array{parse_npy_header(bytes, name, path), {}, name, path};
  require_npy_size(array.header, bytes.size(), name, path);
  array.bytes = bytes.substr(array.header.offset);
  return array;
}

}  // namespace sieve
