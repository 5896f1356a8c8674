#include "onnx_run.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "model_io/onnx/graph.h"

namespace sieve {
namespace {

// A value of the graph, of up to three dimensions.
struct Numbers {
  OnnxType type = OnnxType::Float;
  std::vector<std::size_t> shape;
  std::vector<double> values;

  std::size_t cols() const { return shape.empty() ? 1 : shape.back(); }
  std::size_t rows() const { return values.size() / std::max<std::size_t>(cols(), 1); }
  // Cell (i, k) of a table that this is spread out to: one number, a row, a column or all.
  double at(std::size_t i, std::size_t k) const {
    const std::size_t row = rows() == 1 ? 0 : i, col = cols() == 1 ? 0 : k;
    return values[row * cols() + col];
  }
};

struct Attribute {
  double number = 0;
  std::vector<double> numbers;
  std::vector<std::string_view> texts;
};

struct Node {
  std::string op;
  std::vector<std::string> inputs, outputs;
  std::map<std::string, Attribute, std::less<>> attributes;

  const Attribute* find(std::string_view name) const {
    const auto found = attributes.find(name);
    return found == attributes.end() ? nullptr : &found->second;
  }
  double number(std::string_view name, double otherwise) const {
    const Attribute* attribute = find(name);
    return attribute != nullptr ? attribute->number : otherwise;
  }
  const std::vector<double>& numbers(std::string_view name) const { return find(name)->numbers; }
};

template <class T>
std::vector<double> numbers_in(std::string_view bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return {values.begin(), values.end()};
}

// ---- what a file says ---------------------------------------------------------------------------

Attribute attribute_of(MessageReader in, std::string& name) {
  Attribute out;
  while (in.next()) {
    if (in.field == 1) name = in.text;
    if (in.field == 2) out.number = numbers_in<float>(in.text).front();
    if (in.field == 3) out.number = static_cast<double>(static_cast<std::int64_t>(in.number));
    if (in.field == 7) out.numbers = numbers_in<float>(in.text);
    if (in.field == 8)
      for (MessageReader list(in.text); list.more();)
        out.numbers.push_back(static_cast<double>(static_cast<std::int64_t>(list.varint())));
    if (in.field == 9) out.texts.push_back(in.text);
  }
  return out;
}

Node node_of(MessageReader in) {
  Node node;
  while (in.next()) {
    if (in.field == 1) node.inputs.emplace_back(in.text);
    if (in.field == 2) node.outputs.emplace_back(in.text);
    if (in.field == 4) node.op = in.text;
    if (in.field != 5) continue;
    std::string name;
    Attribute attribute = attribute_of(MessageReader(in.text), name);
    node.attributes[name] = std::move(attribute);
  }
  return node;
}

Numbers tensor_of(MessageReader in, std::string& name) {
  Numbers out;
  while (in.next()) {
    if (in.field == 1) out.shape.push_back(in.number);
    if (in.field == 2) out.type = static_cast<OnnxType>(in.number);
    if (in.field == 8) name = in.text;
    if (in.field == 9)
      out.values = out.type == OnnxType::Float ? numbers_in<float>(in.text)
                                               : numbers_in<std::int64_t>(in.text);
  }
  return out;
}

// ---- operators ----------------------------------------------------------------------------------

using Inputs = std::vector<const Numbers*>;

// Where a value has its number for a cell of this shape, to which it is spread out.
std::size_t place_in(const Numbers& value, const std::vector<std::size_t>& shape,
                     std::size_t cell) {
  std::size_t place = 0, step = 1;
  for (std::size_t d = 1; d <= value.shape.size(); ++d) {
    const std::size_t size = value.shape[value.shape.size() - d], all = shape[shape.size() - d];
    if (size != 1) place += cell % all * step;
    cell /= all;
    step *= size;
  }
  return place;
}

// A number in each cell of the inputs, once they are spread out to one shape.
template <class Function>
Numbers each_cell(const Inputs& in, const Function& function) {
  Numbers out{in[0]->type, {}, {}};
  std::size_t cells = 1;
  for (const Numbers* each : in)
    out.shape.resize(std::max(out.shape.size(), each->shape.size()), 0);
  for (std::size_t d = 1; d <= out.shape.size(); ++d) {
    std::size_t& size = out.shape[out.shape.size() - d];
    for (const Numbers* each : in)
      if (d <= each->shape.size()) size = std::max(size, each->shape[each->shape.size() - d]);
    cells *= size;
  }
  std::array<double, 3> cell{};
  for (std::size_t at = 0; at < cells; ++at) {
    for (std::size_t i = 0; i < in.size(); ++i)
      cell[i] = in[i]->values[place_in(*in[i], out.shape, at)];
    out.values.push_back(function(cell));
  }
  return out;
}

using Cell = std::array<double, 3>;

const std::map<std::string, double (*)(const Cell&), std::less<>>& cell_functions() {
  static const std::map<std::string, double (*)(const Cell&), std::less<>> functions = {
      {"Add", [](const Cell& c) { return c[0] + c[1]; }},
      {"Sub", [](const Cell& c) { return c[0] - c[1]; }},
      {"Mul", [](const Cell& c) { return c[0] * c[1]; }},
      {"Div", [](const Cell& c) { return c[0] / c[1]; }},
      {"Max", [](const Cell& c) { return std::max(c[0], c[1]); }},
      {"Log", [](const Cell& c) { return std::log(c[0]); }},
      {"Sqrt", [](const Cell& c) { return std::sqrt(c[0]); }},
      {"Exp", [](const Cell& c) { return std::exp(c[0]); }},
      {"Neg", [](const Cell& c) { return -c[0]; }},
      {"Clip", [](const Cell& c) { return std::clamp(c[0], c[1], c[2]); }},
      {"Where", [](const Cell& c) { return c[0] != 0 ? c[1] : c[2]; }},
      {"IsNaN", [](const Cell& c) { return std::isnan(c[0]) ? 1.0 : 0.0; }},
      {"GreaterOrEqual", [](const Cell& c) { return c[0] >= c[1] ? 1.0 : 0.0; }},
      {"Greater", [](const Cell& c) { return c[0] > c[1] ? 1.0 : 0.0; }},
      {"And", [](const Cell& c) { return c[0] != 0 && c[1] != 0 ? 1.0 : 0.0; }},
      {"Identity", [](const Cell& c) { return c[0]; }},
      {"Cast", [](const Cell& c) { return c[0]; }}};
  return functions;
}

// Of tables, or of the first value's innermost numbers; of two cubes, table by table.
Numbers mat_mul(const Numbers& a, const Numbers& b) {
  const std::size_t rows = a.rows(), inner = a.cols(), cols = b.cols();
  const std::size_t tables = b.shape.size() == 3 ? b.shape[0] : 1;
  Numbers out{a.type, a.shape, std::vector<double>(rows * cols)};
  out.shape.back() = cols;
  for (std::size_t i = 0; i < rows; ++i) {
    const double* table = b.values.data() + i * tables / rows * inner * cols;
    for (std::size_t j = 0; j < inner; ++j)
      for (std::size_t k = 0; k < cols; ++k)
        out.values[i * cols + k] += a.values[i * inner + j] * table[j * cols + k];
  }
  return out;
}

Numbers transposed(const Numbers& table) {
  Numbers out{table.type, {table.cols(), table.rows()}, {}};
  for (std::size_t k = 0; k < table.cols(); ++k)
    for (std::size_t i = 0; i < table.rows(); ++i) out.values.push_back(table.at(i, k));
  return out;
}

// The same numbers in another shape; one size of it, -1, follows from the others.
Numbers reshaped(const Numbers& value, const Numbers& shape) {
  Numbers out{value.type, {}, value.values};
  std::size_t others = 1;
  for (const double size : shape.values)
    if (size > 0) others *= static_cast<std::size_t>(size);
  for (const double size : shape.values)
    out.shape.push_back(size > 0 ? static_cast<std::size_t>(size) : value.values.size() / others);
  return out;
}

// The columns of several tables, or some columns of one.
Numbers concat(const Inputs& in) {
  Numbers out{in[0]->type, {in[0]->rows(), 0}, {}};
  for (const Numbers* table : in) out.shape[1] += table->cols();
  for (std::size_t i = 0; i < out.shape[0]; ++i)
    for (const Numbers* table : in)
      for (std::size_t k = 0; k < table->cols(); ++k) out.values.push_back(table->at(i, k));
  return out;
}

Numbers gather(const Numbers& table, const Numbers& places) {
  Numbers out{table.type, {table.rows(), places.values.size()}, {}};
  for (std::size_t i = 0; i < table.rows(); ++i)
    for (const double place : places.values)
      out.values.push_back(table.at(i, static_cast<std::size_t>(place)));
  return out;
}

// Rows of a table, as many as there are places.
Numbers gather_rows(const Numbers& table, const Numbers& places) {
  Numbers out{table.type, places.shape, {}};
  out.shape.push_back(table.cols());
  for (const double place : places.values)
    for (std::size_t k = 0; k < table.cols(); ++k)
      out.values.push_back(table.at(static_cast<std::size_t>(place), k));
  return out;
}

Numbers row_extremes(const Numbers& table, bool largest) {
  Numbers out{table.type, {table.rows(), 1}, {}};
  for (std::size_t i = 0; i < table.rows(); ++i) {
    const auto row = std::span(table.values).subspan(i * table.cols(), table.cols());
    out.values.push_back(largest ? std::ranges::max(row) : std::ranges::min(row));
  }
  return out;
}

// The places of the largest numbers of a row; of equal ones those in front.
Numbers top_places(const Numbers& table, std::size_t count) {
  Numbers out{OnnxType::Int64, {table.rows(), count}, {}};
  std::vector<std::size_t> order(table.cols());
  for (std::size_t i = 0; i < table.rows(); ++i) {
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, std::greater{}, [&](std::size_t k) { return table.at(i, k); });
    out.values.insert(out.values.end(), order.begin(),
                      order.begin() + static_cast<std::ptrdiff_t>(count));
  }
  return out;
}

// rows x places x depth, which is then reduced to rows x depth.
Numbers one_hot(const Numbers& places, std::size_t depth) {
  Numbers out{OnnxType::Int64, {places.shape[0], places.shape[1], depth}, {}};
  out.values.resize(places.values.size() * depth);
  for (std::size_t i = 0; i < places.values.size(); ++i)
    out.values[i * depth + static_cast<std::size_t>(places.values[i])] = 1;
  return out;
}

Numbers largest_across(const Numbers& cube) {
  const std::size_t rows = cube.shape[0], places = cube.shape[1], depth = cube.shape[2];
  Numbers out{cube.type, {rows, depth}, std::vector<double>(rows * depth)};
  for (std::size_t i = 0; i < rows * places; ++i)
    for (std::size_t k = 0; k < depth; ++k) {
      double& to = out.values[i / places * depth + k];
      to = std::max(to, cube.values[i * depth + k]);
    }
  return out;
}

Numbers trees(const Node& node, const Numbers& x) {
  const auto labels = static_cast<std::size_t>(node.number("n_targets", 0));
  const std::vector<double>&tree = node.numbers("nodes_treeids"),
        &feature = node.numbers("nodes_featureids"), &cut = node.numbers("nodes_values"),
        &yes = node.numbers("nodes_truenodeids"), &no = node.numbers("nodes_falsenodeids"),
        &of_tree = node.numbers("target_treeids"), &of_node = node.numbers("target_nodeids"),
        &label = node.numbers("target_ids"), &share = node.numbers("target_weights");
  const std::vector<std::string_view>& mode = node.find("nodes_modes")->texts;
  std::vector<std::size_t> roots;
  for (std::size_t n = 0; n < tree.size(); ++n)
    if (n == 0 || tree[n] != tree[n - 1]) roots.push_back(n);
  std::vector<std::vector<std::size_t>> targets(tree.size());  // by node
  for (std::size_t t = 0; t < share.size(); ++t)
    targets[roots[static_cast<std::size_t>(of_tree[t])] + static_cast<std::size_t>(of_node[t])]
        .push_back(t);
  Numbers out{OnnxType::Float, {x.rows(), labels}, std::vector<double>(x.rows() * labels)};
  for (std::size_t i = 0; i < x.rows(); ++i)
    for (const std::size_t root : roots) {
      std::size_t at = root;
      while (mode[at] != "LEAF") {
        const bool first = x.at(i, static_cast<std::size_t>(feature[at])) <= cut[at];
        at = root + static_cast<std::size_t>(first ? yes[at] : no[at]);
      }
      for (const std::size_t t : targets[at]) {
        double& sum = out.values[i * labels + static_cast<std::size_t>(label[t])];
        sum = double{static_cast<float>(sum + share[t])};
      }
    }
  return out;
}

Numbers result_of(const Node& node, const Inputs& in) {
  if (const auto found = cell_functions().find(node.op); found != cell_functions().end())
    return each_cell(in, found->second);
  if (node.op == "LeakyRelu") {
    const double slope = node.number("alpha", 0.01);
    return each_cell(in, [&](const Cell& c) { return c[0] < 0 ? slope * c[0] : c[0]; });
  }
  if (node.op == "MatMul") return mat_mul(*in[0], *in[1]);
  if (node.op == "Concat") return concat(in);
  if (node.op == "Transpose") return transposed(*in[0]);
  if (node.op == "Reshape") return reshaped(*in[0], *in[1]);
  if (node.op == "Gather")
    return node.number("axis", 0) == 0 && in[0]->shape.size() == 2 ? gather_rows(*in[0], *in[1])
                                                                   : gather(*in[0], *in[1]);
  if (node.op == "ArgMax") return top_places(*in[0], 1);
  if (node.op == "TopK") return top_places(*in[0], static_cast<std::size_t>(in[1]->values[0]));
  if (node.op == "OneHot") return one_hot(*in[0], static_cast<std::size_t>(in[1]->values[0]));
  if (node.op == "ReduceMax" && in[0]->shape.size() == 3) return largest_across(*in[0]);
  if (node.op.starts_with("Reduce")) return row_extremes(*in[0], node.op == "ReduceMax");
  if (node.op == "TreeEnsembleRegressor") return trees(node, *in[0]);
  throw std::logic_error("no operator " + node.op);
}

OnnxType type_of(const Node& node, const Inputs& in, OnnxType computed) {
  if (node.op == "Cast") return static_cast<OnnxType>(node.number("to", 1));
  if (node.op == "IsNaN" || node.op == "And" || node.op.starts_with("Greater"))
    return OnnxType::Bool;
  return node.op == "Where" ? in[2]->type : computed;
}

// ---- graphs -------------------------------------------------------------------------------------

class Run {
 public:
  Run(std::string_view file, const Matrix& features) {
    Numbers x{OnnxType::Float, {features.rows(), features.cols()}, {}};
    for (std::size_t i = 0; i < features.rows(); ++i)
      x.values.insert(x.values.end(), features.row(i).begin(), features.row(i).end());
    values_["features"] = std::move(x);
    for (MessageReader model(file); model.next();)
      if (model.field == 7) take_graph(model.text);
  }

