// A tensor's elements as the bytes of a file.
#pragma once

#include <cstddef>
#include <span>

#include "heed/tensor/tensor.h"

namespace heed {

// `tensor` must be contiguous, and outlive the result.
std::span<const std::byte> bytes_of(const Tensor& tensor);

}  // namespace heed
