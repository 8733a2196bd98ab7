// Masks: which keys a query may see. Conditions combine: a key must pass all of them.
//
// Indices are positions inside a sequence. Query i of a sequence stands at position p = i + offset.
//
//   causal         key j <= p
//   window         p - left <= j <= p + right
//   exclude self   j != p
//   lengths        j < length, per sequence [B] or per query [N]
//   allowed        a dense table of bools
//
// A masked key is skipped: its weight and gradients are exactly 0, even if it holds a NaN. A query
// without any key gets output 0, weights 0 and gradient 0.
#pragma once

#include <cstdint>
#include <vector>

#include "heed/base/export.h"
#include "heed/tensor/tensor.h"

namespace heed {

struct HEED_API Mask {
  static constexpr int64_t kUnlimited = -1;

  bool is_causal = false;
  int64_t offset = 0;                 // position of the first query of every sequence
  std::vector<int64_t> offsets = {};  // the same, one per sequence; replaces `offset` if not empty
  int64_t left = kUnlimited;          // window: positions before p
  int64_t right = kUnlimited;         // window: positions after p
  bool excludes_self = false;
  Tensor lengths = {};             // int32 or int64, [B]; undefined: all keys
  bool lengths_per_query = false;  // lengths are [N]
  Tensor allowed = {};             // bool or uint8, [T, S], [B, T, S] or [B, H, T, S]; an axis
                                   // of 1 is repeated. T, S: at least the longest sequence

  static Mask causal(int64_t offset = 0);
  static Mask window(int64_t left, int64_t right);
  static Mask exclude_self();
  static Mask key_lengths(Tensor lengths);            // [B]
  static Mask key_lengths_per_query(Tensor lengths);  // [N], or [B, T]
  static Mask dense(Tensor allowed);

  // Both conditions. At most one side may have lengths or a table. The offsets must agree: that of
  // a causal mask counts even if it is 0; a window and exclude_self() without one take the other's.
  Mask operator&(const Mask& other) const;
};

}  // namespace heed
