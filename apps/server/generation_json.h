// Tokens and hypotheses that a model generated, as heed's own endpoints report them.
#pragma once

#include "apps/server/generation_events.h"
#include "apps/server/json_text.h"

namespace heed::server {

// {"id", "token", "text", "log_probability", "probability"}.
Json probability_json(const Tokenizer& tokenizer, const TokenProbability& one);

// Without "attention", which only a token that is being generated has.
Json generated_token_json(const Tokenizer& tokenizer, size_t index, const TokenProbability& token,
                          std::span<const TokenProbability> alternatives);

// All tokens of a text, the end included if it was chosen.
Json generated_tokens_json(const Tokenizer& tokenizer, const Generation& generation, int32_t end);

// {"text", "log_probability", "score", "ending"}.
Json generation_json(const std::string& text, const Generation& generation);

// The n best but the first.
Json others_json(const Tokenizer& tokenizer, const GeneratedText& generated, int32_t end);

Json beam_step_json(const Tokenizer& tokenizer, const BeamStep& step);

}  // namespace heed::server
