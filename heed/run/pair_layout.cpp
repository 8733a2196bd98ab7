#include "heed/run/pair_layout.h"

#include "heed/base/fail.h"

namespace heed {

PairLayout pair_layout(const TrainSettings& settings) {
  return is_one_stack(settings.model) ? PairLayout::one_stack : PairLayout::encoder_decoder;
}

PairTokens pair_tokens(const Tokenizer& tokenizer) {
  const SpecialIds& specials = tokenizer.specials();
  check(specials.bos && specials.eos && specials.separator,
        "the tokenizer lacks a token for begin, end or separator; one trained by heed vocab has "
        "them");
  return {*specials.bos, *specials.eos, *specials.separator};
}

std::string answer_text(const Tokenizer& tokenizer, std::span<const int32_t> ids) {
  const SpecialIds& specials = tokenizer.specials();
  std::vector<int32_t> kept;
  for (const int32_t id : ids) {
    const bool mark =
        specials.bos == id || specials.eos == id || specials.separator == id || specials.cls == id;
    if (!mark) kept.push_back(id);
  }
  return tokenizer.decode(kept);
}

GenerationRequest request_for(std::span<const int32_t> source, const PairTokens& tokens,
                              PairLayout layout) {
  GenerationRequest request;
  std::vector<int32_t> ids(source.begin(), source.end());
  if (layout == PairLayout::encoder_decoder) {
    ids.push_back(tokens.eos);
    request.source = std::move(ids);
    request.prompt = {tokens.bos};
  } else {
    ids.push_back(tokens.separator);
    request.prompt = std::move(ids);
  }
  return request;
}

}  // namespace heed
