// Models of llama2.c (Karpathy 2023), layout v0: a header of seven numbers, then all weights as
// float32, each kind of matrix for all layers together; and its tokenizer file.
//
//   int32    dim, hidden, layers, heads, kv heads, vocabulary (negative: the output has a table of
//            its own), longest sequence
//   float    table [V, C], norm_1 [L, C], W_q [L, C, C], W_k and W_v [L, K D, C], W_o [L, C, C],
//            norm_2 [L, C], W_gate [L, F, C], W_outer [L, C, F], W_inner [L, F, C], norm [C],
//            cosines and sines of positions (not used), output [V, C] if it is separate
//
//   tokenizer: int32 longest piece; per piece float score, int32 bytes, the bytes
#pragma once

#include <string>

#include "heed/base/export.h"
#include "heed/convert/converted_model.h"

namespace heed {

HEED_API ConvertedModel convert_llama2c(const std::string& model, const std::string& tokenizer);

}  // namespace heed
