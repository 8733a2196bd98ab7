#include "heed/run/text_ids.h"

#include <algorithm>

#include "heed/text/words.h"

namespace heed {

// Byte-level BPE learns words with the space before them.
std::vector<int32_t> word_ids(const Tokenizer& tokenizer, const std::string& word) {
  std::vector<int32_t> ids = tokenizer.encode(
      tokenizer.kind() == TokenizerKind::bpe ? " " + word : word, SpecialNames::are_text);
  if (ids.empty()) ids.push_back(tokenizer.specials().unknown.value_or(0));
  return ids;
}

std::vector<int32_t> text_ids(const RunConfig& config, const Tokenizer& tokenizer,
                              const std::string& text) {
  if (config.settings.task != Task::tag) return tokenizer.encode(text, SpecialNames::are_text);
  std::vector<int32_t> ids;
  for (const WordPlace& place : find_words(text)) {
    const std::vector<int32_t> word =
        word_ids(tokenizer, text.substr(place.begin, place.end - place.begin));
    ids.insert(ids.end(), word.begin(), word.end());
  }
  return ids;
}

int64_t longest_text(const RunConfig& config, const SpecialTokens& special) {
  if (config.settings.task != Task::lm) return config.settings.max_length;
  const auto* transformer = std::get_if<TransformerConfig>(&config.model);
  if (transformer == nullptr || transformer->context == 0) return 0;
  return std::max<int64_t>(transformer->context - special.size(), 1);
}

}  // namespace heed
