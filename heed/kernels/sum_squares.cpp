#include "heed/kernels/sum_squares.h"

#include <bit>
#include <vector>

#include "heed/base/fail.h"
#include "heed/kernels/pieces.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/kernels/sum_squares.cpp"
#include "heed/kernels/targets.h"

#include "hwy/foreach_target.h"
// After foreach_target.h.
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using DoubleTag = hn::ScalableTag<double>;
using DoubleVector = hn::Vec<DoubleTag>;

// As many numbers of x as a vector of doubles holds.
HWY_INLINE DoubleVector load_wide(const float* x) {
  return hn::PromoteTo(DoubleTag(), hn::LoadU(hn::Rebind<float, DoubleTag>(), x));
}
HWY_INLINE DoubleVector load_wide(const double* x) { return hn::LoadU(DoubleTag(), x); }

// Four running sums; the last numbers, fewer than four vectors, are added one by one.
template <typename T>
double squares(const T* x, int64_t n) {
  const DoubleTag d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  DoubleVector s0 = hn::Zero(d), s1 = s0, s2 = s0, s3 = s0;
  int64_t i = 0;
  for (; i + 4 * lanes <= n; i += 4 * lanes) {
    const auto x0 = load_wide(x + i), x1 = load_wide(x + i + lanes);
    const auto x2 = load_wide(x + i + 2 * lanes), x3 = load_wide(x + i + 3 * lanes);
    s0 = hn::MulAdd(x0, x0, s0);
    s1 = hn::MulAdd(x1, x1, s1);
    s2 = hn::MulAdd(x2, x2, s2);
    s3 = hn::MulAdd(x3, x3, s3);
  }
  double sum = hn::GetLane(hn::SumOfLanes(d, hn::Add(hn::Add(s0, s1), hn::Add(s2, s3))));
  for (; i < n; ++i) sum += static_cast<double>(x[i]) * static_cast<double>(x[i]);
  return sum;
}

double squares_f32(const float* x, int64_t n) { return squares(x, n); }
double squares_f64(const double* x, int64_t n) { return squares(x, n); }

}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels {
namespace {

HWY_EXPORT(squares_f32);
HWY_EXPORT(squares_f64);

double sum_tree(std::span<const double> terms) {
  if (terms.empty()) return 0;
  if (terms.size() == 1) return terms[0];
  const size_t half = std::bit_floor(terms.size() - 1);
  return sum_tree(terms.first(half)) + sum_tree(terms.subspan(half));
}

}  // namespace

double sum_squares(std::span<const Tensor> tensors) {
  std::vector<int64_t> sizes;
  for (const Tensor& x : tensors) {
    check(is_real(x.dtype()) && x.is_contiguous(), "sum of squares: cannot take {}", x);
    sizes.push_back(x.size());
  }
  const std::vector<Piece> pieces = cut_into_pieces(sizes);
  std::vector<double> sums(pieces.size());
  parallel_for(
      static_cast<int64_t>(pieces.size()), static_cast<double>(pieces.size()) * 4000,
      [&](int64_t index) {
        const Piece& piece = pieces[index];
        const Tensor& x = tensors[piece.array];
        sums[index] =
            x.dtype() == DType::f32
                ? HWY_DYNAMIC_DISPATCH(squares_f32)(x.data<float>() + piece.begin, piece.count)
                : HWY_DYNAMIC_DISPATCH(squares_f64)(x.data<double>() + piece.begin, piece.count);
      });
  return sum_tree(sums);
}

}  // namespace heed::kernels
#endif
