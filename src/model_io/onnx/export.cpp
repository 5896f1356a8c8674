#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "base/format_text.h"
#include "base/json.h"
#include "labelsieve/error.h"
#include "labelsieve/model_io.h"
#include "methods/blend/blend_model.h"
#include "methods/blend/weights.h"
#include "methods/forest/forest_model.h"
#include "methods/linear/linear_model.h"
#include "methods/neighbours/neighbours_model.h"
#include "methods/network/network_model.h"
#include "methods/ridge/ridge_model.h"
#include "methods/shared/decision.h"
#include "model_io/model_columns.h"
#include "model_io/onnx/graph.h"

namespace sieve {
namespace {

using Value = OnnxGraph::Value;
using Kind = RecipeColumn::Kind;

constexpr std::size_t kMostBytes = std::numeric_limits<std::int32_t>::max();  // of a file

[[noreturn]] void refuse(const std::string& what, const std::string& hint) {
  throw Error(Failure::Model, what + " cannot be written as ONNX", {}, hint);
}

Value row_constant(OnnxGraph& graph, std::span<const float> values) {
  return graph.constant({values.size()}, values);
}

// A constant in float64; files hold it in float32.
Value wide_constant(OnnxGraph& graph, const OnnxGraph::Shape& shape,
                    std::span<const float> values) {
  return graph.cast(graph.constant(shape, values), OnnxType::Double);
}

// ---- inputs -------------------------------------------------------------------------------------

void require_numbers(const FeatureRecipe& recipe) {
  for (std::size_t k = 0; k < recipe.columns.size(); ++k) {
    const RecipeColumn& column = recipe.columns[k];
    if (column.kind == Kind::Number || column.kind == Kind::Date) continue;
    const std::string name = column.name.empty() ? std::to_string(k + 1) : "'" + column.name + "'";
    refuse(fmt::format("column {}, which holds {},", name,
                       column.kind == Kind::Text ? "text" : "categories"),
           "make numbers of it before training, or keep to the model file");
  }
}

// Missing values are filled in, and marked in features of their own.
Value features_of(OnnxGraph& graph, const FeatureRecipe& recipe, const Value& columns) {
  const auto count = static_cast<std::int64_t>(recipe.columns.size());
  std::vector<float> fill;
  std::vector<std::int64_t> places;
  for (const RecipeColumn& column : recipe.columns) {
    places.push_back(static_cast<std::int64_t>(fill.size()));
    if (column.marks_missing) places.push_back(count + places.back());
    fill.push_back(column.fill);
  }
  const Value missing = graph.add("IsNaN", {columns});
  const Value filled = graph.add("Where", {missing, row_constant(graph, fill), columns});
  const Value both = graph.add("Concat", {filled, graph.cast(missing, OnnxType::Float)},
                               {onnx_attribute("axis", std::int64_t{1})});
  return graph.add("Gather", {both, graph.constant({places.size()}, places)},
                   {onnx_attribute("axis", std::int64_t{1})});
}

Value input_of(OnnxGraph& graph, const ModelState& state) {
  const Value columns = graph.input("features", OnnxType::Float, ModelColumns(state).count);
  if (!state.recipe) return columns;
  require_numbers(*state.recipe);
  return features_of(graph, *state.recipe, columns);
}

// ---- scores -------------------------------------------------------------------------------------

// In float64, as the model itself works.
Value scores_of(OnnxGraph& graph, const Value& x, const LinearModel& model) {
  const ModelState& state = model.state();
  const Tensor& weights = state.tensor("weights");
  const std::size_t features = state.features, labels = state.label_names.size();
  Value inputs = graph.cast(x, OnnxType::Double);
  if (state.scaler.scaling != Scaling::None) {
    inputs = graph.add("Mul", {inputs, wide_constant(graph, {features}, state.scaler.factor)});
    inputs = graph.add("Add", {inputs, wide_constant(graph, {features}, state.scaler.offset)});
  }
  const std::span<const float> all(weights.values);
  Value sums = graph.add(
      "MatMul", {inputs, wide_constant(graph, {features, labels}, all.first(features * labels))});
  if (weights.shape[0] > features)
    sums = graph.add("Add", {sums, wide_constant(graph, {labels}, all.last(labels))});
  return graph.cast(sums, OnnxType::Float);
}

// In steps, each rounded as ours is: next to 1 the last bit of a probability is much of its odds,
// which a blend goes by, and runtimes have approximations of their own for all steps at once.
Value sigmoid_of(OnnxGraph& graph, const Value& x) {
  const Value one = graph.number(1);
  const Value other = graph.add("Exp", {graph.add("Neg", {x})});
  return graph.add("Div", {one, graph.add("Add", {one, other})});
}

Value member_scores(OnnxGraph& graph, const Value& inputs, const NetworkModel& model,
                    std::size_t member) {
  const auto layers = model.layers(member);
  Value at = inputs;
  for (std::size_t l = 0; l < layers.size(); ++l) {
    const Tensor& weights = layers[l].weights;
    at = graph.add("MatMul", {at, graph.constant(weights.shape, weights.values)});
    at = graph.add("Add", {at, row_constant(graph, layers[l].shift.values)});
    const auto slope = static_cast<float>(MlpSpec{}.slope);
    if (l + 1 < layers.size()) at = graph.add("LeakyRelu", {at}, {onnx_attribute("alpha", slope)});
  }
  return sigmoid_of(graph, at);
}

// Adds `weight` times a value to a sum, which may be empty.
Value add_weighted(OnnxGraph& graph, const Value& sum, const Value& value, float weight) {
  const Value part = graph.add("Mul", {value, graph.number(weight)});
  return sum.empty() ? part : graph.add("Add", {sum, part});
}

Value scores_of(OnnxGraph& graph, const Value& x, const NetworkModel& model) {
  const InputScaling& scaling = model.scaling();
  const Value scaled = graph.add("Mul", {x, row_constant(graph, scaling.scaler.factor)});
  const Value inputs = graph.add("Sub", {scaled, row_constant(graph, scaling.mean)});
  Value sum;
  for (std::size_t i = 0; i < model.members(); ++i)
    sum = add_weighted(graph, sum, member_scores(graph, inputs, model, i),
                       1.0F / static_cast<float>(model.members()));
  return sum;
}

// Trees as ai.onnx.ml has them: one list per property, over the nodes of all trees, and the numbers
// of leaves in lists of their own. Leaves lie in the order of their nodes.
struct TreeLists {
  explicit TreeLists(const ModelState& state) {
    const std::vector<float>& feature = state.tensor("features").values;
    const std::vector<float>& threshold = state.tensor("thresholds").values;
    const std::size_t labels = state.label_names.size();
    std::span<const float> leaves = state.tensor("leaves").values;
    std::size_t at = 0;
    for (const float count : state.tensor("trees").values) {
      std::int64_t children = 1;
      for (std::int64_t node = 0; node < static_cast<std::int64_t>(count); ++node, ++at) {
        if (feature[at] == static_cast<float>(Tree::kLeaf)) {
          add_node(node, 0, 0, 0);
          add_leaf(node, leaves.first(labels));
          leaves = leaves.subspan(labels);
        } else {
          add_node(node, static_cast<std::int64_t>(feature[at]), threshold[at], children);
          children += 2;
        }
      }
      ++tree_;
    }
  }

