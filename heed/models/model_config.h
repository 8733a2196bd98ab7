// The configuration of any model, and its form in config.json.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <variant>

#include "heed/base/export.h"
#include "heed/models/model.h"
#include "heed/models/rnn_config.h"
#include "heed/models/transformer_config.h"

namespace heed {

using ModelConfig = std::variant<TransformerConfig, RnnConfig>;

// How many tokens the tokenizer of a model must have; 0: it neither reads nor writes text.
HEED_API int64_t vocabulary_of(const ModelConfig& config);

HEED_API std::unique_ptr<Model> make_model(const ModelConfig& config, ParameterSource source = {});

// A JSON object, {"type": "transformer", "kind": "decoder", ...}. Reading checks every field: a
// name that is not known, a wrong type or an impossible size is an Error.
HEED_API std::string to_json(const ModelConfig& config);
HEED_API ModelConfig model_config_from_json(std::string_view json);

}  // namespace heed
