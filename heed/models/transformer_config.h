// What a transformer is made of: everything but the weights.
#pragma once

#include <cstdint>

#include "heed/base/export.h"
#include "heed/nn/layer_kinds.h"
#include "heed/ops/kinds.h"

namespace heed {

// Which stacks there are, and what sees what.
enum class TransformerKind : uint8_t {
  encoder,          // every token sees every other: classes of tokens or of sentences
  decoder,          // a token sees those before it: language models
  encoder_decoder,  // a decoder that also looks at the output of an encoder
  prefix,           // one stack: full attention over the prefix, causal after it
};

// What the model answers. `states`: nothing but the last states of its encoder.
enum class HeadKind : uint8_t { next_token, token_classes, sentence_classes, states };

// How a sentence becomes one row: the mean of its rows, its first row or its last.
enum class Pool : uint8_t { mean, first, last };

struct TransformerConfig {
  TransformerKind kind = TransformerKind::decoder;
  HeadKind head = HeadKind::next_token;
  Pool pool = Pool::mean;
  int64_t vocabulary = 0;      // V, of source and target
  int64_t classes = 0;         // for the class heads
  int64_t source_width = 0;    // the encoder reads rows of this many floats instead of ids; 0: ids
  int64_t encoder_layers = 0;  //
  int64_t decoder_layers = 0;  // also of a prefix model
  int64_t width = 0;           // C
  int64_t hidden = 0;          // F
  int64_t heads = 1;
  int64_t kv_heads = 0;     // 0: as many as heads
  int64_t key_width = 0;    // of a head; 0: C / heads
  int64_t value_width = 0;  // of a head; 0: the key width
  int64_t context = 0;      // longest sequence trained on; the number of learned positions
  int64_t window = 0;       // how many tokens back self-attention sees, itself included; 0: all
  PositionKind positions = PositionKind::sinusoidal;
  PositionMode position_mode = PositionMode::add;
  int64_t position_width = 0;  // of appended positions; 0: a quarter of C
  RotaryPairs rotary_pairs = RotaryPairs::adjacent;
  double rotary_base = 10000;
  ScoreKind score = ScoreKind::scaled_dot;
  NormKind norm = NormKind::layer;
  NormPlace norm_place = NormPlace::pre;
  double norm_epsilon = 1e-5;
  bool embedding_norm = false;  // a norm after the embedding with its positions, as in BERT
  FeedForwardKind feed_forward = FeedForwardKind::relu;
  bool bias = true;              // in linear maps
  bool tied = true;              // source, target and output share one table
  bool scaled_embedding = true;  // rows times sqrt(C)
  bool pooler = false;  // tanh(y W + b) of a pooled sentence before its classes, as in BERT
  double dropout = 0;
  double attention_dropout = 0;

  bool has_encoder() const {
    return kind == TransformerKind::encoder || kind == TransformerKind::encoder_decoder;
  }
  bool has_decoder() const { return kind != TransformerKind::encoder; }
};

// How much of the width positions take that are appended to the embedding; 0: none.
HEED_API int64_t appended_width(const TransformerConfig& config);

// Raises an Error that says what does not fit together.
HEED_API void validate(const TransformerConfig& config);

}  // namespace heed
