// tokenizer_config.json beside a tokenizer: {"bos_token": "<s>", "eos_token": "<|im_end|>"}. Other
// programs write more into it.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "heed/text/tokenizer.h"
#include "heed/text/tokenizer_parts.h"

namespace heed {

inline constexpr char kBosToken[] = "bos_token", kEosToken[] = "eos_token";

// Those of them that the tokenizer has.
BosEos read_bos_eos(const nlohmann::json& config, const std::string& name,
                    const Tokenizer& tokenizer);

}  // namespace heed
