// Rows picked by id, and the sum of rows per id: embedding and gather, and their backward.
//
//   gather_rows       y[n] = table[ids[n]]
//   scatter_add_rows  dtable[v] = sum over n with ids[n] = v of dy[n], in the order of n
//
// The sum is the plain loop's, bit for bit: ids are sorted stably, and a task owns the rows of
// `dtable` that it writes, so neither the threads nor other ids matter.
#pragma once

#include <cstdint>
#include <span>

namespace heed::kernels {

// y [N, width] is contiguous; rows of the table are `stride` elements apart.
template <typename T>
void gather_rows(const T* table, int64_t stride, int64_t width, std::span<const int64_t> ids, T* y);

// dtable [V, width] is contiguous and fully written; rows of dy are `stride` elements apart.
template <typename T>
void scatter_add_rows(const T* dy, int64_t stride, int64_t width, std::span<const int64_t> ids,
                      T* dtable, int64_t V);

extern template void gather_rows<float>(const float*, int64_t, int64_t, std::span<const int64_t>,
                                        float*);
extern template void gather_rows<double>(const double*, int64_t, int64_t, std::span<const int64_t>,
                                         double*);
extern template void scatter_add_rows<float>(const float*, int64_t, int64_t,
                                             std::span<const int64_t>, float*, int64_t);

}  // namespace heed::kernels
