#include "heed/kernels/tile_gemm.h"

#include <gtest/gtest.h>

#include <vector>

namespace heed::kernels {
namespace {

// A product without rows writes nothing: a head of width 0 has no gradient and no memory for one.
TEST(TileGemm, NoRows) {
  const std::vector<float> a(40, 1.0F), b(40, 1.0F);
  std::vector<float> c(40, 7.0F);
  for (const bool skip_zeros : {false, true}) {
    for (const bool accumulate : {false, true}) {
      tile_gemm<float>({.rows = 0,
                        .columns = 20,
                        .depth = 2,
                        .a = {a.data(), 2},
                        .b = b.data(),
                        .b_stride = 20,
                        .c = c.data(),
                        .c_stride = 20,
                        .accumulate = accumulate,
                        .skip_zeros = skip_zeros});
      EXPECT_EQ(c, std::vector<float>(40, 7.0F));
    }
  }
}

// Without terms the sum is 0, and what stood in C before does not matter.
TEST(TileGemm, NoDepth) {
  const std::vector<float> a(4), b(4);
  std::vector<float> c(60, 7.0F);
  tile_gemm<float>({.rows = 3,
                    .columns = 20,
                    .depth = 0,
                    .a = {a.data(), 0},
                    .b = b.data(),
                    .b_stride = 20,
                    .c = c.data(),
                    .c_stride = 20});
  EXPECT_EQ(c, std::vector<float>(60, 0.0F));
}

}  // namespace
}  // namespace heed::kernels
