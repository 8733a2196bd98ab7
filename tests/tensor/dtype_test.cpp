#include "heed/tensor/dtype.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

namespace heed {
namespace {

TEST(DType, SizesAndNames) {
  EXPECT_EQ(byte_size(DType::f32), 4u);
  EXPECT_EQ(byte_size(DType::f64), 8u);
  EXPECT_EQ(byte_size(DType::bf16), 2u);
  EXPECT_EQ(byte_size(DType::boolean), 1u);
  EXPECT_STREQ(name(DType::f16), "float16");
  EXPECT_STREQ(name(DType::boolean), "bool");
}

TEST(DType, EveryFloat16RoundTrips) {
  for (uint32_t bits = 0; bits < 65536; ++bits) {
    const Float16 half{static_cast<uint16_t>(bits)};
    const float wide = to_float(half);
    const uint16_t back = to_float16(wide).bits;
    if (std::isnan(wide)) {
      EXPECT_TRUE(std::isnan(to_float(Float16{back})));
      EXPECT_EQ(back & 0x8000, static_cast<int>(bits & 0x8000u));
    } else {
      ASSERT_EQ(back, bits) << wide;
    }
  }
}

TEST(DType, EveryBFloat16RoundTrips) {
  for (uint32_t bits = 0; bits < 65536; ++bits) {
    const float wide = to_float(BFloat16{static_cast<uint16_t>(bits)});
    const BFloat16 back = to_bfloat16(wide);
    if (std::isnan(wide)) {
      EXPECT_TRUE(std::isnan(to_float(back)));
    } else {
      ASSERT_EQ(back.bits, bits) << wide;
    }
  }
}

TEST(DType, Float16Values) {
  EXPECT_EQ(to_float(Float16{0x3c00}), 1.0f);
  EXPECT_EQ(to_float(Float16{0xc000}), -2.0f);
  EXPECT_EQ(to_float(Float16{0x7bff}), 65504.0f);
  EXPECT_EQ(to_float(Float16{0x0001}), 0x1p-24f);
  EXPECT_EQ(to_float(Float16{0x03ff}), 1023 * 0x1p-24f);
  EXPECT_TRUE(std::isinf(to_float(Float16{0x7c00})));
}

// Between every two neighbours: the middle goes to the even one, next to it to the nearer one.
TEST(DType, Float16RoundsToNearestEven) {
  for (uint32_t bits = 0; bits < 0x7bff; ++bits) {
    const float low = to_float(Float16{static_cast<uint16_t>(bits)});
    const float high = to_float(Float16{static_cast<uint16_t>(bits + 1)});
    const float middle = (low + high) / 2;  // exact in float
    ASSERT_EQ(to_float16(middle).bits, bits % 2 == 0 ? bits : bits + 1) << middle;
    ASSERT_EQ(to_float16(std::nextafter(middle, 0.0f)).bits, bits) << middle;
    ASSERT_EQ(to_float16(std::nextafter(middle, 1e9f)).bits, bits + 1) << middle;
    ASSERT_EQ(to_float16(-middle).bits, to_float16(middle).bits | 0x8000);
  }
}

TEST(DType, Float16Overflows) {
  EXPECT_EQ(to_float16(65519.9f).bits, 0x7bff);
  EXPECT_EQ(to_float16(65520.0f).bits, 0x7c00);
  EXPECT_EQ(to_float16(-1e30f).bits, 0xfc00);
  EXPECT_EQ(to_float16(std::numeric_limits<float>::infinity()).bits, 0x7c00);
  EXPECT_EQ(to_float16(0x1p-25f).bits, 0);  // half of the smallest, to even
  EXPECT_EQ(to_float16(std::nextafter(0x1p-25f, 1.0f)).bits, 1);
}

TEST(DType, BFloat16RoundsToNearestEven) {
  EXPECT_EQ(to_bfloat16(1.0f).bits, 0x3f80);
  EXPECT_EQ(to_bfloat16(std::bit_cast<float>(0x3f808000u)).bits, 0x3f80);  // middle, to even
  EXPECT_EQ(to_bfloat16(std::bit_cast<float>(0x3f818000u)).bits, 0x3f82);
  EXPECT_EQ(to_bfloat16(std::bit_cast<float>(0x3f808001u)).bits, 0x3f81);
  EXPECT_EQ(to_bfloat16(std::numeric_limits<float>::max()).bits, 0x7f80);  // to infinity
  EXPECT_TRUE(std::isnan(to_float(to_bfloat16(std::bit_cast<float>(0x7f800001u)))));
}

}  // namespace
}  // namespace heed
