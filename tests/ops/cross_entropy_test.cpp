#include "heed/ops/cross_entropy.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "heed/base/error.h"
#include "tests/ops/gradient_check.h"

namespace heed::cross_entropy_test {
namespace {

constexpr int64_t kN = 4, kV = 6;
const Tensor kTargets = Tensor::from<int32_t>({5, 0, -1, 2}, {kN});

Operation loss_with(const Tensor& targets, const CrossEntropyOptions& options) {
  return [=](const Inputs& in) { return cross_entropy(in[0], targets, options); };
}

// Two rows whose softmax is (1/4, 1/4, 1/2) and (1/2, 1/4, 1/4).
Tensor easy_logits(DType type) {
  const double h = std::log(2.0);
  return Tensor::from<double>({1, 1, 1 + h, 3 + h, 3, 3}, {2, 3}).to(type);
}

TEST(CrossEntropy, ByHand) {
  for (DType type : {DType::f32, DType::f64}) {
    const Tensor x = easy_logits(type);
    const Tensor t = Tensor::from<int64_t>({2, 1}, {2});
    const double h = std::log(2.0);
    const auto loss = [&](const CrossEntropyOptions& options) {
      return cross_entropy(x, t, options).value().item();
    };
    EXPECT_NEAR(loss({}), (h + 2 * h) / 2, 1e-6);
    EXPECT_NEAR(loss({.token_count = 10}), 3 * h / 10, 1e-6);
    EXPECT_NEAR(loss({.ignored_target = 1}), h, 1e-6);
    EXPECT_NEAR(loss({.ignored_target = 1, .token_count = 4}), h / 4, 1e-6);
    // Smoothing 0.3: 0.7 of the target's loss and 0.1 of each class: 2h + 2h + h = 5h in each row.
    EXPECT_NEAR(loss({.label_smoothing = 0.3}), (0.7 * 3 * h + 0.1 * 10 * h) / 2, 1e-6);
    const Tensor logp = token_log_probabilities(x, t);
    EXPECT_NEAR(logp.slice(0, 0, 1).item(), -h, 1e-6);
    EXPECT_NEAR(logp.slice(0, 1, 2).item(), -2 * h, 1e-6);
  }
}

TEST(CrossEntropy, GradientByHand) {
  const Variable x = Variable::parameter(easy_logits(DType::f32));
  const Tensor t = Tensor::from<int64_t>({2, 1}, {2});
  const Gradients gradients = backward(cross_entropy(x, t, {.label_smoothing = 0.3}));
  const Tensor dx = gradients.of(x);
  const double expected[] = {0.25 - 0.1, 0.25 - 0.1, 0.5 - 0.8, 0.5 - 0.1, 0.25 - 0.8, 0.25 - 0.1};
  for (int i = 0; i < 6; ++i) {
    EXPECT_NEAR(static_cast<double>(dx.data<float>()[i]), expected[i] / 2, 1e-7);
  }
}

TEST(CrossEntropy, Gradients) {
  for (const CrossEntropyOptions& options :
       {CrossEntropyOptions{}, CrossEntropyOptions{.label_smoothing = 0.1},
        CrossEntropyOptions{.label_smoothing = 0.2, .token_count = 9}}) {
    const std::vector<Tensor> x = {random_tensor({kN, kV}, 1, DType::f64, -3, 3)};
    check_gradients(loss_with(kTargets, options), x);
    check_float32(loss_with(kTargets, options), x);
  }
}

// Every length of the tail of a row, on every instruction set's vector.
TEST(CrossEntropy, AnyVocabulary) {
  for (int64_t V = 1; V <= 150; ++V) {
    const Tensor x = random_tensor({3, V}, static_cast<uint64_t>(V), DType::f64, -4, 4);
    const Tensor t = Tensor::from<int64_t>({0, V / 2, V - 1}, {3});
    check_float32(loss_with(t, {.label_smoothing = 0.1}), {x});
    if (HasFatalFailure()) FAIL() << "V = " << V;
  }
}

TEST(CrossEntropy, LargeLogits) {
  const Tensor x = random_tensor({kN, 700}, 1, DType::f64, -300, 300);
  check_float32(loss_with(kTargets, {}), {x});
}

TEST(CrossEntropy, IgnoredRows) {
  const Variable x = Variable::parameter(random_tensor({kN, kV}, 1, DType::f32));
  const Tensor dx = backward(cross_entropy(x, kTargets)).of(x);
  EXPECT_EQ(largest(dx.slice(0, 2, 3)), 0);
  EXPECT_GT(largest(dx.slice(0, 3, 4)), 0);
  EXPECT_EQ(token_log_probabilities(x, kTargets).data<float>()[2], 0);

  const Variable none = cross_entropy(x, Tensor::full({kN}, -1, DType::i64));
  EXPECT_EQ(none.value().item(), 0);
  EXPECT_EQ(largest(backward(none).of(x)), 0);
}

TEST(CrossEntropy, ABrokenRowIsSeenUnlessIgnored) {
  for (DType type : {DType::f32, DType::f64}) {
    for (double bad : {std::nan(""), std::numeric_limits<double>::infinity()}) {
      for (int64_t column : {0, 3, 36}) {
        Tensor x = random_tensor({kN, 37}, 1, type);
        x.slice(0, 2, 3).slice(1, column, column + 1).fill(bad);
        EXPECT_TRUE(std::isfinite(cross_entropy(x, kTargets).value().item()));
        const Tensor counted = Tensor::from<int32_t>({5, 0, 1, 2}, {kN});
        EXPECT_TRUE(std::isnan(cross_entropy(x, counted).value().item())) << bad << " " << column;
      }
    }
  }
}

TEST(CrossEntropy, SameBitsForAnyThreads) {
  std::vector<int32_t> targets;
  for (int32_t n = 0; n < 300; ++n) targets.push_back(n % 7 - 1);
  check_threads(loss_with(Tensor::from(targets, {300}), {.label_smoothing = 0.1}),
                {random_tensor({300, 1003}, 1, DType::f32)});
}

TEST(CrossEntropy, SameBitsAloneAndInCompany) {
  const Tensor x = random_tensor({9, 1003}, 1, DType::f32);
  const Tensor t = Tensor::from<int32_t>({1, 2, 3, 4, 1002, 0, 7, 8, 9}, {9});
  const Tensor all = token_log_probabilities(x, t);
  // Gradients are divided by the number of tokens, so that is given.
  const CrossEntropyOptions options = {.label_smoothing = 0.1, .token_count = 9};
  const Derivatives company = differentiate(loss_with(t, options), {x});
  for (int64_t n = 0; n < 9; ++n) {
    const Tensor one = token_log_probabilities(x.slice(0, n, n + 1), t.slice(0, n, n + 1));
    expect_same_bits(one, all.slice(0, n, n + 1), "log probability");
    check_rows_alone(loss_with(t.slice(0, n, n + 1), options), {x}, company, n, n + 1);
  }
}

TEST(CrossEntropy, BadInput) {
  const Tensor x = Tensor::zeros({kN, kV});
  EXPECT_THROW(cross_entropy(x, Tensor::zeros({kN - 1}, DType::i32)), Error);
  EXPECT_THROW(cross_entropy(x, Tensor::zeros({kN})), Error);
  EXPECT_THROW(cross_entropy(x, Tensor::full({kN}, kV, DType::i32)), Error);
  EXPECT_THROW(cross_entropy(x, Tensor::full({kN}, -2, DType::i32)), Error);
  EXPECT_THROW(cross_entropy(x, kTargets, {.label_smoothing = 1.5}), Error);
  EXPECT_THROW(cross_entropy(x, kTargets, {.token_count = -1}), Error);
  EXPECT_THROW(cross_entropy(Tensor::zeros({kV}), kTargets), Error);
  EXPECT_THROW(cross_entropy(x.to(DType::i32), kTargets), Error);
  EXPECT_THROW(token_log_probabilities(x, Tensor()), Error);
}

}  // namespace
}  // namespace heed::cross_entropy_test
