// The tokens that a model reads around every text: "[CLS] text [SEP]".
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "heed/base/export.h"
#include "heed/text/tokenizer.h"
#include "heed/train/run_folder.h"

namespace heed {

struct HEED_API Frame {
  std::vector<int32_t> before = {}, after = {};

  int64_t size() const { return static_cast<int64_t>(before.size() + after.size()); }
  std::vector<int32_t> around(const std::vector<int32_t>& ids) const;
};

// What a converted model was trained with (RunConfig::begin, end), the class token of a classifier
// that was trained by heed, or what ends the source of a model that writes a text for a text
// (pair_corpus.h). An Error if the tokenizer does not have it.
HEED_API Frame frame_of(const RunConfig& config, const Tokenizer& tokenizer);

// The tokens of a text as the model reads them: a tagger reads word by word (text/words.h).
HEED_API std::vector<int32_t> text_ids(const RunConfig& config, const Tokenizer& tokenizer,
                                       const std::string& text);

// How many tokens a text may have inside the frame; 0: any number.
HEED_API int64_t longest_text(const RunConfig& config, const Frame& frame);

}  // namespace heed
