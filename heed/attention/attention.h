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

#include <cstdint>
#include <vector>

#include "heed/attention/mask.h"
#include "heed/attention/score.h"
#include "heed/autograd/variable.h"
#include "heed/base/export.h"
#include "heed/tensor/rows.h"
#include "heed/tensor/tensor.h"

namespace heed {

struct AttentionOptions {
  Score score = ScaledDot{};
  Mask mask = {};
  Normalizer normalizer = Normalizer::softmax;
  // Added to the scores; -inf excludes. [T, S], [B, T, S] or [B, H, T, S]; an axis of 1 is
  // repeated.
  Variable bias = {};
  // One slope per head: adds -slope |p - j|, p the position of the query.
  std::vector<double> slopes = {};
  double softcap = 0;           // c > 0: scores become c tanh(a / c), before bias
  bool allow_negative = false;  // a negative weight under `sum` is an error unless allowed
  // Weights are dropped with this probability, the others scaled by 1 / (1 - p); not under one_hot.
  // What is dropped is a function of (seed, step, site, sequence id, head, query position, key
  // position).
  double dropout = 0;
  uint64_t seed = 0;
  uint64_t step = 0;
  uint64_t site = 0;
};

// What the engine keeps per query row and head, [N, H]. From the same type as q.
struct HEED_API RowStatistics {
  Tensor max;    // largest score (softmax, one_hot); -inf without keys
  Tensor sum;    // sum of exp(s - max) (softmax) or of s (sum); 0 without keys
  Tensor index;  // int64: the chosen key (one_hot), -1 without keys; undefined otherwise

  Tensor log_sum_exp() const;  // max + log(sum); -inf without keys
};

struct AttentionResult {
  Variable output;
  RowStatistics statistics;
  int64_t empty_rows = 0;  // (row, head) pairs with keys in reach whose weights sum to 0 (`sum`)
};

HEED_API Variable attention(const Variable& q, const Variable& k, const Variable& v,
                            const Rows& query_rows, const Rows& key_rows,
                            const AttentionOptions& options = {});

HEED_API AttentionResult attention_with_statistics(const Variable& q, const Variable& k,
                                                   const Variable& v, const Rows& query_rows,
                                                   const Rows& key_rows,
                                                   const AttentionOptions& options = {});

}  // namespace heed
