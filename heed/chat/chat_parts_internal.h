// A conversation in the order in which it is read: frames of the chat template and messages.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "heed/chat/chat_template.h"

namespace heed {

struct ChatPart {
  std::string_view text;  // of the template or of a message
  bool is_frame = false;
  bool is_answer = false;  // the model writes it
};

// The parts of all messages. With `for_answer`, what stands before an answer comes last.
std::vector<ChatPart> chat_parts(const ChatTemplate& form, std::span<const ChatMessage> messages,
                                 bool for_answer);

// The first token in the text of a frame; of several at one place, the longest.
struct FrameToken {
  size_t at = std::string_view::npos;
  std::string_view name = {};
};

FrameToken first_token(const ChatTemplate& form, std::string_view frame);

// Where what the model writes ends in form.assistant.after; an Error if no token ends an answer.
size_t end_of_answer(const ChatTemplate& form);

}  // namespace heed
