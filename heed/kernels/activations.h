// Activation functions as array loops, for the epilogue of matrix products and for ops/.
//
// float32 runs vector code, with a relative error of about 5e-7 (of the largest factor, where the
// function itself cancels); float64 runs the formulas as they stand in ops/activations.h. An
// element's result does not depend on its place in the array.
#pragma once

#include <cstdint>

#include "heed/base/activation.h"

namespace heed::kernels {

using heed::Activation;

// y_i = f(x_i); x and y may be the same array. On the calling thread.
template <typename T>
void activate(Activation f, const T* x, T* y, int64_t n);

// dx_i = dy_i f'(x_i); dx may be dy.
template <typename T>
void activate_backward(Activation f, const T* x, const T* dy, T* dx, int64_t n);

// The same on all threads, for whole tensors; large results bypass the caches.
template <typename T>
void activate_parallel(Activation f, const T* x, T* y, int64_t n);
template <typename T>
void activate_backward_parallel(Activation f, const T* x, const T* dy, T* dx, int64_t n);

}  // namespace heed::kernels
