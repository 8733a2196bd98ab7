// relu, gelu, silu, tanh and sigmoid, which differ in one formula only.
#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "heed/ops/activations.h"
#include "tests/ops/gradient_check.h"

namespace heed {
namespace {

struct Case {
  const char* name;
  Operation f;
  double at_one;  // f(1)
};

class ActivationTest : public ::testing::TestWithParam<Case> {};

const Case kCases[] = {
    {"relu", [](const Inputs& in) { return relu(in[0]); }, 1},
    {"gelu_exact", [](const Inputs& in) { return gelu(in[0]); }, 0.8413447460685429},
    {"gelu_tanh", [](const Inputs& in) { return gelu(in[0], Gelu::tanh); }, 0.8411919906082768},
    {"silu", [](const Inputs& in) { return silu(in[0]); }, 0.7310585786300049},
    {"tanh", [](const Inputs& in) { return tanh(in[0]); }, 0.7615941559557649},
    {"sigmoid", [](const Inputs& in) { return sigmoid(in[0]); }, 0.7310585786300049},
};

INSTANTIATE_TEST_SUITE_P(All, ActivationTest, ::testing::ValuesIn(kCases),
                         [](const auto& c) { return std::string(c.param.name); });

TEST_P(ActivationTest, KnownValue) {
  const Tensor one = Tensor::full({1}, 1, DType::f64);
  EXPECT_NEAR(GetParam().f({one}).value().item(), GetParam().at_one, 1e-15);
  EXPECT_NEAR(GetParam().f({one.to(DType::f32)}).value().item(), GetParam().at_one, 1e-7);
}

TEST_P(ActivationTest, Gradients) {
  check_gradients(GetParam().f, {random_tensor({3, 5}, 1, DType::f64, -4, 4)});
}

TEST_P(ActivationTest, FastPath) {
  check_float32(GetParam().f, {random_tensor({31, 77}, 2, DType::f64, -6, 6)}, 1e-6);
  check_float32(GetParam().f, {random_tensor({7, 9}, 3, DType::f64, -300, 300)}, 1e-6);
  check_float32(GetParam().f, {random_tensor({1}, 3)});
}

TEST_P(ActivationTest, Threads) {
  check_threads(GetParam().f, {random_tensor({301, 1003}, 4, DType::f32, -5, 5)});
}

// Rows of a strided view, and a row alone: the same bits as in the whole.
TEST_P(ActivationTest, SameBitsAtAnyPlace) {
  const Tensor x = random_tensor({7, 53}, 5, DType::f32, -5, 5);
  const Derivatives all = differentiate(GetParam().f, {x});
  const Derivatives columns =
      differentiate(GetParam().f, {x.slice(1, 3, 40)}, all.dy.slice(1, 3, 40));
  expect_same_bits(columns.y, all.y.slice(1, 3, 40), "columns");
  expect_same_bits(columns.dx[0], all.dx[0].slice(1, 3, 40), "gradient of columns");
  check_rows_alone(GetParam().f, {x}, all, 4, 5);
}

// The numbers are one array, here one that ends inside a vector.
TEST_P(ActivationTest, LargeResults) {
  check_large(GetParam().f, {random_tensor({kLargeRows, 1027}, 6, DType::f32, -5, 5)});
}

TEST_P(ActivationTest, NanStaysNan) {
  const Tensor nan = Tensor::full({3}, std::nan(""));
  EXPECT_TRUE(std::isnan(GetParam().f({nan}).value().data<float>()[1]));
}

TEST_P(ActivationTest, BadInput) {
  EXPECT_THROW(GetParam().f({Tensor()}), Error);
  EXPECT_THROW(GetParam().f({Tensor::zeros({2}, DType::i32)}), Error);
}

}  // namespace
}  // namespace heed
