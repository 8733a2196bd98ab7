// What a head looks at: how far away, how many keys at once, and how much itself.
//
//   distance_i = sum_j w_ij |i - j|          mean over queries i
//   entropy_i  = -sum_j w_ij log w_ij        mean over queries; exp(entropy): "keys in view"
//   share_i    = w_ii                        mean over queries: on the position itself
#pragma once

#include "heed/base/export.h"
#include "heed/nn/multi_head_attention.h"
#include "heed/tensor/tensor.h"

namespace heed {

struct HeadStatistics {
  double mean_distance = 0;
  double entropy = 0;        // nats
  double share_on_self = 0;  // has no meaning across two sequences
};

// weights [T, S] of one head; rows sum to 1.
HEED_API HeadStatistics head_statistics(const Tensor& weights);

// The parameters of a multi-head layer, by formula: H heads of key width p_k and value width p_v on
// rows of width d, output width d_o.
//
//   H (2 d p_k + d p_v) + H p_v d_o, and with biases 2 H p_k + H p_v + d_o more
//
// The additive score has 2 p_k^2 + p_k parameters of its own (as many hidden units as p_k), the
// bilinear one p_k^2; the heads share them.
struct MultiHeadSizes {
  int64_t width = 4;         // d
  int64_t heads = 2;         // H
  int64_t key_width = 2;     // p_q = p_k
  int64_t value_width = 3;   // p_v
  int64_t output_width = 0;  // d_o; 0: d
  bool bias = true;
  ScoreKind score = ScoreKind::scaled_dot;
};
HEED_API int64_t multi_head_parameters(const MultiHeadSizes& sizes);

// The same, counted from a layer that is made for it.
HEED_API int64_t count_multi_head_parameters(const MultiHeadSizes& sizes);

}  // namespace heed
