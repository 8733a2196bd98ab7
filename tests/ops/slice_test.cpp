#include "heed/ops/slice.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "heed/ops/concatenate.h"
#include "tests/ops/gradient_check.h"

namespace heed {
namespace {

Operation slice_of(int axis, int64_t begin, int64_t end) {
  return [=](const Inputs& in) { return slice(in[0], axis, begin, end); };
}

TEST(Slice, IsAView) {
  const Tensor x = random_tensor({4, 6}, 1, DType::f32);
  EXPECT_EQ(slice(x, 1, 2, 5).value().data<float>(), x.data<float>() + 2);
}

TEST(Slice, Gradients) {
  const std::vector<Tensor> x = {random_tensor({4, 5, 6}, 1)};
  check_gradients(slice_of(0, 1, 3), x);
  check_gradients(slice_of(1, 0, 2), x);
  check_gradients(slice_of(-1, 2, 5), x);
  check_gradients(slice_of(0, 2, 2), x);
  check_float32(slice_of(1, 1, 4), x);
}

// Two overlapping parts of one tensor add their gradients.
TEST(Slice, OverlappingParts) {
  check_gradients(
      [](const Inputs& in) {
        return concatenate({slice(in[0], 1, 0, 3), slice(in[0], 1, 2, 5)}, 0);
      },
      {random_tensor({4, 5}, 1)});
}

TEST(Slice, SameBitsForAnyThreads) {
  const std::vector<Tensor> x = {random_tensor({601, 515}, 1, DType::f32)};
  check_threads(slice_of(0, 30, 590), x);
  check_threads(slice_of(1, 3, 505), x);
}

TEST(Slice, BadInput) {
  const Tensor x = Tensor::zeros({4, 6});
  EXPECT_THROW(slice(x, 2, 0, 1), Error);
  EXPECT_THROW(slice(x, 0, 3, 5), Error);
  EXPECT_THROW(slice(x, 0, -1, 2), Error);
  EXPECT_THROW(slice(x, 0, 3, 2), Error);
  EXPECT_THROW(slice(Tensor(), 0, 0, 0), Error);
}

}  // namespace
}  // namespace heed
