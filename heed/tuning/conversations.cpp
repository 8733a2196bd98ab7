#include "heed/tuning/conversations.h"

#include "heed/base/fail.h"
#include "heed/tuning/records_internal.h"

namespace heed {

RecordReport for_each_conversation(const std::string& path, OnMistake on_mistake,
                                   const UseConversation& use) {
  return for_each_record(path, on_mistake, [&](const RecordJson& record) {
    std::vector<ChatMessage> messages;
    if (record.contains("messages")) {
      messages = messages_of(record["messages"]);
    } else {
      check(record.contains("instruction"),
            "expected \"messages\", or \"instruction\" and \"output\"");
      messages = {{"user", question_of(record)}, {"assistant", text_at(record, "output")}};
      require_text(messages.back().content, "the answer");
    }
    bool answered = false;
    for (const ChatMessage& message : messages) answered |= message.role == "assistant";
    check(answered, "there is no answer to learn from");
    use(messages);
  });
}

RecordReport for_each_prompt(const std::string& path, OnMistake on_mistake,
                             const UseConversation& use) {
  return for_each_record(path, on_mistake, [&](const RecordJson& record) {
    std::vector<ChatMessage> messages;
    if (record.contains("messages")) {
      messages = messages_of(record["messages"]);
    } else if (record.contains("instruction")) {
      messages = {{"user", question_of(record)}};
    } else {
      check(record.contains("prompt"), "expected \"messages\", \"instruction\" or \"prompt\"");
      messages = record["prompt"].is_array()
                     ? messages_of(record["prompt"])
                     : std::vector<ChatMessage>{{"user", text_at(record, "prompt")}};
    }
    while (!messages.empty() && messages.back().role != "user") messages.pop_back();
    check(!messages.empty(), "there is nothing of the user to answer");
    use(messages);
  });
}

}  // namespace heed
