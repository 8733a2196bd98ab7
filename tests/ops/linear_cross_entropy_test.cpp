#include "heed/ops/linear_cross_entropy.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "heed/tensor/storage.h"
#include "tests/ops/gradient_check.h"

namespace heed::linear_cross_entropy_test {
namespace {

constexpr int64_t kN = 5, kC = 3, kV = 7;
const Tensor kTargets = Tensor::from<int32_t>({6, 0, -1, 2, 2}, {kN});

using Options = LinearCrossEntropyOptions;

Operation fused(const Tensor& targets, const Options& options) {
  return [=](const Inputs& in) {
    return linear_cross_entropy(in[0], in[1], in.size() > 2 ? in[2] : Variable(), targets, options);
  };
}

// What it stands for.
Operation composed(const Tensor& targets, const Options& options) {
  return [=](const Inputs& in) {
    return cross_entropy(affine(in[0], in[1], in.size() > 2 ? in[2] : Variable(),
                                {.weight_layout = options.weight_layout}),
                         targets, options.loss);
  };
}

Shape weight_shape(int64_t V, int64_t C, WeightLayout layout) {
  return layout == WeightLayout::out_in ? Shape{V, C} : Shape{C, V};
}

Tensor cycling_targets(int64_t count, int64_t V) {
  std::vector<int64_t> targets;
  for (int64_t n = 0; n < count; ++n) targets.push_back(n * 7 % (V + 1) - 1);
  return Tensor::from(targets, {count});
}

TEST(LinearCrossEntropy, Gradients) {
  for (WeightLayout layout : {WeightLayout::out_in, WeightLayout::in_out}) {
    const Options options = {.loss = {.label_smoothing = 0.1}, .weight_layout = layout};
    const std::vector<Tensor> inputs = {random_tensor({kN, kC}, 1),
                                        random_tensor(weight_shape(kV, kC, layout), 2),
                                        random_tensor({kV}, 3)};
    check_gradients(fused(kTargets, options), inputs);
    check_float32(fused(kTargets, options), inputs);
    check_gradients(fused(kTargets, options), {inputs[0], inputs[1]});
  }
}

// More rows than a block: the same bits as the two operations, but for the sums of the bias.
TEST(LinearCrossEntropy, IsAffineAndCrossEntropy) {
  const int64_t N = 900, C = 40, V = 130;
  const Tensor targets = cycling_targets(N, V);
  for (WeightLayout layout : {WeightLayout::out_in, WeightLayout::in_out}) {
    const Options options = {.loss = {.label_smoothing = 0.1, .token_count = 512},
                             .weight_layout = layout};
    const std::vector<Tensor> inputs = {random_tensor({N, C}, 1, DType::f32),
                                        random_tensor(weight_shape(V, C, layout), 2, DType::f32),
                                        random_tensor({V}, 3, DType::f32)};
    Inputs p;
    for (const Tensor& input : inputs) p.push_back(Variable::parameter(input));
    const Variable a = fused(targets, options)(p), b = composed(targets, options)(p);
    expect_same_bits(a, b, "loss");
    const Gradients da = backward(a), db = backward(b);
    expect_same_bits(da.of(p[0]), db.of(p[0]), "dx");
    expect_same_bits(da.of(p[1]), db.of(p[1]), "dW");
    expect_close(da.of(p[2]), db.of(p[2]), 1e-6, "db");

    // Within rounding for any dy.
    const Derivatives scaled = differentiate(fused(targets, options), inputs);
    const Derivatives plain = differentiate(composed(targets, options), inputs);
    for (size_t k = 0; k < inputs.size(); ++k) {
      expect_close(scaled.dx[k], plain.dx[k], 1e-6, "gradient for dy != 1");
    }
  }
}

TEST(LinearCrossEntropy, OnlyTheLossWithoutATape) {
  const Tensor x = random_tensor({kN, kC}, 1, DType::f32);
  const Tensor w = random_tensor({kV, kC}, 2, DType::f32);
  const Variable recorded = linear_cross_entropy(Variable::parameter(x), w, {}, kTargets);
  const Variable plain = linear_cross_entropy(x, w, {}, kTargets);
  EXPECT_TRUE(recorded.requires_gradient());
  EXPECT_FALSE(plain.requires_gradient());
  expect_same_bits(recorded, plain, "loss");
}

TEST(LinearCrossEntropy, SameBitsForAnyThreads) {
  const int64_t N = 500, C = 48, V = 301;
  check_threads(fused(cycling_targets(N, V), {}),
                {random_tensor({N, C}, 1, DType::f32), random_tensor({V, C}, 2, DType::f32),
                 random_tensor({V}, 3, DType::f32)});
}

// dx, with the number of tokens given. Rows 380 to 399 are in two blocks, and the sums have two
// slices.
TEST(LinearCrossEntropy, SameBitsAloneAndInCompany) {
  const int64_t N = 450, C = 40, V = 401;
  const Tensor targets = cycling_targets(N, V);
  for (WeightLayout layout : {WeightLayout::out_in, WeightLayout::in_out}) {
    const Options options = {.loss = {.label_smoothing = 0.1, .token_count = N},
                             .weight_layout = layout};
    const std::vector<Tensor> inputs = {random_tensor({N, C}, 1, DType::f32),
                                        random_tensor(weight_shape(V, C, layout), 2, DType::f32),
                                        random_tensor({V}, 3, DType::f32)};
    const Derivatives all = differentiate(fused(targets, options), inputs);
    for (const int64_t n : {1, 383, 449}) {
      check_rows_alone(fused(targets.slice(0, n, n + 1), options), inputs, all, n, n + 1);
    }
    check_rows_alone(fused(targets.slice(0, 380, 400), options), inputs, all, 380, 400);
  }
}

TEST(LinearCrossEntropy, NoRows) {
  const Derivatives none =
      differentiate(fused(Tensor::zeros({0}, DType::i32), {}),
                    {Tensor::zeros({0, kC}), random_tensor({kV, kC}, 2, DType::f32),
                     random_tensor({kV}, 3, DType::f32)});
  EXPECT_EQ(none.y.item(), 0);
  EXPECT_EQ(largest(none.dx[1]), 0);
  EXPECT_EQ(largest(none.dx[2]), 0);
}

TEST(LinearCrossEntropy, TheLogitsNeverExist) {
  const int64_t N = 3000, C = 8, V = 20000;
  const Variable x = Variable::parameter(random_tensor({N, C}, 1, DType::f32));
  const Variable w = Variable::parameter(random_tensor({V, C}, 2, DType::f32));
  const Tensor targets = cycling_targets(N, V);
  const size_t before = pool_use().used;
  pool_reset_peak();
  backward(linear_cross_entropy(x, w, {}, targets));
  const size_t max = pool_use().peak - before;
  EXPECT_LT(max, size_t{48} << 20);  // a block of logits is 31 MB; [N, V] would be 240 MB
}

TEST(LinearCrossEntropy, BadInput) {
  const Tensor x = Tensor::zeros({kN, kC}), w = Tensor::zeros({kV, kC});
  EXPECT_THROW(linear_cross_entropy(Tensor::zeros({kN}), w, {}, kTargets), Error);
  EXPECT_THROW(linear_cross_entropy(x, Tensor::zeros({kC, kV}), {}, kTargets), Error);
  EXPECT_THROW(linear_cross_entropy(x, w, {}, kTargets, {.weight_layout = WeightLayout::in_out}),
               Error);
  EXPECT_THROW(linear_cross_entropy(x, w, Tensor::zeros({kC}), kTargets), Error);
  EXPECT_THROW(linear_cross_entropy(x, w.to(DType::f64), {}, kTargets), Error);
  EXPECT_THROW(linear_cross_entropy(x, w, {}, Tensor::zeros({kN + 1}, DType::i32)), Error);
  EXPECT_THROW(linear_cross_entropy(x, w, {}, Tensor::full({kN}, kV, DType::i32)), Error);
  EXPECT_THROW(linear_cross_entropy(x, Tensor(), {}, kTargets), Error);
}

}  // namespace
}  // namespace heed::linear_cross_entropy_test
