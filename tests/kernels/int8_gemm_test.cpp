#include "heed/kernels/int8_gemm.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "heed/base/parallel.h"
#include "heed/base/random.h"
#include "heed/kernels/simd.h"

namespace heed::kernels::int8_gemm_test {
namespace {

// "" is what the processor has: with AVX-512, also its products of bytes.
std::vector<std::string> sets() {
  std::vector<std::string> names = isa_limits();
  names.emplace_back();
  return names;
}

struct Int8Gemm : ::testing::Test {
  ~Int8Gemm() override {
    limit_isa("");
    apply_isa_environment();
  }
};

std::vector<float> numbers(int64_t n, uint64_t seed) {
  std::vector<float> result(static_cast<size_t>(n));
  const RandomKey key = random_key({.seed = seed});
  for (int64_t i = 0; i < n; ++i) {
    result[i] = random_uniform(key, static_cast<uint32_t>(i)) * 2 - 1;
  }
  return result;
}

struct Packed {
  int64_t K, N;
  std::vector<int8_t> blocks;
  std::vector<float> scale;
  Packed(int64_t rows, int64_t columns, const std::vector<float>& w, bool transposed = false)
      : K(rows),
        N(columns),
        blocks(static_cast<size_t>(int8_blocks(N) * int8_groups(K) * 64)),
        scale(static_cast<size_t>(N)) {
    const MatrixView<float> view =
        transposed ? MatrixView<float>{w.data(), K}.transposed() : MatrixView<float>{w.data(), N};
    int8_pack(K, N, view, blocks.data(), scale.data());
  }
  Int8Matrix matrix() const { return {K, N, blocks.data(), scale.data()}; }
  int q(int64_t k, int64_t j) const {
    return blocks[((j / 16 * int8_groups(K) + k / 4) * 16 + j % 16) * 4 + k % 4];
  }
};

// The formula of the header, one number at a time, with sums in 64 bits.
std::vector<float> plain(int64_t M, const std::vector<float>& x, const Packed& w,
                         const float* bias) {
  std::vector<float> y(static_cast<size_t>(M * w.N));
  for (int64_t i = 0; i < M; ++i) {
    const float* row = x.data() + i * w.K;
    float max = 0;
    for (int64_t k = 0; k < w.K; ++k) max = std::max(max, std::abs(row[k]));
    const float scale = max < 0x1p-100f ? 0 : max / 127;
    for (int64_t j = 0; j < w.N; ++j) {
      int64_t sum = 0;
      for (int64_t k = 0; k < w.K && scale > 0; ++k) {
        sum += static_cast<int64_t>(std::nearbyint(row[k] * (127 / max))) * w.q(k, j);
      }
      EXPECT_EQ(sum, static_cast<int32_t>(sum));
      const float factor = scale * w.scale[j];
      float& out = y[i * w.N + j];
      out = static_cast<float>(sum) * factor;
      if (bias != nullptr) out += bias[j];
    }
  }
  return y;
}

std::vector<float> product(int64_t M, const std::vector<float>& x, const Packed& w,
                           const Int8GemmOptions& options = {}) {
  std::vector<float> y(static_cast<size_t>(M * w.N), -7.0f);
  int8_gemm(M, x.data(), w.K, w.matrix(), y.data(), w.N, options);
  return y;
}

bool same_bits(const std::vector<float>& x, const std::vector<float>& y) {
  return x.size() == y.size() && std::memcmp(x.data(), y.data(), x.size() * sizeof(float)) == 0;
}

struct Problem {
  int64_t M, N, K;
};

const Problem kProblems[] = {{1, 1, 1},    {1, 5, 3},     {2, 17, 383}, {3, 64, 384},
                             {5, 65, 385}, {7, 130, 767}, {6, 33, 8},   {17, 48, 40},
                             {4, 80, 7},   {97, 70, 100}, {400, 20, 6}, {8, 300, 800}};

TEST_F(Int8Gemm, FollowsTheFormulaBitForBitOnEveryInstructionSet) {
  for (const Problem& p : kProblems) {
    const std::vector<float> x = numbers(p.M * p.K, 1), bias = numbers(p.N, 3);
    const Packed w(p.K, p.N, numbers(p.K * p.N, 2));
    const std::vector<float> expected = plain(p.M, x, w, nullptr);
    const std::vector<float> with_bias = plain(p.M, x, w, bias.data());
    for (const std::string& set : sets()) {
      limit_isa(set);
      ASSERT_TRUE(same_bits(product(p.M, x, w), expected))
          << p.M << "x" << p.N << "x" << p.K << " " << set;
      ASSERT_TRUE(same_bits(product(p.M, x, w, {.bias = bias.data()}), with_bias)) << set;
    }
  }
}

// Products of bytes that add pairs in 16 bits would saturate here.
TEST_F(Int8Gemm, ExtremesAreExact) {
  const int64_t K = 1027, N = 37;
  for (const int signs : {0, 1, 2, 3}) {
    for (const int64_t M : {1, 2, 6, 9}) {
      std::vector<float> x(static_cast<size_t>(M * K)), w(static_cast<size_t>(K * N));
      for (size_t i = 0; i < x.size(); ++i) x[i] = (signs & 1) != 0 && i % 3 != 0 ? -127 : 127;
      for (size_t i = 0; i < w.size(); ++i) w[i] = (signs & 2) != 0 ? -127 : 127;
      const Packed packed(K, N, w);
      for (const int8_t q : packed.blocks) ASSERT_GE(q, -127);
      for (const std::string& set : sets()) {
        limit_isa(set);
        const std::vector<float> y = product(M, x, packed);
        ASSERT_TRUE(same_bits(y, plain(M, x, packed, nullptr))) << set << " signs " << signs;
        if ((signs & 1) == 0) {
          for (const float v : y) ASSERT_EQ(v, ((signs & 2) != 0 ? -1.0f : 1.0f) * 127 * 127 * K);
        }
      }
    }
  }
}

TEST_F(Int8Gemm, TheLongestSumFits) {
  const int64_t K = kInt8Longest - 1;
  const std::vector<float> x(static_cast<size_t>(K), -127.0f), w(static_cast<size_t>(K), 127.0f);
  const Packed packed(K, 1, w);
  for (const std::string& set : sets()) {
    limit_isa(set);
    EXPECT_EQ(product(1, x, packed)[0], -static_cast<float>(127 * 127 * K)) << set;
  }
}

TEST_F(Int8Gemm, SameBitsForAnyThreads) {
  for (const Problem& p : {Problem{500, 300, 200}, Problem{1, 3000, 400}, Problem{33, 1000, 80}}) {
    const std::vector<float> x = numbers(p.M * p.K, 1);
    const Packed w(p.K, p.N, numbers(p.K * p.N, 2));
    std::vector<float> first;
    for (const int count : {1, 2, 3, 8, 16}) {
      const ThreadScope scope(count);
      const std::vector<float> y = product(p.M, x, w, {.activation = Activation::gelu_tanh});
      if (first.empty()) first = y;
      ASSERT_TRUE(same_bits(y, first)) << count << " threads";
    }
  }
}

TEST_F(Int8Gemm, ARowGivesTheSameBitsAloneAndInCompany) {
  const Problem p{400, 90, 500};
  const std::vector<float> x = numbers(p.M * p.K, 1);
  const Packed w(p.K, p.N, numbers(p.K * p.N, 2));
  const std::vector<float> all = product(p.M, x, w, {.activation = Activation::relu});
  for (const int64_t rows : {1, 2, 5, 16, 17}) {
    for (int64_t row = 0; row + rows <= p.M; row += 13) {
      std::vector<float> some(static_cast<size_t>(rows * p.N));
      int8_gemm(rows, x.data() + row * p.K, p.K, w.matrix(), some.data(), p.N,
                {.activation = Activation::relu});
      ASSERT_EQ(0, std::memcmp(some.data(), all.data() + row * p.N, some.size() * sizeof(float)));
    }
  }
}

TEST_F(Int8Gemm, TiesGoToEvenAndBothLayoutsPackAlike) {
  // 127 / max is 1, so that the numbers are rounded as they are.
  const std::vector<float> w = {127, 0.5f, 1.5f, 2.5f, -0.5f, -1.5f, -2.5f, 3.49f};
  const Packed packed(8, 1, w, true);
  const int expected[] = {127, 0, 2, 2, 0, -2, -2, 3};
  for (int k = 0; k < 8; ++k) EXPECT_EQ(packed.q(k, 0), expected[k]) << k;
  const std::vector<float> columns = numbers(30 * 50, 4);
  std::vector<float> transposed(columns.size());
  for (size_t k = 0; k < 30; ++k) {
    for (size_t j = 0; j < 50; ++j) transposed[j * 30 + k] = columns[k * 50 + j];
  }
  const Packed a(30, 50, columns), b(30, 50, transposed, true);
  EXPECT_EQ(a.blocks, b.blocks);
  EXPECT_TRUE(same_bits(a.scale, b.scale));
}

TEST_F(Int8Gemm, ColumnsComeBackWithinHalfAStep) {
  const std::vector<float> w = numbers(70 * 20, 5);
  const Packed packed(70, 20, w);
  std::vector<float> column(70);
  for (int64_t j = 0; j < 20; ++j) {
    int8_column(packed.matrix(), j, column.data());
    for (int64_t k = 0; k < 70; ++k) {
      EXPECT_NEAR(column[k], w[k * 20 + j], 0.5001 * static_cast<double>(packed.scale[j]));
    }
  }
}

TEST_F(Int8Gemm, RowsWithoutAScale) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  const Packed w(40, 3, numbers(120, 6));
  const std::vector<float> bias{1, 2, 3};
  for (const std::string& set : sets()) {
    limit_isa(set);
    for (const float odd : {kInfinity, -kInfinity, kNan, -kNan}) {
      for (const size_t place : {size_t{0}, size_t{39}}) {
        std::vector<float> x(80, 0.5f);
        x[place] = odd;
        const std::vector<float> y = product(2, x, w, {.bias = bias.data()});
        for (size_t j = 0; j < 3; ++j) {
          EXPECT_TRUE(std::isnan(y[j])) << set;
          EXPECT_FALSE(std::isnan(y[3 + j])) << set;
        }
      }
    }
    for (const float small : {0.0f, 1e-40f, 0x1p-101f}) {
      const std::vector<float> y =
          product(1, std::vector<float>(40, small), w, {.bias = bias.data()});
      EXPECT_EQ(y, bias) << set;
    }
    const float large = std::numeric_limits<float>::max(), min = 0x1p-100f;
    for (const float x : {large, -large, min}) {
      for (const float y : product(1, std::vector<float>(40, x), w)) {
        EXPECT_TRUE(std::isfinite(y) || std::abs(x) == large) << set;
        EXPECT_FALSE(std::isnan(y)) << set;
      }
    }
  }
}

TEST_F(Int8Gemm, EmptySumIsTheBias) {
  const std::vector<float> bias{1, 2, 3};
  std::vector<float> y(6, 9.0f);
  const float scale[3] = {};
  int8_gemm(2, nullptr, 0, {0, 3, nullptr, scale}, y.data(), 3, {.bias = bias.data()});
  EXPECT_EQ(y, (std::vector<float>{1, 2, 3, 1, 2, 3}));
}

}  // namespace
}  // namespace heed::kernels::int8_gemm_test
