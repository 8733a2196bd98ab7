#include "heed/kernels/gather_rows.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "heed/base/divide_up.h"
#include "heed/base/parallel.h"

namespace heed::kernels {
namespace {

// Elements that one task reads or writes: large enough to be worth handing out, small enough for
// the first-level cache.
constexpr int64_t kTaskElements = 8192;

int64_t rows_per_task(int64_t width) {
  return std::max<int64_t>(1, kTaskElements / std::max<int64_t>(width, 1));
}

// The positions n sorted by ids[n], equal ids in the order of n; those of id v are
// order[begins[v]] to order[begins[v + 1]].
struct ById {
  std::vector<int64_t> begins;  // V + 1
  std::vector<int64_t> order;   // N

  ById(std::span<const int64_t> ids, int64_t V)
      : begins(static_cast<size_t>(V) + 1, 0), order(ids.size()) {
    for (int64_t id : ids) ++begins[static_cast<size_t>(id) + 1];
    for (size_t v = 0; v < static_cast<size_t>(V); ++v) begins[v + 1] += begins[v];
    std::vector<int64_t> next(begins.begin(), begins.end() - 1);
    for (size_t n = 0; n < ids.size(); ++n) {
      order[next[ids[n]]++] = static_cast<int64_t>(n);
    }
  }
};

}  // namespace

template <typename T>
void gather_rows(const T* table, int64_t stride, int64_t width, std::span<const int64_t> ids,
                 T* y) {
  const auto N = static_cast<int64_t>(ids.size());
  if (width == 0) return;
  const int64_t step = rows_per_task(width);
  parallel_for(divide_up(N, step), static_cast<double>(N * width) * 0.3, [&](int64_t task) {
    for (int64_t n = task * step; n < std::min(N, (task + 1) * step); ++n) {
      std::memcpy(y + n * width, table + ids[n] * stride, static_cast<size_t>(width) * sizeof(T));
    }
  });
}

template <typename T>
void scatter_add_rows(const T* dy, int64_t stride, int64_t width, std::span<const int64_t> ids,
                      T* dtable, int64_t V) {
  const ById by_id(ids, V);
  const int64_t step = rows_per_task(width);
  const auto work = static_cast<double>((V + static_cast<int64_t>(ids.size())) * width) * 0.3;
  parallel_for(divide_up(V, step), work, [&](int64_t task) {
    const int64_t end = std::min(V, (task + 1) * step);
    std::fill(dtable + task * step * width, dtable + end * width, T{0});
    for (int64_t v = task * step; v < end; ++v) {
      T* sum = dtable + v * width;
      for (int64_t i = by_id.begins[v]; i < by_id.begins[static_cast<size_t>(v) + 1]; ++i) {
        const T* row = dy + by_id.order[i] * stride;
        for (int64_t c = 0; c < width; ++c) sum[c] += row[c];
      }
    }
  });
}

template void gather_rows<float>(const float*, int64_t, int64_t, std::span<const int64_t>, float*);
template void gather_rows<double>(const double*, int64_t, int64_t, std::span<const int64_t>,
                                  double*);
template void scatter_add_rows<float>(const float*, int64_t, int64_t, std::span<const int64_t>,
                                      float*, int64_t);

}  // namespace heed::kernels
