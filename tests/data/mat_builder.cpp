#include "data/mat_builder.h"

#include <zlib.h>

#include <algorithm>
#include <cstring>

namespace sieve::test {
namespace {

template <class T>
std::string raw(double value) {
  const T number = static_cast<T>(value);
  std::string bytes(sizeof number, '\0');
  std::memcpy(bytes.data(), &number, sizeof number);
  return bytes;
}

std::string raw_number(double value, MatType type) {
  switch (type) {
    case MatType::Int8:
      return raw<std::int8_t>(value);
    case MatType::Uint8:
      return raw<std::uint8_t>(value);
    case MatType::Int16:
      return raw<std::int16_t>(value);
    case MatType::Uint16:
      return raw<std::uint16_t>(value);
    case MatType::Int32:
      return raw<std::int32_t>(value);
    case MatType::Uint32:
      return raw<std::uint32_t>(value);
    case MatType::Single:
      return raw<float>(value);
    case MatType::Int64:
      return raw<std::int64_t>(value);
    case MatType::Uint64:
      return raw<std::uint64_t>(value);
    default:
      return raw<double>(value);
  }
}

}  // namespace

MatBuilder::MatBuilder(bool big_endian, bool packed)
    : big_endian_(big_endian), packed_(packed), bytes_("MATLAB 5.0 MAT-file, made by hand") {
  bytes_.resize(116, ' ');
  bytes_.append(8, '\0');
  bytes_ += big_endian ? std::string("\x01\x00MI", 4) : std::string("\x00\x01IM", 4);
}

std::string MatBuilder::number(double value, MatType type) const {
  std::string bytes = raw_number(value, type);
  if (big_endian_) std::ranges::reverse(bytes);
  return bytes;
}

std::string MatBuilder::element(MatType type, const std::string& content) const {
  const auto code = static_cast<std::uint32_t>(type);
  const auto size = static_cast<std::uint32_t>(content.size());
  const bool is_small = size >= 1 && size <= 4;
  std::string bytes = is_small ? word(size << 16 | code) : word(code) + word(size);
  bytes += content;
  bytes.resize((bytes.size() + 7) / 8 * 8);
  return bytes;
}

std::string MatBuilder::numbers(MatType type, const std::vector<double>& values) const {
  std::string content;
  for (const double value : values) content += number(value, type);
  return element(type, content);
}

std::string MatBuilder::head(const std::string& name, std::uint32_t kind_and_flags,
                             const std::vector<std::uint32_t>& shape) const {
  std::string lengths;
  for (const std::uint32_t length : shape) lengths += word(length);
  return element(MatType::Uint32, word(kind_and_flags) + word(0)) +
         element(MatType::Int32, lengths) + element(MatType::Int8, name);
}

std::string MatBuilder::text(const std::string& name, const std::vector<std::string>& rows) const {
  std::string content;
  for (std::size_t j = 0; j < rows[0].size(); ++j)
    for (const std::string& row : rows) content += number(row[j], MatType::Uint16);
  return head(name, static_cast<std::uint32_t>(MatClass::Char),
              {static_cast<std::uint32_t>(rows.size()),
               static_cast<std::uint32_t>(rows[0].size())}) +
         element(MatType::Uint16, content);
}

MatBuilder& MatBuilder::add(const std::string& content) {
  std::string bytes = word(static_cast<std::uint32_t>(MatType::Variable)) +
                      word(static_cast<std::uint32_t>(content.size())) + content;
  if (packed_) {
    uLongf size = compressBound(bytes.size());
    std::string squeezed(size, '\0');
    compress(reinterpret_cast<Bytef*>(squeezed.data()), &size,
             reinterpret_cast<const Bytef*>(bytes.data()), bytes.size());
    squeezed.resize(size);
    bytes = word(static_cast<std::uint32_t>(MatType::Compressed)) +
            word(static_cast<std::uint32_t>(size)) + squeezed;
  }
  bytes_ += bytes;
  return *this;
}

MatBuilder& MatBuilder::full(const std::string& name, const Full& matrix) {
  return add(head(name, static_cast<std::uint32_t>(matrix.kind) | matrix.flags, matrix.shape) +
             numbers(matrix.type, matrix.values));
}

MatBuilder& MatBuilder::sparse(const std::string& name, const Sparse& matrix) {
  const std::vector<double> rows(matrix.row_of.begin(), matrix.row_of.end());
  const std::vector<double> starts(matrix.starts.begin(), matrix.starts.end());
  return add(head(name, static_cast<std::uint32_t>(MatClass::Sparse), {matrix.rows, matrix.cols}) +
             numbers(MatType::Int32, rows) + numbers(MatType::Int32, starts) +
             numbers(MatType::Double, matrix.values));
}

MatBuilder& MatBuilder::cell(const std::string& name, const std::vector<std::string>& texts) {
  std::string content = head(name, static_cast<std::uint32_t>(MatClass::Cell),
                             {static_cast<std::uint32_t>(texts.size()), 1});
  for (const std::string& one : texts) content += element(MatType::Variable, text("", {one}));
  return add(content);
}

MatBuilder& MatBuilder::chars(const std::string& name, const std::vector<std::string>& rows) {
  return add(text(name, rows));
}

MatBuilder& MatBuilder::bare(const std::string& name, MatClass kind) {
  return add(head(name, static_cast<std::uint32_t>(kind), {1, 1}));
}

}  // namespace sieve::test
