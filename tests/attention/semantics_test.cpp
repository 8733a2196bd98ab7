// What users rely on: rows without keys, sums of zero, ties, means, permutations, the textbook's
// examples.
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "heed/base/error.h"
#include "heed/run/task_names.h"
#include "tests/attention/attention_case.h"

namespace heed::semantics_test {
namespace {

Tensor column(const std::vector<double>& values, DType type = DType::f32) {
  return Tensor::from(values, {static_cast<int64_t>(values.size()), 1}).to(type);
}

TEST(Semantics, ARowWithoutKeysIsZero) {
  for (Normalizer normalizer : kNormalizers) {
    for (const NamedScore& s : all_scores(3, 3, true)) {
      SCOPED_TRACE(std::string(s.name) + ", " + name_of(normalizer));
      AttentionCase c({.queries = {4, 2}, .keys = {130, 5}, .width = 3, .low = 0.1});
      c.options.score = s.score;
      c.options.normalizer = normalizer;
      c.options.mask = Mask::key_lengths_per_query(
          Tensor::from(std::vector<int64_t>{130, 0, 3, 130, 0, 5}, {6}));
      const Outcome o = run_engine(c, DType::f32);
      for (int64_t row : {1, 4}) {
        EXPECT_EQ(largest(o.y.slice(0, row, row + 1)), 0);
        EXPECT_EQ(largest(o.gradients.dq.slice(0, row, row + 1)), 0);
      }
      const AttentionOptions narrow = ParameterOptions(c.options, DType::f32).options;
      const RowStatistics statistics =
          attention_with_statistics(c.q.to(DType::f32), c.k.to(DType::f32), c.v.to(DType::f32),
                                    c.query_rows, c.key_rows, narrow)
              .statistics;
      EXPECT_EQ(statistics.max.data<float>()[2], -INFINITY);
      EXPECT_EQ(statistics.sum.data<float>()[2], 0);
      if (normalizer != Normalizer::one_hot) continue;
      EXPECT_EQ(statistics.index.data<int64_t>()[2], -1);
    }
  }
}

// A boxcar that no key is in reach of.
TEST(Semantics, ASumOfZeroGivesZeroAndIsCounted) {
  const Tensor q = column({0, 10, 20}), k = column({0.5, 10.5, 0.25});
  const AttentionOptions options{.score = Boxcar{}, .normalizer = Normalizer::sum};
  const AttentionResult result =
      attention_with_statistics(q, k, column({1, 2, 3}), Rows::single(3), Rows::single(3), options);
  EXPECT_EQ(result.empty_rows, 1);
  const float expected[] = {2, 2, 0};
  for (int i = 0; i < 3; ++i) EXPECT_EQ(result.output.value().data<float>()[i], expected[i]);
}

// Thirteen widths away: the kernel's values are no longer normal numbers, and 1 / sum is none at
// all.
TEST(Semantics, ASumTooSmallIsZero) {
  const AttentionOptions options{.score = Gaussian{}, .normalizer = Normalizer::sum};
  AttentionCase c({.queries = {1}, .keys = {2}, .heads = 1, .kv_heads = 1, .width = 1});
  c.q = Tensor::zeros({1, 1, 1}, DType::f64);
  c.k = Tensor::from(std::vector<double>{13.5, 13.625}, {2, 1, 1});
  c.options = options;
  for (const auto& [name, tensor] : tensors_of(run_engine(c, DType::f32))) {
    EXPECT_TRUE(!tensor.defined() || largest(tensor) == 0) << name;
  }
  const Tensor q = c.q.to(DType::f32), k = c.k.to(DType::f32);
  const Tensor w = attention_weights(q, k, c.query_rows, c.key_rows, options);
  EXPECT_EQ(largest(w), 0);
  EXPECT_GT(largest(run_engine(c, DType::f64).y), 0);  // far from the end for double
}

// Counted are rows with keys in sight: a mask that hides them all is not a sum of zero.
TEST(Semantics, RowsWithoutKeysAreNotCounted) {
  const Tensor x = column({0, 10, 20});
  const auto empty_rows = [&](AttentionOptions options) {
    options.score = Boxcar{};
    options.normalizer = Normalizer::sum;
    return attention_with_statistics(x, x, x, Rows::single(3), Rows::single(3), options).empty_rows;
  };
  EXPECT_EQ(empty_rows({.mask = Mask::exclude_self()}), 3);
  EXPECT_EQ(empty_rows({.mask = Mask::causal() & Mask::exclude_self()}), 2);
  EXPECT_EQ(empty_rows({.mask = Mask::dense(Tensor::zeros({3, 3}, DType::boolean))}), 0);
  EXPECT_EQ(empty_rows({.mask = Mask::causal(-1)}), 2);
  EXPECT_EQ(empty_rows({.bias = Tensor::full({1, 1}, -INFINITY)}), 0);
}

TEST(Semantics, NegativeWeights) {
  const Tensor q = column({1}), k = column({-1, 3}), v = column({1, 2});
  const Rows one = Rows::single(1), two = Rows::single(2);
  AttentionOptions options{.score = Dot{}, .normalizer = Normalizer::sum};
  EXPECT_THROW(attention(q, k, v, one, two, options), Error);
  options.allow_negative = true;
  EXPECT_EQ(attention(q, k, v, one, two, options).value().item(), 2.5);  // (-1 + 6) / 2
  options.allow_negative = false;
  options.mask = Mask::dense(Tensor::from(std::vector<uint8_t>{0, 1}, {1, 2}));
  EXPECT_EQ(attention(q, k, v, one, two, options).value().item(), 2);  // out of sight
  options.mask = {};
  options.normalizer = Normalizer::none;
  EXPECT_EQ(attention(q, k, v, one, two, options).value().item(), 5);
}

TEST(Semantics, OneHotReturnsTheValueItself) {
  for (const NamedScore& s : all_scores(3, 3, false)) {
    AttentionCase c({.queries = {70}, .keys = {300}, .heads = 1, .kv_heads = 1, .width = 3});
    c.options.score = s.score;
    c.options.normalizer = Normalizer::one_hot;
    const AttentionOptions narrow = ParameterOptions(c.options, DType::f32).options;
    const Tensor v = c.v.to(DType::f32);
    const AttentionResult result = attention_with_statistics(c.q.to(DType::f32), c.k.to(DType::f32),
                                                             v, c.query_rows, c.key_rows, narrow);
    const Tensor exact = reference_attention_weights(c.q, c.k, c.query_rows, c.key_rows, c.options);
    for (int64_t i = 0; i < 70; ++i) {
      const int64_t key = result.statistics.index.data<int64_t>()[i];
      EXPECT_EQ(exact.data<double>()[i * 300 + key], 1) << s.name;
      expect_same_bits(result.output.value().slice(0, i, i + 1), v.slice(0, key, key + 1), s.name);
    }
  }
}

TEST(Semantics, OneHotTiesGoToTheFirstKey) {
  Tensor k = Tensor::zeros({300, 2});
  k.slice(0, 40, 300).fill(1);
  const AttentionResult result = attention_with_statistics(
      Tensor::full({1, 2}, 1), k, random_tensor({300, 3}, 1, DType::f32), Rows::single(1),
      Rows::single(300), {.normalizer = Normalizer::one_hot});
  EXPECT_EQ(result.statistics.index.data<int64_t>()[0], 40);
}

TEST(Semantics, UniformIsTheMean) {
  for (Normalizer normalizer : {Normalizer::softmax, Normalizer::sum}) {
    AttentionCase c({.queries = {3}, .keys = {200}, .heads = 1, .kv_heads = 1});
    c.options.score = Constant{};
    c.options.normalizer = normalizer;
    const Tensor y = run_engine(c, DType::f32).y;
    for (int64_t d = 0; d < 6; ++d) {
      double mean = 0;
      for (int64_t j = 0; j < 200; ++j) mean += c.v.data<double>()[j * 6 + d] / 200;
      for (int64_t i = 0; i < 3; ++i) EXPECT_NEAR(y.data<float>()[i * 6 + d], mean, 1e-6);
    }
  }
}

// Softmax weights are positive and sum to one: no output beyond the values.
TEST(Semantics, OutputsStayInTheHullOfTheValues) {
  AttentionCase c({.queries = {50}, .keys = {300}, .low = -9, .high = 9});
  const Tensor y = run_engine(c, DType::f32).y;
  for (int64_t i = 0; i < y.size(); ++i) {
    const int64_t d = i % 6, head = i / 6 % 2;
    double low = 1e9, high = -1e9;
    for (int64_t j = 0; j < 300; ++j) {
      low = std::min(low, c.v.data<double>()[(j * 2 + head) * 6 + d]);
      high = std::max(high, c.v.data<double>()[(j * 2 + head) * 6 + d]);
    }
    EXPECT_GE(y.data<float>()[i], low - 1e-6);
    EXPECT_LE(y.data<float>()[i], high + 1e-6);
  }
}

// R46: shuffling keys and values together changes nothing beyond rounding.
TEST(Semantics, TheOrderOfKeysDoesNotMatter) {
  for (const NamedScore& s : all_scores(3, 3, false)) {
    AttentionCase c({.queries = {20}, .keys = {200}, .width = 3});
    c.options.score = s.score;
    AttentionCase shuffled = c;
    shuffled.k = c.k.clone();
    shuffled.v = c.v.clone();
    for (int64_t j = 0; j < 200; ++j) {
      const int64_t from = j * 77 % 200;
      shuffled.k.slice(0, j, j + 1).copy_from(c.k.slice(0, from, from + 1));
      shuffled.v.slice(0, j, j + 1).copy_from(c.v.slice(0, from, from + 1));
    }
    expect_close(run_engine(shuffled, DType::f32).y, run_engine(c, DType::f32).y, 2e-6, s.name);
  }
}

// Scores far below a constant such as -1e6, which others add instead of masking: still a softmax.
TEST(Semantics, VeryLowScores) {
  const Tensor y =
      attention(column({1}), column({-2e6, -2e6, 0}), column({1, 3, 100}), Rows::single(1),
                Rows::single(3), {.score = Dot{}, .mask = Mask::causal(1)});
  EXPECT_EQ(y.item(), 2);
}

// The lowest number is a score like any other, not the sign of a row without keys.
TEST(Semantics, LowestScores) {
  for (const DType type : {DType::f32, DType::f64}) {
    const double lowest = type == DType::f32 ? std::numeric_limits<float>::lowest()
                                             : std::numeric_limits<double>::lowest();
    const Tensor q = column({1}, type), k = column({lowest, lowest, 0}, type);
    const AttentionOptions options{.score = Dot{}, .mask = Mask::causal(1)};
    const Rows one = Rows::single(1), three = Rows::single(3);
    const Variable v = Variable::parameter(column({1, 3, 100}, type));
    const Variable y = attention(q, k, v, one, three, options);
    EXPECT_EQ(y.value().item(), 2);
    const Tensor w = attention_weights(q, k, one, three, options).to(DType::f64);
    EXPECT_EQ(w.data<double>()[0], 0.5);
    EXPECT_EQ(w.data<double>()[1], 0.5);
    EXPECT_EQ(w.data<double>()[2], 0);
    EXPECT_EQ(backward(y).of(v).to(DType::f64).data<double>()[1], 0.5);
  }
}

// R4: softmax of a score of your own, a = -|q - k|, at q = 1 and keys 0, 1 and 3: the weights are
// e^-1, 1 and e^-2 over their sum. The gradient is that of the function that is given.
TEST(Textbook, SoftmaxOfAScoreOfYourOwn) {
  const CustomScore distance{
      [](std::span<const double> q, std::span<const double> k) { return -std::abs(q[0] - k[0]); },
      [](std::span<const double> q, std::span<const double> k, double ds, std::span<double> dq,
         std::span<double> dk) {
        const double sign = q[0] > k[0] ? -1.0 : (q[0] < k[0] ? 1.0 : 0.0);
        dq[0] += ds * sign;
        dk[0] -= ds * sign;
      }};
  const AttentionOptions options{.score = distance, .normalizer = Normalizer::softmax};
  const Variable q = Variable::parameter(column({1}, DType::f64));
  const Tensor k = column({0, 1, 3}, DType::f64), v = column({10, 20, 40}, DType::f64);
  const Rows one = Rows::single(1), three = Rows::single(3);
  const double e[] = {std::exp(-1.0), 1, std::exp(-2.0)};
  const double sum = e[0] + e[1] + e[2];
  const Tensor weights = attention_weights(q.value(), k, one, three, options);
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(weights.data<double>()[i], e[i] / sum, 1e-12);
  const Variable y = attention(q, k, v, one, three, options);
  const double expected = (10 * e[0] + 20 * e[1] + 40 * e[2]) / sum;
  EXPECT_NEAR(y.value().data<double>()[0], expected, 1e-12);
  // dy/dq = sum_i w_i (v_i - y) da_i/dq, with da/dq = -1, 0 and 1.
  const double slope = (-e[0] * (10 - expected) + e[2] * (40 - expected)) / sum;
  EXPECT_NEAR(backward(y).of(q).data<double>()[0], slope, 1e-12);
}

// R8: similarities (0, 20, 30) to apple 8, apricot 4, orange 3.
TEST(Textbook, FuzzyDictionary) {
  const Tensor similarity = column({0, 20, 30}), values = column({8, 4, 3}), one = column({1});
  const Rows query = Rows::single(1), keys = Rows::single(3);
  AttentionOptions options{.score = Dot{}, .normalizer = Normalizer::sum};
  EXPECT_FLOAT_EQ(
      static_cast<float>(attention(one, similarity, values, query, keys, options).value().item()),
      3.4f);
  options.normalizer = Normalizer::softmax;
  EXPECT_NEAR(attention(one, similarity, values, query, keys, options).value().item(), 3.0000454,
              3e-7);
  options.normalizer = Normalizer::one_hot;  // d["apple"]
  const Tensor apple = column({1, 0, 0});
  EXPECT_EQ(attention(one, apple, values, query, keys, options).value().item(), 8);
}

// R31, R32: two examples, one query, ten keys of which 2 and 6 are valid; then lengths per query.
TEST(Textbook, MaskedSoftmaxByValidLengths) {
  AttentionCase c({.queries = {1, 1},
                   .keys = {10, 10},
                   .heads = 1,
                   .kv_heads = 1,
                   .width = 2,
                   .value_width = 4});
  c.k.fill(1);  // equal keys: uniform over the valid ones
  c.options.mask = Mask::key_lengths(Tensor::from(std::vector<int64_t>{2, 6}, {2}));
  for (int64_t b = 0; b < 2; ++b) {
    const Tensor w = attention_weights(c.q.to(DType::f32), c.k.to(DType::f32), c.query_rows,
                                       c.key_rows, c.options, {.sequence = b});
    const int64_t valid = b == 0 ? 2 : 6;
    for (int64_t j = 0; j < 10; ++j) {
      EXPECT_EQ(w.data<float>()[j], j < valid ? 1.0f / static_cast<float>(valid) : 0);
    }
  }
  const Tensor lengths = Tensor::from(std::vector<int64_t>{1, 3, 2, 4}, {2, 2});  // [B, T]
  const Tensor w = attention_weights(
      Tensor::zeros({4, 2}), Tensor::zeros({8, 2}), Rows::from_lengths({2, 2}),
      Rows::from_lengths({4, 4}), {.mask = Mask::key_lengths_per_query(lengths)}, {.sequence = 1});
  const float expected[] = {0.5f, 0.5f, 0, 0, 0.25f, 0.25f, 0.25f, 0.25f};
  for (int i = 0; i < 8; ++i) EXPECT_EQ(w.data<float>()[i], expected[i]);
}

// As many sequences as queries: one of the sequences is empty.
TEST(Semantics, LengthsPerSequenceOrPerQuery) {
  const Rows queries = Rows::from_lengths({0, 2});
  const Rows keys = Rows::from_lengths({4, 4});
  const Tensor lengths = Tensor::from(std::vector<int64_t>{1, 4}, {2});
  const auto weights = [&](const Mask& mask, bool reference) {
    const Tensor q = Tensor::zeros({2, 2});
    const Tensor k = Tensor::zeros({8, 2});
    return reference ? reference_attention_weights(q, k, queries, keys, {.mask = mask}, 1, 0)
                     : attention_weights(q, k, queries, keys, {.mask = mask}, {.sequence = 1})
                           .to(DType::f64);
  };
  for (const bool reference : {false, true}) {
    EXPECT_EQ(weights(Mask::key_lengths(lengths), reference).data<double>()[0], 0.25);
    EXPECT_EQ(weights(Mask::key_lengths_per_query(lengths), reference).data<double>()[0], 1);
    EXPECT_EQ(weights(Mask::key_lengths_per_query(lengths), reference).data<double>()[4], 0.25);
  }
  const Mask both = Mask::causal(3) & Mask::key_lengths_per_query(lengths);
  EXPECT_EQ(weights(both, false).data<double>()[0], 1);
}

TEST(Semantics, MasksCombineAtOnePlace) {
  EXPECT_EQ((Mask::causal(5) & Mask::window(2, 0)).offset, 5);
  EXPECT_EQ((Mask::exclude_self() & Mask::causal(5)).offset, 5);
  const Mask same = Mask::causal() & Mask::window(2, 0) & Mask::causal();
  EXPECT_TRUE(same.is_causal);
  EXPECT_EQ(same.offset, 0);
}

// R45: four words, projections 3 x 2, scaled by sqrt 2; the loop for the first word equals its row.
TEST(Textbook, LoopFormEqualsMatrixForm) {
  const double words[4][3] = {{1, 0, 0}, {0, 1, 0}, {1, 1, 0}, {0, 0, 1}};
  const Tensor w[3] = {numbers({3, 2}, 1, 0, 3), numbers({3, 2}, 2, 0, 3),
                       numbers({3, 2}, 3, 0, 3)};
  Tensor x[3];  // queries, keys, values
  for (int m = 0; m < 3; ++m) {
    x[m] = Tensor::zeros({4, 2}, DType::f64);
    for (int i = 0; i < 4; ++i) {
      for (int d = 0; d < 6; ++d) {
        x[m].data<double>()[i * 2 + d % 2] += words[i][d / 2] * w[m].data<double>()[d];
      }
    }
  }
  const Rows rows = Rows::single(4);
  const Tensor y = attention(x[0], x[1], x[2], rows, rows);
  for (int i = 0; i < 4; ++i) {
    double total = 0, sum[2] = {0, 0};
    for (int j = 0; j < 4; ++j) {
      const double* q = x[0].data<double>() + i * 2;
      const double* k = x[1].data<double>() + j * 2;
      const double e = std::exp((q[0] * k[0] + q[1] * k[1]) / std::sqrt(2.0));
      total += e;
      for (int d = 0; d < 2; ++d) sum[d] += e * x[2].data<double>()[j * 2 + d];
    }
    for (int d = 0; d < 2; ++d) EXPECT_NEAR(y.data<double>()[i * 2 + d], sum[d] / total, 1e-14);
  }
}

}  // namespace
}  // namespace heed::semantics_test
