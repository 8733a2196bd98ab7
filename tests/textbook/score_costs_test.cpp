#include "heed/textbook/score_costs.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "heed/base/error.h"
#include "heed/textbook/score_forms.h"

namespace heed::score_costs_test {
namespace {

// Numbers that count what is done with them.
struct Counter {
  ScoreCost cost;

  double product(double sum, double a, double b) {
    ++cost.products;
    return sum + a * b;
  }
  double tanh(double x) {
    ++cost.tanhs;
    return std::tanh(x);
  }
};

Tensor wave(const Shape& shape, double step) {
  Tensor result = Tensor::empty(shape, DType::f64);
  for (int64_t i = 0; i < result.size(); ++i) {
    result.data<double>()[i] = std::sin(step * static_cast<double>(i + 1));
  }
  return result;
}

double at(const Tensor& matrix, int64_t row, int64_t column) {
  return matrix.data<double>()[row * matrix.dim(1) + column];
}

// x W', [n, h], one multiply-add at a time.
Tensor projected(const Tensor& x, const Tensor& w, Counter& counter) {
  Tensor result = Tensor::empty({x.dim(0), w.dim(0)}, DType::f64);
  for (int64_t i = 0; i < x.dim(0); ++i) {
    for (int64_t j = 0; j < w.dim(0); ++j) {
      double sum = 0;
      for (int64_t d = 0; d < w.dim(1); ++d) sum = counter.product(sum, at(x, i, d), at(w, j, d));
      result.data<double>()[i * w.dim(0) + j] = sum;
    }
  }
  return result;
}

// R30: the counts are those of loops that compute the very scores of the library.
TEST(ScoreCosts, CountedFromLoopsThatGiveTheScores) {
  const ScoreSizes sizes{.queries = 3, .keys = 5, .query_width = 2, .key_width = 4, .hidden = 6};
  const Tensor q = wave({3, 2}, 0.7), k = wave({5, 4}, 1.3);
  const Tensor w_q = wave({6, 2}, 0.9), w_k = wave({6, 4}, 0.4), w_v = wave({1, 6}, 2.1);
  Counter additive, mlp, dot;
  const Tensor rows = projected(q, w_q, additive), columns = projected(k, w_k, additive);
  for (int64_t i = 0; i < 3; ++i) {
    const AdditiveForms forms = additive_forms(q.slice(0, i, i + 1).contiguous().reshape({2}), k,
                                               Additive{w_q, w_k, w_v.reshape({6})});
    for (int64_t j = 0; j < 5; ++j) {
      double by_parts = 0, by_pair = 0;
      for (int64_t h = 0; h < 6; ++h) {
        by_parts = additive.product(by_parts, at(w_v, 0, h),
                                    additive.tanh(at(rows, i, h) + at(columns, j, h)));
        double sum = 0;
        for (int64_t d = 0; d < 2; ++d) sum = mlp.product(sum, at(w_q, h, d), at(q, i, d));
        for (int64_t d = 0; d < 4; ++d) sum = mlp.product(sum, at(w_k, h, d), at(k, j, d));
        by_pair = mlp.product(by_pair, at(w_v, 0, h), mlp.tanh(sum));
      }
      const auto key = static_cast<size_t>(j);
      EXPECT_NEAR(by_parts, forms.additive[key], 1e-12);
      EXPECT_NEAR(by_pair, forms.mlp[key], 1e-12);
      double score = 0;
      for (int64_t d = 0; d < 4; ++d) score = dot.product(score, at(k, j, d), at(k, j, d));
    }
  }
  const ScoreCosts costs = score_costs(sizes);
  EXPECT_EQ(costs.additive, additive.cost);
  EXPECT_EQ(costs.pairwise_mlp, mlp.cost);
  EXPECT_EQ(costs.scaled_dot, dot.cost);
}

// R30, erratum 6: it saves against the MLP on each pair; not against the dot product, unless h < d.
TEST(ScoreCosts, WhatAdditiveAttentionSaves) {
  const ScoreCosts same = score_costs({});
  EXPECT_LT(same.additive.products * 6, same.pairwise_mlp.products);
  EXPECT_GT(same.additive.products, same.scaled_dot.products);
  EXPECT_EQ(same.additive.tanhs, 512 * 512 * 64);
  EXPECT_EQ(same.scaled_dot.tanhs, 0);
  EXPECT_LT(score_costs({.hidden = 8}).additive.products, same.scaled_dot.products);
  EXPECT_THROW(score_costs({.keys = 0}), Error);
}

}  // namespace
}  // namespace heed::score_costs_test
