// Rankings of answers to a prompt, the best first, as JSON lines or as one JSON list:
//
//   {"prompt": P, "answers": [A, B, C]}                     best first
//   {"prompt": P, "answers": [A, B, C], "ranks": [2, 1, 3]} 1 is the best; no ties
//   {"prompt": P, "chosen": A, "rejected": B}
//   {"instruction": "..", "input": "..", "chosen": A, "rejected": B}
//   {"chosen": D, "rejected": D}                            whole dialogues: messages, or
//                                                           "\n\nHuman: ..\n\nAssistant: .."
//
// P is a text or a list of messages, the last the user's; A, B and C are texts.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "heed/base/export.h"
#include "heed/chat/chat_template.h"
#include "heed/tuning/record_report.h"

namespace heed {

struct Ranking {
  std::vector<ChatMessage> prompt;
  std::vector<std::string> answers;  // 2 or more, all different, none empty; the best first
};

HEED_API RecordReport for_each_ranking(const std::string& path, OnMistake on_mistake,
                                       const std::function<void(const Ranking& ranking)>& use);

// A line of the first form, without its line feed.
HEED_API std::string to_json(const Ranking& ranking);

}  // namespace heed