  const Numbers& value(const std::string& name) const { return values_.at(name); }

 private:
  void take_graph(std::string_view graph) {
    for (MessageReader in(graph); in.next();)
      if (in.field == 5) {
        std::string name;
        Numbers tensor = tensor_of(MessageReader(in.text), name);
        values_[name] = std::move(tensor);
      }
    for (MessageReader in(graph); in.next();)
      if (in.field == 1) compute(node_of(MessageReader(in.text)));
  }

  void compute(const Node& node) {
    Inputs in;
    for (const std::string& name : node.inputs) in.push_back(&values_.at(name));
    Numbers out = result_of(node, in);
    out.type = type_of(node, in, out.type);
    if (out.type == OnnxType::Float)
      for (double& value : out.values) value = double{static_cast<float>(value)};
    values_[node.outputs.back()] = std::move(out);  // of TopK the places
  }

  std::map<std::string, Numbers> values_;
};

}  // namespace

OnnxResult run_onnx(std::string_view file, const Matrix& features) {
  const Run run(file, features);
  const Numbers &scores = run.value("scores"), &labels = run.value("labels");
  OnnxResult out{Matrix(features.rows(), scores.cols()), Matrix(features.rows(), scores.cols()),
                 LabelMatrix(features.rows(), scores.cols())};
  for (std::size_t i = 0; i < features.rows(); ++i)
    for (std::size_t k = 0; k < scores.cols(); ++k) {
      out.scores(i, k) = static_cast<float>(scores.at(i, k));
      out.probabilities(i, k) = static_cast<float>(run.value("probabilities").at(i, k));
      if (labels.at(i, k) != 0) out.labels.set(i, k);
    }
  return out;
}

