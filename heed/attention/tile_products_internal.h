// The products of the backward pass that sum over queries.
#pragma once

#include <cstdint>

namespace heed::engine {

// sum [D, stride] += x' s for x [rows, D] and s [rows, kBlock], the first `columns` of it. If x is
// not finite, terms where s is exactly 0 are left out; the bits are the same otherwise.
template <typename T>
void add_transposed_product(const T* x, int64_t rows, int64_t width, const T* s, int64_t columns,
                            bool finite, T* sum, int64_t stride);

}  // namespace heed::engine
