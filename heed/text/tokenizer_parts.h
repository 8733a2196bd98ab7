// What stands beside a tokenizer in its folder.
#pragma once

namespace heed {

inline constexpr char kTokenizerConfig[] = "tokenizer_config.json";

}  // namespace heed
