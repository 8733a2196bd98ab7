// Nothing of size T x S is ever made, nor T x S x h for additive scores.
#include <functional>
#include <limits>
#include <span>
#include <vector>

#include "heed/attention/attention.h"
#include "heed/attention/weights.h"
#include "heed/ops/sum.h"
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
  const int64_t length = kSlow ? 2048 : 4096;
  const size_t weights = static_cast<size_t>(2 * length * length) * sizeof(float);
  const size_t allowed = weights / (kSlow ? 8 : 16);
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

TEST(Memory, TheLargestWeightsTakeAFewRowsAtATime) {
  const int64_t length = 4096;
  const Tensor q = random_tensor({length, 8}, 1, DType::f32);
  const Rows rows = Rows::single(length);
  const size_t growth =
      peak_growth([&] { top_attention_weights(q, q, rows, rows, 3, {.mask = Mask::causal()}); });
  EXPECT_LT(growth, static_cast<size_t>(length * length) * sizeof(float) / 8);
}

// How often a score of one's own is asked for under `options`, forward and backward.
struct Calls {
  int64_t forward = 0, backward = 0;
};
Calls calls_under(AttentionOptions options, int64_t length) {
  const ThreadScope scope(1);
  Calls calls;
  options.score = CustomScore{[&](std::span<const double> q, std::span<const double> k) {
                                ++calls.forward;
                                return q[0] * k[0];
                              },
                              [&](std::span<const double>, std::span<const double>, double,
                                  std::span<double>, std::span<double>) { ++calls.backward; }};
  const Rows rows = Rows::single(length);
  const Variable x = Variable::parameter(random_tensor({length, 1}, 1, DType::f32));
  backward(sum(attention(x, x, x, rows, rows, options)));
  return calls;
}

TEST(Memory, TilesThatNobodyMaySeeAreSkippedByEveryMask) {
  const int64_t length = 256;  // 4 tiles of queries, 2 blocks of keys
  Tensor allowed = Tensor::zeros({length, length}, DType::boolean);
  Tensor bias = Tensor::full({length, length}, -std::numeric_limits<double>::infinity());
  allowed.slice(1, 0, 100).fill(1);  // the second block is hidden from all
  bias.slice(1, 0, 100).fill(0);
  const int64_t seen = length * 128;
  for (const AttentionOptions& options :
       {AttentionOptions{.mask = Mask::dense(allowed)}, AttentionOptions{.bias = bias}}) {
    const Calls calls = calls_under(options, length);
    EXPECT_EQ(calls.forward, 2 * seen);  // once forward, once again backward
    EXPECT_LE(calls.backward, seen);
  }
  // Of the 8 tiles of 64 queries and 128 keys, those with a pair in sight.
  struct Sight {
    const char* name;
    Mask mask;
    int64_t tiles;
  };
  Tensor per_query = Tensor::full({length}, 100, DType::i64);
  per_query.slice(0, 0, 64).fill(200);
  const std::vector<Sight> sights = {
      {"causal", Mask::causal(), 6},
      {"window behind", Mask::window(20, 0), 5},
      {"window ahead", Mask::window(0, 20), 5},
      {"length per sequence", Mask::key_lengths(Tensor::full({1}, 100, DType::i64)), 4},
      {"length per query", Mask::key_lengths_per_query(per_query), 5}};
  for (const Sight& sight : sights) {
    const Calls calls = calls_under({.mask = sight.mask}, length);
    EXPECT_LE(calls.forward, 2 * sight.tiles * 64 * 128) << sight.name;
    EXPECT_LE(calls.backward, sight.tiles * 64 * 128) << sight.name;
  }
}

TEST(Memory, OnlyTheGradientsThatAreWantedAreComputed) {
  const Rows rows = Rows::single(70);
  const Tensor q = random_tensor({70, 2, 8}, 1, DType::f32),
               k = random_tensor({70, 2, 8}, 2, DType::f32),
               v = random_tensor({70, 2, 4}, 3, DType::f32);
  const Variable all[] = {Variable::parameter(q), Variable::parameter(k), Variable::parameter(v)};
  const Gradients full = backward(sum(attention(all[0], all[1], all[2], rows, rows)));
  for (int wanted = 0; wanted < 3; ++wanted) {
    Variable x[] = {q, k, v};
    x[wanted] = all[wanted];
    const Gradients one = backward(sum(attention(x[0], x[1], x[2], rows, rows)));
    expect_same_bits(one.of(all[wanted]), full.of(all[wanted]), "gradient");
  }
}

}  // namespace
}  // namespace heed
