// What layer_norm and rms_norm share: checks and the float32 path.
#pragma once

#include <memory>
#include <vector>

#include "heed/autograd/variable.h"
#include "heed/kernels/norm.h"

namespace heed {

// Raises an Error unless x is [..., C] and gamma is [C] of the same type (beta alike).
void check_norm(const char* what, const Tensor& x, const Tensor& gamma, double epsilon);

// y of kernels/norm.h in float32, recorded with inputs x, gamma and, if defined, beta.
Variable norm_float32(kernels::NormForm form, double epsilon, const Variable& x,
                      const Variable& gamma, const Variable& beta);

}  // namespace heed
