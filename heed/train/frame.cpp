#include "heed/train/frame.h"

#include <algorithm>

#include "heed/base/fail_internal.h"
#include "heed/text/words.h"
#include "heed/train/choose.h"
#include "heed/train/pair_corpus.h"
#include "heed/train/prepare.h"

namespace heed {
namespace {

void add_token(const std::string& token, const Tokenizer& tokenizer, std::vector<int32_t>& to) {
  if (token.empty()) return;
  const auto id = tokenizer.find(token);
  check(id.has_value(), "config.json: the tokenizer has no token \"{}\" to put around a text",
        token);
  to.push_back(*id);
}

}  // namespace

std::vector<int32_t> Frame::around(const std::vector<int32_t>& ids) const {
  std::vector<int32_t> all = before;
  all.insert(all.end(), ids.begin(), ids.end());
  all.insert(all.end(), after.begin(), after.end());
  return all;
}

Frame frame_of(const RunConfig& config, const Tokenizer& tokenizer) {
  Frame frame;
  if (is_pair_task(config.settings.task)) {
    const PairLayout layout = pair_layout(config.settings);
    const GenerationRequest nothing = request_for({}, pair_tokens(tokenizer), layout);
    frame.after = layout == PairLayout::encoder_decoder ? nothing.source : nothing.prompt;
    return frame;
  }
  add_token(config.begin, tokenizer, frame.before);
  add_token(config.end, tokenizer, frame.after);
  const std::string& pool = config.settings.pool;
  if (frame.size() > 0 || config.settings.task != "classify" || pool == "mean") return frame;
  const auto& cls = tokenizer.specials().cls;
  check(cls.has_value(), "--pool {} needs a tokenizer with a cls token; one trained by heed has it",
        pool);
  (pool == "cls" ? frame.before : frame.after).push_back(*cls);
  return frame;
}

std::vector<int32_t> text_ids(const RunConfig& config, const Tokenizer& tokenizer,
                              const std::string& text) {
  if (config.settings.task != "tag") return tokenizer.encode(text, SpecialNames::are_text);
  std::vector<int32_t> ids;
  for (const WordPlace& place : find_words(text)) {
    const std::vector<int32_t> word =
        word_ids(tokenizer, text.substr(place.begin, place.end - place.begin));
    ids.insert(ids.end(), word.begin(), word.end());
  }
  return ids;
}

int64_t longest_text(const RunConfig& config, const Frame& frame) {
  if (config.settings.task != "lm") return config.settings.max_length;
  const auto* transformer = std::get_if<TransformerConfig>(&config.model);
  if (transformer == nullptr || transformer->context == 0) return 0;
  return std::max<int64_t>(transformer->context - frame.size(), 1);
}

}  // namespace heed
