// Where a model looks: the exact weights of one of its attention layers for one sequence.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "heed/base/export.h"
#include "heed/models/model.h"

namespace heed {

struct AttentionChoice {
  std::string layer = {};  // "decoder.1.cross"; empty: the last cross attention, or the last of all
  int64_t head = -1;       // -1: the mean of all heads
  int64_t sequence = 0;    // of the batch
};

struct AttentionView {
  Tensor weights;  // [T, S]
  std::string layer;
  std::vector<std::string> layers;  // all of the model, in order
  int64_t heads = 0;                // of this layer
  bool is_cross = false;            // keys are of the source, queries of the target
  bool is_encoder = false;          // both are of the source
};

// Which of a model's attention layers is looked at if none is named: the last cross attention, or
// the last of all.
HEED_API std::string default_attention_layer(const std::vector<std::string>& layers);

HEED_API AttentionView view_attention(const Model& model, const Batch& batch,
                                      const AttentionChoice& choice = {});

}  // namespace heed
