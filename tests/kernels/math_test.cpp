#include "heed/kernels/math.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <string>
#include <vector>

namespace heed::kernels {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

using ArrayFunction = void (*)(const float*, float*, int64_t);
using Reference = double (*)(double);

// Every 4093rd float of all 2^32 bit patterns (a prime, so that all mantissas occur), without NaN.
std::vector<float> sweep(float low, float high) {
  std::vector<float> x;
  for (uint64_t bits = 0; bits < (uint64_t{1} << 32); bits += 4093) {
    const float value = std::bit_cast<float>(static_cast<uint32_t>(bits));
    if (value >= low && value <= high) x.push_back(value);
  }
  // and evenly spaced ones, where the interesting changes are
  for (int i = 0; i <= 400000; ++i) {
    const float value = -110.0f + static_cast<float>(i) * (220.0f / 400000);
    if (value >= low && value <= high) x.push_back(value);
    if (value / 16 >= low && value / 16 <= high) x.push_back(value / 16);
  }
  return x;
}

// The distance of y from the true value in units of the last place of the true value's binade.
double ulp_error(float y, double truth) {
  if (std::isinf(y) || std::abs(truth) > std::numeric_limits<float>::max()) {
    const auto rounded = static_cast<float>(truth);
    return rounded == y ? 0 : 1e9;
  }
  const int exponent = std::max(std::ilogb(truth == 0 ? 1e-300 : truth), -126);
  return std::abs(static_cast<double>(y) - truth) / std::ldexp(1.0, exponent - 23);
}

double largest_error(const char* name, ArrayFunction f, Reference reference,
                     const std::vector<float>& x) {
  std::vector<float> y(x.size());
  f(x.data(), y.data(), static_cast<int64_t>(x.size()));
  double worst = 0;
  float where = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    const double error = ulp_error(y[i], reference(x[i]));
    if (!(error <= worst)) {
      worst = error;
      where = x[i];
    }
  }
  ::testing::Test::RecordProperty(name, std::to_string(worst));
  std::printf("%s: %.3f ulp at %g (%zu numbers)\n", name, worst, static_cast<double>(where),
              x.size());
  return worst;
}

float one(ArrayFunction f, float x) {
  float y = 0;
  f(&x, &y, 1);
  return y;
}

TEST(Math, Exp) {
  const auto reference = [](double x) { return std::exp(x); };
  EXPECT_LE(largest_error("exp", exp<float>, reference, sweep(-kInfinity, kInfinity)), 0.95);
  EXPECT_EQ(one(exp<float>, 0.0f), 1.0f);
  EXPECT_EQ(one(exp<float>, -0.0f), 1.0f);
  EXPECT_EQ(one(exp<float>, -kInfinity), 0.0f);
  EXPECT_EQ(one(exp<float>, kInfinity), kInfinity);
  EXPECT_EQ(one(exp<float>, 88.73f), kInfinity);
  EXPECT_LT(one(exp<float>, 88.72f), kInfinity);
  EXPECT_GT(one(exp<float>, -103.2f), 0.0f);
  EXPECT_EQ(one(exp<float>, -104.1f), 0.0f);
  EXPECT_TRUE(std::isnan(one(exp<float>, kNan)));
}

TEST(Math, ExpNonpositive) {
  std::vector<float> x = sweep(-87.33f, 0.0f), y(x.size());
  exp_nonpositive(x.data(), y.data(), static_cast<int64_t>(x.size()));
  double worst = 0, near = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    const double error = std::abs(y[i] / std::exp(static_cast<double>(x[i])) - 1);
    worst = std::max(worst, error);
    if (x[i] >= -20) near = std::max(near, error);
  }
  std::printf("exp_nonpositive: relative error %.3g, above -20 %.3g\n", worst, near);
  EXPECT_LE(worst, 4e-7);
  EXPECT_LE(near, 2e-7);
  EXPECT_EQ(one(exp_nonpositive, 0.0f), 1.0f);
  EXPECT_EQ(one(exp_nonpositive, -0.0f), 1.0f);
  for (float below : {-87.34f, -88.0f, -100.0f, -1e6f, -3e38f, -kInfinity}) {
    EXPECT_EQ(std::bit_cast<uint32_t>(one(exp_nonpositive, below)), 0u) << below;
  }
  EXPECT_TRUE(std::isnan(one(exp_nonpositive, kNan)));
  EXPECT_TRUE(std::isnan(one(exp_nonpositive, -kNan)));
}

