// A linear map with its bias and activation folded in.
//
//   forward   z = x W + b          y = f(z)
//   backward  dz = dy f'(z)        dx = dz Wᵀ      dW = xᵀ dz      db = sum over rows of dz
//
//   x : [N, In]     W : [In, Out]     b : [Out], optional     y, z : [N, Out]
//
//   keeps x and W; z for gelu and silu; y for relu, tanh and sigmoid, whose derivative y tells
//   a row of y depends on its own row of x alone, bit for bit
#pragma once

#include <cstdint>

#include "heed/autograd/variable.h"
#include "heed/base/activation.h"
#include "heed/base/export.h"

namespace heed {

// How the weights lie in memory. out_in is an embedding table [V, C] used as output layer, and the
// layout of most foreign model files.
enum class WeightLayout : uint8_t { in_out, out_in };

struct AffineOptions {
  Activation activation = Activation::none;           // f
  WeightLayout weight_layout = WeightLayout::in_out;  // out_in: W is given as [Out, In]
};

HEED_API Variable affine(const Variable& x, const Variable& w, const Variable& b = {},
                         const AffineOptions& options = {});

}  // namespace heed
