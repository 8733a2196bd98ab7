// A long short-term memory over whole sequences (Hochreiter and Schmidhuber 1997, with forget
// gates).
//
//   forward   g* = gx + h_{t-1} U + b                             gates in the order i, f, g, o
//             i, f, o = sigmoid(g*_i, g*_f, g*_o)      g = tanh(g*_g)
//             c_t = f c_{t-1} + i g                    h_t = o tanh(c_t)
//   backward  dc += dh o (1 - tanh(c)^2)               dc_{t-1} += dc f
//             dg* = (dc g i (1 - i), dc c_{t-1} f (1 - f), dc i (1 - g^2), dh tanh(c) o (1 - o))
//             dh_{t-1} += dg* Uᵀ                       dU = sum h_{t-1}ᵀ dg*     db = sum dg*
//
//   gx : [N, 4 H], the input's part for all rows, from one product      U : [H, 4 H]
//   b  : [4 H], optional      start : [B, 2 H] = [h_0, c_0], optional (0)
//   result : [N, 2 H], h_t in the first H columns and c_t in the others
//
// Rows are time-major, as in ops/gru_sequence.h.
//
//   keeps i, f, g, o, tanh(c) and the states
//   a sequence's states depend on its own rows alone, bit for bit
#pragma once

#include <cstdint>
#include <span>

#include "heed/autograd/variable.h"
#include "heed/base/export.h"

namespace heed {

HEED_API Variable lstm_sequence(const Variable& gx, const Variable& u, const Variable& bias,
                                const Variable& start, std::span<const int64_t> counts);

}  // namespace heed
