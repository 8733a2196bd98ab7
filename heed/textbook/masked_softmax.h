// Softmax over the valid part of each row.
//
//   w_ij = exp(s_ij) / sum over j' < length_i of exp(s_ij')      j < length_i
//   w_ij = 0, exactly                                            otherwise
//
// A row of length 0 has weights 0. Masking by a large negative number is what the lecture notes
// describe (and of the weights, where scores are meant):
//
//   s_ij = -10^6 where j >= length_i, then softmax
//
// It gives weight to masked keys as soon as the valid scores are about as low.
#pragma once

#include <cstdint>
#include <span>

#include "heed/base/export.h"
#include "heed/tensor/tensor.h"

namespace heed {

// scores [n, m]; one length per row, each in [0, m]. Through the attention engine's mask.
HEED_API Tensor masked_softmax(const Tensor& scores, std::span<const int64_t> lengths);

// The same with a constant in place of the masked scores: to see where it goes wrong.
HEED_API Tensor softmax_masked_by_constant(const Tensor& scores, std::span<const int64_t> lengths,
                                           double constant = -1e6);

}  // namespace heed
