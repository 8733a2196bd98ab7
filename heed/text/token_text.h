// What a single token adds to a text, for answers that give a text token by token.
#pragma once

#include <cstdint>
#include <string>

#include "heed/base/export.h"
#include "heed/text/tokenizer.h"

namespace heed {

// The token decoded as if others stood before it: a word of a word tokenizer comes with the space
// between them, a special token as decode() writes it. The bytes of a character that is spread over
// several tokens come as they are. Empty if the number is no token. token_label() is for people.
HEED_API std::string token_text(const Tokenizer& tokenizer, int32_t id);

}  // namespace heed
