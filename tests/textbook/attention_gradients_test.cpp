#include "heed/textbook/attention_gradients.h"

#include <gtest/gtest.h>

#include <cmath>

#include "heed/attention/weights.h"
#include "heed/base/error.h"

namespace heed::attention_gradients_test {
namespace {

Tensor wave(const Shape& shape, double step) {
  Tensor result = Tensor::empty(shape, DType::f64);
  for (int64_t i = 0; i < result.size(); ++i) {
    result.data<double>()[i] = std::sin(step * static_cast<double>(i + 1));
  }
  return result;
}

// R5: backward() agrees with finite differences, for every score.
TEST(AttentionGradients, AgreeWithFiniteDifferences) {
  const Tensor q = wave({2, 3}, 0.7), k = wave({5, 3}, 1.3), v = wave({5, 4}, 0.4);
  const std::vector<Score> scores{Dot{}, ScaledDot{}, Gaussian{}, Bilinear{wave({3, 3}, 0.9)},
                                  Additive{wave({6, 3}, 0.3), wave({6, 3}, 0.8), wave({6}, 1.1)}};
  for (const Score& score : scores) {
    const CheckedGradients found = attention_gradients(q, k, v, {.score = score});
    EXPECT_LT(found.difference_q, 1e-8) << score.index();
    EXPECT_LT(found.difference_k, 1e-8) << score.index();
    EXPECT_LT(found.difference_v, 1e-8) << score.index();
    double size = 0;
    for (int64_t i = 0; i < found.dk.size(); ++i) {
      size += std::abs(std::as_const(found.dk).data<double>()[i]);
    }
    EXPECT_GT(size, 0.01) << score.index();  // not 0 on both sides
  }
  EXPECT_THROW(attention_gradients(wave({3}, 1), k, v), Error);
}

// Of one query, the gradient of a value is its weight.
TEST(AttentionGradients, ValuesCountAsTheirWeights) {
  const Tensor q = wave({1, 3}, 0.7), k = wave({5, 3}, 1.3), v = wave({5, 1}, 0.4);
  const CheckedGradients found = attention_gradients(q, k, v);
  const Tensor weights = attention_weights(q, k, Rows::single(1), Rows::single(5), {});
  for (int64_t i = 0; i < 5; ++i) {
    EXPECT_NEAR(std::as_const(found.dv).data<double>()[i], weights.data<double>()[i], 1e-12);
  }
}

}  // namespace
}  // namespace heed::attention_gradients_test
