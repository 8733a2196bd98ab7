// What scores of all pairs of L_q queries and L_k keys cost.
//
//                        multiply-adds                          tanh
//   scaled dot           L_q L_k d                              0
//   additive             h (L_q d_q + L_k d_k) + L_q L_k h      L_q L_k h
//   MLP on each pair     L_q L_k h (d_q + d_k) + L_q L_k h      L_q L_k h
//
// Additive attention is that MLP on [q; k] with its first product taken apart, so that W_q q and
// W_k k are computed once per row: this is what it saves. Against the dot product it saves nothing
// unless h < d, and has its tanh.
#pragma once

#include <cstdint>

#include "heed/base/export.h"

namespace heed {

struct ScoreSizes {
  int64_t queries = 512;     // L_q
  int64_t keys = 512;        // L_k
  int64_t query_width = 64;  // d_q
  int64_t key_width = 64;    // d_k; d of the dot product
  int64_t hidden = 64;       // h
};

struct ScoreCost {
  int64_t products = 0;  // multiply-adds
  int64_t tanhs = 0;

  bool operator==(const ScoreCost&) const = default;
};

struct ScoreCosts {
  ScoreCost scaled_dot, additive, pairwise_mlp;
};

HEED_API ScoreCosts score_costs(const ScoreSizes& sizes);

}  // namespace heed
