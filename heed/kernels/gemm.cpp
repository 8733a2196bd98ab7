#include "heed/kernels/gemm.h"

#include <algorithm>

#include "heed/base/divide_up.h"
#include "heed/base/parallel.h"
#include "heed/kernels/few_rows.h"
#include "heed/kernels/gemm_epilogue.h"
#include "heed/kernels/gemm_product.h"
#include "heed/kernels/pack.h"
#include "heed/kernels/tile_gemm.h"
#include "heed/tensor/tensor.h"

namespace heed::kernels {
namespace {

constexpr int64_t kTileRows = 6;  // of the tile kernel; tasks have a multiple of it
constexpr int64_t kTaskRows = 96;
constexpr int64_t kTaskColumns = 512;
constexpr int64_t kStripRows = 512;         // up to here B is not packed as a whole
constexpr int64_t kPackedRows = 48;         // from here on narrow strips of B are packed, in cache
constexpr int64_t kCopiedRows = 192;        // of a transposed A, which stay in the second cache
constexpr int64_t kPackedBytes = 16 << 20;  // of B, shared by all tasks

constexpr int64_t kWidestStrip = 64;  // of tile_strip() on any instruction set

// Strips of one line of the first cache a row: where rows of B lie whole pages apart, their lines
// fall into the same few places of that cache and drive each other out.
template <typename T>
bool is_narrow(int64_t strip) {
  return strip * static_cast<int64_t>(sizeof(T)) <= 64;
}

// B[:, first..first+columns) as strips of the tile kernel's width, each strip [K, strip].
template <typename T>
Tensor pack_strips(const Product<T>& p, int64_t first, int64_t columns, int64_t strip) {
  const int64_t strips = divide_up(columns, strip);
  Tensor packed = Tensor::empty({strips, p.K, strip}, dtype_of<T>());
  T* to = packed.data<T>();
  const double nanoseconds = static_cast<double>(p.K) * static_cast<double>(columns);
  parallel_for(strips, nanoseconds, [&](int64_t s) {
    const int64_t width = std::min(strip, columns - s * strip);
    pack_block(part(p.b, 0, first + s * strip), p.K, width, to + s * p.K * strip, strip, strip);
  });
  return packed;
}

// Rows of A for the tile kernel, which takes some numbers of each k: where they are or, if A is
// transposed, copied together, an odd number of cache lines from one k to the next. A power of two
// between them would have the lines of all k fall into the same few places of the first cache.
template <typename T>
class TaskRows {
 public:
  TaskRows(const MatrixView<T>& a, int64_t rows, int64_t depth, T* room) : view_(a) {
    if (a.column_stride == 1) return;
    view_ = {room, 1, stride(rows)};
    pack_block(a.transposed(), depth, rows, room, stride(rows), rows);
  }

  const MatrixView<T>& view() const { return view_; }

  // Memory for the copies of each thread.
  static Tensor make_room(const Product<T>& p, int64_t rows) {
    const bool in_place = p.a.column_stride == 1;
    return Tensor::empty({threads(), in_place ? 0 : kSlice * stride(rows)}, dtype_of<T>());
  }

 private:
  static int64_t stride(int64_t rows) {
    constexpr int64_t kLine = 64 / sizeof(T);
    return (divide_up(rows, kLine) / 2 * 2 + 1) * kLine;
  }