OnnxClassesFound run_onnx_classes(std::string_view file, const Matrix& features) {
  const Run run(file, features);
  const Numbers& shares = run.value("probabilities");
  OnnxClassesFound out{run.value("label").values, Matrix(features.rows(), shares.cols())};
  for (std::size_t i = 0; i < features.rows(); ++i)
    for (std::size_t k = 0; k < shares.cols(); ++k)
      out.probabilities(i, k) = static_cast<float>(shares.at(i, k));
  return out;
}

namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

// The columns of the table that these features were made of; NaN where a value was missing.
Matrix table_of(const FeatureRecipe& recipe, const Matrix& features) {
  Matrix out(features.rows(), recipe.columns.size());
  for (std::size_t i = 0; i < out.rows(); ++i)
    for (std::size_t k = 0, at = 0; k < out.cols(); at += recipe.columns[k++].width(recipe.text)) {
      const bool missing = recipe.columns[k].marks_missing && features(i, at + 1) != 0;
      out(i, k) = missing ? std::numeric_limits<float>::quiet_NaN() : features(i, at);
    }
  return out;
}

constexpr std::size_t kRowsAtOnce = 256;

}  // namespace

OnnxDifference compare_with_onnx(const Model& model, const Features& x, ThreadPool& pool) {
  const std::string file = encode_onnx(model);
  const Matrix scores = model.scores(x, pool);
  const LabelMatrix labels = model.decide(scores);
  const Matrix probabilities = model.probabilities(scores.clone());
  const FeatureRecipe* recipe = model.state().recipe.get();
  std::vector<OnnxDifference> blocks((x.rows() + kRowsAtOnce - 1) / kRowsAtOnce);
  pool.for_each(blocks.size(), [&](std::size_t b) {
    const std::size_t first = b * kRowsAtOnce, last = std::min(x.rows(), first + kRowsAtOnce);
    const Matrix rows = x.slice(first, last).to_dense(std::numeric_limits<std::size_t>::max());
    const OnnxResult result =
        recipe != nullptr ? run_onnx(file, table_of(*recipe, rows)) : run_onnx(file, rows);
    for (std::size_t i = first; i < last; ++i)
      for (std::size_t k = 0; k < scores.cols(); ++k) {
        const auto widen = [&](double& largest, float found, float wanted) {
          const double apart = std::abs(double{found} - double{wanted});
          largest = std::max(largest, std::isnan(apart) ? kInfinite : apart);
        };
        widen(blocks[b].scores, result.scores(i - first, k), scores(i, k));
        widen(blocks[b].probabilities, result.probabilities(i - first, k), probabilities(i, k));
        blocks[b].labels += result.labels.get(i - first, k) != labels.get(i, k);
      }
  });
  OnnxDifference all;
  for (const OnnxDifference& block : blocks) {
    all.scores = std::max(all.scores, block.scores);
    all.probabilities = std::max(all.probabilities, block.probabilities);
    all.labels += block.labels;
  }
  return all;
}

}  // namespace sieve
