#include "heed/kernels/few_rows.h"

#include <algorithm>

#include "heed/base/parallel.h"
#include "heed/kernels/gemm.h"
#include "heed/tensor/tensor.h"

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
constexpr int64_t kAhead = 1024;

// Rows of A whose sums are in registers together.
#if HWY_TARGET <= HWY_AVX3 || HWY_ARCH_ARM_A64
constexpr int64_t kRowsAtOnce = 16;
#else
constexpr int64_t kRowsAtOnce = 8;
#endif

// kRows of the M rows of a task: sum[i][j] continues its chain over kDepth rows of B, for columns
// [begin, end), in whole vectors unless kPartial. x [kDepth, kRows] holds the numbers of A. While
// column j is read, what lies `ahead` of it is asked for.
template <int kRows, int kDepth, bool kPartial, typename T>
HWY_INLINE void add_columns(int64_t begin, int64_t end, const FewRowsSlice<T>& s, const T* x,
                            const T* b, int64_t ahead, T* sum) {
  const hn::ScalableTag<T> d;
  using V = hn::Vec<decltype(d)>;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const int64_t step = s.M * lanes;
  const T* row[kDepth];
  HWY_UNROLL(8)
  for (int k = 0; k < kDepth; ++k) row[k] = b + k * s.b_stride;
  // Few numbers of A stay in registers; more are cheaper to read anew each time.
  constexpr bool kHeld = kRows * kDepth <= 16;
  V held[kHeld ? kRows * kDepth : 1];
  if constexpr (kHeld) {
    HWY_UNROLL(16)
    for (int i = 0; i < kRows * kDepth; ++i) held[i] = hn::Set(d, x[i]);
  }
  sum += begin * s.M;
  for (int64_t j = begin; j < end; j += lanes, sum += step) {
    V acc[kRows];
    HWY_UNROLL(16)
    for (int i = 0; i < kRows; ++i) acc[i] = hn::Load(d, sum + i * lanes);
    HWY_UNROLL(8)
    for (int k = 0; k < kDepth; ++k) {
      constexpr int kSecondCache = 2;
      __builtin_prefetch(row[k] + j + ahead, 0, kSecondCache);
      const V w = kPartial ? load_first(d, row[k] + j, static_cast<size_t>(end - j))
                           : hn::LoadU(d, row[k] + j);
      HWY_UNROLL(16)
      for (int i = 0; i < kRows; ++i) {
        const int at = k * kRows + i;
        acc[i] = hn::MulAdd(kHeld ? held[kHeld ? at : 0] : hn::Set(d, x[at]), w, acc[i]);
      }
    }
    HWY_UNROLL(16)
    for (int i = 0; i < kRows; ++i) hn::Store(acc[i], d, sum + i * lanes);
  }
}

// The same for all columns, from row k of the slice on. x has room for the numbers of A; it comes
// from outside, where the compiler cannot know that it may keep them as whole vectors.
template <int kRows, int kDepth, typename T>
HWY_NOINLINE void add_rows_of_b(const FewRowsSlice<T>& s, int64_t row, int64_t k, T* x, T* sum) {
  const auto lanes = static_cast<int64_t>(hn::Lanes(hn::ScalableTag<T>()));
  for (int64_t i = 0; i < kRows; ++i) {
    for (int64_t step = 0; step < kDepth; ++step) {
      x[step * kRows + i] = s.a.data[(row + i) * s.a.row_stride + (k + step) * s.a.column_stride];
    }
  }
  const T* b = s.b + k * s.b_stride;
  sum += row * lanes;
  // The first rows of A find B in memory, the others in cache. From column `turn` on, the lines
  // asked for are those of the next rows of B.
  const int64_t whole = s.width / lanes * lanes;
  const int64_t turn = row > 0 ? 0 : std::max<int64_t>(0, s.width - kAhead) / lanes * lanes;
  const bool more = row == 0 && k + 2 * kDepth <= s.rows_left;
  const int64_t next = more ? kDepth * s.b_stride - turn : 0;
  add_columns<kRows, kDepth, false>(0, turn, s, x, b, kAhead, sum);
  add_columns<kRows, kDepth, false>(turn, whole, s, x, b, next, sum);
  if (whole < s.width) add_columns<kRows, kDepth, true>(whole, s.width, s, x, b, next, sum);
}

template <int kDepth, typename T>
HWY_INLINE void add_rows(const FewRowsSlice<T>& s, int64_t k, T* x, T* sum) {
  int64_t row = 0;
  if constexpr (kRowsAtOnce >= 16) {
    for (; row + 16 <= s.M; row += 16) add_rows_of_b<16, kDepth>(s, row, k, x, sum);
  }
  for (; row + 8 <= s.M; row += 8) add_rows_of_b<8, kDepth>(s, row, k, x, sum);
  for (; row + 4 <= s.M; row += 4) add_rows_of_b<4, kDepth>(s, row, k, x, sum);
  switch (s.M - row) {
    case 1: return add_rows_of_b<1, kDepth>(s, row, k, x, sum);
    case 2: return add_rows_of_b<2, kDepth>(s, row, k, x, sum);
    case 3: return add_rows_of_b<3, kDepth>(s, row, k, x, sum);
    default: return;
  }
}

// The sums of one slice of K: [width / lanes, M, lanes], side by side for the same columns, since
// rows of their own would often fall on the same few lines of the first cache as the rows of B.
template <typename T>
void sum_slice(const FewRowsSlice<T>& s, T* sum) {
  const auto lanes = static_cast<int64_t>(hn::Lanes(hn::ScalableTag<T>()));
  std::fill_n(sum, (s.width + lanes - 1) / lanes * lanes * s.M, T{0});
  T x[kStreams * kFewRows];
  int64_t k = 0;
  for (; k + kStreams <= s.depth; k += kStreams) add_rows<kStreams>(s, k, x, sum);
  for (; k < s.depth; ++k) add_rows<1>(s, k, x, sum);
}

