// Arrays that a user named, in the type that is computed with.
#pragma once

#include <string>

#include "heed/tensor/tensor.h"

namespace heed::cli {

// The array as float32 or float64. A number that would become infinite is an error that names the
// option.
Tensor converted(const std::string& option, const Tensor& array, DType type);

}  // namespace heed::cli