  std::vector<ProtobufMessage> attributes(std::size_t labels) const {
    return {onnx_attribute("n_targets", static_cast<std::int64_t>(labels)),
            onnx_attribute("nodes_treeids", trees),
            onnx_attribute("nodes_nodeids", nodes),
            onnx_attribute("nodes_featureids", features),
            onnx_attribute("nodes_values", cuts),
            onnx_attribute("nodes_modes", modes),
            onnx_attribute("nodes_truenodeids", at_most),
            onnx_attribute("nodes_falsenodeids", above),
            onnx_attribute("target_treeids", target_trees),
            onnx_attribute("target_nodeids", target_nodes),
            onnx_attribute("target_ids", target_labels),
            onnx_attribute("target_weights", shares)};
  }

  std::vector<std::int64_t> trees, nodes, features, at_most, above;
  std::vector<float> cuts;
  std::vector<std::string_view> modes;
  std::vector<std::int64_t> target_trees, target_nodes, target_labels;
  std::vector<float> shares;

 private:
  void add_node(std::int64_t node, std::int64_t feature, float cut, std::int64_t children) {
    trees.push_back(tree_);
    nodes.push_back(node);
    features.push_back(feature);
    cuts.push_back(cut);
    modes.push_back(children == 0 ? "LEAF" : "BRANCH_LEQ");
    at_most.push_back(children);
    above.push_back(children == 0 ? 0 : children + 1);
  }
  // Zeros are left out, but every leaf has to have a number.
  void add_leaf(std::int64_t node, std::span<const float> leaf) {
    const std::size_t before = shares.size();
    for (std::size_t k = 0; k < leaf.size(); ++k)
      if (leaf[k] != 0 || (k + 1 == leaf.size() && shares.size() == before)) {
        target_trees.push_back(tree_);
        target_nodes.push_back(node);
        target_labels.push_back(static_cast<std::int64_t>(k));
        shares.push_back(leaf[k]);
      }
  }
  std::int64_t tree_ = 0;
};

// ForestRates::right() of the mean share.
Value scores_of(OnnxGraph& graph, const Value& x, const ForestModel& model) {
  const ForestRates& rates = model.rates();
  const auto trees = static_cast<float>(model.state().tensor("trees").values.size());
  std::vector<float> rest;
  for (const float noise : rates.noise) rest.push_back(1 - noise);
  const Value sums = graph.add("TreeEnsembleRegressor", {x},
                               TreeLists(model.state()).attributes(rates.noise.size()));
  graph.describe(sums, OnnxType::Float, rates.noise.size());
  const Value all = graph.add("Add", {sums, row_constant(graph, rates.frequency)});
  const Value candidate = graph.add("Div", {all, graph.number(trees + 1)});
  const Value above = graph.add("Sub", {candidate, row_constant(graph, rates.noise)});
  const Value right = graph.add("Div", {above, row_constant(graph, rest)});
  const Value least = graph.add("Mul", {candidate, graph.number(ForestRates::kBelowNoise)});
  return graph.add("Clip", {graph.add("Max", {right, least}), graph.number(ForestRates::kSure),
                            graph.number(1 - ForestRates::kSure)});
}

// Near 1 the logarithm needs float64.
Value log_odds_of(OnnxGraph& graph, const Value& probability) {
  const Value inside =
      graph.add("Clip", {probability, graph.number(kSureOdds), graph.number(1 - kSureOdds)});
  const Value p = graph.cast(inside, OnnxType::Double);
  const Value one = graph.cast(graph.number(1), OnnxType::Double);
  const Value odds = graph.add("Div", {p, graph.add("Sub", {one, p})});
  return graph.cast(graph.add("Log", {odds}), OnnxType::Float);
}

Value reshaped(OnnxGraph& graph, const Value& value, const std::vector<std::int64_t>& shape) {
  return graph.add("Reshape", {value, graph.constant({shape.size()}, shape)});
}

// Of the innermost numbers, of which there are `count`; one is left.
Value sums_of(OnnxGraph& graph, const Value& values, std::size_t count) {
  const std::vector<float> ones(count, 1);
  return graph.add("MatMul", {values, wide_constant(graph, {count, 1}, ones)});
}

Value row_extreme(OnnxGraph& graph, const char* op, const Value& of) {
  const std::int64_t last = -1;
  return graph.add(op, {of}, {onnx_attribute("axes", std::span(&last, 1))});
}

// Rows along the directions of the model, rounded as it rounds them.
Value along_of(OnnxGraph& graph, const Value& x, const ModelState& state) {
  const Tensor &mean = state.tensor("mean"), &turn = state.tensor("turn");
  const Value centred = graph.add(
      "Sub", {graph.cast(x, OnnxType::Double), wide_constant(graph, mean.shape, mean.values)});
  const Value along = graph.add("MatMul", {centred, wide_constant(graph, turn.shape, turn.values)});
  return graph.cast(graph.cast(along, OnnxType::Float), OnnxType::Double);
}

// The places of the nearest points. A product finds them, which is too coarse for the distance of
// points that are almost the same.
Value nearest_places(OnnxGraph& graph, const Value& along, const Value& points, std::size_t columns,
                     std::size_t count) {
  const std::vector<std::int64_t> turned = {1, 0};
  const auto transposed = [&](const Value& value) {
    return graph.add("Transpose", {value}, {onnx_attribute("perm", std::span(turned))});
  };
  const Value squares = sums_of(graph, graph.add("Mul", {points, points}), columns);
  const Value products = graph.add("MatMul", {along, transposed(points)});
  const Value nearness =
      graph.add("Sub", {graph.add("Add", {products, products}), transposed(squares)});
  return graph.top_places(nearness, count);
}

// mean_of_neighbours(), in float64 as there.
Value scores_of(OnnxGraph& graph, const Value& x, const NeighboursModel& model) {
  const ModelState& state = model.state();
  const Tensor &points = state.tensor("points"), &said = state.tensor("said");
  const std::size_t columns = points.shape[1], labels = said.shape[1],
                    count = std::min(RowGraph::kNeighbours, points.shape[0]);
  const auto wide_columns = static_cast<std::int64_t>(columns),
             wide_labels = static_cast<std::int64_t>(labels),
             wide_count = static_cast<std::int64_t>(count);
  const auto nearest = [&](const Value& table, const Value& places) {
    return graph.add("Gather", {table, places}, {onnx_attribute("axis", std::int64_t{0})});
  };
  const Value along = along_of(graph, x, state);
  const Value all_points = wide_constant(graph, points.shape, points.values);
  const Value places = nearest_places(graph, along, all_points, columns, count);
  const Value apart = graph.add(
      "Sub", {nearest(all_points, places), reshaped(graph, along, {-1, 1, wide_columns})});
  const Value squares =
      reshaped(graph, sums_of(graph, graph.add("Mul", {apart, apart}), columns), {-1, wide_count});

  const Value farthest = graph.add("Sqrt", {row_extreme(graph, "ReduceMax", squares)});
  const auto tiniest = static_cast<float>(RowGraph::kTiniest);
  const Value reach =
      graph.add("Add", {farthest, wide_constant(graph, {}, std::span(&tiniest, 1))});
  const Value parts = graph.add("Div", {squares, graph.add("Mul", {reach, reach})});
  const Value weights = graph.add("Exp", {graph.add("Neg", {parts})});
  const Value sums =
      graph.add("MatMul", {reshaped(graph, weights, {-1, 1, wide_count}),
                           nearest(wide_constant(graph, said.shape, said.values), places)});
  const Value mean =
      graph.add("Div", {reshaped(graph, sums, {-1, wide_labels}), sums_of(graph, weights, count)});
  const Value slope = graph.number(state.tensor("slope").values[0]);
  const Value evidence = graph.add("Mul", {graph.cast(mean, OnnxType::Float), slope});
  return sigmoid_of(
      graph, graph.add("Add", {evidence, row_constant(graph, state.tensor("offset").values)}));
}

// Rows without any feature that counts have a length of 0, and sums of 0.
Value scores_of(OnnxGraph& graph, const Value& x, const RidgeModel& model) {
  const ModelState& state = model.state();
  const Tensor &rarity = state.tensor("rarity"), &weights = state.tensor("weights");
  const Value rare = graph.add(
      "Mul", {graph.cast(x, OnnxType::Double), wide_constant(graph, rarity.shape, rarity.values)});
  const Value squares = sums_of(graph, graph.add("Mul", {rare, rare}), rarity.values.size());
  const float least = 1e-30F;
  const Value length = graph.add(
      "Max", {graph.add("Sqrt", {squares}), wide_constant(graph, {}, std::span(&least, 1))});
  const Value sums =
      graph.add("MatMul", {rare, wide_constant(graph, weights.shape, weights.values)});
  const Value evidence = graph.cast(graph.add("Div", {sums, length}), OnnxType::Float);
  return sigmoid_of(
      graph, graph.add("Add", {evidence, row_constant(graph, state.tensor("offset").values)}));
}

Value scores_of(OnnxGraph& graph, const Value& x, const Model& model);

Value scores_of(OnnxGraph& graph, const Value& x, const BlendModel& model) {
  const std::size_t labels = model.state().label_names.size();
  Value sum;
  for (std::size_t m = 0; m < model.parts().size(); ++m)
    if (const float weight = model.weights()[m]; weight != 0)
      sum = add_weighted(graph, sum, log_odds_of(graph, scores_of(graph, x, *model.parts()[m])),
                         weight);
  std::vector<float> across;
  for (std::size_t k = 0; k < labels; ++k)
    across.insert(across.end(), model.mix().across.row(k).begin(), model.mix().across.row(k).end());
  const Value others = graph.add("MatMul", {sum, graph.constant({labels, labels}, across)});
  const Value mix = graph.add("Add", {others, row_constant(graph, model.mix().offset)});
  return sigmoid_of(graph, graph.add("Add", {sum, mix}));
}

Value scores_of(OnnxGraph& graph, const Value& x, const Model& model) {
  if (const auto* linear = dynamic_cast<const LinearModel*>(&model))
    return scores_of(graph, x, *linear);
  if (const auto* network = dynamic_cast<const NetworkModel*>(&model))
    return scores_of(graph, x, *network);
  if (const auto* forest = dynamic_cast<const ForestModel*>(&model))
    return scores_of(graph, x, *forest);
  if (const auto* neighbours = dynamic_cast<const NeighboursModel*>(&model))
    return scores_of(graph, x, *neighbours);
  if (const auto* ridge = dynamic_cast<const RidgeModel*>(&model))
    return scores_of(graph, x, *ridge);
  if (const auto* blend = dynamic_cast<const BlendModel*>(&model))
    return scores_of(graph, x, *blend);
  refuse("what the method " + model.state().method + " learns",
         "linear methods, networks, forests and blends can be");
}

// ---- probabilities ------------------------------------------------------------------------------

// As Model::probabilities() has them. Scores of linear models become probabilities in float64.
Value probabilities_of(OnnxGraph& graph, const Value& scores, const Model& model) {
  Value found = scores;
  if (dynamic_cast<const LinearModel*>(&model) != nullptr) {
    const CandidateConfidence curve = CandidateConfidence::read(model.state());
    const auto wide = [&](double value) {
      return graph.cast(graph.number(static_cast<float>(value)), OnnxType::Double);
    };
    const Value evidence =
        graph.add("Sub", {graph.cast(scores, OnnxType::Double), wide(curve.centre)});
    const Value other = graph.add("Exp", {graph.add("Mul", {evidence, wide(-curve.slope)})});
    found = graph.cast(graph.add("Div", {wide(1), graph.add("Add", {wide(1), other})}),
                       OnnxType::Float);
  }
  return graph.add("Clip",
                   {found, graph.number(kLeastProbability), graph.number(1 - kLeastProbability)});
}

// Each divided by the sum of its row.
Value shares_of(OnnxGraph& graph, const Value& probabilities, std::size_t labels) {
  const Value wide = graph.cast(probabilities, OnnxType::Double);
  const Value sum = sums_of(graph, wide, labels);
  return graph.cast(graph.add("Div", {wide, sum}), OnnxType::Float, "probabilities");
}

// ---- labels -------------------------------------------------------------------------------------

Decision decision_of(const Model& model) {
  if (const auto* linear = dynamic_cast<const LinearModel*>(&model)) return linear->decision();
  if (const auto* forest = dynamic_cast<const ForestModel*>(&model)) return forest->decision();
  if (const auto* blend = dynamic_cast<const BlendModel*>(&model)) return blend->decision();
  if (const auto* network = dynamic_cast<const NetworkModel*>(&model)) return network->decision();
  return {};
}

// Whether scores are on, as Decision::decide() has it.
Value decisions_of(OnnxGraph& graph, const Value& scores, const Decision& decision,
                   std::size_t labels) {
  const auto from = [&](float threshold) {
    return graph.add("GreaterOrEqual", {scores, graph.number(threshold)});
  };
  if (decision.rule == Decision::Rule::Constant)
    return from(static_cast<float>(decision.threshold));
  if (decision.rule == Decision::Rule::Top) {
    if (decision.top == 0) return from(std::numeric_limits<float>::infinity());
    const std::int64_t depth = static_cast<std::int64_t>(labels), across_labels = 1;
    const std::vector<std::int64_t> off_and_on = {0, 1};
    const Value each = graph.add(
        "OneHot", {graph.top_places(scores, decision.top), graph.constant({}, std::span(&depth, 1)),
                   graph.constant({2}, off_and_on)});
    return graph.add("ReduceMax", {each},
                     {onnx_attribute("axes", std::span(&across_labels, 1)),
                      onnx_attribute("keepdims", std::int64_t{0})});
  }
  const Value wide = graph.cast(scores, OnnxType::Double);
  if (decision.rule == Decision::Rule::Regressed) {
    const std::span<const float> weights(decision.weights);
    const Value sum =
        graph.add("MatMul", {wide, wide_constant(graph, {labels, 1}, weights.first(labels))});
    const Value cut = graph.add("Add", {sum, wide_constant(graph, {1}, weights.last(1))});
    return graph.add("GreaterOrEqual", {wide, cut});
  }
  const auto share = static_cast<float>(decision.threshold);
  const Value low = row_extreme(graph, "ReduceMin", wide);
  const Value range = graph.add("Sub", {row_extreme(graph, "ReduceMax", wide), low});
  const Value part = graph.add("Mul", {range, wide_constant(graph, {}, std::span(&share, 1))});
  const Value above = graph.add("GreaterOrEqual", {wide, graph.add("Add", {low, part})});
  const Value none = graph.cast(graph.number(0), OnnxType::Double);
  return graph.add("And", {above, graph.add("Greater", {range, none})});
}

// What the rule goes by, in the words of the model file.
std::vector<Json> thresholds_of(const Decision& decision, std::size_t labels) {
  using Rule = Decision::Rule;
  if (decision.rule == Rule::Constant) return std::vector<Json>(labels, decision.threshold);
  if (decision.rule == Rule::RowMinMax) return {decision.threshold};
  if (decision.rule == Rule::Top) return {decision.top};
  std::vector<Json> weights;
  for (const float weight : decision.weights) weights.emplace_back(double{weight});
  return weights;
}

// Of each guarantee the scores from which labels are on; null: never.
Json guarantees_of(const ModelState& state) {
  std::vector<Json> all;
  for (const Guarantee& each : state.choices.guarantees) {
    std::vector<Json> thresholds;
    for (const GuaranteedLabel& label : each.labels)
      thresholds.push_back(std::isfinite(label.threshold) ? Json(double{label.threshold}) : Json());
    all.push_back(Json::object({{"about", each.about},
                                {"share", each.share},
                                {"level", each.level},
                                {"rows", each.rows},
                                {"thresholds", Json::array(thresholds)}}));
  }
  return Json::array(all);
}

using Metadata = std::map<std::string, std::string>;

Metadata metadata_of(const ModelState& state) {
  Metadata all = {{"method", state.method},
                  {"version", version()},
                  {"label_names", json_strings(state.label_names).text()},
                  {"feature_names", json_strings(ModelColumns(state).names).text()}};
  if (!state.choices.guarantees.empty()) all["guarantees"] = guarantees_of(state).text();
  return all;
}

Metadata metadata_of(const ModelState& state, const Decision& decision) {
  Metadata all = metadata_of(state);
  all["decision"] = name_of(decision.rule);
  all["thresholds"] = Json::array(thresholds_of(decision, state.label_names.size())).text();
  return all;
}

std::string file_of(const OnnxGraph& graph, const Metadata& metadata) {
  std::string bytes = graph.file(metadata);
  if (bytes.size() > kMostBytes)
    refuse("a model of " + bytes_text(bytes.size()),
           "such files hold at most 2 GB: fewer trees, or members, make it smaller");
  return bytes;
}

}  // namespace

std::string encode_onnx(const Model& model) {
  const ModelState& state = model.state();
  const std::size_t labels = state.label_names.size();
  OnnxGraph graph;
  const Value x = input_of(graph, state);
  const Value scores = graph.add("Identity", {scores_of(graph, x, model)}, {}, "scores");
  const Decision decision = decision_of(model);
  const Value on =
      graph.cast(decisions_of(graph, scores, decision, labels), OnnxType::Int64, "labels");
  const Value probabilities =
      graph.add("Identity", {probabilities_of(graph, scores, model)}, {}, "probabilities");
  graph.output(scores, OnnxType::Float, labels);
  graph.output(on, OnnxType::Int64, labels);
  graph.output(probabilities, OnnxType::Float, labels);
  return file_of(graph, metadata_of(state, decision));
}

std::string encode_onnx(const Model& model, const OnnxClasses& classes) {
  const ModelState& state = model.state();
  const std::size_t labels = state.label_names.size();
  const bool named = classes.numbers.empty();
  if ((named ? classes.names.size() : classes.numbers.size()) != labels)
    throw Error(Failure::Usage, fmt::format("a model of {} classes needs as many names", labels));
  OnnxGraph graph;
  const Value x = input_of(graph, state);
  const Value found = probabilities_of(graph, scores_of(graph, x, model), model);
  const Value best = graph.add(
      "ArgMax", {found},
      {onnx_attribute("axis", std::int64_t{1}), onnx_attribute("keepdims", std::int64_t{0})});
  const Value known = named ? graph.constant(std::span(classes.names))
                            : graph.constant({labels}, std::span(classes.numbers));
  const Value label =
      graph.add("Gather", {known, best}, {onnx_attribute("axis", std::int64_t{0})}, "label");
  graph.output(label, named ? OnnxType::String : OnnxType::Int64);
  graph.output(shares_of(graph, found, labels), OnnxType::Float, labels);
  return file_of(graph, metadata_of(state));
}

std::uint64_t export_onnx(const Model& model, const std::string& path, IfExists if_exists,
                          FileSystem& files) {
  AtomicFile file(files, path, if_exists);
  file.write(encode_onnx(model));
  file.commit();
  return file.written();
}

}  // namespace sieve
