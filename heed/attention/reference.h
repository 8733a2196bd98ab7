// The definition of attention: plain loops in double, one query and one key at a time.
//
// This is attention.h read aloud, and what the tests measure the engine against. It shares no
// arithmetic with the engine and is slow: time T S D, and nothing is skipped but masked pairs.
//
//   a_ij = a(q_i, k_j)                          for the keys j that query i may see
//   c_ij = softcap tanh(a_ij / softcap)         a_ij without a soft-cap
//   s_ij = c_ij + bias_ij - slope |p_i - j|     exp(c_ij) + .. for Gaussian under sum and none;
//                                               a score of -inf excludes the key
//   w_ij = normalize(s_i)_j
//   y_i  = sum_j r_ij w_ij v_j                  r: 0 where dropped, else 1 / (1 - p)
//
//   backward   dw_ij = r_ij dy_i . v_j          dv_j += r_ij w_ij dy_i
//   softmax    ds_ij = w_ij (dw_ij - sum_k w_ik dw_ik)
//   sum        ds_ij = (dw_ij - sum_k w_ik dw_ik) / sum_k s_ik          0 where that sum is 0
//   none       ds_ij = dw_ij
//   one_hot    ds_ij = 0
//              dbias_ij = ds_ij
//              dc_ij = ds_ij, times exp(c_ij) for Gaussian under sum and none
//              da_ij = dc_ij (1 - (c_ij / softcap)^2)
//              and from there to q, k and the score's parameters
//
// Arguments as for attention(), of any real type; results are float64. One-hot weights are not
// dropped, as in the engine.
#pragma once

#include <cstdint>

#include "heed/attention/attention_gradients.h"
#include "heed/attention/attention_options.h"
#include "heed/base/export.h"
#include "heed/tensor/rows.h"
#include "heed/tensor/tensor.h"

namespace heed {

// y, with the shape that attention() gives.
HEED_API Tensor reference_attention(const Tensor& q, const Tensor& k, const Tensor& v,
                                    const Rows& query_rows, const Rows& key_rows,
                                    const AttentionOptions& options = {});

// w [T, S] of one sequence and head, without dropout.
HEED_API Tensor reference_attention_weights(const Tensor& q, const Tensor& k,
                                            const Rows& query_rows, const Rows& key_rows,
                                            const AttentionOptions& options = {},
                                            int64_t sequence = 0, int64_t head = 0);

// Of sum(dy y).
HEED_API AttentionGradients reference_attention_gradients(const Tensor& q, const Tensor& k,
                                                          const Tensor& v, const Rows& query_rows,
                                                          const Rows& key_rows,
                                                          const AttentionOptions& options,
                                                          const Tensor& dy);

}  // namespace heed
