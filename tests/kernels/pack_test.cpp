#include "heed/kernels/pack.h"

#include <gtest/gtest.h>

#include <limits>
#include <numeric>
#include <vector>

namespace heed::kernels {
namespace {

template <typename T>
class Pack : public testing::Test {};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(Pack, Types);

TYPED_TEST(Pack, CopiesAndTransposesEverySize) {
  using T = TypeParam;
  for (int64_t rows : {1, 2, 3, 4, 5, 15, 16, 17, 33}) {
    for (int64_t columns : {1, 2, 3, 4, 7, 8, 16, 19, 40}) {
      const int64_t stride = std::max(rows, columns) + 3;
      std::vector<T> source(static_cast<size_t>(stride * stride));
      std::iota(source.begin(), source.end(), T{1});
      for (bool transposed : {false, true}) {
        const MatrixView<T> plain{source.data(), stride};
        const MatrixView<T> from = transposed ? plain.transposed() : plain;
        const int64_t width = columns + 5;
        std::vector<T> to(static_cast<size_t>(rows * (width + 1)), T{-1});
        pack_block<T>(from, rows, columns, to.data(), width + 1, width);
        for (int64_t r = 0; r < rows; ++r) {
          for (int64_t c = 0; c <= width; ++c) {
            const T expected = c < columns ? from.data[r * from.row_stride + c * from.column_stride]
                               : c < width ? T{0}
                                           : T{-1};
            ASSERT_EQ(to[r * (width + 1) + c], expected);
          }
        }
      }
    }
  }
}

TYPED_TEST(Pack, ScaledCopySaysWhetherAllIsFinite) {
  using T = TypeParam;
  for (int64_t n : {0, 1, 5, 16, 37}) {
    for (int64_t rows : {0, 1, 3}) {
      const int64_t stride = n + 2;  // what is between rows is not looked at
      std::vector<T> from(static_cast<size_t>(rows * stride)), to(static_cast<size_t>(rows * n));
      std::iota(from.begin(), from.end(), T{-3});
      const auto copy = [&](const std::vector<T>& x, T scale) {
        return copy_scaled<T>(x.data(), stride, rows, n, scale, to.data());
      };
      EXPECT_TRUE(copy(from, T{2}));
      for (size_t i = 0; i < to.size(); ++i) {
        const size_t width = static_cast<size_t>(n);
        EXPECT_EQ(to[i], 2 * from[i / width * static_cast<size_t>(stride) + i % width]);
      }
      for (size_t at = 0; at < from.size(); ++at) {
        const bool is_between = static_cast<int64_t>(at) % stride >= n;
        for (T bad : {std::numeric_limits<T>::infinity(), -std::numeric_limits<T>::infinity(),
                      std::numeric_limits<T>::quiet_NaN()}) {
          std::vector<T> spoilt = from;
          spoilt[at] = bad;
          EXPECT_EQ(copy(spoilt, T{1}), is_between) << n << " " << rows << " " << at;
        }
      }
    }
  }
}

}  // namespace
}  // namespace heed::kernels
