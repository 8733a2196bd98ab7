#include <algorithm>
#include <type_traits>

#include "heed/base/parallel.h"
#include "heed/kernels/few_rows.h"
#include "heed/kernels/gemm.h"
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
  const int64_t asked = ahead ? (lanes + kSteps - 1) / kSteps : 0;  // lines per square
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
void run(int64_t M, int64_t N, int64_t K, MatrixView<T> a, const T* b, int64_t b_stride, T* c,
         int64_t c_stride, bool accumulate, Kernel kernel) {
  Tensor memory = Tensor::empty({K, M}, dtype_of<T>());
  T* x = memory.data<T>();
  for (int64_t k = 0; k < K; ++k) {
    for (int64_t i = 0; i < M; ++i) {
      x[k * M + i] = a.data[i * a.row_stride + k * a.column_stride];
    }
  }
  const double nanoseconds = static_cast<double>(N) * static_cast<double>(K) * sizeof(T) / 10.0;
  const int64_t columns = task_columns(N);
  parallel_for((N + columns - 1) / columns, nanoseconds, [&](int64_t task) {
    const int64_t first = task * columns;
    kernel({.M = M,
            .width = std::min(columns, N - first),
            .K = K,
            .columns_left = N - first,
            .x = x,
            .b = b + first * b_stride,
            .b_stride = b_stride,
            .c = c + first,
            .c_stride = c_stride,
            .accumulate = accumulate});
  });
}

}  // namespace

template <>
void few_rows_transposed_gemm<float>(int64_t M, int64_t N, int64_t K, MatrixView<float> a,
                                     const float* b, int64_t b_stride, float* c, int64_t c_stride,
                                     bool accumulate) {
  run(M, N, K, a, b, b_stride, c, c_stride, accumulate, HWY_DYNAMIC_DISPATCH(columns_f32));
}
template <>
void few_rows_transposed_gemm<double>(int64_t M, int64_t N, int64_t K, MatrixView<double> a,
                                      const double* b, int64_t b_stride, double* c,
                                      int64_t c_stride, bool accumulate) {
  run(M, N, K, a, b, b_stride, c, c_stride, accumulate, HWY_DYNAMIC_DISPATCH(columns_f64));
}

}  // namespace heed::kernels
#endif
