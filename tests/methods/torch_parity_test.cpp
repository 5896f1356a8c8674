#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "methods/step_problem.h"
#include "support/python_check.h"
#include "support/support.h"

// Gradients against PyTorch's autograd: networks, inputs and our gradients are written down, and
// torch_parity.py builds the same networks and losses from them, in double precision.
namespace sieve {
namespace {

using nlohmann::json;
using test::kFeatures;
using test::kMode;
using test::kPrior;
using test::kRows;
using test::random_panel;
using test::StepProblem;

constexpr double kClose = 1e-8;  // relative to the largest entry of a gradient

json numbers(const double* values, std::size_t count) {
  return std::vector<double>(values, values + count);
}

json rows_of(const double* values, std::size_t rows, std::size_t cols, std::size_t stride) {
  json out = json::array();
  for (std::size_t i = 0; i < rows; ++i) out.push_back(numbers(values + i * stride, cols));
  return out;
}
json rows_of(View<const double> view) {
  return rows_of(view.data, view.rows, view.cols, view.stride);
}

// Parameters, or gradients, which are laid out alike: a list of tensors a layer.
json tensors(const Mlp<double>& net, const Array<double>& values) {
  json out = json::array();
  for (const LayerPlace& place : net.layers()) {
    out.push_back(
        {rows_of(values.data() + place.weights, place.inputs, place.outputs, place.stride),
         numbers(values.data() + place.shift, place.outputs)});
    if (place.scale != 0) out.back().push_back(numbers(values.data() + place.scale, place.outputs));
  }
  return out;
}

// What each unit was multiplied by.
json dropout_factors(const MlpContext<double>& context, std::size_t layer, const LayerSpec& spec) {
  const auto& kept = context.layers[layer];
  json out = json::array();
  for (std::size_t i = 0; i < context.rows; ++i) {
    json row = json::array();
    for (std::size_t j = 0; j < spec.width; ++j) {
      const std::uint64_t word = kept.mask[i * kept.mask_words + j / 64];
      row.push_back((word >> (j % 64) & 1) != 0 ? 1 / DropoutRate(spec.dropout).keep() : 0.0);
    }
    out.push_back(row);
  }
  return out;
}

json network(const Mlp<double>& net, const Array<double>& parameters,
             const MlpContext<double>& context) {
  const char* names[] = {"identity", "leaky", "tanh"};
  json layers = json::array();
  for (std::size_t l = 0; l < net.layers().size(); ++l) {
    const LayerSpec& spec = net.spec().layers[l];
    layers.push_back({{"activation", names[static_cast<int>(spec.activation)]}});
    if (context.mode.training && context.layers[l].mask_words > 0)
      layers.back()["dropout"] = dropout_factors(context, l, spec);
  }
  return {{"parameters", tensors(net, parameters)},
          {"layers", layers},
          {"slope", net.spec().slope},
          {"epsilon", net.spec().norm_epsilon}};
}

// One network with sum(output * weights) as its loss, and the gradients we get for that.
json layer_case(const MlpSpec& spec, std::size_t rows, const Mode& mode, bool sparse = false) {
  const Mlp<double> net(spec);
  ThreadPool pool(1);
  const Array<double> parameters = net.initial_parameters(3);
  MlpContext<double> context = net.context(rows);
  Panel<double> x = random_panel<double>(rows, spec.inputs, 1);
  const Panel<double> weights = random_panel<double>(rows, net.outputs(), 5);
  Panel<double> centre = random_panel<double>(1, spec.inputs, 6);
  CsrMatrix csr;
  std::vector<std::size_t> all(rows);
  if (sparse) {
    Matrix thin(rows, spec.inputs);
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t j = 0; j < spec.inputs; ++j) {
        thin(i, j) = (i + j) % 3 == 0 ? static_cast<float>(x(i, j)) : 0.0F;
        x(i, j) = static_cast<double>(thin(i, j));
        all[i] = i;
      }
    csr = Features(std::move(thin)).to_sparse();
  }
  Input<double> input{.dense = x.view(rows), .centre = centre.row(0)};
  if (sparse) input = {.sparse = &csr, .sparse_rows = all, .centre = centre.row(0)};
  if (spec.layers.front().batch_norm)  // which leaves the centre out
    std::fill_n(centre.row(0), spec.inputs, 0.0);
  net.forward(pool, parameters.data(), input, mode, context);
  json out = {{"network", network(net, parameters, context)},
              {"x", rows_of(x.view(rows))},
              {"centre", numbers(centre.row(0), spec.inputs)},
              {"weights", rows_of(weights.view(rows))}};
  Array<double> gradients(net.parameter_count());
  Panel<double> inputs(rows, spec.inputs);
  for (std::size_t i = 0; i < rows; ++i)
    std::copy_n(weights.row(i), weights.stride(), context.output_gradient().row(i));
  net.backward(pool, parameters.data(), context,
               {gradients.data(), false, sparse ? View<double>{} : inputs.view(rows)});
  out["gradients"] = tensors(net, gradients);
  if (!sparse) out["input_gradients"] = rows_of(inputs.view(rows));
  return out;
}

json step_case(const GanObjective& objective) {
  StepProblem p(objective);
  p.step.see_labels(p.pool, p.batch(), kMode);
  const GanLosses losses =
      p.step.generator_side(p.pool, p.batch(), p.prior.view(kPrior), objective);
  const double judgement = p.discriminator_side();
  const auto& c = p.step.contexts();
  const auto& n = p.step.networks();
  const auto& w = p.parameters;
  const auto& g = p.step.gradients();
  json networks = {{"F", network(n.predictor, w.predictor, c.predictor)},
                   {"D~", network(n.disambiguator, w.disambiguator, c.disambiguator)},
                   {"G", network(n.generator, w.generator, c.generation)},
                   {"D", network(n.discriminator, w.discriminator, c.real)}};
  json gradients = {{"F", tensors(n.predictor, g.predictor)},
                    {"D~", tensors(n.disambiguator, g.disambiguator)},
                    {"D", tensors(n.discriminator, g.discriminator)}};
  if (objective.generation + objective.adversarial > 0)
    gradients["G"] = tensors(n.generator, g.generator);
  return {{"networks", networks},
          {"gradients", gradients},
          {"losses",
           {{"L_c", losses.classification},
            {"L_g", losses.generation},
            {"L_adv", losses.adversarial},
            {"L_d", losses.disambiguation},
            {"L_D", judgement}}},
          {"x", rows_of(p.x.view(kRows))},
          {"y", rows_of(p.y.view(kRows))},
          {"prior", rows_of(p.prior.view(kPrior))},
          {"centre", numbers(p.centre.data(), kFeatures)},
          {"log_rates", p.log_rates},
          {"objective",
           {{"calibrated", objective.calibrated},
            {"classification", objective.classification},
            {"generation", objective.generation},
            {"adversarial", objective.adversarial},
            {"saturating", objective.saturating},
            {"disambiguation", objective.disambiguation},
            {"noise_share", objective.noise_share}}}};
}

// Has Python measure how far each gradient (and loss) is from autograd's, and expects it close.
void expect_parity(const json& cases, std::size_t figures_at_least) {
  const test::TempFolder folder;
  test::write_file(folder / "cases.json", cases.dump());
  const auto errors = test::run_python("methods/torch_parity.py", folder.path());
  EXPECT_GE(errors.size(), figures_at_least);
  for (const auto& [name, error] : errors) EXPECT_LT(error, kClose) << name;
}

TEST(TorchParity, gradients_of_every_layer_are_those_of_autograd) {
  REQUIRE_TORCH();
  constexpr Mode training{true, 11, 2};
  json cases;
  const char* names[] = {"identity", "leaky", "tanh"};
  for (int a = 0; a < 3; ++a) {
    const auto activation = static_cast<Activation>(a);
    for (const bool norm : {false, true})
      for (const double dropout : {0.0, 0.25}) {
        const MlpSpec spec{
            5, {{7, activation, norm, dropout}, {18, activation, norm, dropout}, {3, activation}}};
        const std::string name =
            std::string(names[a]) + (norm ? "-norm" : "") + (dropout > 0 ? "-dropout" : "");
        cases[name] = layer_case(spec, 40, training);
        cases[name + "-inference"] = layer_case(spec, 33, {});
        cases[name + "-large"] = layer_case(spec, 300, training);
        if (!norm) cases[name + "-sparse"] = layer_case(spec, 40, training, true);
      }
  }
  expect_parity(cases, 2 * cases.size() * 7 / 8);
}

TEST(TorchParity, gradients_of_the_whole_step_are_those_of_autograd) {
  REQUIRE_TORCH();
  json cases;
  const GanObjective calibrated{.generation = 0.7, .adversarial = 2, .noise_share = 0.4};
  GanObjective paper = calibrated;
  paper.calibrated = false;
  cases["calibrated"] = step_case(calibrated);
  cases["paper"] = step_case(paper);
  paper.saturating = true;
  cases["paper-saturating"] = step_case(paper);
  paper.generation = 0;
  cases["paper-without-L_g"] = step_case(paper);
  paper.adversarial = 0;
  cases["paper-L_c-alone"] = step_case(paper);
  expect_parity(cases, 5 * 8 + 4);
}

}  // namespace
}  // namespace sieve
