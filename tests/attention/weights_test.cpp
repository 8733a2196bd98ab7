// Exact weights: rows, statistics, the largest ones.
#include "heed/attention/attention.h"
#include "heed/attention/weights.h"
#include "heed/run/task_names.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "tests/attention/attention_case.h"

namespace heed {
namespace {

AttentionCase some_case() {
  AttentionCase c({.queries = {70, 5, 130},
                   .keys = {150, 9, 300},
                   .heads = 4,
                   .kv_heads = 2,
                   .width = 8,
                   .value_width = 5,
                   .low = -4,
                   .high = 4});
  c.options.mask = Mask::causal(20) & Mask::window(140, -1);
  return c;
}

TEST(Weights, AgainstTheReference) {
  const AttentionCase c = some_case();
  const Tensor q = c.q.to(DType::f32), k = c.k.to(DType::f32);
  for (int64_t b = 0; b < 3; ++b) {
    for (int64_t h = 0; h < 4; ++h) {
      const Tensor w =
          attention_weights(q, k, c.query_rows, c.key_rows, c.options, {.sequence = b, .head = h});
      const Tensor exact =
          reference_attention_weights(c.q, c.k, c.query_rows, c.key_rows, c.options, b, h);
      ASSERT_EQ(w.shape(), exact.shape());
      for (int64_t i = 0; i < w.dim(0); ++i) {
        double sum = 0;
        for (int64_t j = 0; j < w.dim(1); ++j) {
          const float x = w.data<float>()[i * w.dim(1) + j];
          const double e = exact.data<double>()[i * w.dim(1) + j];
          ASSERT_NEAR(x, e, 1e-6);
          ASSERT_TRUE(e != 0 || x == 0) << "a masked key has weight";
          sum += x;
        }
        ASSERT_NEAR(sum, 1, 1e-6);
      }
    }
  }
}

// For every score and normalizer: sum_j w_ij v_j is the output, and the statistics of forward give
// the same weights as a pass over the keys.
TEST(Weights, ReproduceTheOutput) {
  for (Normalizer normalizer : kNormalizers) {
    for (const NamedScore& s : all_scores(3, 3, true)) {
      SCOPED_TRACE(std::string(s.name) + ", " + name_of(normalizer));
      AttentionCase c({.queries = {4, 67}, .keys = {6, 140}, .heads = 2, .width = 3, .low = 0.1});
      c.options.score = s.score;
      c.options.normalizer = normalizer;
      c.options.mask = Mask::causal(60);
      const AttentionOptions o = ParameterOptions(c.options, DType::f32).options;
      const Tensor q = c.q.to(DType::f32), k = c.k.to(DType::f32), v = c.v.to(DType::f32);
      const AttentionResult result =
          attention_with_statistics(q, k, v, c.query_rows, c.key_rows, o);
      const WeightSelection part{.sequence = 1, .head = 1, .first_row = 3, .rows = 61};
      const Tensor w = attention_weights(q, k, c.query_rows, c.key_rows, o, part);
      expect_same_bits(
          attention_weights(q, k, c.query_rows, c.key_rows, o, part, result.statistics), w,
          "weights from statistics");
      const Tensor y = result.output.value();
      const double scale = largest(y);
      for (int64_t i = 0; i < part.rows; ++i) {
        for (int64_t d = 0; d < v.dim(2); ++d) {
          double sum = 0;
          for (int64_t j = 0; j < 140; ++j) {
            sum += static_cast<double>(w.data<float>()[i * 140 + j]) *
                   v.data<float>()[((6 + j) * 2 + 1) * v.dim(2) + d];
          }
          ASSERT_NEAR(sum, y.data<float>()[((4 + 3 + i) * 2 + 1) * v.dim(2) + d], 1e-5 * scale);
        }
      }
    }
  }
}

TEST(Weights, AnyRowsHaveTheSameBits) {
  const AttentionCase c = some_case();
  const Tensor q = c.q.to(DType::f32), k = c.k.to(DType::f32);
  const Tensor all =
      attention_weights(q, k, c.query_rows, c.key_rows, c.options, {.sequence = 2, .head = 3});
  for (int64_t first : {0, 1, 63, 64, 100, 129}) {
    const int64_t rows = std::min<int64_t>(20, 130 - first);
    const Tensor part =
        attention_weights(q, k, c.query_rows, c.key_rows, c.options,
                          {.sequence = 2, .head = 3, .first_row = first, .rows = rows});
    expect_same_bits(part, all.slice(0, first, first + rows), "rows");
  }
  const Tensor none = attention_weights(q, k, c.query_rows, c.key_rows, c.options,
                                        {.sequence = 2, .head = 3, .first_row = 130, .rows = 0});
  EXPECT_EQ(none.shape(), (Shape{0, 300}));
}

TEST(Weights, Largest) {
  const AttentionCase c = some_case();
  const Tensor q = c.q.to(DType::f32), k = c.k.to(DType::f32);
  const WeightSelection part{.sequence = 1, .head = 2};
  const Tensor w = attention_weights(q, k, c.query_rows, c.key_rows, c.options, part);
  for (int64_t top : {1, 3, 9, 12}) {
    const TopWeights best =
        top_attention_weights(q, k, c.query_rows, c.key_rows, top, c.options, part);
    ASSERT_EQ(best.weights.shape(), (Shape{5, top}));
    for (int64_t i = 0; i < 5; ++i) {
      std::vector<float> sorted(w.data<float>() + i * 9, w.data<float>() + (i + 1) * 9);
      std::sort(sorted.rbegin(), sorted.rend());
      for (int64_t n = 0; n < top; ++n) {
        const float x = best.weights.data<float>()[i * top + n];
        const int64_t key = best.keys.data<int64_t>()[i * top + n];
        if (n >= 9) {
          EXPECT_EQ(key, -1);
          EXPECT_EQ(x, 0);
        } else {
          EXPECT_EQ(x, sorted[n]);
          EXPECT_EQ(x, w.data<float>()[i * 9 + key]);
        }
      }
    }
  }
}

// The keys of a row that have a weight, the largest first; ties: the earlier one first.
std::vector<int64_t> keys_by_weight(const float* w, int64_t count) {
  std::vector<int64_t> keys;
  for (int64_t j = 0; j < count; ++j) {
    if (w[j] != 0) keys.push_back(j);
  }
  std::stable_sort(keys.begin(), keys.end(), [w](int64_t a, int64_t b) { return w[a] > w[b]; });
  return keys;
}

// More rows than the 256 that are held at a time, from the first one or a later one.
TEST(Weights, LargestOfManyRows) {
  AttentionCase c({.queries = {3, 300},
                   .keys = {5, 300},
                   .kv_heads = 1,
                   .width = 8,
                   .value_width = 2,
                   .low = -4,
                   .high = 4});
  c.k.slice(0, 155, 305).copy_from(c.k.slice(0, 5, 155));  // ties, within and across blocks
  c.options.mask = Mask::causal();
  const Tensor q = c.q.to(DType::f32), k = c.k.to(DType::f32);
  const Tensor w =
      attention_weights(q, k, c.query_rows, c.key_rows, c.options, {.sequence = 1, .head = 1});
  for (const auto& [first, rows] :
       {std::pair<int64_t, int64_t>{0, 300}, {1, 299}, {43, 257}, {44, 256}, {290, 10}}) {
    for (int64_t top : {4, 300}) {
      const TopWeights best =
          top_attention_weights(q, k, c.query_rows, c.key_rows, top, c.options,
                                {.sequence = 1, .head = 1, .first_row = first, .rows = rows});
      ASSERT_EQ(best.weights.shape(), (Shape{rows, top}));
      ASSERT_EQ(best.keys.shape(), (Shape{rows, top}));
      for (int64_t i = 0; i < rows; ++i) {
        const float* row = w.data<float>() + (first + i) * 300;
        std::vector<int64_t> keys = keys_by_weight(row, 300);
        keys.resize(static_cast<size_t>(top), -1);
        for (int64_t n = 0; n < top; ++n) {
          const int64_t key = keys[n];
          ASSERT_EQ(best.keys.data<int64_t>()[i * top + n], key) << "row " << first + i;
          ASSERT_EQ(best.weights.data<float>()[i * top + n], key < 0 ? 0 : row[key]);
        }
      }
    }
  }
}

TEST(Weights, TiesGoToTheEarlierKey) {
  const Tensor q = Tensor::zeros({2, 2}), k = Tensor::zeros({4, 2});
  const TopWeights best =
      top_attention_weights(q, k, Rows::single(2), Rows::single(4), 3, {.mask = Mask::causal(1)});
  const int64_t expected[] = {0, 1, -1, 0, 1, 2};
  for (int i = 0; i < 6; ++i) EXPECT_EQ(best.keys.data<int64_t>()[i], expected[i]);
}

// Negative weights are weights: a masked key is not larger than they are.
TEST(Weights, LargestOfNegativeWeights) {
  const Tensor q = Tensor::full({1, 1}, 1);
  const Tensor k = Tensor::from<float>(std::vector<float>{-3, -1, -2, 5}, {4, 1});
  const TopWeights best = top_attention_weights(
      q, k, Rows::single(1), Rows::single(4), 4,
      {.score = Dot{}, .mask = Mask::causal(2), .normalizer = Normalizer::none});
  const int64_t expected[] = {1, 2, 0, -1};
  const float weights[] = {-1, -2, -3, 0};
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(best.keys.data<int64_t>()[i], expected[i]);
    EXPECT_EQ(best.weights.data<float>()[i], weights[i]);
  }
}

TEST(Weights, LargestWithNaN) {
  Tensor q = random_tensor({3, 2}, 1, DType::f32);
  q.slice(0, 1, 2).fill(NAN);
  const Tensor k = random_tensor({50, 2}, 2, DType::f32);
  const TopWeights best = top_attention_weights(q, k, Rows::single(3), Rows::single(50), 50);
  EXPECT_TRUE(std::isnan(best.weights.data<float>()[50]));
  EXPECT_GT(best.weights.data<float>()[0], 0);
  EXPECT_GT(best.weights.data<float>()[100], 0);
}

TEST(Weights, LogSumExp) {
  const AttentionCase c = some_case();
  const RowStatistics statistics =
      attention_with_statistics(c.q.to(DType::f32), c.k.to(DType::f32), c.v.to(DType::f32),
                                c.query_rows, c.key_rows)
          .statistics;
  const Tensor lse = statistics.log_sum_exp();
  for (int64_t h = 0; h < 4; ++h) {
    double sum = 0;
    for (int64_t j = 0; j < 9; ++j) {
      double s = 0;
      for (int64_t d = 0; d < 8; ++d) {
        s += c.q.data<double>()[((70 + 2) * 4 + h) * 8 + d] *
             c.k.data<double>()[((150 + j) * 2 + h / 2) * 8 + d];
      }
      sum += std::exp(s / std::sqrt(8.0));
    }
    EXPECT_NEAR(lse.data<float>()[(70 + 2) * 4 + h], std::log(sum), 1e-5);
  }
}

}  // namespace
}  // namespace heed
