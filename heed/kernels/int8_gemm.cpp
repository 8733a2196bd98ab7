#include "heed/kernels/int8_gemm.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "heed/base/divide_up.h"
#include "heed/base/parallel.h"
#include "heed/kernels/pack.h"
#include "heed/tensor/tensor.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/kernels/int8_gemm.cpp"
#define HEED_WITH_VNNI
#include "heed/kernels/targets.h"

#include "hwy/foreach_target.h"
// After foreach_target.h.
#include "hwy/highway.h"
// After highway.h.
#include "heed/kernels/partial-inl.h"

#ifndef HEED_KERNELS_INT8_GEMM_TASK
#define HEED_KERNELS_INT8_GEMM_TASK
namespace heed::kernels {

// What is known of a quantized row of x beside its numbers.
struct Int8Row {
  float scale;
  int32_t offset;  // what the kernel's sums are too large by
};

// Some rows and columns of y.
struct Int8Task {
  int64_t rows, column, columns;  // column: a multiple of kInt8Columns
  const int8_t* x;                // the first row, in the form of the kernel
  int64_t x_stride;               // bytes
  const Int8Row* row;
  const Int8Matrix* w;
  const float* bias;
  float* y;  // the first row, column 0
  int64_t y_stride;
};

}  // namespace heed::kernels
#endif

// HEED_ATTR: of a function object that calls the others.
#undef HEED_ATTR
#if HWY_TARGET == HWY_AVX3_DL
HWY_PUSH_ATTRIBUTES(HWY_TARGET_STR ",avx512vnni")  // some versions of Highway forget it
#define HEED_ATTR __attribute__((target(HWY_TARGET_STR ",avx512vnni")))
#else
HWY_BEFORE_NAMESPACE();
#define HEED_ATTR HWY_ATTR
#endif
namespace heed::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// The largest magnitude: of the bits without sign, which are in the order of the numbers, and NaN
// above all.
HWY_INLINE float largest(const float* x, int64_t K) {
  const hn::ScalableTag<int32_t> d;
  const hn::Rebind<float, decltype(d)> real;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto magnitude = hn::Set(d, std::numeric_limits<int32_t>::max());
  auto max = hn::Zero(d);
  const auto look = [&](hn::Vec<decltype(real)> v)
                        HWY_ATTR { max = hn::Max(max, hn::And(hn::BitCast(d, v), magnitude)); };
  int64_t k = 0;
  for (; k + lanes <= K; k += lanes) look(hn::LoadU(real, x + k));
  if (k < K) look(load_first(real, x + k, static_cast<size_t>(K - k)));
  return hn::GetLane(hn::BitCast(real, hn::MaxOfLanes(d, max)));
}

// p_k = x_k factor rounded, with zeros up to a multiple of 4; returns their sum.
HWY_INLINE int32_t round_row(const float* x, int64_t K, float factor, int8_t* p) {
  const hn::ScalableTag<float> d;
  const hn::RebindToSigned<decltype(d)> whole;
  const hn::Rebind<int8_t, decltype(d)> bytes;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto times = hn::Set(d, factor);
  auto sum = hn::Zero(whole);
  int64_t k = 0;
  for (; k + lanes <= K; k += lanes) {
    const auto rounded = hn::NearestInt(hn::Mul(hn::LoadU(d, x + k), times));
    sum = hn::Add(sum, rounded);
    hn::StoreU(hn::DemoteTo(bytes, rounded), bytes, p + k);
  }
  if (k < K) {
    HWY_ALIGN int8_t rest[hn::MaxLanes(d)];
    const auto part = load_first(d, x + k, static_cast<size_t>(K - k));
    const auto rounded = hn::NearestInt(hn::Mul(part, times));
    sum = hn::Add(sum, rounded);
    hn::Store(hn::DemoteTo(bytes, rounded), bytes, rest);
    std::copy_n(rest, K - k, p + k);
  }
  std::fill(p + K, p + int8_groups(K) * kInt8Depth, int8_t{0});
  return hn::GetLane(hn::SumOfLanes(whole, sum));
}

