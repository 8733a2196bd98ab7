#include "heed/chat/chat_template.h"

#include "heed/base/fail.h"

namespace heed {
namespace {

bool is_role(const std::string& role) {
  return role == "system" || role == "user" || role == "assistant";
}

}  // namespace

void require_conversation(std::span<const ChatMessage> messages) {
  check(!messages.empty(), "a conversation has no messages");
  bool user_next = true;
  for (size_t i = 0; i < messages.size(); ++i) {
    const std::string& role = messages[i].role;
    check(is_role(role), "the role \"{}\" is unknown; there are system, user and assistant", role);
    if (role == "system") {
      check(i == 0, "message {} is the system's, which can only be the first", i + 1);
      continue;
    }
    check((role == "user") == user_next, "message {} is the {}'s, but it is the {}'s turn", i + 1,
          role, user_next ? "user" : "assistant");
    user_next = !user_next;
  }
  check(messages.size() > 1 || messages[0].role != "system",
        "a conversation has a system message and nothing else");
}

}  // namespace heed
