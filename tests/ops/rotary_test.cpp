#include "heed/ops/rotary.h"

#include <gtest/gtest.h>

#include <cmath>

#include "heed/base/error.h"
#include "tests/ops/gradient_check.h"

namespace heed::rotary_test {
namespace {

constexpr int64_t kN = 5, kH = 3, kD = 6;
const Rows kRows = Rows::from_lengths({3, 2});
constexpr RotaryPairs kPairs[] = {RotaryPairs::adjacent, RotaryPairs::halves};

Operation rotary_with(const Rows& rows, const RotaryOptions& options) {
  return [=](const Inputs& in) { return rotary(in[0], rows, options); };
}

TEST(Rotary, ByHand) {
  const Tensor x = Tensor::from<double>({1, 0, 0, 1}, {1, 1, 4});
  // Position 2, D = 4: angles 2 and 2 / sqrt(100) = 0.2.
  const double a = 2, b = 0.2;
  const Tensor adjacent = rotary(x, Rows::single(1), {.base = 100, .offset = 2}).value();
  const double expected_adjacent[] = {std::cos(a), std::sin(a), -std::sin(b), std::cos(b)};
  const Tensor halves =
      rotary(x, Rows::single(1), {.pairs = RotaryPairs::halves, .base = 100, .offset = 2}).value();
  const double expected_halves[] = {std::cos(a), -std::sin(b), std::sin(a), std::cos(b)};
  for (int i = 0; i < 4; ++i) {
    EXPECT_NEAR(adjacent.data<double>()[i], expected_adjacent[i], 1e-15);
    EXPECT_NEAR(halves.data<double>()[i], expected_halves[i], 1e-15);
  }
}

TEST(Rotary, Gradients) {
  for (RotaryPairs pairs : kPairs) {
    for (int64_t rotated : {0, 4}) {
      const RotaryOptions options = {.pairs = pairs, .rotated = rotated, .offset = 7};
      const std::vector<Tensor> x = {random_tensor({kN, kH, kD}, 1)};
      check_gradients(rotary_with(kRows, options), x);
      check_float32(rotary_with(kRows, options), x);
    }
  }
}

TEST(Rotary, AnyWidth) {
  for (RotaryPairs pairs : kPairs) {
    for (int64_t D = 2; D <= 132; D += 2) {
      const RotaryOptions options = {.pairs = pairs, .offset = 100};
      check_float32(rotary_with(kRows, options),
                    {random_tensor({kN, 2, D}, static_cast<uint64_t>(D))});
      if (HasFatalFailure()) FAIL() << "D = " << D;
    }
  }
}

// The product of two rotated vectors depends on their distance only.
TEST(Rotary, ProductsDependOnDistance) {
  const Tensor pair = random_tensor({2, 1, 8}, 1);
  const auto product = [&](int64_t p, int64_t q) {
    const std::vector<int64_t> positions = {p, q};
    const Tensor y = rotary_at(pair, positions).value();
    double sum = 0;
    for (int i = 0; i < 8; ++i) sum += y.data<double>()[i] * y.data<double>()[8 + i];
    return sum;
  };
  EXPECT_NEAR(product(5, 2), product(1003, 1000), 1e-12);
  EXPECT_GT(std::abs(product(5, 2) - product(5, 3)), 1e-3);
}

TEST(Rotary, ARowDependsOnItsPositionAlone) {
  for (RotaryPairs pairs : kPairs) {
    const Tensor x = random_tensor({kN, kH, 40}, 1, DType::f32);
    const Derivatives all = differentiate(rotary_with(kRows, {.pairs = pairs}), {x});
    check_rows_alone(rotary_with(Rows::single(2), {.pairs = pairs}), {x}, all, 3, 5);
    for (int64_t p = 0; p < 3; ++p) {  // one row at a time
      const RotaryOptions options = {.pairs = pairs, .offset = p};
      check_rows_alone(rotary_with(Rows::single(1), options), {x}, all, p, p + 1);
    }
    // Positions so far apart that there is no table of the range.
    const std::vector<int64_t> positions = {0, 1, 1'000'000, 0, -5};
    const Derivatives far = differentiate(
        [&](const Inputs& in) { return rotary_at(in[0], positions, {.pairs = pairs}); }, {x});
    for (const int64_t n : {0, 1, 3}) {
      expect_same_bits(far.y.slice(0, n, n + 1), all.y.slice(0, n, n + 1), "in far company");
      expect_same_bits(far.dx[0].slice(0, n, n + 1), all.dx[0].slice(0, n, n + 1),
                       "gradient in far company");
    }
  }
}

TEST(Rotary, ViewsOfHeads) {
  const Tensor qkv = random_tensor({kN, 3 * kH * kD}, 1, DType::f32);
  const Tensor k = qkv.slice(1, kH * kD, 2 * kH * kD).split_heads(kH);
  expect_same_bits(rotary(k, kRows).value(), rotary(k.clone(), kRows).value(), "a view");
  const Tensor narrow = random_tensor({kN, kH, 9}, 2, DType::f32).slice(2, 1, 7);
  expect_same_bits(rotary(narrow, kRows).value(), rotary(narrow.clone(), kRows).value(), "a view");
}

TEST(Rotary, SameBitsForAnyThreads) {
  check_threads(rotary_with(Rows::from_lengths({200, 100}), {}),
                {random_tensor({300, 4, 64}, 1, DType::f32)});
}

TEST(Rotary, BadInput) {
  const Tensor x = Tensor::zeros({kN, kH, kD});
  EXPECT_THROW(rotary(Tensor::zeros({kN, kD}), kRows), Error);
  EXPECT_THROW(rotary(x, Rows::single(4)), Error);
  EXPECT_THROW(rotary(x, kRows, {.rotated = 3}), Error);
  EXPECT_THROW(rotary(x, kRows, {.rotated = 8}), Error);
  EXPECT_THROW(rotary(x, kRows, {.rotated = -2}), Error);
  EXPECT_THROW(rotary(x, kRows, {.base = 0}), Error);
  EXPECT_THROW(rotary(x, kRows, {.offset = INT64_MAX}), Error);
  EXPECT_THROW(rotary_at(x, std::vector<int64_t>{0, 1, INT64_MIN, 2, INT64_MAX}), Error);
  EXPECT_THROW(rotary(Tensor::zeros({kN, kH, 5}), kRows), Error);
  EXPECT_THROW(rotary(x.to(DType::i32), kRows), Error);
  EXPECT_THROW(rotary(Tensor(), kRows), Error);
}

}  // namespace
}  // namespace heed::rotary_test