// The numbers of a row and their scale. Returns the sum of the numbers.
int32_t quantize(const float* x, int64_t K, int8_t* p, float* scale) {
  constexpr float kMin = 0x1p-100f;  // below it 127 / max might overflow
  const float max = largest(x, K);
  if (!(max >= kMin && max <= std::numeric_limits<float>::max())) {
    *scale = max < kMin ? 0.0f : std::numeric_limits<float>::quiet_NaN();
    std::fill_n(p, int8_groups(K) * kInt8Depth, int8_t{0});
    return 0;
  }
  *scale = max / 127;
  return round_row(x, K, 127 / max, p);
}

// The inner product of 4 numbers of a row with 4 rows of 16 columns, in one of two ways.
#if HWY_TARGET == HWY_AVX3_DL

// The instruction multiplies unsigned with signed bytes. 128 is added to the weights, and the sums
// become too large by 128 times the sum of the row.
constexpr int64_t kBytesPerNumber = 1;
constexpr int kRowsAtOnce = 6, kVectorsAtOnce = 4, kFewRowsOfBytes = 8;
constexpr int64_t kBytesAhead = 0;  // the processor asks for them by itself, and sooner

HWY_INLINE Int8Row finish_row(int8_t*, int64_t, float scale, int32_t sum) {
  // Modulo 2^32, as the sums: what is left after the subtraction fits again.
  return {scale, static_cast<int32_t>(128U * static_cast<uint32_t>(sum))};
}

struct Weights {
  __m512i q;
  HWY_INLINE explicit Weights(const int8_t* from)
      : q(_mm512_xor_si512(_mm512_loadu_si512(from), _mm512_set1_epi8(-128))) {}
};

struct Numbers {
  __m512i p;
  HWY_INLINE explicit Numbers(const int8_t* from) {
    int32_t four;
    std::memcpy(&four, from, sizeof four);
    p = _mm512_set1_epi32(four);
  }
};

template <class V>
HWY_INLINE V add_products(V sum, const Weights& w, const Numbers& x) {
  return V{_mm512_dpbusd_epi32(sum.raw, w.q, x.p)};
}

#else

// Without it bytes become numbers of 16 bits, and pairs of these are multiplied and added in 32
// bits: exact, where the older product of bytes saturates. A row holds its numbers in the order
// 0, 2, 1, 3 of each four.
constexpr int64_t kBytesPerNumber = 2;
constexpr int kRowsAtOnce = 4, kVectorsAtOnce = 2, kFewRowsOfBytes = 2;
constexpr int64_t kBytesAhead = 2048;  // of weights, asked for by one or two rows

HWY_INLINE Int8Row finish_row(int8_t* p, int64_t K, float scale, int32_t) {
  for (int64_t g = int8_groups(K) - 1; g >= 0; --g) {
    const int8_t* from = p + g * kInt8Depth;
    const int16_t wide[kInt8Depth] = {from[0], from[2], from[1], from[3]};
    std::memcpy(p + 2 * g * kInt8Depth, wide, sizeof wide);
  }
  return {scale, 0};
}

using Pairs = hn::ScalableTag<int16_t>;
using Wide = hn::Repartition<int32_t, Pairs>;

struct Weights {
  hn::Vec<Pairs> even, odd;
  HWY_INLINE explicit Weights(const int8_t* from) {
    const auto q = hn::BitCast(Pairs(), hn::LoadU(hn::Repartition<int8_t, Pairs>(), from));
    even = hn::ShiftRight<8>(hn::ShiftLeft<8>(q));
    odd = hn::ShiftRight<8>(q);
  }
};

// Four bytes in every lane. As a float they are read from memory in one instruction.
HWY_INLINE hn::Vec<Wide> broadcast(const int8_t* from) {
  float four;
  std::memcpy(&four, from, sizeof four);
  return hn::BitCast(Wide(), hn::Set(hn::RebindToFloat<Wide>(), four));
}

struct Numbers {
  hn::Vec<Pairs> even, odd;
  HWY_INLINE explicit Numbers(const int8_t* from) {
    even = hn::BitCast(Pairs(), broadcast(from));
    odd = hn::BitCast(Pairs(), broadcast(from + 4));
  }
};

