// Self-attention with every intermediate kept.
//
//   Q = X W_Q    K = X W_K    V = X W_V
//   s_ij = q_i . k_j                       row i belongs to query i
//   a_ij = s_ij / sqrt(d_k)
//   w_i  = softmax(a_i)
//   y_i  = sum_j w_ij v_j
//
// The same in one equation: Y = softmax(X W_Q W_K' X' / sqrt(d_k)) X W_V. The layer has no
// parameters beside the three matrices, and the attention itself has none.
//
//   X [L, d]     W_Q, W_K [d, d_k]     W_V [d, d_v]
#pragma once

#include <cstdint>

#include "heed/base/export.h"
#include "heed/tensor/tensor.h"

namespace heed {

struct SelfAttentionSteps {
  Tensor q, k;               // [L, d_k]
  Tensor v;                  // [L, d_v]
  Tensor scores, scaled;     // [L, L]
  Tensor weights;            // [L, L]
  Tensor output;             // [L, d_v]
  Tensor one_equation;       // [L, d_v]: the second form, with the engine's bilinear score
  double difference = 0;     // between the last two, the largest
  int64_t dot_products = 0;  // L^2
  int64_t parameters = 0;    // d d_k + d d_k + d d_v
};

HEED_API SelfAttentionSteps self_attention_steps(const Tensor& x, const Tensor& w_q,
                                                 const Tensor& w_k, const Tensor& w_v);

// The example of the lecture notes: the words (1,0,0), (0,1,0), (1,1,0), (0,0,1), and matrices of
// whole numbers 0, 1, 2, drawn with the seed, [3, 2]. For words of another width d, and another
// width of queries and keys, W_Q and W_K are drawn [d, key_width], W_V [d, 2].
struct SelfAttentionExample {
  Tensor x, w_q, w_k, w_v;
};
HEED_API SelfAttentionExample self_attention_example(uint64_t seed = 42, int64_t width = 3,
                                                     int64_t key_width = 2);

}  // namespace heed
