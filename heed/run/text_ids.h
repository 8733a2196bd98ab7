// The tokens of a text as the model of a run reads them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "heed/base/export.h"
#include "heed/run/run_folder.h"
#include "heed/run/special_tokens.h"
#include "heed/text/tokenizer.h"

namespace heed {

// A tagger reads word by word (text/words.h), any other model the text as it is.
HEED_API std::vector<int32_t> text_ids(const RunConfig& config, const Tokenizer& tokenizer,
                                       const std::string& text);

// The tokens of one word of a sentence that is to be tagged; at least one.
HEED_API std::vector<int32_t> word_ids(const Tokenizer& tokenizer, const std::string& word);

// How many tokens a text may have between the special tokens; 0: any number.
HEED_API int64_t longest_text(const RunConfig& config, const SpecialTokens& special);

}  // namespace heed
