#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model_io/onnx/wire.h"

namespace sieve {

// Types of numbers, by their numbers in ONNX files.
enum class OnnxType : std::uint8_t { Float = 1, Int64 = 7, Bool = 9, Double = 11 };

// The opsets that the graphs below use.
constexpr std::uint64_t kOnnxOpset = 13, kOnnxMlOpset = 2;
constexpr std::string_view kOnnxMlDomain = "ai.onnx.ml";

// A setting of an operator.
Message onnx_attribute(std::string_view name, std::int64_t value);
Message onnx_attribute(std::string_view name, float value);
Message onnx_attribute(std::string_view name, std::span<const std::int64_t> values);
Message onnx_attribute(std::string_view name, std::span<const float> values);
Message onnx_attribute(std::string_view name, std::span<const std::string_view> values);

// A graph of operators in the making. Values go by name.
class OnnxGraph {
 public:
  using Value = std::string;
  using Shape = std::vector<std::size_t>;

  // Rows of `columns` numbers, as many as the caller brings.
  Value input(std::string_view name, OnnxType type, std::size_t columns);
  Value constant(const Shape& shape, std::span<const float> values);
  Value constant(const Shape& shape, std::span<const std::int64_t> values);
  Value number(float value) { return constant({}, std::span(&value, 1)); }

  // What an operator makes of its inputs: its first output, called `as` if that is not empty.
  Value add(std::string_view op, const std::vector<Value>& inputs,
            const std::vector<Message>& attributes = {}, std::string_view as = {});
  // The second output of TopK, the places of the largest numbers.
  Value top_places(const Value& of, std::size_t count);
  Value cast(const Value& value, OnnxType to, std::string_view as = {}) {
    return add("Cast", {value}, {onnx_attribute("to", static_cast<std::int64_t>(to))}, as);
  }
  // Says what a value is where the operator does not tell.
  void describe(const Value& value, OnnxType type, std::size_t columns);
  void output(const Value& value, OnnxType type, std::size_t columns);

  // The bytes of the model file.
  std::string file(const std::map<std::string, std::string>& metadata) const;

 private:
  std::string new_name(std::string_view op) {
    return std::string(op) + "_" + std::to_string(names_++);
  }
  Value add_tensor(const Shape& shape, OnnxType type, std::string_view bytes);

  Message body_;
  std::size_t names_ = 0;
};

}  // namespace sieve
