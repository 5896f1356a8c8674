#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sieve {

// The wire format of protocol buffers, as far as ONNX files need it: a message is a row of fields,
// each a number (field * 8 + kind) and a value.

static_assert(std::endian::native == std::endian::little);

// A message in the making.
class ProtobufMessage {
 public:
  ProtobufMessage& number(std::uint32_t field, std::uint64_t value) {
    key(field, 0);
    varint(value);
    return *this;
  }
  ProtobufMessage& real(std::uint32_t field, float value) {
    key(field, 5);
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
    return *this;
  }
  ProtobufMessage& text(std::uint32_t field, std::string_view value) {
    key(field, 2);
    varint(value.size());
    bytes_ += value;
    return *this;
  }
  ProtobufMessage& message(std::uint32_t field, const ProtobufMessage& value) {
    return text(field, value.bytes_);
  }
  // A list of numbers in one field.
  template <class T>
  ProtobufMessage& packed(std::uint32_t field, std::span<const T> values) {
    if constexpr (std::integral<T>) {
      ProtobufMessage all;
      for (const T value : values) all.varint(static_cast<std::uint64_t>(value));
      return message(field, all);
    } else {
      return text(field, {reinterpret_cast<const char*>(values.data()), values.size_bytes()});
    }
  }
  const std::string& bytes() const { return bytes_; }

 private:
  void key(std::uint32_t field, std::uint32_t kind) { varint(std::uint64_t{field} << 3 | kind); }
  void varint(std::uint64_t value) {
    for (; value >= 128; value >>= 7) bytes_ += static_cast<char>(value | 128);
    bytes_ += static_cast<char>(value);
  }

  std::string bytes_;
};

// Goes through the fields of a message that was made here.
class MessageReader {
 public:
  explicit MessageReader(std::string_view bytes) : rest_(bytes) {}

  // The next field; false at the end.
  bool next() {
    if (rest_.empty()) return false;
    const std::uint64_t key = varint();
    field = static_cast<std::uint32_t>(key >> 3);
    if ((key & 7) == 0) {
      number = varint();
    } else {
      text = take((key & 7) == 5 ? sizeof(float) : varint());
    }
    return true;
  }
  bool more() const { return !rest_.empty(); }
  std::uint64_t varint() {
    std::uint64_t value = 0;
    for (int shift = 0;; shift += 7) {
      const auto byte = static_cast<unsigned char>(take(1)[0]);
      value |= std::uint64_t{byte & 127U} << shift;
      if (byte < 128) return value;
    }
  }

  std::uint32_t field = 0;
  std::uint64_t number = 0;
  std::string_view text{};  // the bytes of anything else

 private:
  std::string_view take(std::size_t size) {
    const std::string_view taken = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return taken;
  }
  std::string_view rest_;
};

// Types of numbers, by their numbers in ONNX files.
enum class OnnxType : std::uint8_t { Float = 1, Int64 = 7, String = 8, Bool = 9, Double = 11 };

// The opsets that the graphs below use.
constexpr std::uint64_t kOnnxOpset = 13, kOnnxMlOpset = 2;
constexpr std::string_view kOnnxMlDomain = "ai.onnx.ml";

// A setting of an operator.
ProtobufMessage onnx_attribute(std::string_view name, std::int64_t value);
ProtobufMessage onnx_attribute(std::string_view name, float value);
ProtobufMessage onnx_attribute(std::string_view name, std::span<const std::int64_t> values);
ProtobufMessage onnx_attribute(std::string_view name, std::span<const float> values);
ProtobufMessage onnx_attribute(std::string_view name, std::span<const std::string_view> values);

// A graph of operators in the making. Values go by name.
class OnnxGraph {
 public:
  using Value = std::string;
  using Shape = std::vector<std::size_t>;

  // Rows of `columns` numbers, as many as the caller brings.
  Value input(std::string_view name, OnnxType type, std::size_t columns);
  Value constant(const Shape& shape, std::span<const float> values);
  Value constant(const Shape& shape, std::span<const std::int64_t> values);
  Value constant(std::span<const std::string> texts);
  Value number(float value) { return constant({}, std::span(&value, 1)); }

  // What an operator makes of its inputs: its first output, called `as` if that is not empty.
  Value add(std::string_view op, const std::vector<Value>& inputs,
            const std::vector<ProtobufMessage>& attributes = {}, std::string_view as = {});
  // The second output of TopK, the places of the largest numbers.
  Value top_places(const Value& of, std::size_t count);
  Value cast(const Value& value, OnnxType to, std::string_view as = {}) {
    return add("Cast", {value}, {onnx_attribute("to", static_cast<std::int64_t>(to))}, as);
  }
  // Says what a value is where the operator does not tell.
  void describe(const Value& value, OnnxType type, std::size_t columns);
  void output(const Value& value, OnnxType type, std::size_t columns);
  void output(const Value& value, OnnxType type);  // one per row

  // The bytes of the model file.
  std::string file(const std::map<std::string, std::string>& metadata) const;

 private:
  std::string new_name(std::string_view op) {
    return std::string(op) + "_" + std::to_string(names_++);
  }
  Value add_tensor(const Shape& shape, OnnxType type, std::string_view bytes);

  ProtobufMessage body_;
  std::size_t names_ = 0;
};

}  // namespace sieve
