// How a model reads a source and its target, in translation and summarization.
//
//   encoder-decoder   source  s_1 .. s_n eos
//                     target  bos t_1 .. t_m
//                     labels  t_1 .. t_m eos
//   one stack         target  s_1 .. s_n sep t_1 .. t_m
//                     labels  none .. none t_1 .. t_m eos
//
// In one stack (decoder or prefix model) the separator both ends the source and begins the target,
// and is the last token of the prefix.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "heed/base/export.h"
#include "heed/generate/generator.h"
#include "heed/run/settings.h"
#include "heed/text/tokenizer.h"

namespace heed {

enum class PairLayout : uint8_t { encoder_decoder, one_stack };

// How the model of these settings reads a pair.
HEED_API PairLayout pair_layout(const TrainSettings& settings);

struct PairTokens {
  int32_t bos = -1, eos = -1, separator = -1;
};
// Raises an Error if the tokenizer lacks one.
HEED_API PairTokens pair_tokens(const Tokenizer& tokenizer);

// What a generator gets to write the target of one source.
HEED_API GenerationRequest request_for(std::span<const int32_t> source, const PairTokens& tokens,
                                       PairLayout layout);

// What a model has written, as text. Tokens that only mark a place (begin, end, separator, class)
// are left out.
HEED_API std::string answer_text(const Tokenizer& tokenizer, std::span<const int32_t> ids);

}  // namespace heed
