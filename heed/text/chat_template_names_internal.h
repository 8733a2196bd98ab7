// The templates that are known by name and whose tokens a tokenizer has.
#pragma once

#include <vector>

#include "heed/text/chat_template.h"

namespace heed {

std::vector<ChatTemplate> known_chat_templates(const Tokenizer& tokenizer);

}  // namespace heed
