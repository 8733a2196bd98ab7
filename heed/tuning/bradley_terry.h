// The probability that one answer is preferred to another, from a score of each (Bradley and Terry
// 1952), and the loss of observed preferences.
//
//   P(i before j) = sigmoid(s_i - s_j)
//   loss          = - sum over pairs (better b, worse w) of log sigmoid(s_b - s_w) / count
//   backward        ds_b = - sigmoid(s_w - s_b) / count       ds_w = - ds_b
//
//   s : [B]        loss : [1]
//
// Equal scores give log 2 per pair. Only differences count: a constant added to all scores changes
// nothing.
#pragma once

#include <cstdint>
#include <span>

#include "heed/autograd/variable.h"
#include "heed/base/export.h"

namespace heed {

struct PreferredPair {
  int64_t better = 0, worse = 0;  // places in the scores
};

// The loss of pairs; `count` 0: their number.
HEED_API Variable bradley_terry(const Variable& scores, std::span<const PreferredPair> pairs,
                                int64_t count = 0);

}  // namespace heed
