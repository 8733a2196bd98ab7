#include "heed/ops/matmul.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "tests/ops/gradient_check.h"

namespace heed {
namespace {

constexpr int64_t kM = 4, kK = 3, kN = 5;

Operation matmul_with(const MatmulOptions& options) {
  return [options](const Inputs& in) { return matmul(in[0], in[1], options); };
}

Shape shape_of(int64_t rows, int64_t columns, bool transposed) {
  return transposed ? Shape{columns, rows} : Shape{rows, columns};
}

TEST(Matmul, ByHand) {
  const Tensor a = Tensor::from<double>({1, 2, 3, 4}, {2, 2});
  const Tensor b = Tensor::from<double>({5, 6, 7, 8}, {2, 2});
  const auto first = [&](const MatmulOptions& options) {
    return matmul(a, b, options).value().data<double>()[0];
  };
  EXPECT_EQ(first({}), 1 * 5 + 2 * 7);
  EXPECT_EQ(first({.transpose_a = true}), 1 * 5 + 3 * 7);
  EXPECT_EQ(first({.transpose_b = true}), 1 * 5 + 2 * 6);
  EXPECT_EQ(first({.transpose_a = true, .transpose_b = true}), 1 * 5 + 3 * 6);
}

TEST(Matmul, Gradients) {
  for (bool ta : {false, true}) {
    for (bool tb : {false, true}) {
      const std::vector<Tensor> inputs = {random_tensor(shape_of(kM, kK, ta), 1),
                                          random_tensor(shape_of(kK, kN, tb), 2)};
      check_gradients(matmul_with({ta, tb}), inputs);
      check_float32(matmul_with({ta, tb}), inputs);
    }
  }
}

// Products in float64 run the same code as those in float32, so they are compared with plain loops.
TEST(Matmul, PlainLoops) {
  const int64_t sizes[][3] = {{4, 3, 5}, {7, 401, 5}, {19, 6, 70}, {210, 9, 33}};  // M, K, N
  for (const auto& [M, K, N] : sizes) {
    const Tensor a = random_tensor({M, K}, 1), b = random_tensor({K, N}, 2);
    const Tensor y = plain_product(a, b), dy = random_dy({M, N});
    const Tensor da = plain_product(dy, plain_transpose(b));
    const Tensor db = plain_product(plain_transpose(a), dy);
    for (const bool ta : {false, true}) {
      for (const bool tb : {false, true}) {
        const auto as_given = [](const Tensor& x, bool t) { return t ? plain_transpose(x) : x; };
        const Derivatives got =
            differentiate(matmul_with({ta, tb}), {as_given(a, ta), as_given(b, tb)});
        expect_close(got.y, y, 1e-13, "y");
        expect_close(got.dx[0], as_given(da, ta), 1e-13, "dA");
        expect_close(got.dx[1], as_given(db, tb), 1e-13, "dB");
      }
    }
  }
}

TEST(Matmul, SameBitsForAnyThreads) {
  check_threads(matmul_with({}), {random_tensor({300, 500}, 1, DType::f32),
                                  random_tensor({500, 130}, 2, DType::f32)});
}

TEST(Matmul, BadInput) {
  const Tensor a = Tensor::zeros({kM, kK}), b = Tensor::zeros({kK, kN});
  EXPECT_THROW(matmul(a, a), Error);
  EXPECT_THROW(matmul(a, b, {.transpose_a = true}), Error);
  EXPECT_THROW(matmul(a, Tensor::zeros({kK})), Error);
  EXPECT_THROW(matmul(a, b.to(DType::f64)), Error);
  EXPECT_THROW(matmul(a, Tensor()), Error);
}

}  // namespace
}  // namespace heed
