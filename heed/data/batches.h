// Which sequences make a batch, for one epoch.
//
//   for (const auto& batch : plan_batches(lengths, {.budget = 8000, .seed = 1}, epoch)) ...
//
// The plan is a function of (lengths, options, epoch): every index appears exactly once, and
// sequences of similar length come together. All items are shuffled and cut into pools; within a
// pool they are sorted by length, one pool upward, the next downward, so that the cut into batches
// may go on across the seam; then the batches are shuffled.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "heed/base/export.h"

namespace heed {

struct BatchOptions {
  int64_t budget = 0;     // most of the sum of lengths in a batch; 0: no limit
  int64_t sequences = 0;  // most sequences in a batch; 0: no limit
  uint64_t seed = 0;
  bool shuffle = true;  // false: in the order of the indices, not sorted either, for evaluation
  // How many batches, about, a pool gives: more makes lengths more alike, fewer makes company more
  // random.
  int64_t pool_batches = 64;
};

// lengths[i] is what item i costs: its tokens, of both sides if it is a pair. One of the two limits
// must be given. An item that costs more than the budget makes a batch of its own.
HEED_API std::vector<std::vector<int64_t>> plan_batches(std::span<const int64_t> lengths,
                                                        const BatchOptions& options,
                                                        uint64_t epoch = 0);

}  // namespace heed
