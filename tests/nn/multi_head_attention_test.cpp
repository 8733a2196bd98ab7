// Multi-head attention against its definition, head by head and pair by pair.
#include "heed/nn/multi_head_attention.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "heed/base/error.h"
#include "heed/base/parallel.h"
#include "heed/base/random.h"
#include "heed/nn/attention_recorder.h"
#include "heed/textbook/head_statistics.h"
#include "tests/ops/gradient_check.h"

namespace heed::multi_head_test {
namespace {

using Matrix = std::vector<std::vector<double>>;

Tensor drawn(const Shape& shape, uint64_t seed) {
  Tensor x = Tensor::empty(shape, DType::f64);
  const RandomKey key = random_key({.seed = seed});
  for (int64_t i = 0; i < x.size(); ++i) {
    x.data<double>()[i] = random_normal(key, static_cast<uint32_t>(i));
  }
  return x;
}

Matrix matrix(const Tensor& x) {
  Matrix rows(static_cast<size_t>(x.dim(0)));
  for (size_t i = 0; i < rows.size(); ++i) {
    const double* row = x.data<double>() + static_cast<int64_t>(i) * x.dim(1);
    rows[i].assign(row, row + x.dim(1));
  }
  return rows;
}

// Columns first .. first + count - 1 of x W + b.
Matrix projected(const Matrix& x, const Linear& linear, size_t first, size_t count) {
  const Matrix w = matrix(linear.weight.value());
  Matrix y(x.size(), std::vector<double>(count));
  for (size_t i = 0; i < x.size(); ++i) {
    for (size_t c = 0; c < count; ++c) {
      y[i][c] = linear.bias.value().data<double>()[first + c];
      for (size_t d = 0; d < w.size(); ++d) y[i][c] += x[i][d] * w[d][first + c];
    }
  }
  return y;
}

// w_v' tanh(W_q q + W_k k)
double additive_pair(const Additive& score, const std::vector<double>& q,
                     const std::vector<double>& k) {
  const Matrix w_q = matrix(score.w_q.value()), w_k = matrix(score.w_k.value());
  double a = 0;
  for (size_t h = 0; h < w_q.size(); ++h) {
    double inner = 0;
    for (size_t d = 0; d < q.size(); ++d) inner += w_q[h][d] * q[d];
    for (size_t d = 0; d < k.size(); ++d) inner += w_k[h][d] * k[d];
    a += score.w_v.value().data<double>()[h] * std::tanh(inner);
  }
  return a;
}

double bilinear_pair(const Bilinear& score, const std::vector<double>& q,
                     const std::vector<double>& k) {
  const Matrix m = matrix(score.m.value());
  double a = 0;
  for (size_t i = 0; i < q.size(); ++i) {
    for (size_t j = 0; j < k.size(); ++j) a += q[i] * m[i][j] * k[j];
  }
  return a;
}

double score_pair(const Score& score, const std::vector<double>& q, const std::vector<double>& k) {
  if (const auto* additive = std::get_if<Additive>(&score)) return additive_pair(*additive, q, k);
  if (const auto* bilinear = std::get_if<Bilinear>(&score)) return bilinear_pair(*bilinear, q, k);
  double dot = 0;
  for (size_t d = 0; d < q.size(); ++d) dot += q[d] * k[d];
  return dot / std::sqrt(static_cast<double>(q.size()));
}

struct Sizes {
  size_t heads = 2, query_width = 2, key_width = 2, value_width = 3;
};

// [h_1; ..; h_H] W_o + b_o with h_i = f(W_i^q x, W_i^k x, W_i^v x), by loops.
Matrix by_hand(const MultiHeadAttention& layer, const Matrix& x, const Sizes& sizes) {
  Matrix joined(x.size());
  for (size_t h = 0; h < sizes.heads; ++h) {
    const size_t queries = sizes.heads * sizes.query_width, keys = sizes.heads * sizes.key_width;
    const Matrix q = projected(x, layer.qkv, h * sizes.query_width, sizes.query_width);
    const Matrix k = projected(x, layer.qkv, queries + h * sizes.key_width, sizes.key_width);
    const Matrix v =
        projected(x, layer.qkv, queries + keys + h * sizes.value_width, sizes.value_width);
    for (size_t i = 0; i < x.size(); ++i) {
      std::vector<double> weights;
      double sum = 0;
      for (size_t j = 0; j < x.size(); ++j) {
        weights.push_back(std::exp(score_pair(layer.score, q[i], k[j])));
        sum += weights.back();
      }
      for (size_t c = 0; c < sizes.value_width; ++c) {
        double y = 0;
        for (size_t j = 0; j < x.size(); ++j) y += weights[j] / sum * v[j][c];
        joined[i].push_back(y);
      }
    }
  }
  return projected(joined, layer.output, 0,
                   static_cast<size_t>(layer.output.weight.value().dim(1)));
}

MultiHeadAttention layer_of(Parameters& parameters, int64_t width,
                            const MultiHeadAttentionOptions& options) {
  return {ParameterScope(parameters).in("attention"), width, options};
}

void expect_definition(const MultiHeadAttentionOptions& options, const Sizes& sizes) {
  const NoGrad no_gradients;
  Parameters parameters({.seed = 3, .type = DType::f64});
  const MultiHeadAttention layer = layer_of(parameters, 4, options);
  for (const Linear* linear : {&layer.qkv, &layer.output}) {  // biases begin as 0
    Tensor bias = linear->bias.value();
    bias.copy_from(drawn(bias.shape(), 8));
  }
  EXPECT_EQ(layer.output.weight.value().shape(), Shape({6, 5}));  // H p_v x p_o
  const Tensor x = drawn({6, 4}, 7);
  const Matrix expected = by_hand(layer, matrix(x), sizes);
  const Matrix y = matrix(layer.self(x, Rows::single(6), {}, {}).value());
  for (size_t i = 0; i < 6; ++i) {
    for (size_t c = 0; c < 5; ++c) EXPECT_NEAR(y[i][c], expected[i][c], 1e-12) << i << " " << c;
  }
}

// R53, R54, R57: the sizes of the Keras example, 2 heads, keys of 2, values of 3; a projection of
// its own for each head, any pooling, heads joined and projected.
TEST(MultiHead, IsItsDefinition) {
  for (const ScoreKind score : {ScoreKind::scaled_dot, ScoreKind::additive, ScoreKind::bilinear}) {
    expect_definition(
        {.heads = 2, .key_width = 2, .value_width = 3, .output_width = 5, .score = score}, {});
  }
}

// R53: p_q and p_k are widths of their own wherever the score does not need them equal.
TEST(MultiHead, QueriesMayBeWiderThanKeys) {
  MultiHeadAttentionOptions options{
      .heads = 2, .key_width = 2, .query_width = 7, .value_width = 3, .output_width = 5};
  for (const ScoreKind score : {ScoreKind::additive, ScoreKind::bilinear}) {
    options.score = score;
    expect_definition(options, {.query_width = 7});
  }
  options.score = ScoreKind::scaled_dot;
  Parameters parameters;
  EXPECT_THROW((void)layer_of(parameters, 4, options), Error);
  options.score = ScoreKind::bilinear;
  options.rotary.emplace();
  EXPECT_THROW((void)layer_of(parameters, 4, options), Error);
}

// The same widths across two sequences, at once and from what a cache remembers: the same bits.
TEST(MultiHead, WiderQueriesReadACache) {
  const NoGrad no_gradients;
  for (const ScoreKind score : {ScoreKind::additive, ScoreKind::bilinear}) {
    Parameters parameters({.seed = 3});
    const MultiHeadAttention layer = layer_of(parameters, 6,
                                              {.heads = 2,
                                               .key_width = 3,
                                               .query_width = 5,
                                               .value_width = 4,
                                               .source_width = 7,
                                               .score = score});
    const Tensor x = drawn({5, 6}, 7).to(DType::f32), memory = drawn({9, 7}, 8).to(DType::f32);
    KeyValueCache cache = layer.make_cache();
    const int64_t slot = cache.add_sequence();
    const CacheSlots cached{&cache, {&slot, 1}};
    layer.remember(memory, Rows::single(9), cached);
    const Tensor at_once = layer.cross(x, Rows::single(5), memory, Rows::single(9), {}).value();
    const Tensor remembered = layer.cross(x, Rows::single(5), cached, {}).value();
    expect_same_bits(at_once, remembered, "cached");
  }
}

// R57: heads are computed in parallel, and the number of threads changes no bit.
TEST(MultiHead, ThreadsDoNotChangeHeads) {
  const NoGrad no_gradients;
  Parameters parameters({.seed = 3});
  const MultiHeadAttention layer = layer_of(parameters, 64, {.heads = 8});
  const Tensor x = drawn({70, 64}, 7).to(DType::f32);
  const auto run = [&](int threads) {
    const ThreadScope scope(threads);
    return layer.self(x, Rows::single(70), {}, {}).value();
  };
  const Tensor one = run(1), two = run(2);
  expect_same_bits(one, two, "threads");
}

// R56: with d_k = d / 8, eight heads together cost as much as one head of the whole width.
TEST(MultiHead, NarrowHeadsCostNoMore) {
  constexpr int64_t d = 64;
  const MultiHeadSizes eight{.width = d, .heads = 8, .key_width = d / 8, .value_width = d / 8};
  const MultiHeadSizes one{.width = d, .heads = 1, .key_width = d, .value_width = d};
  EXPECT_EQ(count_multi_head_parameters(eight), 4 * d * d + 4 * d);
  EXPECT_EQ(count_multi_head_parameters(one), 4 * d * d + 4 * d);
  Parameters parameters;
  const MultiHeadAttention layer = layer_of(parameters, d, {.heads = 8});
  EXPECT_EQ(layer.qkv.weight.value().shape(), Shape({d, 3 * d}));  // 8 is the default for d / 8
}

// R55: projections that make one head look at the row itself and the other one two rows back; the
// view and the statistics of each head say so.
TEST(MultiHead, HeadsLookAtDifferentRanges) {
  constexpr int64_t n = 6;
  const NoGrad no_gradients;
  Parameters parameters({.seed = 3, .type = DType::f64});
  const MultiHeadAttention layer =
      layer_of(parameters, n, {.heads = 2, .key_width = n, .score = ScoreKind::dot});
  Tensor w = layer.qkv.weight.value();  // [n, 2 n + 2 n + 2 n]
  std::memset(w.data<double>(), 0, sizeof(double) * static_cast<size_t>(w.size()));
  for (int64_t i = 0; i < n; ++i) {
    double* row = w.data<double>() + i * w.dim(1);
    row[i] = 50;                                // queries of head 1: the row itself
    row[n + std::max<int64_t>(0, i - 2)] = 50;  // of head 2: two rows back, at most the first
    row[2 * n + i] = row[3 * n + i] = 1;        // keys of both: the rows
  }
  Tensor x = Tensor::zeros({n, n}, DType::f64);
  for (int64_t i = 0; i < n; ++i) x.data<double>()[i * n + i] = 1;
  AttentionRecorder recorder;
  layer.self(x, Rows::single(n), {}, {.observer = &recorder});
  const std::string name = recorder.names().front();
  const Tensor back = recorder.weights(name, {.head = 1}).to(DType::f64);
  EXPECT_NEAR(back.data<double>()[5 * n + 3], 1, 1e-12);
  const HeadStatistics first = head_statistics(recorder.weights(name, {.head = 0}));
  const HeadStatistics second = head_statistics(back);
  EXPECT_NEAR(first.mean_distance, 0, 1e-12);
  EXPECT_NEAR(second.mean_distance, (0 + 1 + 4 * 2) / 6.0, 1e-12);
  EXPECT_NEAR(second.entropy, 0, 1e-12);
}

}  // namespace
}  // namespace heed::multi_head_test