// sum_i + a_2i b_2i + a_(2i+1) b_(2i+1)
HWY_INLINE hn::Vec<Wide> add_pairs(hn::Vec<Wide> sum, hn::Vec<Pairs> a, hn::Vec<Pairs> b) {
#if HWY_ARCH_X86
  auto unused = hn::Zero(Wide());
  return hn::ReorderWidenMulAccumulate(Wide(), a, b, sum, unused);
#else
  const auto x = hn::BitCast(Wide(), a), y = hn::BitCast(Wide(), b);
  const auto low = [](hn::Vec<Wide> v)
                       HWY_ATTR { return hn::ShiftRight<16>(hn::ShiftLeft<16>(v)); };
  const auto high = hn::Mul(hn::ShiftRight<16>(x), hn::ShiftRight<16>(y));
  return hn::Add(sum, hn::Add(hn::Mul(low(x), low(y)), high));
#endif
}

template <class V>
HWY_INLINE V add_products(V sum, const Weights& w, const Numbers& x) {
  return add_pairs(add_pairs(sum, w.even, x.even), w.odd, x.odd);
}

#endif

using Sums = hn::ScalableTag<int32_t>;

// y of a tile of `rows` x (`vectors` vectors of columns) from its sums.
HWY_NOINLINE void finish_tile(const Int8Task& t, int64_t row, int rows, int64_t column, int vectors,
                              const int32_t* sums) {
  const Sums d;
  const hn::Rebind<float, Sums> real;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const int64_t end = std::min(column + vectors * lanes, t.column + t.columns);
  for (int i = 0; i < rows; ++i) {
    const Int8Row& of_row = t.row[row + i];
    const auto offset = hn::Set(d, of_row.offset);
    const auto row_scale = hn::Set(real, of_row.scale);
    float* to = t.y + (row + i) * t.y_stride;
    const int32_t* sum = sums + i * vectors * lanes;
    for (int64_t j = column; j < end; j += lanes, sum += lanes) {
      const auto count = static_cast<size_t>(std::min(end - j, lanes));
      const auto scale = hn::Mul(row_scale, load_first(real, t.w->scale + j, count));
      auto y = hn::Mul(hn::ConvertTo(real, hn::Sub(hn::Load(d, sum), offset)), scale);
      if (t.bias != nullptr) y = hn::Add(y, load_first(real, t.bias + j, count));
      store_first(y, real, to + j, count);
    }
  }
}

// kRows x (kVectors vectors of columns) of y, from row `row` of the task and the column on. Each
// sum is made of kChains sums, which do not wait for each other.
template <int kRows, int kVectors, int kChains>
HWY_NOINLINE void multiply_tile(const Int8Task& t, int64_t row, int64_t column) {
  const Sums d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const int64_t groups = int8_groups(t.w->K);
  const int8_t* from[kVectors] = {};
  HWY_UNROLL(4)
  for (int v = 0; v < kVectors && groups > 0; ++v) {  // without rows of w there are no blocks
    const int64_t j = column + v * lanes;
    from[v] =
        t.w->blocks + (j / kInt8Columns * groups * kInt8Columns + j % kInt8Columns) * kInt8Depth;
  }
  const int8_t* x = t.x + row * t.x_stride;
  constexpr int kTile = kRows * kVectors;
  hn::Vec<Sums> sum[kTile * kChains];
  HWY_UNROLL(32)
  for (int i = 0; i < kTile * kChains; ++i) sum[i] = hn::Zero(d);
  const auto add_group = [&](int64_t g, int chain) HEED_ATTR {
    const int64_t at = g * kInt8Columns * kInt8Depth;
    if constexpr (kChains > 1 && kBytesAhead > 0) __builtin_prefetch(from[0] + at + kBytesAhead);
    HWY_UNROLL(4)
    for (int v = 0; v < kVectors; ++v) {
      const Weights weights(from[v] + at);
      HWY_UNROLL(8)
      for (int i = 0; i < kRows; ++i) {
        const Numbers numbers(x + i * t.x_stride + g * kInt8Depth * kBytesPerNumber);
        auto& own = sum[chain * kTile + i * kVectors + v];
        own = add_products(own, weights, numbers);
      }
    }
  };
  int64_t g = 0;
  for (; g + kChains <= groups; g += kChains) {
    HWY_UNROLL(4)
    for (int chain = 0; chain < kChains; ++chain) add_group(g + chain, chain);
  }
  if constexpr (kChains > 1) {
    for (; g < groups; ++g) add_group(g, 0);
  }
  HWY_ALIGN int32_t sums[kTile * hn::MaxLanes(d)];
  HWY_UNROLL(32)
  for (int i = 0; i < kTile; ++i) {
    HWY_UNROLL(4)
    for (int chain = 1; chain < kChains; ++chain) {
      sum[i] = hn::Add(sum[i], sum[chain * kTile + i]);
    }
    hn::Store(sum[i], d, sums + i * lanes);
  }
  finish_tile(t, row, kRows, column, kVectors, sums);
}

