// One block of a transformer: self-attention, cross attention if it is a decoder's, feed-forward;
// each with a residual connection, dropout and a normalization before or after it.
//
//   pre    x = x + drop(f(norm(x)))          the last block's output needs one more norm
//   post   x = norm(x + drop(f(x)))          Vaswani et al. 2017
#pragma once

#include "heed/base/export.h"
#include "heed/nn/feed_forward.h"
#include "heed/nn/layer_kinds.h"
#include "heed/nn/multi_head_attention.h"
#include "heed/nn/norm.h"

namespace heed {

struct BlockOptions {
  int64_t hidden = 0;        // F of the feed-forward network
  int64_t memory_width = 0;  // of the encoder's rows; 0: no cross attention
  MultiHeadAttentionOptions attention = {};
  FeedForwardOptions feed_forward = {};
  NormOptions norm = {};
  NormPlace norm_place = NormPlace::pre;
  double dropout = 0;
};

// The memory of an encoder, for cross attention; or where remember() has stored it.
struct Memory {
  Variable states = {};
  Rows rows = {};
  CacheSlots cached = {};
};

class HEED_API Block {
 public:
  Block() = default;
  Block(const ParameterScope& scope, int64_t width, const BlockOptions& options);

  Variable operator()(const Variable& x, const Rows& rows, const Mask& mask, const Memory& memory,
                      const Pass& pass, const CacheSlots& cached = {}) const;

  MultiHeadAttention attention;
  MultiHeadAttention cross;  // if the block has a memory
  FeedForward feed_forward;
  Norm attention_norm, cross_norm, feed_forward_norm;

 private:
  enum class Part : uint8_t { attention, cross, feed_forward };

  template <typename F>
  Variable part(Part which, const Norm& norm, const Variable& x, const Rows& rows, const Pass& pass,
                const F& f) const;

  BlockOptions options_;
  std::string name_;
  uint64_t site_ = 0;
};

// Dropout when training, else x. Sites that differ draw different numbers.
HEED_API Variable drop(const Variable& x, const Rows& rows, double probability, const Pass& pass,
                       uint64_t site);

}  // namespace heed
