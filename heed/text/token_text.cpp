#include "heed/text/token_text.h"

namespace heed {

std::string token_text(const Tokenizer& tokenizer, int32_t id) {
  std::string text;
  if (id < 0 || id >= tokenizer.size()) return text;
  DecodeState state{.begun = true};
  tokenizer.decode_next(id, state, text);
  return text;
}

}  // namespace heed
