// The templates that are known by name and whose tokens a tokenizer has.
#pragma once

#include <vector>

#include "heed/chat/chat_template.h"

namespace heed {

std::vector<ChatTemplate> known_chat_templates(const Tokenizer& tokenizer);

// Names in brackets in the frames that are tokens of the tokenizer, such as "[INST]" of Mistral's
// later ones, become tokens of the template.
void add_frame_tokens(const Tokenizer& tokenizer, ChatTemplate& form);

}  // namespace heed
