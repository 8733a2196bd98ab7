#include "heed/attention/tile_products_internal.h"

#include <vector>

#include "heed/attention/tile_score_internal.h"
#include "heed/kernels/tile_gemm.h"

namespace heed::engine {

template <typename T>
void add_transposed_product(const T* x, int64_t rows, int64_t width, const T* s, int64_t columns,
                            bool finite, T* sum, int64_t stride) {
  if (finite) {
    return kernels::tile_gemm<T>({.rows = width,
                                  .columns = columns,
                                  .depth = rows,
                                  .a = {x, 1, width},
                                  .b = s,
                                  .b_stride = kBlock,
                                  .c = sum,
                                  .c_stride = stride,
                                  .accumulate = true});
  }
  // The other way around, s' x, zeros of s can be skipped.
  std::vector<T> product(static_cast<size_t>(columns * width));
  kernels::tile_gemm<T>({.rows = columns,
                         .columns = width,
                         .depth = rows,
                         .a = {s, 1, kBlock},
                         .b = x,
                         .b_stride = width,
                         .c = product.data(),
                         .c_stride = width,
                         .skip_zeros = true});
  for (int64_t j = 0; j < columns; ++j) {
    for (int64_t i = 0; i < width; ++i) {
      sum[i * stride + j] += product[j * width + i];
    }
  }
}

template void add_transposed_product<float>(const float*, int64_t, int64_t, const float*, int64_t,
                                            bool, float*, int64_t);
template void add_transposed_product<double>(const double*, int64_t, int64_t, const double*,
                                             int64_t, bool, double*, int64_t);

}  // namespace heed::engine
