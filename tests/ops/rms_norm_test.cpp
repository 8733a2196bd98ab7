#include "heed/ops/rms_norm.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "tests/ops/gradient_check.h"

namespace heed::rms_norm_test {
namespace {

Variable apply(const Inputs& in) { return rms_norm(in[0], in[1], {.epsilon = 1e-3}); }

std::vector<Tensor> inputs(const Shape& shape, DType type = DType::f64) {
  const int64_t C = shape[shape.rank() - 1];
  return {random_tensor(shape, 1, type, -2, 3), random_tensor({C}, 2, type, 0.5, 2)};
}

TEST(RmsNorm, ByHand) {
  const Tensor x = Tensor::from<double>(std::vector<double>{3, -4}, {1, 2});
  const Tensor gamma = Tensor::from<double>(std::vector<double>{1, 2}, {2});
  const Tensor y = rms_norm(x, gamma, {.epsilon = 0});
  EXPECT_NEAR(y.data<double>()[0], 3 / std::sqrt(12.5), 1e-15);
  EXPECT_NEAR(y.data<double>()[1], -8 / std::sqrt(12.5), 1e-15);
}

TEST(RmsNorm, Gradients) {
  check_gradients(apply, inputs({3, 5}));
  check_gradients(apply, inputs({2, 3, 4}));
}

TEST(RmsNorm, FastPath) {
  for (const Shape& shape : {Shape{3, 1}, Shape{130, 7}, Shape{67, 100}, Shape{9}}) {
    check_float32(apply, inputs(shape));
  }
}

TEST(RmsNorm, Threads) { check_threads(apply, inputs({1003, 259}, DType::f32)); }

TEST(RmsNorm, SameBitsAlone) {
  const std::vector<Tensor> in = inputs({11, 45}, DType::f32);
  check_rows_alone(apply, in, differentiate(apply, in), 6, 7);
}

TEST(RmsNorm, LargeResults) { check_large(apply, inputs({kLargeRows, 1024}, DType::f32)); }

TEST(RmsNorm, BadInput) {
  EXPECT_THROW(rms_norm(Tensor::zeros({3, 4}), Tensor::zeros({3})), Error);
  EXPECT_THROW(rms_norm(Tensor::zeros({3, 4}), Tensor::zeros({1, 4})), Error);
  EXPECT_THROW(rms_norm(Tensor(), Tensor::zeros({4})), Error);
}

}  // namespace
}  // namespace heed::rms_norm_test
