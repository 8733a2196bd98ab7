// A gated recurrent unit over whole sequences (Cho et al. 2014, with the reset gate after the
// product, as in PyTorch).
//
//   forward   gh = h_{t-1} U + b                                  gates in the order r, z, n
//             r = sigmoid(gx_r + gh_r)     z = sigmoid(gx_z + gh_z)
//             n = tanh(gx_n + r gh_n)
//             h_t = (1 - z) n + z h_{t-1}
//   backward  dgx_n = dh (1 - z) (1 - n^2)         dgx_z = dh (h_{t-1} - n) z (1 - z)
//             dgx_r = dgx_n gh_n r (1 - r)         dgh = (dgx_r, dgx_z, r dgx_n)
//             dh_{t-1} += z dh + dgh Uᵀ            dU = sum h_{t-1}ᵀ dgh      db = sum dgh
//
//   gx : [N, 3 H], the input's part for all rows, from one product      U : [H, 3 H]
//   b  : [3 H], optional      h0 : [B, H], optional (0)      result : [N, H], the states h_t
//
// Rows are time-major: first the counts[0] rows of step 0, then the counts[1] <= counts[0] rows of
// step 1, and so on; row i of every step belongs to sequence i (nn/time_major.h). Sequences of h0
// beyond counts[0] have no rows.
//
//   keeps r, z, n, gh_n and the states
//   a sequence's states depend on its own rows alone, bit for bit; so a sequence may also be run a
//   few steps at a time
#pragma once

#include <cstdint>
#include <span>

#include "heed/autograd/variable.h"
#include "heed/base/export.h"

namespace heed {

HEED_API Variable gru_sequence(const Variable& gx, const Variable& u, const Variable& bias,
                               const Variable& h0, std::span<const int64_t> counts);

}  // namespace heed
