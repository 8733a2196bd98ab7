// Attention: every query's weighted sum of values.
//
//   s_ij = softcap(a(q_i, k_j)) + bias_ij          over the keys the mask allows
//   w_i  = normalize(s_i)
//   y_i  = sum_j w_ij v_j
//
//   backward, for softmax:   dv_j  = sum_i w_ij dy_i
//                            ds_ij = w_ij (dy_i . v_j - dy_i . y_i)
//
// One tiled engine computes all of it in memory proportional to the rows: it walks over blocks of
// 128 keys and keeps a running maximum m and sum l per query. From these, attention_weights()
// recomputes any weight exactly, with the same tile kernel: w_ij = exp(s_ij - m_i) / l_i.
//
//   q [N, H, D]   k [M, K, D]   v [M, K, Dv]   y [N, H, Dv]      K key/value heads, K divides H
//
// N and M run over the rows of all sequences; sequence b of the queries sees sequence b of the
// keys. With one head the middle axis may be left out everywhere.
//
//   Rows rows = Rows::from_lengths({5, 3});
//   Tensor y = attention(q, k, v, rows, rows, {.mask = Mask::causal()});
#pragma once

#include "heed/attention/attention_options.h"
#include "heed/attention/attention_result.h"
#include "heed/autograd/variable.h"
#include "heed/base/export.h"
#include "heed/tensor/rows.h"

namespace heed {

HEED_API Variable attention(const Variable& q, const Variable& k, const Variable& v,
                            const Rows& query_rows, const Rows& key_rows,
                            const AttentionOptions& options = {});

HEED_API AttentionResult attention_with_statistics(const Variable& q, const Variable& k,
                                                   const Variable& v, const Rows& query_rows,
                                                   const Rows& key_rows,
                                                   const AttentionOptions& options = {});

}  // namespace heed
