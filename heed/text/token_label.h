// A token as people read it, for pictures and tables.
#pragma once

#include <cstdint>
#include <string>

#include "heed/base/export.h"
#include "heed/text/tokenizer.h"

namespace heed {

// What the token stands for, a space shown as U+2581 ("▁Straße"). Control characters, and bytes
// that are only a part of a character, are shown as \xNN; a token that stands for no text by its
// name, a number that is no token as that number. Never empty.
HEED_API std::string token_label(const Tokenizer& tokenizer, int32_t id);

}  // namespace heed
