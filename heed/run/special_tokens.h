// The tokens that a model reads around every text: "[CLS] text [SEP]".
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "heed/base/export.h"
#include "heed/run/run_folder.h"
#include "heed/text/tokenizer.h"

namespace heed {

struct HEED_API SpecialTokens {
  std::vector<int32_t> before = {}, after = {};

  int64_t size() const { return static_cast<int64_t>(before.size() + after.size()); }
  std::vector<int32_t> around(const std::vector<int32_t>& ids) const;
};

// What a converted model was trained with (RunConfig::begin, end), the class token of a classifier
// that was trained by heed, or what ends the source of a model that writes a text for a text
// (pair_layout.h). An Error if the tokenizer does not have it.
HEED_API SpecialTokens special_tokens_of(const RunConfig& config, const Tokenizer& tokenizer);

}  // namespace heed
