#include "heed/kernels/few_rows.h"

#include <algorithm>

#include "heed/base/parallel.h"
#include "heed/kernels/gemm.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/kernels/few_rows.cpp"
#include "heed/kernels/targets.h"

#include "hwy/foreach_target.h"
// After foreach_target.h.
#include "hwy/highway.h"
// After highway.h.
#include "heed/kernels/partial-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

constexpr int64_t kUnroll = 4;  // rows of B read side by side

// sum[i][j] = fma chain over kDepth rows of B, continuing what is there.
template <int kRows, int kDepth, typename T>
HWY_INLINE void add_rows_of_b(int64_t width, const MatrixView<T>& a, const T* b, int64_t b_stride,
                              T* sum, int64_t sum_stride) {
  const hn::ScalableTag<T> d;
  using V = hn::Vec<decltype(d)>;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  V scalar[kRows][kDepth];
  HWY_UNROLL(4)
  for (int i = 0; i < kRows; ++i) {
    HWY_UNROLL(4)
    for (int k = 0; k < kDepth; ++k) {
      scalar[i][k] = hn::Set(d, a.data[i * a.row_stride + k * a.column_stride]);
    }
  }
  int64_t j = 0;
  for (; j + lanes <= width; j += lanes) {
    V acc[kRows];
    HWY_UNROLL(4)
    for (int i = 0; i < kRows; ++i) acc[i] = hn::Load(d, sum + i * sum_stride + j);
    HWY_UNROLL(4)
    for (int k = 0; k < kDepth; ++k) {
      const V w = hn::LoadU(d, b + k * b_stride + j);
      HWY_UNROLL(4)
      for (int i = 0; i < kRows; ++i) acc[i] = hn::MulAdd(scalar[i][k], w, acc[i]);
    }
    HWY_UNROLL(4)
    for (int i = 0; i < kRows; ++i) hn::Store(acc[i], d, sum + i * sum_stride + j);
  }
  if (j == width) return;
  const auto rest = static_cast<size_t>(width - j);
  HWY_UNROLL(4)
  for (int i = 0; i < kRows; ++i) {
    V acc = hn::Load(d, sum + i * sum_stride + j);
    HWY_UNROLL(4)
    for (int k = 0; k < kDepth; ++k) {
      acc = hn::MulAdd(scalar[i][k], load_first(d, b + k * b_stride + j, rest), acc);
    }
    hn::Store(acc, d, sum + i * sum_stride + j);
  }
}

template <int kDepth, typename T>
HWY_INLINE void add_rows(int64_t M, int64_t width, MatrixView<T> a, const T* b, int64_t b_stride,
                         T* sum, int64_t sum_stride) {
  for (; M >= 4; M -= 4, a.data += 4 * a.row_stride, sum += 4 * sum_stride) {
    add_rows_of_b<4, kDepth>(width, a, b, b_stride, sum, sum_stride);
  }
  switch (M) {
    case 1: return add_rows_of_b<1, kDepth>(width, a, b, b_stride, sum, sum_stride);
    case 2: return add_rows_of_b<2, kDepth>(width, a, b, b_stride, sum, sum_stride);
    case 3: return add_rows_of_b<3, kDepth>(width, a, b, b_stride, sum, sum_stride);
    default: return;
  }
}

// One range of columns. `sum` has room for M rows of sum_stride, a multiple of the vector length.
template <typename T>
void columns(int64_t M, int64_t width, int64_t K, MatrixView<T> a, const T* b, int64_t b_stride,
             T* c, int64_t c_stride, bool accumulate, T* sum, int64_t sum_stride) {
  for (int64_t begin = 0; begin < K; begin += kSlice) {
    const int64_t end = std::min(K, begin + kSlice);
    std::fill(sum, sum + M * sum_stride, T{0});
    int64_t k = begin;
    for (; k + kUnroll <= end; k += kUnroll) {
      const MatrixView<T> part{a.data + k * a.column_stride, a.row_stride, a.column_stride};
      add_rows<kUnroll>(M, width, part, b + k * b_stride, b_stride, sum, sum_stride);
    }
    for (; k < end; ++k) {
      const MatrixView<T> part{a.data + k * a.column_stride, a.row_stride, a.column_stride};
      add_rows<1>(M, width, part, b + k * b_stride, b_stride, sum, sum_stride);
    }
    for (int64_t i = 0; i < M; ++i) {
      T* to = c + i * c_stride;
      const T* from = sum + i * sum_stride;
      if (begin == 0 && !accumulate) {
        std::copy(from, from + width, to);
      } else {
        for (int64_t j = 0; j < width; ++j) to[j] += from[j];
      }
    }
  }
}

void columns_f32(int64_t M, int64_t width, int64_t K, MatrixView<float> a, const float* b,
                 int64_t b_stride, float* c, int64_t c_stride, bool accumulate, float* sum,
                 int64_t sum_stride) {
  columns(M, width, K, a, b, b_stride, c, c_stride, accumulate, sum, sum_stride);
}
void columns_f64(int64_t M, int64_t width, int64_t K, MatrixView<double> a, const double* b,
                 int64_t b_stride, double* c, int64_t c_stride, bool accumulate, double* sum,
                 int64_t sum_stride) {
  columns(M, width, K, a, b, b_stride, c, c_stride, accumulate, sum, sum_stride);
}

}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels {
namespace {

constexpr int64_t kSumBytes = 32 << 10;  // the running sums stay in cache
constexpr int64_t kGrain = 64;           // columns; a multiple of every vector length

HWY_EXPORT(columns_f32);
HWY_EXPORT(columns_f64);

template <typename T, typename Kernel>
void run(int64_t M, int64_t N, int64_t K, MatrixView<T> a, const T* b, int64_t b_stride, T* c,
         int64_t c_stride, bool accumulate, Kernel kernel) {
  const double nanoseconds = static_cast<double>(N) * static_cast<double>(K) * sizeof(T) / 10.0;
  const auto room = static_cast<int64_t>(kSumBytes / sizeof(T)) / M;
  const int64_t share = (N + threads() - 1) / threads();
  const int64_t wanted = std::max(kGrain, std::min(room, share));
  const int64_t width = (wanted + kGrain - 1) / kGrain * kGrain;
  parallel_for((N + width - 1) / width, nanoseconds, [&](int64_t task) {
    alignas(64) T sum[kSumBytes / sizeof(T) + kFewRows * kGrain];
    const int64_t first = task * width;
    kernel(M, std::min(width, N - first), K, a, b + first, b_stride, c + first, c_stride,
           accumulate, sum, width);
  });
}

}  // namespace

template <>
void few_rows_gemm<float>(int64_t M, int64_t N, int64_t K, MatrixView<float> a, const float* b,
                          int64_t b_stride, float* c, int64_t c_stride, bool accumulate) {
  run(M, N, K, a, b, b_stride, c, c_stride, accumulate, HWY_DYNAMIC_DISPATCH(columns_f32));
}
template <>
void few_rows_gemm<double>(int64_t M, int64_t N, int64_t K, MatrixView<double> a, const double* b,
                           int64_t b_stride, double* c, int64_t c_stride, bool accumulate) {
  run(M, N, K, a, b, b_stride, c, c_stride, accumulate, HWY_DYNAMIC_DISPATCH(columns_f64));
}

}  // namespace heed::kernels
#endif
