// Conversations to learn from or to go on with, as JSON lines or as one JSON list:
//
//   {"messages": [{"role": "user", "content": ".."}, {"role": "assistant", "content": ".."}]}
//   {"instruction": "..", "input": "..", "output": ".."}        input may be empty or absent
//   {"prompt": ".."}                                            to go on with only
#pragma once

#include <functional>
#include <span>
#include <string>

#include "heed/base/export.h"
#include "heed/chat/chat_template.h"
#include "heed/tuning/record_report.h"

namespace heed {

using UseConversation = std::function<void(std::span<const ChatMessage> messages)>;

// Every conversation has an answer, and none is empty. A record that breaks this raises an Error
// that names its line, or is counted.
HEED_API RecordReport for_each_conversation(const std::string& path, OnMistake on_mistake,
                                            const UseConversation& use);

// The same up to the last message of the user: what is to be answered.
HEED_API RecordReport for_each_prompt(const std::string& path, OnMistake on_mistake,
                                      const UseConversation& use);

}  // namespace heed
