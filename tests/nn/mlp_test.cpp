#include "nn/mlp.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "labelsieve/error.h"
#include "support/gradient_check.h"
#include "support/support.h"

namespace sieve {
namespace {

using test::all;
using test::expect_gradient;
using test::random_panel;

// loss = sum of output * fixed random numbers, so that its gradient is those numbers.
class Checked {
 public:
  Checked(MlpSpec spec, std::size_t rows)
      : net(std::move(spec)),
        parameters(net.initial_parameters(3)),
        context(net.context(rows)),
        weights(random_panel<double>(rows, net.outputs(), 5)) {
    Random random(4, Purpose::Test);  // away from the special values 0 and 1
    for (const LayerPlace& place : net.layers())
      for (std::size_t j = 0; j < place.outputs; ++j) {
        parameters[place.shift + j] += random.uniform(-0.3, 0.3);
        if (place.scale != 0) parameters[place.scale + j] += random.uniform(-0.3, 0.3);
      }
  }

  double loss(const Input<double>& input, const Mode& mode) {
    net.forward(pool, parameters.data(), input, mode, context);
    double sum = 0;
    for (std::size_t i = 0; i < context.rows; ++i)
      for (std::size_t j = 0; j < net.outputs(); ++j) sum += context.output()(i, j) * weights(i, j);
    return sum;
  }

  void backward(Array<double>& gradients, View<double> inputs = {}, bool add = false) {
    for (std::size_t i = 0; i < context.rows; ++i)
      std::copy_n(weights.row(i), weights.stride(), context.output_gradient().row(i));
    net.backward(pool, parameters.data(), context, {gradients.data(), add, inputs});
  }

  // Parameters and, for dense input, inputs against differences.
  void check(Panel<double>& x, std::size_t rows, const Mode& mode, const double* centre = nullptr) {
    const Input<double> input{.dense = x.view(rows), .centre = centre};
    Array<double> gradients(net.parameter_count());
    Panel<double> inputs(x.rows(), x.cols());
    loss(input, mode);
    backward(gradients, inputs.view(rows));
    const auto value = [&] { return loss(input, mode); };
    expect_gradient("parameters", value, all(parameters), all(gradients));
    expect_gradient("inputs", value, {x.row(0), rows * x.stride()},
                    {inputs.row(0), rows * x.stride()});
  }

