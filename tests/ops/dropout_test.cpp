#include "heed/ops/dropout.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "tests/ops/gradient_check.h"

namespace heed {
namespace {

const DropoutOptions kOptions = {.p = 0.3, .site = {.seed = 5, .step = 7, .site = 2}};

Operation with(const Rows& rows, const DropoutOptions& options = kOptions) {
  return [=](const Inputs& in) { return dropout(in[0], rows, options); };
}

TEST(Dropout, KeepsTheMean) {
  const int64_t N = 200, C = 1000;
  const Tensor y = dropout(Tensor::full({N, C}, 1), Rows::single(N), kOptions);
  int64_t dropped = 0;
  for (int64_t i = 0; i < y.size(); ++i) {
    const float value = y.data<float>()[i];
    ASSERT_TRUE(value == 0 || value == static_cast<float>(1 / 0.7));
    dropped += value == 0;
  }
  EXPECT_NEAR(static_cast<double>(dropped) / static_cast<double>(N * C), 0.3, 0.005);
}

TEST(Dropout, IsTheFormula) {
  const Rows rows =
      Rows::from_lengths(std::vector<int64_t>{3, 0, 4}, std::vector<uint64_t>{9, 8, 11});
  const Tensor y = dropout(Tensor::full({7, 21}, 1), rows, kOptions);
  for (int64_t n = 0; n < 7; ++n) {
    RandomSite site = kOptions.site;
    site.sequence = n < 3 ? 9 : 11;
    site.position = static_cast<uint64_t>(n < 3 ? n : n - 3);
    for (uint32_t c = 0; c < 21; ++c) {
      const bool kept = random_bits(random_key(site), c) >= 0.3 * 0x1p32;
      ASSERT_EQ(y.data<float>()[n * 21 + c] != 0, kept) << n << ", " << c;
    }
  }
}

TEST(Dropout, Gradients) {
  const Rows rows = Rows::from_lengths({2, 3});
  check_gradients(with(rows), {random_tensor({5, 7}, 1)});
  check_float32(with(rows), {random_tensor({5, 37}, 1)});
}

TEST(Dropout, DependsOnSeedStepSiteAndSequence) {
  const Tensor x = Tensor::full({4, 50}, 1);
  const auto run = [&](DropoutOptions options, uint64_t id) {
    return dropout(x, Rows::single(4, id), options).value();
  };
  const auto differs = [](const Tensor& a, const Tensor& b) {
    int64_t count = 0;
    for (int64_t i = 0; i < a.size(); ++i) count += a.data<float>()[i] != b.data<float>()[i];
    return count > 20;
  };
  const Tensor base = run(kOptions, 0);
  expect_same_bits(run(kOptions, 0), base, "again");
  DropoutOptions seed = kOptions, step = kOptions, site = kOptions;
  seed.site.seed++;
  step.site.step++;
  site.site.site++;
  EXPECT_TRUE(differs(run(seed, 0), base));
  EXPECT_TRUE(differs(run(step, 0), base));
  EXPECT_TRUE(differs(run(site, 0), base));
  EXPECT_TRUE(differs(run(kOptions, 1), base));
}

TEST(Dropout, Threads) {
  check_threads(with(Rows::from_lengths({300, 301})), {random_tensor({601, 517}, 2, DType::f32)});
}

TEST(Dropout, SameBitsAloneAndInCompany) {
  const Tensor x = random_tensor({9, 45}, 3, DType::f32);
  const Rows rows = Rows::from_lengths(std::vector<int64_t>{4, 5}, std::vector<uint64_t>{70, 71});
  const Derivatives both = differentiate(with(rows), {x});
  check_rows_alone(with(Rows::single(5, 71)), {x}, both, 4, 9);
}

// Not check_large(), for rows alone need the ids and positions that they have in company.
TEST(Dropout, LargeResults) {
  const Tensor x = random_tensor({kLargeRows, 1024}, 6, DType::f32);
  const Rows rows =
      Rows::from_lengths(std::vector<int64_t>{kLargeRows - 8, 8}, std::vector<uint64_t>{70, 71});
  const Derivatives all = check_threads(with(rows), {x});
  check_rows_alone(with(Rows::single(8, 70)), {x}, all, 0, 8);  // the beginning of the first
  check_rows_alone(with(Rows::single(8, 71)), {x}, all, kLargeRows - 8, kLargeRows);
}

TEST(Dropout, DropsNan) {
  const Tensor x = Tensor::full({3, 40}, std::nan(""));
  const Tensor y = dropout(x, Rows::single(3), {.p = 0.9, .site = {.seed = 1}});
  int64_t zeros = 0;
  for (int64_t i = 0; i < y.size(); ++i) zeros += y.data<float>()[i] == 0;
  EXPECT_GT(zeros, 90);
}

TEST(Dropout, ZeroProbabilityIsTheInput) {
  const Tensor x = random_tensor({3, 4}, 4, DType::f32);
  expect_same_bits(dropout(x, Rows::single(3), {}).value(), x, "p = 0");
}

TEST(Dropout, BadInput) {
  const Tensor x = Tensor::zeros({3, 4});
  EXPECT_THROW(dropout(x, Rows::single(3), {.p = 1}), Error);
  EXPECT_THROW(dropout(x, Rows::single(3), {.p = -0.1}), Error);
  EXPECT_THROW(dropout(x, Rows::single(2), {.p = 0.5}), Error);
  EXPECT_THROW(dropout(Tensor::zeros({3}), Rows::single(3), {.p = 0.5}), Error);
}

}  // namespace
}  // namespace heed
