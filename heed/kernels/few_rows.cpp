#include "heed/kernels/few_rows.h"

#include <algorithm>

#include "heed/base/divide_up.h"
#include "heed/base/parallel.h"
#include "heed/kernels/gemm_epilogue.h"
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
  std::fill_n(sum, round_up(s.width, lanes) * s.M, T{0});
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

// Rows up to which the threads wait for memory. One thread alone can be given most of its speed,
// so they need not be equally busy.
constexpr int64_t kReadingRows = 8;

// The most that one thread has to do, in rows of B, if each takes as many tasks as the others: the
// slices of K of one piece of the columns after another.
int64_t longest_share(int64_t M, int64_t K, int64_t pieces) {
  const int64_t slices = divide_up(K, kSlice), tasks = slices * pieces, team = threads();
  if (M <= kReadingRows) return divide_up(tasks, team) * divide_up(K, slices);
  const auto rows_before = [&](int64_t task) {
    return task / slices * K + std::min(task % slices * kSlice, K);
  };
  int64_t longest = 0;
  for (int64_t t = 0; t < team; ++t) {
    longest =
        std::max(longest, rows_before(tasks * (t + 1) / team) - rows_before(tasks * t / team));
  }
  return longest;
}

// Into how many pieces to cut the columns. Whole rows of B are read fastest, but threads must not
// be idle.
int64_t column_pieces(int64_t M, int64_t N, int64_t K, int64_t max_columns) {
  const int64_t min_pieces = divide_up(N, max_columns);
  const int64_t max_pieces = std::max(min_pieces, N / (4 * kGrain));
  for (int64_t pieces = min_pieces; pieces <= max_pieces; ++pieces) {
    if (10 * K * pieces >= 9 * threads() * longest_share(M, K, pieces)) return pieces;
  }
  return max_pieces;
}

template <typename T>
struct FewRowsKernels {
  void (*sum_slice)(const FewRowsSlice<T>& slice, T* sum);
  void (*add_slices)(int64_t M, int64_t width, int64_t slices, const T* sum, int64_t step, T* c,
                     int64_t c_stride, bool accumulate);
};

// The columns of a product, cut into pieces.
template <typename T>
class FewRowsProduct {
 public:
  FewRowsProduct(const Product<T>& product, const FewRowsKernels<T>& kernels)
      : p_(product), kernels_(kernels), slices_(divide_up(p_.K, kSlice)) {
    const int64_t room = kSumBytes / static_cast<int64_t>(sizeof(T)) / p_.M;
    width_ = round_up(divide_up(p_.N, column_pieces(p_.M, p_.N, p_.K, room)), kGrain);
    pieces_ = divide_up(p_.N, width_);
  }

  void run() {
    if (pieces_ % threads() == 0) {
      run_pieces();
    } else {
      run_slices();
    }
  }

 private:
  int64_t columns(int64_t piece) const { return std::min(width_, p_.N - piece * width_); }

  void sum(int64_t piece, int64_t slice, T* to) const {
    const int64_t k = slice * kSlice, first = piece * width_;
    kernels_.sum_slice({.M = p_.M,
                        .width = columns(piece),
                        .depth = std::min(kSlice, p_.K - k),
                        .rows_left = p_.K - k,
                        .a = part(p_.a, 0, k),
                        .b = p_.b.data + k * p_.b.row_stride + first,
                        .b_stride = p_.b.row_stride},
                       to);
  }

  // Adds the sums of slices, `step` apart.
  void add(int64_t piece, int64_t slices, const T* sums, int64_t step, bool accumulate) const {
    kernels_.add_slices(p_.M, columns(piece), slices, sums, step, p_.c + piece * width_,
                        p_.c_stride, accumulate);
  }

  void finish(int64_t piece) const {
    gemm_epilogue({p_.c, p_.c_stride, 0, p_.M, piece * width_, columns(piece)}, p_.options);
  }

  // A task has a piece, over all of K.
  void run_pieces() const {
    const int64_t size = width_ * p_.M;
    Tensor memory = Tensor::empty({threads(), size}, dtype_of<T>());
    T* all_sums = memory.data<T>();
    parallel_for(pieces_, std::max(p_.nanoseconds(), p_.reading_nanoseconds()), [&](int64_t piece) {
      T* sums = all_sums + thread_index() * size;
      for (int64_t slice = 0; slice < slices_; ++slice) {
        sum(piece, slice, sums);
        add(piece, 1, sums, 0, slice > 0 || p_.options.accumulate);
      }
      finish(piece);
    });
  }

  // A task has a piece, over a slice of K.
  void run_slices() const {
    const int64_t size = width_ * p_.M;
    Tensor memory = Tensor::empty({pieces_, slices_, size}, dtype_of<T>());
    T* sums = memory.data<T>();
    parallel_for(pieces_ * slices_, std::max(p_.nanoseconds(), p_.reading_nanoseconds()),
                 [&](int64_t task) { sum(task / slices_, task % slices_, sums + task * size); });
    const auto terms = static_cast<double>(slices_ * p_.N * p_.M);
    parallel_for(pieces_, terms / 4, [&](int64_t piece) {
      add(piece, slices_, sums + piece * slices_ * size, size, p_.options.accumulate);
      finish(piece);
    });
  }

  const Product<T>& p_;
  FewRowsKernels<T> kernels_;
  int64_t slices_, width_, pieces_;
};

}  // namespace

template <>
void few_rows_gemm<float>(const Product<float>& product) {
  FewRowsProduct<float>(product,
                        {HWY_DYNAMIC_DISPATCH(sum_slice_f32), HWY_DYNAMIC_DISPATCH(add_slices_f32)})
      .run();
}
template <>
void few_rows_gemm<double>(const Product<double>& product) {
  FewRowsProduct<double>(
      product, {HWY_DYNAMIC_DISPATCH(sum_slice_f64), HWY_DYNAMIC_DISPATCH(add_slices_f64)})
      .run();
}

}  // namespace heed::kernels
#endif
