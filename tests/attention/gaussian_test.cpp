// Distances between large numbers: years, or positions near a million, with a narrow kernel.
#include <cmath>
#include <string>
#include <vector>

#include "heed/run/task_names.h"
#include "tests/attention/attention_case.h"

namespace heed {
namespace {

// Keys around `center`, `spread` wide; queries among them and somewhat outside.
AttentionCase far_case(double center, double spread, int64_t width, double outside) {
  AttentionCase c({.queries = {90}, .keys = {300}, .heads = 1, .kv_heads = 1, .width = width});
  const double half = spread / 2;
  c.k = numbers(c.k.shape(), 5, center - half, center + half);
  c.q = numbers(c.q.shape(), 6, center - half - outside, center + half + outside);
  return c;
}

struct FarPlace {
  double center, spread, outside;
};

// Output and weights in float32 against double.
void check_far(const FarPlace& at, int64_t width, const Tensor& widths) {
  AttentionCase c = far_case(at.center, at.spread, width, at.outside);
  c.options.score = Gaussian{widths};
  SCOPED_TRACE("around " + std::to_string(at.center) + ", D " + std::to_string(width) +
               ", widths " + widths.text());
  const Tensor y = run_engine(c, DType::f32).y;
  expect_close(y, reference_attention(c.q, c.k, c.v, c.query_rows, c.key_rows, c.options), 1e-5,
               "output");
  const AttentionOptions narrow = ParameterOptions(c.options, DType::f32).options;
  const Tensor w =
      attention_weights(c.q.to(DType::f32), c.k.to(DType::f32), c.query_rows, c.key_rows, narrow);
  expect_close(w, reference_attention_weights(c.q, c.k, c.query_rows, c.key_rows, c.options), 1e-5,
               "weights");
}

TEST(Gaussian, FarFromZero) {
  for (const FarPlace& at : {FarPlace{0, 4, 0.5}, FarPlace{2000, 4, 0.5}, FarPlace{1e6, 30, 1}}) {
    for (int64_t width : {1, 2}) check_far(at, width, Tensor::full({1}, 0.1f, DType::f64));
  }
}

// Up to three coordinates have loops of their own, for one width and for many; five take the
// general way. Keys are closer together here, or most queries would see but one of them.
TEST(Gaussian, MoreCoordinatesAndWidthsFarFromZero) {
  const std::vector<float> values = {0.1f, 0.12f, 0.14f, 0.16f, 0.18f};
  const Tensor widths = Tensor::from(values, {5}).to(DType::f64);
  for (const FarPlace& at : {FarPlace{2000, 1, 0.1}, FarPlace{1e6, 2, 0.25}}) {
    for (int64_t width : {2, 3, 5}) {
      check_far(at, width, widths.slice(0, 0, 1));
      check_far(at, width, widths.slice(0, 0, width));
    }
  }
}

TEST(Gaussian, KernelsFarFromZero) {
  const Tensor width = Tensor::full({1}, 0.5, DType::f64);
  for (const Score& score :
       std::vector<Score>{Gaussian{width}, Triangular{width}, Epanechnikov{width}, Boxcar{width}}) {
    for (Normalizer normalizer : {Normalizer::sum, Normalizer::none}) {
      AttentionCase c = far_case(2000, 10, 2, 0);
      c.options.score = score;
      c.options.normalizer = normalizer;
      c.name = name_of(normalizer);
      check_engine(c, 2e-5);
    }
  }
}

// Moving everything by a number that floats can hold changes nothing at all.
TEST(Gaussian, SameBitsAfterAShift) {
  AttentionCase c({.queries = {9}, .keys = {40}, .width = 2});
  const auto grid = [](Tensor x, double shift) {
    Tensor result = x.clone();
    for (int64_t i = 0; i < x.size(); ++i) {
      result.data<double>()[i] = std::round(x.data<double>()[i] * 64) / 64 + shift;
    }
    return result;
  };
  c.options.score = Gaussian{Tensor::full({1}, 0.25, DType::f64)};
  AttentionCase moved = c;
  c.q = grid(c.q, 0);
  c.k = grid(c.k, 0);
  moved.q = grid(moved.q, 4096);
  moved.k = grid(moved.k, 4096);
  expect_same_outcomes(run_engine(moved, DType::f32), run_engine(c, DType::f32), "moved");
}

// The edge of the boxcar belongs to it, also where 1 / width is not exact.
TEST(Gaussian, BoxcarEdge) {
  for (int n = 1; n <= 200; ++n) {
    const double width = static_cast<float>(n) / 10;
    for (DType type : {DType::f32, DType::f64}) {
      const Tensor q = Tensor::full({1, 1}, width, type), k = Tensor::zeros({1, 1}, type);
      const Tensor y =
          attention(
              q, k, Tensor::full({1, 1}, 1, type), Rows::single(1), Rows::single(1),
              {.score = Boxcar{Tensor::full({1}, width, type)}, .normalizer = Normalizer::none})
              .value();
      ASSERT_EQ(y.item(), 1) << "width " << width << ", " << name(type);
    }
  }
}

// Likewise in a plane, at the corner of a right triangle of whole numbers.
TEST(Gaussian, BoxcarEdgeInAPlane) {
  for (int m = 2; m < 20; ++m) {
    for (int n = 1; n < m; ++n) {
      const double a = m * m - n * n, b = 2 * m * n, c = m * m + n * n;
      for (DType type : {DType::f32, DType::f64}) {
        const Tensor q = Tensor::from(std::vector<double>{a, b}, {1, 2});
        const Tensor k = Tensor::zeros({1, 2}, DType::f64);
        const AttentionOptions options{.score = Boxcar{Tensor::full({1}, c, type)},
                                       .normalizer = Normalizer::none};
        const Rows one = Rows::single(1);
        const Tensor w = attention_weights(q.to(type), k.to(type), one, one, options);
        ASSERT_EQ(w.item(), 1) << a << ", " << b << ", " << c;
        ASSERT_EQ(reference_attention_weights(q, k, one, one, options).item(), 1);
      }
    }
  }
}

}  // namespace
}  // namespace heed
