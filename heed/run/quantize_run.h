// A run with int8 weights, for inference, from one with float32 weights (ops/quantized_affine.h).
#pragma once

#include <string>

#include "heed/base/export.h"

namespace heed {

// `output` becomes a folder with the configuration and the tokenizer of the run, and its weights:
// those of linear maps and embeddings in int8, the others as they are.
HEED_API void quantize_run(const std::string& folder, const std::string& output);

}  // namespace heed
