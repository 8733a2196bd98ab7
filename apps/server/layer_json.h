// The attention layers of a model, as the API describes them:
//
//   {"name": "decoder.0.cross", "heads": 4, "kind": "cross", "queries": "target", "keys": "source"}
#pragma once

#include "apps/server/json_text.h"
#include "heed/models/model_config.h"

namespace heed::server {

Json layer_json(const std::string& name, int64_t heads);
Json layers_json(const ModelConfig& config);

// Whose tokens a layer's keys are: "source" or "target".
std::string keys_of(const std::string& layer);

}  // namespace heed::server
