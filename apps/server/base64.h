// Numbers as text that a program reads quickly: float32, little-endian, in base64 (RFC 4648).
#pragma once

#include <string>

#include "heed/tensor/tensor.h"

namespace heed::server {

std::string base64(const std::string& bytes);
std::string base64(const Tensor& numbers);

}  // namespace heed::server
