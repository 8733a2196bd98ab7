#include "heed/ops/quantized_affine.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "heed/base/error.h"
#include "heed/base/random.h"
#include "heed/ops/embedding.h"

namespace heed {
namespace {

Tensor random_matrix(const Shape& shape, uint64_t seed) {
  Tensor x = Tensor::empty(shape);
  const RandomKey key = random_key({.seed = seed});
  for (int64_t i = 0; i < x.size(); ++i) {
    x.data<float>()[i] = random_uniform(key, static_cast<uint32_t>(i)) * 2 - 1;
  }
  return x;
}

double largest_difference(const Tensor& a, const Tensor& b) {
  double max = 0;
  for (int64_t i = 0; i < a.size(); ++i) {
    max = std::max(max, std::abs(static_cast<double>(a.data<float>()[i]) -
                                 static_cast<double>(b.data<float>()[i])));
  }
  return max;
}

TEST(QuantizedAffine, IsNearTheFloatOneInBothLayouts) {
  const Tensor x = random_matrix({7, 50}, 1), bias = random_matrix({33}, 3);
  for (const WeightLayout layout : {WeightLayout::in_out, WeightLayout::out_in}) {
    const Tensor w =
        random_matrix(layout == WeightLayout::in_out ? Shape{50, 33} : Shape{33, 50}, 2);
    const QuantizedMatrix q = quantize(w, layout);
    EXPECT_EQ(q.in, 50);
    EXPECT_EQ(q.out, 33);
    EXPECT_EQ(q.blocks.shape(), (Shape{3, 13, 16, 4}));
    const Tensor expected =
        affine(x, w, bias, {.activation = Activation::gelu_tanh, .weight_layout = layout});
    const Tensor y = quantized_affine(x, q, bias, Activation::gelu_tanh);
    EXPECT_EQ(y.shape(), expected.shape());
    EXPECT_LT(largest_difference(y, expected), 0.06);  // 50 products of about 0.3, 1/254 off each
  }
}

TEST(QuantizedAffine, ReadsRowsWithAStride) {
  const Tensor wide = random_matrix({5, 40}, 4);
  const QuantizedMatrix q = quantize(random_matrix({20, 6}, 5));
  const Tensor part = wide.slice(1, 10, 30);
  EXPECT_EQ(largest_difference(quantized_affine(part, q), quantized_affine(part.clone(), q)), 0);
}

TEST(QuantizedEmbedding, GivesRowsOfTheTable) {
  const Tensor table = random_matrix({21, 10}, 6);
  const QuantizedMatrix q = quantize(table, WeightLayout::out_in);
  const Tensor ids = Tensor::from(std::vector<int32_t>{20, 0, 3, 3}, {4});
  const Tensor y = quantized_embedding(q, ids);
  EXPECT_EQ(y.shape(), (Shape{4, 10}));
  EXPECT_LT(largest_difference(y, embedding(table, ids)), 0.5001 / 127);
  EXPECT_THROW(quantized_embedding(q, Tensor::from(std::vector<int32_t>{21}, {1})), Error);
}

TEST(QuantizedAffine, Mistakes) {
  const QuantizedMatrix q = quantize(random_matrix({8, 3}, 7));
  EXPECT_THROW(quantized_affine(random_matrix({2, 7}, 1), q), Error);
  EXPECT_THROW(quantized_affine(random_matrix({2, 8}, 1).to(DType::f64), q), Error);
  EXPECT_THROW(quantized_affine(random_matrix({2, 8}, 1), q, random_matrix({4}, 2)), Error);
  EXPECT_THROW(quantized_affine(random_matrix({2, 8}, 1), {}), Error);
  const Variable x = Variable::parameter(random_matrix({2, 8}, 1));
  EXPECT_THROW(quantized_affine(x, q), Error);
  {
    const NoGrad no_grad;
    EXPECT_EQ(quantized_affine(x, q).shape(), (Shape{2, 3}));
  }
  Tensor odd = random_matrix({8, 3}, 7);
  odd.data<float>()[5] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THROW(quantize(odd), Error);
  EXPECT_THROW(quantize(random_matrix({8}, 1)), Error);
}

}  // namespace
}  // namespace heed
