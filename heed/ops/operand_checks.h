// What every operation does with its operands: pick the code for the element type, read ids.
#pragma once

#include <cstdint>
#include <vector>

#include "heed/base/fail.h"
#include "heed/tensor/tensor.h"

namespace heed {

// Calls body(float{}) or body(double{}), as x is float32 or float64. `what` names the operand.
template <typename Body>
auto with_real(const Tensor& x, const char* what, Body&& body) {
  check(x.defined() && is_real(x.dtype()), "{} must be float32 or float64, got {}", what, x);
  if (x.dtype() == DType::f32) return body(float{});
  return body(double{});
}

// Raises an Error unless the two have one element type.
inline void require_same_type(const Tensor& a, const char* a_name, const Tensor& b,
                              const char* b_name) {
  check(a.dtype() == b.dtype(), "{} is {}, but {} is {}: convert one with to()", a_name, a, b_name,
        b);
}

// The ids of an int32 or int64 tensor [N]. Each must be in [0, limit), except `ignored`, which is
// returned as -1 (to allow none, ignore kNoneIgnored).
inline constexpr int64_t kNoneIgnored = INT64_MIN;
std::vector<int64_t> read_ids(const Tensor& ids, int64_t limit, const char* what,
                              int64_t ignored = kNoneIgnored);

}  // namespace heed
