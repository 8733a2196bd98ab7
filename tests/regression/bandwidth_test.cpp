// Kernel regression on tables: scaling, widths by cross-validation, and statsmodels' KernelReg.
#include "heed/regression/bandwidth.h"

#include <gtest/gtest.h>

#include <cmath>

#include "heed/base/error.h"
#include "heed/base/random.h"
#include "heed/regression/column_scale.h"
#include "tests/goldens/golden.h"

namespace heed::bandwidth_test {
namespace {

double largest_difference(const Tensor& a, const Tensor& b) {
  const Tensor x = a.to(DType::f64).contiguous();
  const Tensor y = b.to(DType::f64).contiguous();
  double result = 0;
  for (int64_t i = 0; i < x.size(); ++i) {
    result = std::max(
        result, std::abs(std::as_const(x).data<double>()[i] - std::as_const(y).data<double>()[i]));
  }
  return result;
}

// R15, R16: one width or one per coordinate, against statsmodels, also in years and in float32.
TEST(Bandwidth, PredictionsAgreeWithStatsmodels) {
  for (const char* name :
       {"kernel_regression_line", "kernel_regression_plane", "kernel_regression_years"}) {
    const Golden golden(name);
    const double size = std::string(name) == "kernel_regression_years" ? 400 : 5;
    for (const bool chosen : {false, true}) {
      const RegressionOptions options{Gaussian{golden.real(chosen ? "cv_widths" : "widths")}};
      const Tensor expected = golden.real(chosen ? "y_cv" : "y_at");
      for (const DType type : {DType::f64, DType::f32}) {
        const Tensor f = scaled_kernel_regression(golden.real("at"), golden.real("x"),
                                                  golden.real("y"), options, type);
        EXPECT_LT(largest_difference(f, expected), size * (type == DType::f64 ? 1e-9 : 1e-6))
            << name;
      }
    }
  }
}

// R15: the criterion is statsmodels', and the search ends no higher.
TEST(Bandwidth, CrossValidationAgreesWithStatsmodels) {
  for (const char* name :
       {"kernel_regression_line", "kernel_regression_plane", "kernel_regression_years"}) {
    const Golden golden(name);
    const double theirs = golden.real("cv_error").item();
    EXPECT_NEAR(
        leave_one_out_error(golden.real("x"), golden.real("y"), Gaussian{golden.real("cv_widths")}),
        theirs, 1e-8 * theirs)
        << name;
    const Bandwidth found = choose_bandwidth(golden.real("x"), golden.real("y"), Gaussian{});
    EXPECT_LE(found.error, theirs * (1 + 1e-6)) << name;
    EXPECT_EQ(static_cast<int64_t>(found.widths.size()), golden.real("x").dim(1));
  }
}

TEST(Bandwidth, LeavesOneOut) {
  const Tensor x = Tensor::from(std::vector<double>{0, 1, 3}, {3, 1});
  const Tensor y = Tensor::from(std::vector<double>{1, 2, 4}, {3, 1});
  // Boxcar of width 1.5: 0 and 1 see each other, 3 sees nobody and gets the nearest, 2.
  const Score boxcar = Boxcar{Tensor::full({1}, 1.5, DType::f64)};
  EXPECT_NEAR(leave_one_out_error(x, y, boxcar), (1 + 1 + std::pow(4 - 2.0, 2)) / 3, 1e-12);
  EXPECT_NEAR(leave_one_out_error(x, y, Constant{}),
              (std::pow(1 - 3.0, 2) + std::pow(2 - 2.5, 2) + std::pow(4 - 1.5, 2)) / 3, 1e-12);
}

// Rows that reach no other must not make narrow kernels look good: on noise, the width chosen
// reaches the neighbors.
TEST(Bandwidth, NoWidthLeavesEveryRowAlone) {
  const int64_t M = 60;
  Tensor x = Tensor::empty({M, 1}, DType::f64), y = Tensor::empty({M, 1}, DType::f64);
  const RandomKey draw = random_key({.seed = 4});
  for (int64_t i = 0; i < M; ++i) {
    x.data<double>()[i] = static_cast<double>(1960 + i);
    y.data<double>()[i] = random_normal(draw, static_cast<uint32_t>(i));
  }
  const Tensor narrow = Tensor::full({1}, 0.3, DType::f64);
  const Tensor wide = Tensor::full({1}, 30, DType::f64);
  EXPECT_GT(leave_one_out_error(x, y, Epanechnikov{narrow}),
            1.3 * leave_one_out_error(x, y, Epanechnikov{wide}));
  for (const Score& kernel : {Score(Epanechnikov{}), Score(Boxcar{}), Score(Triangular{})}) {
    EXPECT_GT(choose_bandwidth(x, y, kernel).widths[0], 1);
  }
}

// Where every width gives the same error but for rounding, the widest is taken.
TEST(Bandwidth, AWidePlateauIsWide) {
  Tensor x = Tensor::empty({40, 1}, DType::f64);
  for (int64_t i = 0; i < 40; ++i) x.data<double>()[i] = static_cast<double>(i);
  const double deviation = std::sqrt((40.0 * 40 - 1) / 12);
  const Tensor flat = Tensor::full({40, 1}, 3, DType::f64);
  for (const Score& kernel : {Score(Gaussian{}), Score(Boxcar{}), Score(Epanechnikov{})}) {
    EXPECT_GT(choose_bandwidth(x, flat, kernel).widths[0], 2 * deviation);
  }
  // Two groups far apart, each with one value: every width that reaches no further is right.
  Tensor groups = Tensor::empty({40, 1}, DType::f64), y = Tensor::empty({40, 1}, DType::f64);
  for (int64_t i = 0; i < 40; ++i) {
    groups.data<double>()[i] = static_cast<double>(i % 20) + (i < 20 ? 0 : 100);
    y.data<double>()[i] = i < 20 ? 0 : 1;
  }
  const double width = choose_bandwidth(groups, y, Boxcar{}).widths[0];
  EXPECT_GT(width, 40);
  EXPECT_LT(width, 100);
}

// Rows whose order repeats itself: one of ten is an outlier, and so it is among those left out.
// (Every tenth row would see outliers only, or none.)
TEST(Bandwidth, RowsAreDrawnByChance) {
  const int64_t M = 2000;
  Tensor x = Tensor::empty({M, 1}, DType::f64), y = Tensor::empty({M, 1}, DType::f64);
  for (int64_t i = 0; i < M; ++i) {
    x.data<double>()[i] = static_cast<double>(i);
    y.data<double>()[i] = i % 10 == 0 ? 10 : 0;
  }
  const double all = leave_one_out_error(x, y, Constant{});
  const double some = leave_one_out_error(x, y, Constant{}, 200);
  EXPECT_NEAR(some / all, 1, 0.4);
  EXPECT_EQ(some, leave_one_out_error(x, y, Constant{}, 200));  // the same rows every time
}

TEST(Bandwidth, AllKernelsAndSampledRows) {
  const int64_t M = 1500;
  Tensor x = Tensor::empty({M, 2});
  Tensor y = Tensor::empty({M, 1});
  const RandomKey key = random_key({.seed = 3});
  for (int64_t i = 0; i < M; ++i) {
    const auto column = static_cast<uint32_t>(3 * i);
    const float a = random_uniform(key, column);
    x.data<float>()[2 * i] = a;
    x.data<float>()[2 * i + 1] = random_uniform(key, column + 1);  // says nothing
    y.data<float>()[i] =
        std::sin(9 * a) + 0.1f * static_cast<float>(random_normal(key, column + 2));
  }
  for (const Score& kernel :
       {Score{Gaussian{}}, Score{Boxcar{}}, Score{Triangular{}}, Score{Epanechnikov{}}}) {
    const Bandwidth found = choose_bandwidth(x, y, kernel, {.rows = 150, .evaluations = 30});
    EXPECT_EQ(found.rows, 150);
    EXPECT_LT(found.error, 0.03);
    EXPECT_GT(found.widths[1], 2 * found.widths[0]);  // the second coordinate is smoothed away
  }
  const Bandwidth shared =
      choose_bandwidth(x, y, Gaussian{}, {.shared = true, .rows = 150, .evaluations = 30});
  EXPECT_NEAR(shared.widths[0], shared.widths[1], 0.1 * shared.widths[0]);
}

TEST(Bandwidth, WrongInputs) {
  const Tensor one = Tensor::zeros({1, 1});
  EXPECT_THROW(choose_bandwidth(one, one, Gaussian{}), Error);
  EXPECT_THROW(choose_bandwidth(Tensor::full({5, 1}, 3), Tensor::zeros({5, 1}), Gaussian{}), Error);
  EXPECT_THROW(leave_one_out_error(Tensor::zeros({5, 1}), Tensor::zeros({4, 1}), Gaussian{}),
               Error);
  EXPECT_THROW(ColumnScale::of(Tensor::full({2, 1}, NAN)), Error);
  EXPECT_THROW(ColumnScale::of(Tensor::zeros({0, 1})), Error);
}

TEST(ColumnScale, ThereAndBack) {
  const Tensor x = Tensor::from(std::vector<double>{2000, 7, 2002, 7}, {2, 2});
  const ColumnScale scale = ColumnScale::of(x);
  EXPECT_EQ(scale.mean[0], 2001);
  EXPECT_EQ(scale.deviation[0], 1);
  EXPECT_EQ(scale.deviation[1], 1);  // constant
  EXPECT_EQ(largest_difference(scale.unscaled(scale.scaled(x, DType::f64)), x), 0);
  EXPECT_EQ(scale.scaled_width(Tensor::full({1}, 3), DType::f64).shape(), Shape({2}));
  EXPECT_THROW(scale.scaled_width(Tensor::full({3}, 3), DType::f64), Error);
}

}  // namespace
}  // namespace heed::bandwidth_test
