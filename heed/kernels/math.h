// Elementary functions over arrays.
//
//   function   largest error, float32     special cases, as in <cmath>
//   exp        0.95 ulp                   subnormals and 0 below -87.3, infinity above 88.7
//   tanh       2.4 ulp                    keeps the sign of zero
//   erf        1.9 ulp                    keeps the sign of zero
//   log        0.85 ulp                   log 0 = -infinity, NaN below; subnormals included
//   sigmoid    2.3 ulp                    1 / (1 + exp(-x))
//
//   exp_nonpositive   x <= 0; relative error 2e-7 down to -20, 4e-7 down to -87.33, then exactly 0
//
// float64 calls std::. NaN gives NaN. One thread; x and y may be the same array.
#pragma once

#include <cstdint>

namespace heed::kernels {

template <typename T>
void exp(const T* x, T* y, int64_t n);
template <typename T>
void tanh(const T* x, T* y, int64_t n);
template <typename T>
void erf(const T* x, T* y, int64_t n);
template <typename T>
void log(const T* x, T* y, int64_t n);
template <typename T>
void sigmoid(const T* x, T* y, int64_t n);

void exp_nonpositive(const float* x, float* y, int64_t n);

}  // namespace heed::kernels
