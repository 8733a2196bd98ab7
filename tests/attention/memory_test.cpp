// Nothing of size T x S is ever made, nor T x S x h for additive scores.
#include <functional>

#include "heed/tensor/storage.h"
#include "tests/attention/attention_case.h"

namespace heed {
namespace {

// How far the pool's peak rises above what is in use before.
size_t peak_growth(const std::function<void()>& work) {
  pool_reset_peak();
  const size_t before = pool_use().used;
  work();
  return pool_use().peak - before;
}

TEST(Memory, GrowsWithTheRowsOnly) {
  const int64_t length = kSanitized ? 2048 : 4096;
  const size_t weights = static_cast<size_t>(2 * length * length) * sizeof(float);
  const size_t allowed = weights / (kSanitized ? 8 : 16);
  const Tensor w = random_tensor({5, 32}, 4, DType::f32), w_v = random_tensor({5}, 5, DType::f32);
  const Rows rows = Rows::single(length);
  const ThreadScope scope(2);
  for (const Score& score : std::vector<Score>{ScaledDot{}, Gaussian{}, Additive{w, w, w_v}}) {
    const Variable q = Variable::parameter(random_tensor({length, 2, 32}, 1, DType::f32)),
                   k = Variable::parameter(random_tensor({length, 2, 32}, 2, DType::f32)),
                   v = Variable::parameter(random_tensor({length, 2, 32}, 3, DType::f32));
    const Tensor dy = random_tensor({length, 2, 32}, 6, DType::f32);
    Variable y;
    const size_t forward = peak_growth(
        [&] { y = attention(q, k, v, rows, rows, {.score = score, .mask = Mask::causal()}); });
    EXPECT_LT(forward, allowed);
    const size_t both = peak_growth([&] {
      backward(record(Tensor::zeros({1}), {y}, [dy](const Tensor&) { return std::vector{dy}; }));
    });
    EXPECT_LT(both, allowed);
  }
}

}  // namespace
}  // namespace heed
