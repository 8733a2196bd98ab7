// The shape of a recurrent encoder-decoder.
#pragma once

#include <cstdint>

#include "heed/base/export.h"
#include "heed/ops/kinds.h"

namespace heed {

// How the decoder sees the source. h_j: the encoder's states; s_t: the decoder's.
enum class RnnAttention : uint8_t {
  none,      // a fixed context: the encoder's last states, at every step (Cho et al. 2014)
  additive,  // c_t = sum_j a(s_{t-1}, h_j) h_j, before the step (Bahdanau et al. 2015)
  dot,       // c_t from s_t' h_j, after the step (Luong et al. 2015)
  general,   // c_t from s_t' M h_j, after the step
};

struct RnnConfig {
  int64_t source_vocabulary = 0;
  int64_t target_vocabulary = 0;
  int64_t source_width = 0;  // more than 0: the source is rows of floats of this width, not ids

  CellKind cell = CellKind::gru;
  RnnAttention attention = RnnAttention::additive;
  int64_t embedding = 256;    // E
  int64_t width = 256;        // H, units of the decoder; also of the additive score
  int64_t encoder_width = 0;  // units of the encoder in each direction; 0: H, or H / 2 for dot,
                              // which needs states h_j as wide as s_t
  int64_t encoder_layers = 1;
  int64_t decoder_layers = 1;
  double dropout = 0;             // of embeddings, between layers and before the output
  bool shared_embedding = false;  // one table for source and target
  bool tied_output = false;       // the output layer is the target's table
};

// Raises an Error that says what does not fit together.
HEED_API void validate(const RnnConfig& config);

}  // namespace heed
