// Losses of a few numbers each: read as double, computed by plain loops, gradients in the type of
// the input.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "heed/autograd/variable.h"
#include "heed/base/fail.h"
#include "heed/tensor/numbers.h"

namespace heed {

// The numbers of a tensor [n].
inline std::vector<double> numbers_of(const Tensor& x, const char* what) {
  check(x.defined() && x.rank() == 1 && is_real(x.dtype()),
        "{} must be float32 or float64 [n], got {}", what, x);
  return numbers_of(x);
}

inline Tensor tensor_of(const std::vector<double>& values, DType type) {
  return Tensor::from(values, {static_cast<int64_t>(values.size())}).to(type);
}

inline void require_as_many(size_t got, size_t expected, const char* what) {
  check(got == expected, "{}: expected {} numbers, got {}", what, expected, got);
}

// What a sum of losses is divided by: `count`, or the number of terms if it is 0.
inline double divisor(int64_t count, size_t terms) {
  return count > 0 ? static_cast<double>(count) : std::fmax(static_cast<double>(terms), 1);
}

// A loss [1] of one input, whose gradient is known.
inline Variable record_loss(double loss, const Variable& x, std::vector<double> dx) {
  const DType type = x.value().dtype();
  return record(Tensor::full({1}, loss, type), {x},
                [dx = std::move(dx), type](const Tensor& dy) -> std::vector<Tensor> {
                  std::vector<double> scaled = dx;
                  for (double& d : scaled) d *= dy.item();
                  return {tensor_of(scaled, type)};
                });
}

// log(1 + exp(x)) and 1 / (1 + exp(-x)), without overflow.
inline double softplus(double x) { return std::fmax(x, 0) + std::log1p(std::exp(-std::fabs(x))); }
inline double logistic(double x) {
  return x >= 0 ? 1 / (1 + std::exp(-x)) : std::exp(x) / (1 + std::exp(x));
}

}  // namespace heed
