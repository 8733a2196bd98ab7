// One answer, to show how a model speaks.
#pragma once

#include <span>
#include <string>

#include "heed/chat/chat_template.h"
#include "heed/models/model.h"

namespace heed {

// "question | answer" on one line: the likeliest answer, and no long one.
std::string sample_line(const Model& model, const ChatTemplate& form, const Tokenizer& tokenizer,
                        std::span<const ChatMessage> prompt);

}  // namespace heed