  MatrixView<T> view_;
};

// One task: rows x columns of C, over all slices of K, then the epilogue.
template <typename T>
void multiply_task(const Product<T>& p, const T* packed, int64_t strip, int64_t row, int64_t rows,
                   int64_t first, int64_t column, int64_t columns, T* room) {
  for (int64_t k = 0; k < p.K; k += kSlice) {
    const int64_t depth = std::min(kSlice, p.K - k);
    const TaskRows<T> a(part(p.a, row, k), rows, depth, room);
    for (int64_t j = 0; j < columns; j += strip) {
      const T* b = packed + ((column - first + j) / strip * p.K + k) * strip;
      tile_gemm<T>({.rows = rows,
                    .columns = std::min(strip, columns - j),
                    .depth = depth,
                    .a = a.view(),
                    .b = b,
                    .b_stride = strip,
                    .c = p.c + row * p.c_stride + column + j,
                    .c_stride = p.c_stride,
                    .accumulate = k > 0 || p.options.accumulate});
    }
  }
  gemm_epilogue({p.c, p.c_stride, row, rows, column, columns}, p.options);
}

// B is packed once, in chunks of columns; tasks own blocks of C.
template <typename T>
void packed_gemm(const Product<T>& p) {
  const int64_t strip = tile_strip<T>();
  const int64_t fit = kPackedBytes / static_cast<int64_t>(sizeof(T)) / p.K / strip * strip;
  const int64_t chunk = std::max(fit, strip);
  const int64_t task_rows = std::min(kTaskRows, p.M);
  Tensor room = TaskRows<T>::make_room(p, task_rows);
  for (int64_t first = 0; first < p.N; first += chunk) {
    const int64_t columns = std::min(chunk, p.N - first);
    const Tensor packed = pack_strips(p, first, columns, strip);
    // Narrower tasks where there would be too few for the threads; the sums do not change.
    int64_t task_columns = std::min(kTaskColumns, round_up(columns, strip));
    const auto tasks = [&] { return divide_up(p.M, task_rows) * divide_up(columns, task_columns); };
    while (tasks() < 4 * threads() && task_columns > strip) {
      task_columns = round_up(task_columns / 2, strip);
    }
    const int64_t across = divide_up(columns, task_columns);
    const double share = static_cast<double>(columns) / static_cast<double>(p.N);
    parallel_for(tasks(), p.nanoseconds() * share, [&](int64_t task) {
      const int64_t row = task / across * task_rows;
      const int64_t column = first + task % across * task_columns;
      multiply_task(p, packed.data<T>(), strip, row, std::min(task_rows, p.M - row), first, column,
                    std::min(task_columns, first + columns - column),
                    room.data<T>() + thread_index() * room.dim(1));
    });
  }
}

// How the outputs of strip_gemm are dealt to tasks; the sums do not change.
struct StripTasks {
  int64_t rows, strips;  // of a task
};

// A task has one strip, or some of them for which it copies rows of a transposed A once. As few
// tasks as keep all threads busy: what one has to do at most is compared with its fair share.
StripTasks strip_tasks(int64_t M, int64_t strips, bool transposed_a, bool direct_b) {
  const int64_t min_rows = direct_b ? 24 : kPackedRows;  // for which B is packed
  const int64_t fewest = transposed_a ? divide_up(M, kCopiedRows) : 1;
  StripTasks best{};
  double best_share = 0;
  for (int64_t down = fewest; down <= std::max(fewest, M / min_rows); ++down) {
    const int64_t rows = round_up(divide_up(M, down), kTileRows);
    for (int64_t across = transposed_a ? 1 : strips; across <= strips; ++across) {
      const int64_t width = divide_up(strips, across);
      const int64_t turns = divide_up(divide_up(M, rows) * divide_up(strips, width), threads());
      const double share =
          static_cast<double>(M * strips) / static_cast<double>(turns * rows * width * threads());
      if (share <= best_share) continue;
      best = {rows, width};
      best_share = share;
      if (share >= 0.9) return best;
    }
  }
  return best;
}

// What the same thread comes to soon: the next strip of its task, the first in the next slice or,
// after the last, that of the task threads() further on (measured no slower than the very next
// one).
template <typename T>
Upcoming<T> upcoming(const Product<T>& p, int64_t k, int64_t column, int64_t strip, int64_t first,
                     int64_t width) {
  column += strip;
  if (column >= std::min(p.N, first + width)) {
    column = first;
    k += kSlice;
  }
  if (k >= p.K) {
    k = 0;
    column += width * threads();
    if (column >= p.N) return {};
  }
  const int64_t depth = std::min(kSlice, p.K - k), columns = std::min(strip, p.N - column);
  const MatrixView<T> b = part(p.b, k, column);
  return b.column_stride == 1 ? Upcoming<T>{b.data, depth, columns, b.row_stride}
                              : Upcoming<T>{b.data, columns, depth, b.column_stride};
}

// Not many rows: packing all of B would cost about as much as the product, so it is read where it
// is; if it is transposed, each task packs one strip of one slice at a time, in cache.
template <typename T>
void strip_gemm(const Product<T>& p) {
  const int64_t strip = tile_strip<T>();
  const bool direct = p.b.column_stride == 1 && !(is_narrow<T>(strip) && p.M >= kPackedRows);
  const StripTasks tasks = strip_tasks(p.M, divide_up(p.N, strip), p.a.column_stride != 1, direct);
  const int64_t width = tasks.strips * strip, across = divide_up(p.N, width);
  Tensor room = TaskRows<T>::make_room(p, tasks.rows);
  const double nanoseconds = std::max(p.reading_nanoseconds(), p.nanoseconds());
  parallel_for(divide_up(p.M, tasks.rows) * across, nanoseconds, [&](int64_t task) {
    alignas(64) T packed[kSlice * kWidestStrip];
    const int64_t row = task / across * tasks.rows, rows = std::min(tasks.rows, p.M - row);
    const int64_t first = task % across * width, end = std::min(p.N, first + width);
    for (int64_t k = 0; k < p.K; k += kSlice) {
      const int64_t depth = std::min(kSlice, p.K - k);
      const TaskRows<T> a(part(p.a, row, k), rows, depth,
                          room.data<T>() + thread_index() * room.dim(1));
      for (int64_t column = first; column < end; column += strip) {
        const int64_t columns = std::min(strip, end - column);
        const MatrixView<T> b = part(p.b, k, column);
        if (!direct) pack_block(b, depth, columns, packed, strip, columns);
        tile_gemm<T>({.rows = rows,
                      .columns = columns,
                      .depth = depth,
                      .a = a.view(),
                      .b = direct ? b.data : packed,
                      .b_stride = direct ? b.row_stride : strip,
                      .c = p.c + row * p.c_stride + column,
                      .c_stride = p.c_stride,
                      .accumulate = k > 0 || p.options.accumulate,
                      .next = upcoming(p, k, column, strip, first, width)});
      }
    }
    gemm_epilogue({p.c, p.c_stride, row, rows, first, end - first}, p.options);
  });
}

template <typename T>
void few_rows(const Product<T>& p) {
  if (p.b.column_stride == 1) {
    few_rows_gemm(p);
  } else {
    few_rows_transposed_gemm(p);
  }
}

template <typename T>
void empty_sum(const Product<T>& p) {
  if (!p.options.accumulate) {
    for (int64_t i = 0; i < p.M; ++i) std::fill_n(p.c + i * p.c_stride, p.N, T{0});
  }
  gemm_epilogue({p.c, p.c_stride, 0, p.M, 0, p.N}, p.options);
}

}  // namespace

template <typename T>
void gemm(int64_t M, int64_t N, int64_t K, MatrixView<T> a, MatrixView<T> b, T* c, int64_t c_stride,
          const GemmOptions<T>& options) {
  if (M == 0 || N == 0) return;
  const Product<T> product{M, N, K, a, b, c, c_stride, options};
  if (K == 0) return empty_sum(product);
  if (M <= kFewRows) return few_rows(product);
  if (M <= kStripRows) return strip_gemm(product);
  packed_gemm(product);
}

template void gemm<float>(int64_t, int64_t, int64_t, MatrixView<float>, MatrixView<float>, float*,
                          int64_t, const GemmOptions<float>&);
template void gemm<double>(int64_t, int64_t, int64_t, MatrixView<double>, MatrixView<double>,
                           double*, int64_t, const GemmOptions<double>&);

}  // namespace heed::kernels
