// The gradient of some queries alone, a few rows at a time.
//
// A recurrence that attends at every step needs dq of a step before it knows dy of the step before.
// The gradients of keys, values and parameters can wait: attention_backward() computes them for all
// steps at once.
#pragma once

#include <vector>

#include "heed/attention/tile_gradient_internal.h"

namespace heed::engine {

template <typename T>
class QueryGradient {
 public:
  // Packs the keys and values once. `task` says where dy, y, the statistics and dq are; each must
  // hold its rows when run() reaches them. The problem must outlive this.
  QueryGradient(const Problem<T>& problem, const BackwardTask<T>& task);

  // Adds the gradient of these queries to task.dq.
  void run(const std::vector<RowRange>& ranges);

 private:
  void run_range(const RowRange& range, TileGradient<T>& gradient);

  const Problem<T>& p_;
  BackwardTask<T> task_;
  Tensor memory_;
  std::vector<BackwardBlock<T>> blocks_;
  std::vector<int64_t> first_;              // block of a sequence and its first key/value head
  Tensor delta_;                            // [N, H]
  std::vector<TileGradient<T>> gradients_;  // memory, one per thread
};

}  // namespace heed::engine
