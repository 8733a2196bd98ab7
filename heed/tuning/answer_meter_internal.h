// What an AnswerMeter is made of.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "heed/tuning/answer_report.h"

namespace heed {

// The reward model in a folder. An Error unless it reads conversations as the model does that is
// to be judged: vocabulary and chat template.
std::shared_ptr<const Model> load_reward(const std::string& folder, const ChatTemplate& form,
                                         const Tokenizer& tokenizer);

ChatPrompt encode_prompt(const ChatTemplate& form, const Tokenizer& tokenizer,
                         std::span<const ChatMessage> messages);

int64_t longest_of(const std::vector<ChatPrompt>& prompts);

// How many tokens an answer may have beside a prompt of `longest` tokens: `wanted`, or 64 if it is
// 0, or as many as the context has room for. An Error if there is none.
int64_t answer_room(int64_t wanted, int64_t longest, int64_t context);

}  // namespace heed
