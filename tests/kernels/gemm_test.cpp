#include "heed/kernels/gemm.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <vector>

#include "heed/base/parallel.h"
#include "heed/base/random.h"
#include "heed/kernels/simd.h"

namespace heed::kernels::gemm_test {
namespace {

template <typename T>
std::vector<T> numbers(int64_t n, uint64_t seed) {
  std::vector<T> result(static_cast<size_t>(n));
  const RandomKey key = random_key({.seed = seed});
  for (int64_t i = 0; i < n; ++i) {
    result[i] = T(random_uniform(key, static_cast<uint32_t>(i))) * 2 - 1;
  }
  return result;
}

struct Problem {
  int64_t M, N, K;
};

// Tails of every kind: rows and columns around the block sizes, K around the slice.
const Problem kProblems[] = {{1, 1, 1},     {1, 5, 3},      {2, 17, 383},    {3, 64, 384},
                             {5, 65, 385},  {7, 130, 767},  {16, 33, 769},   {17, 48, 40},
                             {23, 80, 8},   {97, 70, 100},  {191, 515, 390}, {40, 7, 1000},
                             {8, 300, 800}, {13, 1100, 21}, {15, 2, 1161},   {4, 4200, 400},
                             {65, 60, 500}, {200, 130, 21}, {517, 67, 390},  {390, 200, 30}};

template <typename T>
struct Operands {
  std::vector<T> a, b;
  MatrixView<T> va, vb;
  Operands(const Problem& p, bool ta, bool tb)
      : a(numbers<T>(p.M * p.K, 1)), b(numbers<T>(p.K * p.N, 2)) {
    va = ta ? MatrixView<T>{a.data(), p.M}.transposed() : MatrixView<T>{a.data(), p.K};
    vb = tb ? MatrixView<T>{b.data(), p.K}.transposed() : MatrixView<T>{b.data(), p.N};
  }
};

template <typename T>
T at(const MatrixView<T>& m, int64_t row, int64_t column) {
  return m.data[row * m.row_stride + column * m.column_stride];
}

// The chain that gemm.h promises, one output at a time.
float chain(const MatrixView<float>& a, const MatrixView<float>& b, int64_t i, int64_t j, int64_t K,
            float start, bool accumulate) {
  static const bool fused = isa_name() != "SSE4";
  float total = start;
  for (int64_t k0 = 0; k0 < K; k0 += kSlice) {
    float sum = 0;
    for (int64_t k = k0; k < std::min(K, k0 + kSlice); ++k) {
      const float x = at(a, i, k);
      const float y = at(b, k, j);
      sum = fused ? std::fma(x, y, sum) : x * y + sum;
    }
    total = k0 == 0 && !accumulate ? sum : total + sum;
  }
  return total;
}

bool same_bits(const std::vector<float>& x, const std::vector<float>& y) {
  return x.size() == y.size() && std::memcmp(x.data(), y.data(), x.size() * sizeof(float)) == 0;
}

TEST(Gemm, FollowsThePromisedChainBitForBit) {
  for (const Problem& p : kProblems) {
    for (int transposes = 0; transposes < 4; ++transposes) {
      for (bool accumulate : {false, true}) {
        const Operands<float> o(p, transposes & 1, transposes & 2);
        const std::vector<float> before = numbers<float>(p.M * p.N, 3);
        std::vector<float> c = before;
        gemm<float>(p.M, p.N, p.K, o.va, o.vb, c.data(), p.N, {.accumulate = accumulate});
        std::vector<float> expected(c.size());
        for (int64_t i = 0; i < p.M; ++i) {
          for (int64_t j = 0; j < p.N; ++j) {
            const auto e = static_cast<size_t>(i * p.N + j);
            expected[e] = chain(o.va, o.vb, i, j, p.K, before[e], accumulate);
          }
        }
        ASSERT_TRUE(same_bits(c, expected))
            << p.M << "x" << p.N << "x" << p.K << " transposes " << transposes;
      }
    }
  }
}

TEST(Gemm, DoubleAgreesWithPlainLoops) {
  for (const Problem& p : kProblems) {
    for (int transposes = 0; transposes < 4; ++transposes) {
      const Operands<double> o(p, transposes & 1, transposes & 2);
      std::vector<double> c(static_cast<size_t>(p.M * p.N));
      gemm<double>(p.M, p.N, p.K, o.va, o.vb, c.data(), p.N);
      for (int64_t i = 0; i < p.M; ++i) {
        for (int64_t j = 0; j < p.N; ++j) {
          double sum = 0;
          for (int64_t k = 0; k < p.K; ++k) sum += at(o.va, i, k) * at(o.vb, k, j);
          ASSERT_NEAR(c[i * p.N + j], sum, 1e-11);
        }
      }
    }
  }
}

TEST(Gemm, SameBitsForAnyThreads) {
  for (const Problem& p : {Problem{200, 300, 500}, Problem{4, 3000, 400}, Problem{33, 1000, 800},
                           Problem{16, 1500, 900}, Problem{70, 40, 5000}, Problem{530, 90, 400}}) {
    for (int transposes = 0; transposes < 4; ++transposes) {
      const Operands<float> o(p, transposes & 1, transposes & 2);
      std::vector<float> first;
      for (int count : {1, 2, 3, 8, 16}) {
        const ThreadScope scope(count);
        std::vector<float> c(static_cast<size_t>(p.M * p.N));
        gemm<float>(p.M, p.N, p.K, o.va, o.vb, c.data(), p.N);
        if (first.empty()) first = c;
        ASSERT_TRUE(same_bits(c, first)) << count << " threads, transposes " << transposes;
      }
    }
  }
}

TEST(Gemm, ARowGivesTheSameBitsAloneAndInCompany) {
  const Problem p{70, 90, 500};
  for (bool transposed : {false, true}) {
    const Operands<float> o(p, false, transposed);
    std::vector<float> all(static_cast<size_t>(p.M * p.N));
    gemm<float>(p.M, p.N, p.K, o.va, o.vb, all.data(), p.N);
    for (int64_t rows : {1, 2, 5, 16, 17}) {
      for (int64_t row = 0; row + rows <= p.M; row += 13) {
        std::vector<float> some(static_cast<size_t>(rows * p.N));
        const MatrixView<float> a{o.a.data() + row * p.K, p.K};
        gemm<float>(rows, p.N, p.K, a, o.vb, some.data(), p.N);
        ASSERT_EQ(0, std::memcmp(some.data(), all.data() + row * p.N, some.size() * sizeof(float)));
      }
    }
  }
}

TEST(Gemm, BiasAndActivationFollowTheSum) {
  for (const Problem& p : {Problem{3, 20, 30}, Problem{16, 1500, 500}, Problem{40, 70, 400}}) {
    const Operands<double> o(p, false, false);
    const std::vector<double> bias = numbers<double>(p.N, 5);
    const auto size = static_cast<size_t>(p.M * p.N);
    std::vector<double> plain(size), y(size), before(size);
    gemm<double>(p.M, p.N, p.K, o.va, o.vb, plain.data(), p.N);
    gemm<double>(
        p.M, p.N, p.K, o.va, o.vb, y.data(), p.N,
        {.bias = bias.data(), .activation = Activation::relu, .before_activation = before.data()});
    for (size_t e = 0; e < size; ++e) {
      EXPECT_DOUBLE_EQ(before[e], plain[e] + bias[e % static_cast<size_t>(p.N)]);
      EXPECT_DOUBLE_EQ(y[e], std::max(0.0, before[e]));
    }
  }
}

TEST(Gemm, EmptySumIsZeroPlusBias) {
  const std::vector<float> bias{1, 2, 3};
  std::vector<float> c(6, 9.0f);
  gemm<float>(2, 3, 0, {nullptr, 0}, {nullptr, 3}, c.data(), 3, {.bias = bias.data()});
  EXPECT_EQ(c, (std::vector<float>{1, 2, 3, 1, 2, 3}));
}

}  // namespace
}  // namespace heed::kernels::gemm_test
