#include "heed/ops/layer_norm.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "tests/ops/gradient_check.h"

namespace heed::layer_norm_test {
namespace {

Operation with(const LayerNormOptions& options) {
  return [options](const Inputs& in) { return layer_norm(in[0], in[1], in[2], options); };
}

const LayerNormOptions kForms[] = {{},
                                   {.epsilon = 1e-6, .form = LayerNormForm::textbook},
                                   {.epsilon = 0.3, .form = LayerNormForm::textbook}};

std::vector<Tensor> inputs(const Shape& shape, DType type = DType::f64) {
  const int64_t C = shape[shape.rank() - 1];
  return {random_tensor(shape, 1, type, -2, 3), random_tensor({C}, 2, type, 0.5, 2),
          random_tensor({C}, 3, type)};
}

// The example of the lecture notes: x = (1, 0, 0, 0).
TEST(LayerNorm, ByHand) {
  for (DType type : {DType::f32, DType::f64}) {
    const Tensor x = Tensor::from<double>(std::vector<double>{1, 0, 0, 0}, {1, 4}).to(type);
    const Tensor gamma = Tensor::full({4}, 1, type), beta = Tensor::zeros({4}, type);
    const Tensor a = layer_norm(x, gamma, beta, {.epsilon = 0}).value().to(DType::f64);
    const Tensor b = layer_norm(x, gamma, beta, {.epsilon = 0, .form = LayerNormForm::textbook})
                         .value()
                         .to(DType::f64);
    const double standard[] = {std::sqrt(3.0), -1 / std::sqrt(3.0)}, textbook[] = {1.5, -0.5};
    for (int i = 0; i < 4; ++i) {
      EXPECT_NEAR(a.data<double>()[i], standard[i > 0], 1e-6);
      EXPECT_NEAR(b.data<double>()[i], textbook[i > 0], 1e-6);
    }
  }
}

TEST(LayerNorm, Gradients) {
  for (const LayerNormOptions& options : kForms) {
    check_gradients(with(options), inputs({3, 5}));
    check_gradients(with(options), inputs({2, 3, 4}));
  }
}

TEST(LayerNorm, FastPath) {
  for (const LayerNormOptions& options : kForms) {
    for (const Shape& shape :
         {Shape{3, 3}, Shape{130, 7}, Shape{5, 16}, Shape{67, 100}, Shape{9}, Shape{2, 3, 1031}}) {
      check_float32(with(options), inputs(shape));
    }
  }
}

TEST(LayerNorm, LargeMean) {  // the variance is taken of differences, not of squares
  Tensor x = random_tensor({4, 64}, 4, DType::f64, 1000, 1001);
  check_float32(with({}), {x, random_tensor({64}, 2), random_tensor({64}, 3)}, 3e-4);
}

TEST(LayerNorm, ConstantRow) {
  for (const LayerNormOptions& options : kForms) {
    for (DType type : {DType::f32, DType::f64}) {
      std::vector<Tensor> in = inputs({2, 9}, type);
      in[0].fill(0.25);
      const Derivatives result = differentiate(with(options), in);
      expect_same_bits(result.y.slice(0, 1, 2).reshape({9}), in[2], "output");
      EXPECT_TRUE(std::isfinite(largest(result.dx[0])));
    }
  }
}

TEST(LayerNorm, Threads) {
  for (const LayerNormOptions& options : kForms) {
    check_threads(with(options), inputs({1003, 259}, DType::f32));
  }
}

TEST(LayerNorm, SameBitsAloneAndInViews) {
  const std::vector<Tensor> in = inputs({11, 45}, DType::f32);
  const Tensor wide = random_tensor({11, 60}, 5, DType::f32);
  const Tensor view = wide.slice(1, 7, 52);
  const Derivatives whole = differentiate(with({}), {view, in[1], in[2]});
  const Derivatives copy = differentiate(with({}), {view.clone(), in[1], in[2]});
  expect_same_bits(whole.y, copy.y, "a view");
  expect_same_bits(whole.dx[0], copy.dx[0], "gradient of a view");
  check_rows_alone(with({}), {view, in[1], in[2]}, whole, 6, 7);
}

TEST(LayerNorm, LargeResults) { check_large(with({}), inputs({kLargeRows, 1024}, DType::f32)); }

TEST(LayerNorm, BadInput) {
  const Tensor x = Tensor::zeros({3, 4}), four = Tensor::zeros({4}), five = Tensor::zeros({5});
  EXPECT_THROW(layer_norm(x, five, four), Error);
  EXPECT_THROW(layer_norm(x, four, five), Error);
  EXPECT_THROW(layer_norm(x, four.to(DType::f64), four), Error);
  EXPECT_THROW(layer_norm(x, four, four, {.epsilon = -1}), Error);
  EXPECT_THROW(layer_norm(x.to(DType::i32), four, four), Error);
  const Tensor one = Tensor::zeros({1});
  EXPECT_THROW(layer_norm(Tensor::zeros({3, 1}), one, one, {.form = LayerNormForm::textbook}),
               Error);
}

}  // namespace
}  // namespace heed::layer_norm_test
