// Attention sees a set of (key, value) pairs: their order does not matter.
//
//   shuffle, shift   keys and values moved together: the same output, up to the order of the sums
//   broken           keys moved without their values: another output
#pragma once

#include <cstdint>

#include "heed/base/export.h"
#include "heed/tensor/tensor.h"

namespace heed {

struct PermutationOptions {
  int64_t queries = 3;  // L_q
  int64_t keys = 8;     // L_k; the two need not be equal
  int64_t width = 4;    // d_k = d_v
  int64_t shift = 3;    // places that pairs move on, around the end
  uint64_t seed = 1;
};

struct PermutationResult {
  Tensor output;     // [L_q, d_v]
  Tensor shuffled;   // the pairs in another order
  Tensor shifted;    // the pairs moved on
  Tensor keys_only;  // the keys moved on, the values not
  double shuffle_difference = 0, shift_difference = 0, keys_only_difference = 0;  // the largest
};

HEED_API PermutationResult permutation_experiment(const PermutationOptions& options = {});

}  // namespace heed