TEST(Math, Tanh) {
  const auto reference = [](double x) { return std::tanh(x); };
  EXPECT_LE(largest_error("tanh", tanh<float>, reference, sweep(-kInfinity, kInfinity)), 2.4);
  EXPECT_EQ(one(tanh<float>, kInfinity), 1.0f);
  EXPECT_EQ(one(tanh<float>, -kInfinity), -1.0f);
  EXPECT_TRUE(std::signbit(one(tanh<float>, -0.0f)));
  EXPECT_EQ(one(tanh<float>, 1e-42f), 1e-42f);
  EXPECT_TRUE(std::isnan(one(tanh<float>, kNan)));
}

TEST(Math, Erf) {
  const auto reference = [](double x) { return std::erf(x); };
  EXPECT_LE(largest_error("erf", erf<float>, reference, sweep(-kInfinity, kInfinity)), 1.9);
  EXPECT_EQ(one(erf<float>, kInfinity), 1.0f);
  EXPECT_EQ(one(erf<float>, -kInfinity), -1.0f);
  EXPECT_TRUE(std::signbit(one(erf<float>, -0.0f)));
  EXPECT_TRUE(std::isnan(one(erf<float>, kNan)));
}

TEST(Math, Log) {
  const auto reference = [](double x) { return std::log(x); };
  const float min = std::numeric_limits<float>::denorm_min();
  EXPECT_LE(largest_error("log", log<float>, reference, sweep(min, 3.4028235e38f)), 0.85);
  EXPECT_EQ(one(log<float>, 1.0f), 0.0f);
  EXPECT_EQ(one(log<float>, 0.0f), -kInfinity);
  EXPECT_EQ(one(log<float>, -0.0f), -kInfinity);
  EXPECT_EQ(one(log<float>, kInfinity), kInfinity);
  EXPECT_TRUE(std::isnan(one(log<float>, -1.0f)));
  EXPECT_TRUE(std::isnan(one(log<float>, -kInfinity)));
  EXPECT_TRUE(std::isnan(one(log<float>, -1e-42f)));
  EXPECT_TRUE(std::isnan(one(log<float>, kNan)));
}

TEST(Math, Sigmoid) {
  const auto reference = [](double x) { return 1 / (1 + std::exp(-x)); };
  EXPECT_LE(largest_error("sigmoid", sigmoid<float>, reference, sweep(-kInfinity, kInfinity)), 2.3);
  EXPECT_EQ(one(sigmoid<float>, 0.0f), 0.5f);
  EXPECT_EQ(one(sigmoid<float>, -kInfinity), 0.0f);
  EXPECT_EQ(one(sigmoid<float>, kInfinity), 1.0f);
  EXPECT_TRUE(std::isnan(one(sigmoid<float>, kNan)));
}

// A number's result does not depend on its place in the array.
TEST(Math, SameBitsAtAnyPlace) {
  std::vector<float> x(67), all(67), part(67);
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i) * 0.37f + 0.01f;
  for (ArrayFunction f : {exp<float>, tanh<float>, erf<float>, log<float>, sigmoid<float>}) {
    f(x.data(), all.data(), 67);
    for (size_t begin = 0; begin < 67; ++begin) {
      f(x.data() + begin, part.data(), static_cast<int64_t>(67 - begin));
      for (size_t i = begin; i < 67; ++i) {
        ASSERT_EQ(std::bit_cast<uint32_t>(part[i - begin]), std::bit_cast<uint32_t>(all[i]));
      }
    }
  }
}

TEST(Math, DoubleIsTheStandardLibrary) {
  const double x = 0.7;
  double y = 0;
  exp(&x, &y, 1);
  EXPECT_EQ(y, std::exp(x));
  sigmoid(&x, &y, 1);
  EXPECT_NEAR(y, 1 / (1 + std::exp(-x)), 1e-16);
}

}  // namespace
}  // namespace heed::kernels