// The last rows, fewer than kRowsAtOnce.
template <int kVectors>
HWY_INLINE void multiply_rest(const Int8Task& t, int64_t row, int64_t column) {
  switch (t.rows - row) {
    case 1: return multiply_tile<1, kVectors, 1>(t, row, column);
    case 2: return multiply_tile<2, kVectors, 1>(t, row, column);
    case 3: return multiply_tile<3, kVectors, 1>(t, row, column);
    case 4: return multiply_tile<4, kVectors, 1>(t, row, column);
    case 5: return multiply_tile<5, kVectors, 1>(t, row, column);
    default: return;
  }
}

template <int kVectors>
HWY_INLINE void multiply_rows(const Int8Task& t, int64_t column) {
  int64_t row = 0;
  for (; row + kRowsAtOnce <= t.rows; row += kRowsAtOnce) {
    multiply_tile<kRowsAtOnce, kVectors, 1>(t, row, column);
  }
  multiply_rest<kVectors>(t, row, column);
}

// Few rows wait for memory. One block after the other is memory in order.
HWY_INLINE void multiply_few_rows(const Int8Task& t, int64_t column) {
  constexpr int kBlock = kInt8Columns / hn::MaxLanes(Sums());
  switch (t.rows) {
    case 1: return multiply_tile<1, kBlock, 4>(t, 0, column);
    case 2: return multiply_tile<2, kBlock, 4>(t, 0, column);
    case 3: return multiply_tile<3, kBlock, 2>(t, 0, column);
    case 4: return multiply_tile<4, kBlock, 2>(t, 0, column);
    case 5: return multiply_tile<5, kBlock, 1>(t, 0, column);
    case 6: return multiply_tile<6, kBlock, 1>(t, 0, column);
    case 7: return multiply_tile<7, kBlock, 1>(t, 0, column);
    default: return multiply_tile<8, kBlock, 1>(t, 0, column);
  }
}

void multiply(const Int8Task& t) {
  const auto lanes = static_cast<int64_t>(hn::Lanes(Sums()));
  const int64_t end = t.column + int8_blocks(t.columns) * kInt8Columns;
  int64_t column = t.column;
  if (t.rows <= kFewRowsOfBytes) {
    for (; column < end; column += kInt8Columns) multiply_few_rows(t, column);
    return;
  }
  for (; column + kVectorsAtOnce * lanes <= end; column += kVectorsAtOnce * lanes) {
    multiply_rows<kVectorsAtOnce>(t, column);
  }
  for (; column < end; column += lanes) multiply_rows<1>(t, column);
}

// A row of x in the form that multiply() reads.
Int8Row prepare_row(const float* x, int64_t K, int8_t* p) {
  float scale = 0;
  const int32_t sum = quantize(x, K, p, &scale);
  return finish_row(p, K, scale, sum);
}