  ThreadPool pool{1};
  Mlp<double> net;
  Array<double> parameters;
  MlpContext<double> context;
  Panel<double> weights;
};

constexpr Mode kTraining{true, 11, 2};

MlpSpec spec_of(Activation activation, bool norm, double dropout) {
  return {5, {{7, activation, norm, dropout}, {18, activation, norm, dropout}, {3, activation}}};
}

TEST(Mlp, gradients_of_every_activation_are_right) {
  for (const Activation activation :
       {Activation::Identity, Activation::LeakyRelu, Activation::Tanh}) {
    Checked net(spec_of(activation, false, 0), 40);
    Panel<double> x = random_panel<double>(40, 5, 1);
    net.check(x, 40, kTraining);
    net.check(x, 33, kTraining);  // a last block of one row
    net.check(x, 1, kTraining);
  }
}

TEST(Mlp, gradients_through_dropout_are_right) {
  for (const Activation activation : {Activation::LeakyRelu, Activation::Tanh}) {
    Checked net(spec_of(activation, false, 0.3), 40);
    Panel<double> x = random_panel<double>(40, 5, 1);
    net.check(x, 40, kTraining);
    net.check(x, 40, {});  // dropout is off
  }
}

TEST(Mlp, gradients_through_batch_norm_are_right) {
  Checked net(spec_of(Activation::LeakyRelu, true, 0.25), 70);
  Panel<double> x = random_panel<double>(70, 5, 1);
  net.check(x, 70, kTraining);
  net.check(x, 70, {});
}

TEST(Mlp, gradients_of_large_batches_are_right) {
  Checked net({4, {{6}, {5, Activation::LeakyRelu, true}, {2, Activation::Tanh}}}, 300);
  Panel<double> x = random_panel<double>(300, 4, 1);
  net.check(x, 300, kTraining);
}

TEST(Mlp, gradients_behind_a_final_batch_norm_are_right) {
  Checked net({4, {{6}, {5, Activation::Tanh, true}}}, 50);
  Panel<double> x = random_panel<double>(50, 4, 1);
  net.check(x, 50, kTraining);
}

TEST(Mlp, centring_is_the_same_as_subtracting_first) {
  for (const bool norm : {false, true}) {
    Checked net(spec_of(Activation::LeakyRelu, norm, 0), 40);
    Panel<double> x = random_panel<double>(40, 5, 1);
    const std::vector<double> centre = {0.5, -0.25, 2, 0, -1};
    net.check(x, 40, kTraining, centre.data());
    const double folded = net.loss({.dense = x.view(40), .centre = centre.data()}, kTraining);
    for (std::size_t i = 0; i < 40; ++i)
      for (std::size_t j = 0; j < 5; ++j) x(i, j) -= centre[j];
    EXPECT_NEAR(folded, net.loss({.dense = x.view(40)}, kTraining), 1e-12);
  }
}

TEST(Mlp, sparse_rows_give_what_dense_rows_give) {
  constexpr std::size_t rows = 40, cols = 200;
  Matrix dense(90, cols);
  Random random(8, Purpose::Test);
  for (std::size_t i = 0; i < 90; ++i)
    for (std::size_t j = 0; j < cols; ++j)
      if (random.chance(0.1)) dense(i, j) = static_cast<float>(random.uniform(-1, 1));
  const CsrMatrix sparse = Features(dense.clone()).to_sparse();
  std::vector<std::size_t> chosen(rows);
  Panel<double> x(rows, cols);
  for (std::size_t i = 0; i < rows; ++i) {
    chosen[i] = random.below(90);
    for (std::size_t j = 0; j < cols; ++j) x(i, j) = static_cast<double>(dense(chosen[i], j));
  }
  std::vector<double> centre(cols);
  for (double& c : centre) c = random.uniform(-1, 1);

  Checked net({cols, {{9}, {3, Activation::Identity}}}, rows);
  Array<double> of_dense(net.net.parameter_count()), of_sparse(net.net.parameter_count());
  for (const bool add : {false, true}) {
    const double a = net.loss({.dense = x.view(rows), .centre = centre.data()}, kTraining);
    net.backward(of_dense, {}, add);
    const double b =
        net.loss({.sparse = &sparse, .sparse_rows = chosen, .centre = centre.data()}, kTraining);
    net.backward(of_sparse, {}, add);
    EXPECT_NEAR(a, b, 1e-10);
    for (std::size_t i = 0; i < of_dense.size(); ++i) ASSERT_NEAR(of_dense[i], of_sparse[i], 1e-10);
  }
}

TEST(Mlp, gradients_can_be_added) {
  Checked net(spec_of(Activation::LeakyRelu, true, 0), 40);
  const Panel<double> x = random_panel<double>(40, 5, 1);
  Array<double> once(net.net.parameter_count()), twice(net.net.parameter_count());
  for (const bool add : {false, true}) {
    net.loss({.dense = x.view(40)}, kTraining);
    net.backward(twice, {}, add);
    net.loss({.dense = x.view(40)}, kTraining);
    net.backward(once);
  }
  for (std::size_t i = 0; i < once.size(); ++i) ASSERT_NEAR(2 * once[i], twice[i], 1e-12);
}

TEST(Mlp, padding_stays_zero) {
  Checked net(spec_of(Activation::Tanh, true, 0.5), 40);
  const Panel<double> x = random_panel<double>(40, 5, 1);
  Array<double> gradients(net.net.parameter_count());
  net.loss({.dense = x.view(40)}, kTraining);
  net.backward(gradients);
  for (const LayerPlace& place : net.net.layers())
    for (std::size_t i = 0; i < place.input_stride; ++i)
      for (std::size_t j = i < place.inputs ? place.outputs : 0; j < place.stride; ++j)
        ASSERT_EQ(gradients[place.weights + i * place.stride + j], 0);
}

TEST(Mlp, dropout_is_off_after_training) {
  Checked net(spec_of(Activation::LeakyRelu, false, 0.5), 40);
  const Panel<double> x = random_panel<double>(40, 5, 1);
  const Input<double> input{.dense = x.view(40)};
  EXPECT_EQ(net.loss(input, {}), net.loss(input, {false, 5, 9}));
  EXPECT_NE(net.loss(input, {true, 1, 1}), net.loss(input, {true, 1, 2}));
  EXPECT_EQ(net.loss(input, {true, 1, 1}), net.loss(input, {true, 1, 1}));
}

TEST(Mlp, float_is_close_to_double) {
  const MlpSpec spec{30,
                     {{40, Activation::LeakyRelu, false, 0.5},
                      {40, Activation::LeakyRelu, true},
                      {9, Activation::Tanh}}};
  const Mlp<float> fast(spec);
  Checked exact(spec, 300);
  ThreadPool pool(2);
  Array<float> parameters(fast.parameter_count()), gradients(fast.parameter_count());
  for (std::size_t i = 0; i < parameters.size(); ++i)
    parameters[i] = static_cast<float>(exact.parameters[i]);
  const Panel<float> x = random_panel<float>(300, 30, 1);
  const Panel<double> x_exact = random_panel<double>(300, 30, 1);
  MlpContext<float> context = fast.context(300);
  fast.forward(pool, parameters.data(), {.dense = x.view(300)}, kTraining, context);
  for (std::size_t i = 0; i < 300; ++i)
    for (std::size_t j = 0; j < 9; ++j)
      context.output_gradient()(i, j) = static_cast<float>(exact.weights(i, j));
  fast.backward(pool, parameters.data(), context, {.gradients = gradients.data()});
  Array<double> expected(fast.parameter_count());
  exact.loss({.dense = x_exact.view(300)}, kTraining);
  exact.backward(expected);
  for (std::size_t i = 0; i < expected.size(); ++i)
    ASSERT_NEAR(static_cast<double>(gradients[i]), expected[i], 2e-4);
}

TEST(Mlp, refuses_shapes_that_make_no_network) {
  EXPECT_NE(test::refusal([] { Mlp<float>({0, {{3}}}); }), "");
  EXPECT_NE(test::refusal([] { Mlp<float>({3, {}}); }), "");
  EXPECT_NE(test::refusal([] { Mlp<float>({3, {{0}}}); }), "");
  EXPECT_NE(test::refusal([] { Mlp<float>({3, {{2, Activation::Tanh, false, 1.0}}}); }), "");
}

}  // namespace
}  // namespace sieve
