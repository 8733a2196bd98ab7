#include "heed/ops/gather.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "tests/ops/gradient_check.h"

namespace heed {
namespace {

const Tensor kIds = Tensor::from<int64_t>(std::vector<int64_t>{3, 0, 3, 3, 1}, {5});

Operation gather_at(const Tensor& ids) {
  return [ids](const Inputs& in) { return gather(in[0], ids); };
}

TEST(Gather, Gradients) {
  for (const Shape& shape : {Shape{4}, Shape{4, 3}, Shape{4, 2, 3}}) {
    check_gradients(gather_at(kIds), {random_tensor(shape, 1)});
    check_float32(gather_at(kIds), {random_tensor(shape, 1)});
  }
}

TEST(Gather, ViewsOfHeads) {
  const Tensor wide = random_tensor({4, 2, 5}, 1, DType::f32);
  const Tensor x = wide.slice(2, 1, 4);  // [4, 2, 3], not contiguous
  expect_same_bits(gather(x, kIds).value(), gather(x.clone(), kIds).value(), "rows of a view");
  const Tensor columns = random_tensor({4, 9}, 1, DType::f32).slice(1, 2, 5);
  expect_same_bits(gather(columns, kIds).value(), gather(columns.clone(), kIds).value(), "columns");
}

TEST(Gather, BadInput) {
  const Tensor x = Tensor::zeros({3, 2});
  EXPECT_THROW(gather(x, kIds), Error);  // 3 is not in [0, 3)
  EXPECT_THROW(gather(x, Tensor::zeros({2})), Error);
  EXPECT_THROW(gather(x, Tensor::zeros({2, 2}, DType::i32)), Error);
  EXPECT_THROW(gather(Tensor(), kIds), Error);
}

}  // namespace
}  // namespace heed
