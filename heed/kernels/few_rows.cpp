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

// Rows of B read side by side, and how many columns ahead of the reading their lines are asked for.
// The prefetches go to the second cache: there are too few places for misses in the first one.
constexpr int64_t kStreams = 8;
constexpr int64_t kAhead = 512;

// sum[i][j] continues its chain over kDepth rows of B, for columns [begin, end) in whole vectors.
// `ahead` points to what is read after b's column `begin`, kAhead columns on; null: nothing is.
template <int kRows, int kDepth, typename T>
HWY_INLINE void add_columns(int64_t begin, int64_t end, const MatrixView<T>& a, const T* b,
                            int64_t b_stride, const T* ahead, T* sum, int64_t sum_stride) {
  const hn::ScalableTag<T> d;
  using V = hn::Vec<decltype(d)>;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const int64_t ahead_stride = ahead == nullptr ? 0 : b_stride;
  const int64_t ahead_step = ahead == nullptr ? 0 : lanes;
  if (ahead == nullptr) ahead = b;
  for (int64_t j = begin; j < end; j += lanes, ahead += ahead_step) {
    V acc[kRows];
    HWY_UNROLL(4)
    for (int i = 0; i < kRows; ++i) acc[i] = hn::Load(d, sum + i * sum_stride + j);
    HWY_UNROLL(8)
    for (int k = 0; k < kDepth; ++k) {
      constexpr int kSecondCache = 2;
      __builtin_prefetch(ahead + k * ahead_stride, 0, kSecondCache);
      const V w = hn::LoadU(d, b + k * b_stride + j);
      HWY_UNROLL(4)
      for (int i = 0; i < kRows; ++i) {
        const V x = hn::Set(d, a.data[i * a.row_stride + k * a.column_stride]);
        acc[i] = hn::MulAdd(x, w, acc[i]);
      }
    }
    HWY_UNROLL(4)
    for (int i = 0; i < kRows; ++i) hn::Store(acc[i], d, sum + i * sum_stride + j);
  }
}

// The same for all columns of a range; `more` says whether kDepth further rows of B follow.
template <int kRows, int kDepth, typename T>
HWY_INLINE void add_rows_of_b(int64_t width, const MatrixView<T>& a, const T* b, int64_t b_stride,
                              bool more, T* sum, int64_t sum_stride) {
  const hn::ScalableTag<T> d;
  using V = hn::Vec<decltype(d)>;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const int64_t whole = width / lanes * lanes;
  const int64_t turn = std::max<int64_t>(0, whole - kAhead);  // from here on, the next rows
  const T* next = more ? b + kDepth * b_stride : nullptr;
  add_columns<kRows, kDepth>(0, turn, a, b, b_stride, b + kAhead, sum, sum_stride);
  add_columns<kRows, kDepth>(turn, whole, a, b, b_stride, next, sum, sum_stride);
  if (whole == width) return;
  const auto rest = static_cast<size_t>(width - whole);
  for (int i = 0; i < kRows; ++i) {
    V acc = hn::Load(d, sum + i * sum_stride + whole);
    for (int k = 0; k < kDepth; ++k) {
      const V x = hn::Set(d, a.data[i * a.row_stride + k * a.column_stride]);
      acc = hn::MulAdd(x, load_first(d, b + k * b_stride + whole, rest), acc);
    }
    hn::Store(acc, d, sum + i * sum_stride + whole);
  }
}

template <int kDepth, typename T>
HWY_INLINE void add_rows(int64_t M, int64_t width, MatrixView<T> a, const T* b, int64_t b_stride,
                         bool more, T* sum, int64_t sum_stride) {
  for (; M >= 4; M -= 4, a.data += 4 * a.row_stride, sum += 4 * sum_stride) {
    add_rows_of_b<4, kDepth>(width, a, b, b_stride, more && M <= 4, sum, sum_stride);
  }
  switch (M) {
    case 1: return add_rows_of_b<1, kDepth>(width, a, b, b_stride, more, sum, sum_stride);
    case 2: return add_rows_of_b<2, kDepth>(width, a, b, b_stride, more, sum, sum_stride);
    case 3: return add_rows_of_b<3, kDepth>(width, a, b, b_stride, more, sum, sum_stride);
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
    const auto rows_from = [&](int64_t k) {
      return MatrixView<T>{a.data + k * a.column_stride, a.row_stride, a.column_stride};
    };
    int64_t k = begin;
    for (; k + kStreams <= end; k += kStreams) {
      const bool more = k + 2 * kStreams <= K;
      add_rows<kStreams>(M, width, rows_from(k), b + k * b_stride, b_stride, more, sum, sum_stride);
    }
    for (; k < end; ++k) {
      add_rows<1>(M, width, rows_from(k), b + k * b_stride, b_stride, false, sum, sum_stride);
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