// C (+)= sums of slice 0, 1, .., in this order; slices are `step` apart.
template <typename T>
void add_slices(int64_t M, int64_t width, int64_t slices, const T* sum, int64_t step, T* c,
                int64_t c_stride, bool accumulate) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  for (int64_t j = 0; j < width; j += lanes) {
    const auto count = static_cast<size_t>(std::min(lanes, width - j));
    for (int64_t i = 0; i < M; ++i) {
      const T* from = sum + j * M + i * lanes;
      T* to = c + i * c_stride + j;
      auto total = hn::Load(d, from);
      if (accumulate) total = hn::Add(load_first(d, to, count), total);
      for (int64_t slice = 1; slice < slices; ++slice) {
        total = hn::Add(total, hn::Load(d, from + slice * step));
      }
      store_first(total, d, to, count);
    }
  }
}

void sum_slice_f32(const FewRowsSlice<float>& s, float* sum) { sum_slice(s, sum); }
void sum_slice_f64(const FewRowsSlice<double>& s, double* sum) { sum_slice(s, sum); }
void add_slices_f32(int64_t M, int64_t width, int64_t slices, const float* sum, int64_t step,
                    float* c, int64_t c_stride, bool accumulate) {
  add_slices(M, width, slices, sum, step, c, c_stride, accumulate);
}
void add_slices_f64(int64_t M, int64_t width, int64_t slices, const double* sum, int64_t step,
                    double* c, int64_t c_stride, bool accumulate) {
  add_slices(M, width, slices, sum, step, c, c_stride, accumulate);
}

}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels {
namespace {

constexpr int64_t kSumBytes = 256 << 10;  // the running sums of a task stay in the second cache
constexpr int64_t kGrain = 64;            // columns; a multiple of every vector length

HWY_EXPORT(sum_slice_f32);
HWY_EXPORT(sum_slice_f64);
HWY_EXPORT(add_slices_f32);
HWY_EXPORT(add_slices_f64);

int64_t divide_up(int64_t n, int64_t by) { return (n + by - 1) / by; }

// Into how many pieces to cut the columns. Whole rows of B are read fastest, but the tasks, one per
// piece and slice, must not leave threads idle.
int64_t column_pieces(int64_t N, int64_t slices, int64_t most_columns) {
  const int64_t least = divide_up(N, most_columns);
  const int64_t most = std::max(least, N / (4 * kGrain));
  for (int64_t pieces = least; pieces <= most; ++pieces) {
    const int64_t tasks = slices * pieces;
    if (10 * tasks >= 9 * threads() * divide_up(tasks, threads())) return pieces;
  }
  return most;
}

template <typename T, typename SumSlice, typename AddSlices>
void run(int64_t M, int64_t N, int64_t K, MatrixView<T> a, const T* b, int64_t b_stride, T* c,
         int64_t c_stride, bool accumulate, SumSlice sum_slice, AddSlices add_slices) {
  const int64_t slices = divide_up(K, kSlice);
  const int64_t room = kSumBytes / static_cast<int64_t>(sizeof(T)) / M;
  const int64_t width = divide_up(divide_up(N, column_pieces(N, slices, room)), kGrain) * kGrain;
  const int64_t pieces = divide_up(N, width);
  const int64_t step = pieces * width * M;  // between slices
  Tensor memory = Tensor::empty({slices, step}, dtype_of<T>());
  T* sums = memory.data<T>();
  const double nanoseconds = static_cast<double>(N) * static_cast<double>(K) * sizeof(T) / 10.0;
  parallel_for(slices * pieces, nanoseconds, [&](int64_t task) {
    const int64_t k = task / pieces * kSlice;
    const int64_t first = task % pieces * width;
    sum_slice({.M = M,
               .width = std::min(width, N - first),
               .depth = std::min(kSlice, K - k),
               .rows_left = K - k,
               .a = {a.data + k * a.column_stride, a.row_stride, a.column_stride},
               .b = b + k * b_stride + first,
               .b_stride = b_stride},
              sums + task / pieces * step + first * M);
  });
  const auto terms = static_cast<double>(slices * N * M);
  parallel_for(pieces, terms / 4, [&](int64_t piece) {
    const int64_t first = piece * width;
    add_slices(M, std::min(width, N - first), slices, sums + first * M, step, c + first, c_stride,
               accumulate);
  });
}

}  // namespace

template <>
void few_rows_gemm<float>(int64_t M, int64_t N, int64_t K, MatrixView<float> a, const float* b,
                          int64_t b_stride, float* c, int64_t c_stride, bool accumulate) {
  run(M, N, K, a, b, b_stride, c, c_stride, accumulate, HWY_DYNAMIC_DISPATCH(sum_slice_f32),
      HWY_DYNAMIC_DISPATCH(add_slices_f32));
}
template <>
void few_rows_gemm<double>(int64_t M, int64_t N, int64_t K, MatrixView<double> a, const double* b,
                           int64_t b_stride, double* c, int64_t c_stride, bool accumulate) {
  run(M, N, K, a, b, b_stride, c, c_stride, accumulate, HWY_DYNAMIC_DISPATCH(sum_slice_f64),
      HWY_DYNAMIC_DISPATCH(add_slices_f64));
}

}  // namespace heed::kernels
#endif
