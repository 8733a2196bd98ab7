// Ragged rows in the order of time, for recurrent layers.
//
//   sequences of lengths 1, 3, 2       a0 | b0 b1 b2 | c0 c1
//   time-major                         b0 c0 a0 | b1 c1 | b2           counts 3, 2, 1
//   reversed                           b2 c1 a0 | b1 c0 | b0
//
// Sequences stand longest first (equal ones in the order of the batch), so that the sequences that
// are still alive at a step are the first ones, and a step is one matrix [n_t, C].
#pragma once

#include <cstdint>
#include <vector>

#include "heed/autograd/variable.h"
#include "heed/base/export.h"
#include "heed/tensor/rows.h"

namespace heed {

class HEED_API TimeMajor {
 public:
  enum class Direction : uint8_t { forward, reversed };  // reversed: from the end of each sequence

  explicit TimeMajor(const Rows& rows, Direction direction = Direction::forward);

  const std::vector<int64_t>& counts() const { return counts_; }  // n_t
  const std::vector<int64_t>& order() const { return order_; }    // the sequence at every place

  Variable forth(const Variable& x) const;  // [N, C], from the order of the batch
  Variable back(const Variable& x) const;   // [N, C], into the order of the batch

  // One row per sequence, [B, C], from the order of the batch.
  Variable sorted(const Variable& x) const;
  // The last row of every sequence in the order of the batch, [B, C], given all rows time-major. A
  // sequence without rows takes its row of `start` [B, C] (in the order of the batch), 0 if that is
  // undefined.
  Variable last(const Variable& x, const Variable& start) const;

 private:
  std::vector<int64_t> counts_, order_;
  bool same_order_;  // order() is 0, 1, 2, ..
  Tensor forth_;     // int64 [N]: the row of the batch at every place
  Tensor back_;      // int64 [N]: the place of every row of the batch
  Tensor last_;      // int64 [B]: the place of the last row; N + b without rows
  bool any_empty_ = false;
};

}  // namespace heed
