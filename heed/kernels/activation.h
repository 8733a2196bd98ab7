// Activation functions as array loops, for the epilogue of matrix products and for ops/.
#pragma once

#include <cstdint>

#include "heed/base/activation.h"

namespace heed::kernels {

using heed::Activation;

// y_i = f(x_i); x and y may be the same array.
template <typename T>
void activate(Activation f, const T* x, T* y, int64_t n);

// dx_i = dy_i f'(x_i); dx may be dy.
template <typename T>
void activate_backward(Activation f, const T* x, const T* dy, T* dx, int64_t n);

extern template void activate<float>(Activation, const float*, float*, int64_t);
extern template void activate<double>(Activation, const double*, double*, int64_t);
extern template void activate_backward<float>(Activation, const float*, const float*, float*,
                                              int64_t);
extern template void activate_backward<double>(Activation, const double*, const double*, double*,
                                               int64_t);

}  // namespace heed::kernels