int64_t bytes_per_number() { return kBytesPerNumber; }

}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels {
namespace {

HWY_EXPORT(quantize);
HWY_EXPORT(prepare_row);
HWY_EXPORT(bytes_per_number);
HWY_EXPORT(multiply);

constexpr int64_t kTaskColumns = 64;  // a multiple of kInt8Columns and of what a tile has
constexpr int64_t kTaskRows = 384;    // whose numbers stay in the second cache
constexpr int64_t kFewRows = 8;
constexpr int64_t kFewBytes = 256 << 10;  // of weights, read in order

// How many columns a task has. The sums are exact, so that the cut may depend on the threads: few
// rows wait for memory, which is read fastest in long runs, by all threads at once.
int64_t task_columns(int64_t M, const Int8Matrix& w) {
  if (M > kFewRows) return kTaskColumns;
  const int64_t shares = threads() * (1 + w.N * w.K / (threads() * kFewBytes));
  return round_up(divide_up(w.N, shares), kInt8Columns);
}

}  // namespace

void int8_pack(int64_t K, int64_t N, MatrixView<float> w, int8_t* blocks, float* scale) {
  const int64_t groups = int8_groups(K), step = groups * kInt8Columns * kInt8Depth;
  const double nanoseconds = static_cast<double>(K) * static_cast<double>(N);
  parallel_for(int8_blocks(N), nanoseconds, [&](int64_t block) {
    const int64_t first = block * kInt8Columns, columns = std::min(kInt8Columns, N - first);
    std::vector<float> rows(static_cast<size_t>(columns * K));  // the columns, one after the other
    std::vector<int8_t> q(static_cast<size_t>(groups * kInt8Depth));
    pack_block<float>({w.data + first * w.column_stride, w.column_stride, w.row_stride}, columns, K,
                      rows.data(), K, K);
    int8_t* to = blocks + block * step;
    std::fill_n(to, step, int8_t{0});
    for (int64_t j = 0; j < columns; ++j) {
      HWY_DYNAMIC_DISPATCH(quantize)(rows.data() + j * K, K, q.data(), scale + first + j);
      for (int64_t g = 0; g < groups; ++g) {
        std::copy_n(q.data() + g * kInt8Depth, kInt8Depth,
                    to + (g * kInt8Columns + j) * kInt8Depth);
      }
    }
  });
}

void int8_column(const Int8Matrix& w, int64_t j, float* to) {
  const int8_t* from =
      w.blocks +
      (j / kInt8Columns * int8_groups(w.K) * kInt8Columns + j % kInt8Columns) * kInt8Depth;
  for (int64_t k = 0; k < w.K; ++k) {
    to[k] = w.scale[j] *
            static_cast<float>(from[k / kInt8Depth * kInt8Columns * kInt8Depth + k % kInt8Depth]);
  }
}

void int8_gemm(int64_t M, const float* x, int64_t x_stride, const Int8Matrix& w, float* y,
               int64_t y_stride, const Int8GemmOptions& options) {
  if (M == 0 || w.N == 0) return;
  const int64_t groups = int8_groups(w.K);
  const int64_t stride = groups * kInt8Depth * HWY_DYNAMIC_DISPATCH(bytes_per_number)();
  Tensor numbers = Tensor::empty({M, stride}, DType::i8);
  int8_t* p = numbers.data<int8_t>();
  std::vector<Int8Row> rows(static_cast<size_t>(M));
  const auto prepare = HWY_DYNAMIC_DISPATCH(prepare_row);
  parallel_for(M, 0.1 * static_cast<double>(M * w.K),
               [&](int64_t i) { rows[i] = prepare(x + i * x_stride, w.K, p + i * stride); });
  const int64_t width = task_columns(M, w);
  const int64_t down = divide_up(M, kTaskRows), across = divide_up(w.N, width);
  const double products = static_cast<double>(M * w.N) * static_cast<double>(w.K);
  const double reading = static_cast<double>(w.N) * static_cast<double>(w.K) / 10;
  const auto multiply = HWY_DYNAMIC_DISPATCH(multiply);
  parallel_for(down * across, std::max(products / 150, reading), [&](int64_t task) {
    const int64_t row = task / across * kTaskRows, column = task % across * width;
    const Int8Task t{.rows = std::min(kTaskRows, M - row),
                     .column = column,
                     .columns = std::min(width, w.N - column),
                     .x = p + row * stride,
                     .x_stride = stride,
                     .row = rows.data() + row,
                     .w = &w,
                     .bias = options.bias,
                     .y = y + row * y_stride,
                     .y_stride = y_stride};
    multiply(t);
    if (options.activation == Activation::none) return;
    for (int64_t i = 0; i < t.rows; ++i) {
      float* out = t.y + i * y_stride + column;
      activate(options.activation, out, out, t.columns);
    }
  });
}

}  // namespace heed::kernels
#endif
