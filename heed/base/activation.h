// The activation functions f(x) that can be folded into a product, see ops/affine.h.
#pragma once

#include <cstdint>

namespace heed {

enum class Activation : uint8_t { none, relu, gelu_tanh, gelu_exact, silu, tanh, sigmoid };

}  // namespace heed
