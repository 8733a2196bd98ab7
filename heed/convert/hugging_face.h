// Models in the layout of Hugging Face's transformers: a folder with config.json, the weights as
// safetensors (one file, or several with an index) and the tokenizer.
//
//   bert             BERT: the encoder, or a classifier of texts or of their words; one segment
//   gpt2             GPT-2: learned positions, layer norm before each part, gelu, tied output
//   llama, mistral   Llama: rotary positions, rms norm, gated silu, shared key heads, windows
//
// What the config asks for and heed does not have is an Error that names it.
#pragma once

#include <string>

#include "heed/base/export.h"
#include "heed/convert/converted_model.h"

namespace heed {

HEED_API ConvertedModel convert_hugging_face(const std::string& folder);

}  // namespace heed
