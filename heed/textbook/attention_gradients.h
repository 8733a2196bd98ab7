// How the output of attention changes with its inputs.
//
//   L = sum of all outputs        dq = dL/dq     dk = dL/dk     dv = dL/dv
//
// by backward(), and by finite differences (L(x + e) - L(x - e)) / 2e, one number after the other.
// Of one query and values of width 1, dv is the row of weights: a value counts as much as its key.
#pragma once

#include "heed/attention/attention.h"
#include "heed/base/export.h"
#include "heed/tensor/tensor.h"

namespace heed {

struct CheckedGradients {
  Tensor dq, dk, dv;  // by backward()
  // Largest difference to the finite ones.
  double difference_q = 0, difference_k = 0, difference_v = 0;
};

// q [L_q, D], k [L_k, D], v [L_k, Dv]; computed in float64.
HEED_API CheckedGradients attention_gradients(const Tensor& q, const Tensor& k, const Tensor& v,
                                              const AttentionOptions& options = {});

}  // namespace heed
