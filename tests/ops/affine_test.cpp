#include "heed/ops/affine.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "tests/ops/gradient_check.h"

namespace heed::affine_test {
namespace {

constexpr int64_t kN = 4, kIn = 3, kOut = 5;

constexpr Activation kActivations[] = {
    Activation::none, Activation::relu, Activation::gelu_tanh, Activation::gelu_exact,
    Activation::silu, Activation::tanh, Activation::sigmoid};

Operation affine_with(const AffineOptions& options) {
  return [options](const Inputs& in) { return affine(in[0], in[1], in[2], options); };
}

TEST(Affine, ByHand) {
  const Tensor x = Tensor::from<float>({1, 2, 3, 4}, {2, 2});
  const Tensor w = Tensor::from<float>({1, 0, 2, 0, 1, -1}, {2, 3});
  const Tensor b = Tensor::from<float>({10, 20, 0}, {3});
  const Tensor y = affine(x, w, b, {.activation = Activation::relu}).value();
  const float expected[] = {11, 22, 0, 13, 24, 2};
  for (int i = 0; i < 6; ++i) EXPECT_EQ(y.data<float>()[i], expected[i]);
}

TEST(Affine, Gradients) {
  for (Activation f : kActivations) {
    SCOPED_TRACE(static_cast<int>(f));
    const std::vector<Tensor> inputs = {random_tensor({kN, kIn}, 1), random_tensor({kIn, kOut}, 2),
                                        random_tensor({kOut}, 3)};
    check_gradients(affine_with({.activation = f}), inputs);
    check_float32(affine_with({.activation = f}), inputs);
  }
}

TEST(Affine, GradientsOfTiedWeights) {
  const std::vector<Tensor> inputs = {random_tensor({kN, kIn}, 1), random_tensor({kOut, kIn}, 2),
                                      random_tensor({kOut}, 3)};
  const AffineOptions options = {.activation = Activation::tanh,
                                 .weight_layout = WeightLayout::out_in};
  check_gradients(affine_with(options), inputs);
  check_float32(affine_with(options), inputs);
}

// Products in float64 run the same code as those in float32, so they are compared with plain loops.
TEST(Affine, PlainLoops) {
  const int64_t sizes[][3] = {{4, 3, 5}, {7, 401, 5}, {19, 6, 70}, {210, 9, 33}};  // N, In, Out
  for (const auto& [N, In, Out] : sizes) {
    const Tensor x = random_tensor({N, In}, 1), w = random_tensor({In, Out}, 2);
    const Tensor b = random_tensor({Out}, 3), dy = random_dy({N, Out});
    Tensor y = plain_product(x, w), dz = Tensor::empty({N, Out}, DType::f64);
    Tensor db = Tensor::zeros({Out}, DType::f64);
    for (int64_t i = 0; i < y.size(); ++i) {
      const double f = std::tanh(y.data<double>()[i] + b.data<double>()[i % Out]);
      y.data<double>()[i] = f;
      dz.data<double>()[i] = dy.data<double>()[i] * (1 - f * f);
      db.data<double>()[i % Out] += dz.data<double>()[i];
    }
    for (const WeightLayout layout : {WeightLayout::in_out, WeightLayout::out_in}) {
      const auto as_given = [&](const Tensor& weights) {
        return layout == WeightLayout::out_in ? plain_transpose(weights) : weights;
      };
      const AffineOptions options = {.activation = Activation::tanh, .weight_layout = layout};
      const Derivatives got = differentiate(affine_with(options), {x, as_given(w), b});
      expect_close(got.y, y, 1e-13, "y");
      expect_close(got.dx[0], plain_product(dz, plain_transpose(w)), 1e-13, "dx");
      expect_close(got.dx[1], as_given(plain_product(plain_transpose(x), dz)), 1e-13, "dW");
      expect_close(got.dx[2], db, 1e-13, "db");
    }
  }
}

TEST(Affine, WithoutBias) {
  check_gradients([](const Inputs& in) { return affine(in[0], in[1]); },
                  {random_tensor({kN, kIn}, 1), random_tensor({kIn, kOut}, 2)});
}

TEST(Affine, StridedInput) {
  const Tensor wide = random_tensor({kN, kIn + 4}, 1, DType::f32);
  const Tensor x = wide.slice(1, 2, 2 + kIn);
  const Tensor w = random_tensor({kIn, kOut}, 2, DType::f32);
  const auto run = [&](const Tensor& at) {
    return differentiate([](const Inputs& in) { return affine(in[0], in[1]); }, {at, w});
  };
  const Derivatives strided = run(x), copied = run(x.clone());
  expect_same_bits(strided.y, copied.y, "y");
  expect_same_bits(strided.dx[1], copied.dx[1], "dW");
}

TEST(Affine, OnlyWantedGradients) {
  const Variable x = random_tensor({kN, kIn}, 1);
  const Variable w = Variable::parameter(random_tensor({kIn, kOut}, 2));
  const Variable y = affine(x, w);
  EXPECT_TRUE(y.requires_gradient());
  EXPECT_FALSE(affine(x, w.value()).requires_gradient());
}

TEST(Affine, SameBitsForAnyThreads) {
  const std::vector<Tensor> inputs = {random_tensor({500, 70}, 1, DType::f32),
                                      random_tensor({70, 130}, 2, DType::f32),
                                      random_tensor({130}, 3, DType::f32)};
  check_threads(affine_with({.activation = Activation::gelu_tanh}), inputs);
  check_threads(affine_with({.activation = Activation::sigmoid}), inputs);
}

// Products of 1, 40 and 700 rows are computed in three ways. The sums of dx have two slices.
TEST(Affine, SameBitsAloneAndInCompany) {
  for (const WeightLayout layout : {WeightLayout::in_out, WeightLayout::out_in}) {
    const Operation f = affine_with({.activation = Activation::silu, .weight_layout = layout});
    const Shape weights = layout == WeightLayout::out_in ? Shape{401, 70} : Shape{70, 401};
    const std::vector<Tensor> inputs = {random_tensor({700, 70}, 1, DType::f32),
                                        random_tensor(weights, 2, DType::f32),
                                        random_tensor({401}, 3, DType::f32)};
    const Derivatives all = differentiate(f, inputs);
    for (int64_t n : {0, 1, 617, 699}) check_rows_alone(f, inputs, all, n, n + 1);
    check_rows_alone(f, inputs, all, 600, 640);
  }
}

TEST(Affine, NoRows) {
  const Derivatives none =
      differentiate([](const Inputs& in) { return affine(in[0], in[1], in[2]); },
                    {Tensor::zeros({0, kIn}), random_tensor({kIn, kOut}, 2, DType::f32),
                     random_tensor({kOut}, 3, DType::f32)});
  EXPECT_EQ(none.y.shape(), Shape({0, kOut}));
  EXPECT_EQ(largest(none.dx[1]), 0);
  EXPECT_EQ(largest(none.dx[2]), 0);
}

TEST(Affine, BadInput) {
  const Tensor x = Tensor::zeros({kN, kIn}), w = Tensor::zeros({kIn, kOut});
  EXPECT_THROW(affine(Tensor::zeros({kN}), w), Error);
  EXPECT_THROW(affine(x, Tensor::zeros({kIn + 1, kOut})), Error);
  EXPECT_THROW(affine(x, w, {}, {.weight_layout = WeightLayout::out_in}), Error);
  EXPECT_THROW(affine(x, w, Tensor::zeros({kIn})), Error);
  EXPECT_THROW(affine(x, w.to(DType::f64)), Error);
  EXPECT_THROW(affine(x.to(DType::i32), w.to(DType::i32)), Error);
  EXPECT_THROW(affine(Tensor(), w), Error);
}

}  // namespace
}  // namespace heed::affine_test
