#include "heed/nn/positions.h"

#include <gtest/gtest.h>

#include <cmath>

#include "heed/base/error.h"
#include "heed/ops/sum.h"

namespace heed {
namespace {

constexpr int64_t kWidth = 6, kLearned = 3;

Tensor features(PositionKind kind, PositionMode mode, const std::vector<int64_t>& at) {
  Parameters parameters({.seed = 1});
  const Positions positions(ParameterScope(parameters).in("p"),
                            {.kind = kind, .mode = mode, .width = kWidth, .learned = kLearned});
  return positions(Tensor::zeros({static_cast<int64_t>(at.size()), kWidth}), at).value();
}

TEST(Positions, SinusoidsByHand) {
  const Tensor y = features(PositionKind::sinusoidal, PositionMode::add, {0, 5, 5000});
  const double w1 = std::pow(10000, -2.0 / 6);
  EXPECT_EQ(y.data<float>()[0], 0);
  EXPECT_EQ(y.data<float>()[1], 1);
  EXPECT_FLOAT_EQ(y.data<float>()[6 + 2], static_cast<float>(std::sin(5 * w1)));
  EXPECT_FLOAT_EQ(y.data<float>()[6 + 3], static_cast<float>(std::cos(5 * w1)));
  EXPECT_FLOAT_EQ(y.data<float>()[12 + 3], static_cast<float>(std::cos(5000 * w1)));
}

TEST(Positions, AppendedOnesWidenTheRows) {
  const Tensor y = features(PositionKind::sinusoidal, PositionMode::append, {0, 1});
  EXPECT_EQ(y.shape(), (Shape{2, 2 * kWidth}));
  EXPECT_EQ(y.data<float>()[kWidth + 1], 1);
}

TEST(Positions, LearnedOnesEnd) {
  EXPECT_NO_THROW(features(PositionKind::learned, PositionMode::add, {0, 2}));
  EXPECT_THROW(features(PositionKind::learned, PositionMode::add, {0, 3}), Error);
}

// Learned where there is a row, sinusoidal and without an end after it.
TEST(Positions, HybridOnesGoOn) {
  Parameters parameters({.seed = 1});
  const Positions positions(ParameterScope(parameters).in("p"),
                            {.kind = PositionKind::hybrid, .width = kWidth, .learned = kLearned});
  Tensor table = positions.table.value();
  table.fill(0.5);
  const std::vector<int64_t> at = {2, 3, 2000};
  const Tensor zero = Tensor::zeros({3, kWidth});
  const Variable y = positions(zero, at);
  const Tensor fixed = sinusoidal_positions(0, 2001, kWidth);
  for (int64_t c = 0; c < kWidth; ++c) {
    EXPECT_EQ(y.value().data<float>()[c], fixed.data<float>()[2 * kWidth + c] + 0.5f);
    EXPECT_EQ(y.value().data<float>()[kWidth + c], fixed.data<float>()[3 * kWidth + c]);
    EXPECT_EQ(y.value().data<float>()[2 * kWidth + c], fixed.data<float>()[2000 * kWidth + c]);
  }
  const Tensor gradient = backward(sum(y)).of(positions.table);
  EXPECT_EQ(gradient.data<float>()[0], 0);
  EXPECT_EQ(gradient.data<float>()[2 * kWidth], 1);
}

// A configuration can name any width; what is not kept is computed when it is needed.
TEST(Positions, KeepWhatTakesLittleMemory) {
  EXPECT_EQ(kept_sinusoids(kLearned, kWidth), 1024);
  EXPECT_EQ(kept_sinusoids(int64_t{1} << 20, 2048), 1 << 14);
  for (const int exponent : {12, 16, 20, 24, 40}) {
    const int64_t width = int64_t{1} << exponent;
    EXPECT_LE(kept_sinusoids(1 << 14, width) * width, 1 << 25) << width;
  }
  Parameters parameters({.seed = 1});
  EXPECT_NO_THROW(Positions(ParameterScope(parameters).in("p"),
                            {.kind = PositionKind::sinusoidal, .width = int64_t{1} << 40}));
}

TEST(Positions, RowsCountFromTheirOffsets) {
  const Rows rows = Rows::from_lengths({2, 0, 3});
  EXPECT_EQ(row_positions(rows), (std::vector<int64_t>{0, 1, 0, 1, 2}));
  EXPECT_EQ(row_positions(rows, std::vector<int64_t>{7, 1, 2}),
            (std::vector<int64_t>{7, 8, 2, 3, 4}));
  EXPECT_THROW(row_positions(rows, std::vector<int64_t>{7}), Error);
}

}  // namespace
}  // namespace heed
