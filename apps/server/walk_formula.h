// What a step of a walk is, and how this model computes it.
#pragma once

#include <string>

#include "heed/models/model_config.h"

namespace heed::server {

struct StepMeaning {
  std::string part;       // "scores": what the page has words for
  std::string formula;    // "s_ij = q_i . k_j / sqrt(D)"
  bool is_layer = false;  // the name is the layer's own, and not that of a part of it
};

// By the last word of its name, "decoder.0.attention.q".
StepMeaning meaning_of(const std::string& name, const ModelConfig& config);

}  // namespace heed::server
