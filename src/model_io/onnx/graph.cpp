#include "model_io/onnx/graph.h"

#include <optional>

#include "labelsieve/error.h"

// Numbers of fields: https://github.com/onnx/onnx/blob/main/onnx/onnx.proto
namespace sieve {
namespace {

constexpr std::uint64_t kIrVersion = 7;  // what came with opset 13
enum AttributeType : std::uint8_t { Real = 1, Whole = 2, Reals = 6, Wholes = 7, Strings = 8 };

ProtobufMessage attribute(std::string_view name, AttributeType type) {
  return ProtobufMessage().text(1, name).number(20, type);
}

// A table of any number of rows, or one value per row.
ProtobufMessage value_info(std::string_view name, OnnxType type,
                           std::optional<std::size_t> columns) {
  ProtobufMessage shape;
  shape.message(1, ProtobufMessage().text(2, "rows"));
  if (columns) shape.message(1, ProtobufMessage().number(1, *columns));
  const ProtobufMessage tensor =
      ProtobufMessage().number(1, static_cast<std::uint64_t>(type)).message(2, shape);
  return ProtobufMessage().text(1, name).message(2, ProtobufMessage().message(1, tensor));
}

ProtobufMessage opset(std::string_view domain, std::uint64_t version) {
  return ProtobufMessage().text(1, domain).number(2, version);
}

}  // namespace

ProtobufMessage onnx_attribute(std::string_view name, std::int64_t value) {
  return attribute(name, Whole).number(3, static_cast<std::uint64_t>(value));
}

ProtobufMessage onnx_attribute(std::string_view name, float value) {
  return attribute(name, Real).real(2, value);
}

ProtobufMessage onnx_attribute(std::string_view name, std::span<const std::int64_t> values) {
  return attribute(name, Wholes).packed(8, values);
}

ProtobufMessage onnx_attribute(std::string_view name, std::span<const float> values) {
  return attribute(name, Reals).packed(7, values);
}

ProtobufMessage onnx_attribute(std::string_view name, std::span<const std::string_view> values) {
  ProtobufMessage out = attribute(name, Strings);
  for (const std::string_view value : values) out.text(9, value);
  return out;
}

OnnxGraph::Value OnnxGraph::input(std::string_view name, OnnxType type, std::size_t columns) {
  body_.message(11, value_info(name, type, columns));
  return Value(name);
}

void OnnxGraph::describe(const Value& value, OnnxType type, std::size_t columns) {
  body_.message(13, value_info(value, type, columns));
}

void OnnxGraph::output(const Value& value, OnnxType type, std::size_t columns) {
  body_.message(12, value_info(value, type, columns));
}

void OnnxGraph::output(const Value& value, OnnxType type) {
  body_.message(12, value_info(value, type, std::nullopt));
}

OnnxGraph::Value OnnxGraph::constant(std::span<const std::string> texts) {
  const Value name = new_name("texts");
  ProtobufMessage tensor;
  tensor.number(1, texts.size()).number(2, static_cast<std::uint64_t>(OnnxType::String));
  for (const std::string& text : texts) tensor.text(6, text);
  body_.message(5, tensor.text(8, name));
  return name;
}

OnnxGraph::Value OnnxGraph::add_tensor(const Shape& shape, OnnxType type, std::string_view bytes) {
  const Value name = new_name("numbers");
  ProtobufMessage tensor;
  for (const std::size_t size : shape) tensor.number(1, size);
  tensor.number(2, static_cast<std::uint64_t>(type)).text(8, name).text(9, bytes);
  body_.message(5, tensor);
  return name;
}

OnnxGraph::Value OnnxGraph::constant(const Shape& shape, std::span<const float> values) {
  return add_tensor(shape, OnnxType::Float,
                    {reinterpret_cast<const char*>(values.data()), values.size_bytes()});
}

OnnxGraph::Value OnnxGraph::constant(const Shape& shape, std::span<const std::int64_t> values) {
  return add_tensor(shape, OnnxType::Int64,
                    {reinterpret_cast<const char*>(values.data()), values.size_bytes()});
}

OnnxGraph::Value OnnxGraph::add(std::string_view op, const std::vector<Value>& inputs,
                                const std::vector<ProtobufMessage>& attributes,
                                std::string_view as) {
  const Value name = as.empty() ? new_name(op) : Value(as);
  ProtobufMessage node;
  for (const Value& from : inputs) node.text(1, from);
  node.text(2, name).text(3, name).text(4, op);
  for (const ProtobufMessage& attribute : attributes) node.message(5, attribute);
  if (op.starts_with("Tree")) node.text(7, kOnnxMlDomain);
  body_.message(1, node);
  return name;
}

OnnxGraph::Value OnnxGraph::top_places(const Value& of, std::size_t count) {
  const auto wanted = static_cast<std::int64_t>(count);
  const Value name = new_name("TopK");
  body_.message(1, ProtobufMessage()
                       .text(1, of)
                       .text(1, constant({1}, std::span(&wanted, 1)))
                       .text(2, name + "_values")
                       .text(2, name)
                       .text(3, name)
                       .text(4, "TopK"));
  return name;
}

std::string OnnxGraph::file(const std::map<std::string, std::string>& metadata) const {
  ProtobufMessage graph = body_;
  graph.text(2, "labelsieve");
  ProtobufMessage model;
  model.number(1, kIrVersion)
      .text(2, "LabelSieve")
      .text(3, version())
      .message(7, graph)
      .message(8, opset("", kOnnxOpset))
      .message(8, opset(kOnnxMlDomain, kOnnxMlOpset));
  for (const auto& [key, value] : metadata)
    model.message(14, ProtobufMessage().text(1, key).text(2, value));
  return model.bytes();
}

}  // namespace sieve
