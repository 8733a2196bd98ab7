// Multi-head attention: every head pools in its own projection, the results are joined and mapped.
//
//   q = x W_q    k = u W_k    v = u W_v          split into heads
//   h_i = attention(q_i, k_i, v_i)               any score; grouped heads share keys and values
//   y   = [h_1; ...; h_H] W_o
//
//   x : [N, C]     u : x itself, or the memory [M, Cu] of an encoder     y : [N, p_o]
//
// Self-attention computes q, k and v in one product.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "heed/attention/attention_options.h"
#include "heed/attention/key_value_cache.h"
#include "heed/base/export.h"
#include "heed/nn/layer_kinds.h"
#include "heed/nn/linear.h"
#include "heed/nn/pass.h"
#include "heed/ops/rotary.h"

namespace heed {

struct MultiHeadAttentionOptions {
  int64_t heads = 1;
  int64_t kv_heads = 0;      // heads of keys and values; 0: as many as heads
  int64_t key_width = 0;     // of a head, p_k; 0: C / heads
  int64_t query_width = 0;   // of a head, p_q; 0: p_k. Another one for additive and bilinear only
  int64_t value_width = 0;   // of a head, p_v; 0: the key width
  int64_t output_width = 0;  // p_o; 0: C
  int64_t source_width = 0;  // C of the memory, for cross attention; 0: self-attention
  int64_t hidden = 0;        // of an additive score; 0: the key width
  ScoreKind score = ScoreKind::scaled_dot;
  bool bias = true;
  double dropout = 0;  // of the weights
  std::optional<RotaryOptions> rotary = {};
};

// Where a layer keeps the keys and values of the sequences it has seen: sequence b of a batch is
// slot slots[b] of the cache.
struct CacheSlots {
  KeyValueCache* cache = nullptr;
  std::span<const int64_t> slots = {};
};

class HEED_API MultiHeadAttention {
 public:
  MultiHeadAttention() = default;
  MultiHeadAttention(const ParameterScope& scope, int64_t width,
                     const MultiHeadAttentionOptions& options);

  // Self-attention. With a cache, the rows follow what it holds, and are appended to it.
  Variable self(const Variable& x, const Rows& rows, const Mask& mask, const Pass& pass,
                const CacheSlots& cached = {}) const;

  // Cross attention to a memory, or to what remember() has stored of it.
  Variable cross(const Variable& x, const Rows& rows, const Variable& memory,
                 const Rows& memory_rows, const Pass& pass) const;
  Variable cross(const Variable& x, const Rows& rows, const CacheSlots& cached,
                 const Pass& pass) const;
  void remember(const Tensor& memory, const Rows& memory_rows, const CacheSlots& cached) const;

  // An empty cache that fits this layer.
  KeyValueCache make_cache() const;

  const std::string& name() const { return name_; }

  Linear qkv;          // self: [C, H p_q + K p_k + K p_v]
  Linear query;        // cross: [C, H p_q]
  Linear keys_values;  // cross: [Cu, K p_k + K p_v]
  Linear output;       // [H p_v, p_o]
  Score score;

 private:
  AttentionOptions options_for(const Mask& mask, const Pass& pass) const;
  Variable turned(const Variable& x, const Rows& rows, std::span<const int64_t> offsets) const;
  Variable finish(const Variable& heads) const;
  void notify(const Pass& pass, const AttentionCall& call) const;

  MultiHeadAttentionOptions options_;
  std::string name_;
  uint64_t site_ = 0;
  DType type_ = DType::f32;
};

}  // namespace heed
