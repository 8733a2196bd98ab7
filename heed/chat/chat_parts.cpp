#include "heed/base/fail.h"
#include "heed/chat/chat_parts_internal.h"
#include "heed/chat/jinja_value_internal.h"

namespace heed {
namespace {

// A message as the template has it.
std::string_view content_of(const ChatMessage& message, bool trim) {
  return trim ? trim_space(message.content) : std::string_view(message.content);
}

void add_answer(const ChatTemplate& form, std::string_view content, std::vector<ChatPart>& parts) {
  const std::string_view after = form.assistant.after;
  const size_t end = end_of_answer(form);
  parts.push_back({.text = form.answer_begin, .is_frame = true, .is_answer = true});
  parts.push_back({.text = content, .is_answer = true});
  parts.push_back({.text = after.substr(0, end), .is_frame = true, .is_answer = true});
  parts.push_back({.text = after.substr(end), .is_frame = true});
}

}  // namespace

FrameToken first_token(const ChatTemplate& form, std::string_view frame) {
  FrameToken found;
  for (const std::string& name : form.tokens) {
    const size_t at = frame.find(name);
    const bool longer = at == found.at && name.size() > found.name.size();
    if (at < found.at || (at != std::string_view::npos && longer)) found = {at, name};
  }
  return found;
}

size_t end_of_answer(const ChatTemplate& form) {
  const FrameToken found = first_token(form, form.assistant.after);
  const std::string_view before = std::string_view(form.assistant.after).substr(0, found.at);
  check(found.at != std::string_view::npos && trim_space(before).empty(),
        "chat: what follows an answer in the chat template, \"{}\", must begin with "
        "a token that ends it",
        form.assistant.after);
  return found.at + found.name.size();
}

std::vector<ChatPart> chat_parts(const ChatTemplate& form, std::span<const ChatMessage> messages,
                                 bool for_answer) {
  check(form.defined(), "chat: this model has no chat template; heed finetune gives it one");
  require_conversation(messages);
  const bool has_system = messages[0].role == "system";
  check(!has_system || form.takes_system,
        "chat: the chat template of this model ({}) has no place for a system message", form.name);
  std::vector<ChatPart> parts;
  const auto frame = [&](std::string_view text) {
    parts.push_back({.text = text, .is_frame = true});
  };
  const auto add_system = [&](const ChatMessage& message) {
    frame(form.system.before);
    parts.push_back({.text = content_of(message, form.trim.system)});
    frame(form.system.after);
  };
  if (!has_system || !form.system_begins) frame(form.begin);
  const ChatMessage* waiting = nullptr;  // the system's message, inside the user's
  for (const ChatMessage& message : messages) {
    if (message.role == "system") {
      if (form.system_in_user) {
        waiting = &message;
      } else {
        add_system(message);
      }
    } else if (message.role == "user") {
      frame(form.user.before);
      std::string_view content = content_of(message, form.trim.user);
      if (waiting != nullptr) {
        add_system(*waiting);
        if (form.trim.user && form.trim.joined) content = trim_space_after(message.content);
        waiting = nullptr;
      }
      parts.push_back({.text = content});
      frame(form.user.after);
    } else {
      frame(form.assistant.before);
      add_answer(form, content_of(message, form.trim.assistant), parts);
    }
  }
  if (for_answer) frame(form.assistant.before);
  return parts;
}

}  // namespace heed
