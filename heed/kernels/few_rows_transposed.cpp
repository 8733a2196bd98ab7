#include <algorithm>
#include <type_traits>

#include "heed/base/divide_up.h"
#include "heed/base/parallel.h"
#include "heed/kernels/few_rows.h"
#include "heed/kernels/gemm_epilogue.h"
#include "heed/tensor/tensor.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/kernels/few_rows_transposed.cpp"
#include "heed/kernels/targets.h"

#include "hwy/foreach_target.h"
// After foreach_target.h.
#include "hwy/highway.h"
// After highway.h.
#include "heed/kernels/partial-inl.h"
#include "heed/kernels/transpose-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Rows of A whose sums are in registers together.
#if HWY_TARGET <= HWY_AVX3 || HWY_ARCH_ARM_A64
constexpr int64_t kRowsAtOnce = 16;
#else
constexpr int64_t kRowsAtOnce = 8;
#endif

// One slice of kRows rows of A, at x with M numbers per k, and a vector of columns, b [lanes,
// depth]: C (+)= the sums. Only the first `count` columns exist in C. With `ahead`, it asks for the
// columns that come a vector later.
template <int kRows, typename T>
HWY_NOINLINE void multiply_columns(const FewRowsTransposed<T>& t, int64_t depth, const T* x,
                                   const T* b, int64_t stride, bool ahead, T* c, size_t count,
                                   bool accumulate) {
  const hn::ScalableTag<T> d;
  using V = hn::Vec<decltype(d)>;
  constexpr int kStep = kSquare<T>;
  constexpr int kSteps = 64 / 16;  // squares in a line of the cache
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const int64_t asked = ahead ? divide_up(lanes, kSteps) : 0;  // lines per square
  V acc[kRows];
  HWY_UNROLL(16)
  for (int i = 0; i < kRows; ++i) acc[i] = hn::Zero(d);
  int64_t k = 0;
  for (; k + kStep <= depth; k += kStep) {
    const T* next = b + (lanes + k / kStep % kSteps * asked) * stride + k;
    for (int64_t r = 0; r < asked; ++r) {
      constexpr int kSecondCache = 2;
      __builtin_prefetch(next + r * stride, 0, kSecondCache);
    }
    V w[kStep];
    load_transposed(d, b + k, stride, w);
    HWY_UNROLL(4)
    for (int step = 0; step < kStep; ++step, x += t.M) {
      HWY_UNROLL(16)
      for (int i = 0; i < kRows; ++i) acc[i] = hn::MulAdd(hn::Set(d, x[i]), w[step], acc[i]);
    }
  }
  for (; k < depth; ++k, x += t.M) {
    HWY_ALIGN T column[hn::MaxLanes(d)];
    for (int64_t r = 0; r < lanes; ++r) column[r] = b[r * stride + k];
    const V w = hn::Load(d, column);
    HWY_UNROLL(16)
    for (int i = 0; i < kRows; ++i) acc[i] = hn::MulAdd(hn::Set(d, x[i]), w, acc[i]);
  }
  HWY_UNROLL(16)
  for (int i = 0; i < kRows; ++i) {
    T* to = c + i * t.c_stride;
    store_first(accumulate ? hn::Add(load_first(d, to, count), acc[i]) : acc[i], d, to, count);
  }
}

// The same for all rows of A; only the first of them find B not yet in cache.
template <typename T>
void multiply_rows(const FewRowsTransposed<T>& t, int64_t depth, const T* x, const T* b,
                   int64_t stride, bool ahead, T* c, size_t count, bool accumulate) {
  int64_t row = 0;
  const auto rows = [&](auto number) HWY_ATTR {
    constexpr int kRows = decltype(number)::value;
    for (; row + kRows <= t.M; row += kRows) {
      multiply_columns<kRows>(t, depth, x + row, b, stride, ahead && row == 0, c + row * t.c_stride,
                              count, accumulate);
    }
  };
  if constexpr (kRowsAtOnce >= 16) rows(std::integral_constant<int, 16>());
  rows(std::integral_constant<int, 8>());
  rows(std::integral_constant<int, 4>());
  rows(std::integral_constant<int, 2>());
  rows(std::integral_constant<int, 1>());
}

template <typename T>
void columns(const FewRowsTransposed<T>& t) {
  const auto lanes = static_cast<int64_t>(hn::Lanes(hn::ScalableTag<T>()));
  T rest[kSlice * hn::MaxLanes(hn::ScalableTag<T>())];
  for (int64_t j = 0; j < t.width; j += lanes) {
    const int64_t count = std::min(lanes, t.width - j);
    for (int64_t first = 0; first < t.K; first += kSlice) {
      const int64_t depth = std::min(kSlice, t.K - first);
      const T* b = t.b + j * t.b_stride + first;
      int64_t stride = t.b_stride;
      if (count < lanes) {  // the last columns, made a whole vector
        std::fill_n(rest, kSlice * lanes, T{0});
        for (int64_t r = 0; r < count; ++r) std::copy_n(b + r * stride, depth, rest + r * kSlice);
        b = rest;
        stride = kSlice;
      }
      multiply_rows(t, depth, t.x + first * t.M, b, stride, j + 2 * lanes <= t.columns_left,
                    t.c + j, static_cast<size_t>(count), first > 0 || t.accumulate);
    }
  }
}

void columns_f32(const FewRowsTransposed<float>& t) { columns(t); }
void columns_f64(const FewRowsTransposed<double>& t) { columns(t); }

}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels {
namespace {

constexpr int64_t kGrain = 128;  // columns; a multiple of every vector length

// How many columns a task has. The first vectors of a task were not asked for by the one before, if
// another thread had that, so long tasks are better as long as there are enough.
int64_t task_columns(int64_t N) {
  return kGrain * std::clamp<int64_t>(N / (8 * kGrain * threads()), 1, 8);
}

HWY_EXPORT(columns_f32);
HWY_EXPORT(columns_f64);

template <typename T, typename Kernel>
void run_transposed(const Product<T>& p, Kernel kernel) {
  Tensor memory = Tensor::empty({p.K, p.M}, dtype_of<T>());
  T* x = memory.data<T>();
  for (int64_t k = 0; k < p.K; ++k) {
    for (int64_t i = 0; i < p.M; ++i) {
      x[k * p.M + i] = p.a.data[i * p.a.row_stride + k * p.a.column_stride];
    }
  }
  const double nanoseconds = std::max(p.nanoseconds(), p.reading_nanoseconds());
  const int64_t columns = task_columns(p.N);
  parallel_for(divide_up(p.N, columns), nanoseconds, [&](int64_t task) {
    const int64_t first = task * columns, width = std::min(columns, p.N - first);
    kernel({.M = p.M,
            .width = width,
            .K = p.K,
            .columns_left = p.N - first,
            .x = x,
            .b = p.b.data + first * p.b.column_stride,
            .b_stride = p.b.column_stride,
            .c = p.c + first,
            .c_stride = p.c_stride,
            .accumulate = p.options.accumulate});
    gemm_epilogue({p.c, p.c_stride, 0, p.M, first, width}, p.options);
  });
}

}  // namespace

template <>
void few_rows_transposed_gemm<float>(const Product<float>& product) {
  run_transposed(product, HWY_DYNAMIC_DISPATCH(columns_f32));
}
template <>
void few_rows_transposed_gemm<double>(const Product<double>& product) {
  run_transposed(product, HWY_DYNAMIC_DISPATCH(columns_f64));
}

}  // namespace heed::kernels
#endif
