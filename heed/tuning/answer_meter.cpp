#include <algorithm>

#include "heed/base/fail.h"
#include "heed/run/run_folder.h"
#include "heed/run/task_names.h"
#include "heed/tuning/answer_meter_internal.h"

namespace heed {

std::shared_ptr<const Model> load_reward(const std::string& folder, const ChatTemplate& form,
                                         const Tokenizer& tokenizer) {
  LoadedRun run = load_run(folder);
  check(run.config.settings.task == Task::reward,
        "{} is a model for {}, not a reward model; heed reward makes one", folder,
        name_of(run.config.settings.task));
  check(run.tokenizer->file_contents() == tokenizer.file_contents(),
        "{}: the reward model has another vocabulary than the model that it is to judge; train it "
        "from the same model",
        folder);
  check(run.config.chat == form,
        "{}: the reward model reads conversations by another chat template", folder);
  return std::move(run.model);
}

ChatPrompt encode_prompt(const ChatTemplate& form, const Tokenizer& tokenizer,
                         std::span<const ChatMessage> messages) {
  return {encode_chat_prompt(form, tokenizer, messages), messages.back().content};
}

int64_t longest_of(const std::vector<ChatPrompt>& prompts) {
  size_t longest = 0;
  for (const ChatPrompt& prompt : prompts) longest = std::max(longest, prompt.ids.size());
  return static_cast<int64_t>(longest);
}

int64_t answer_room(int64_t wanted, int64_t longest, int64_t context) {
  constexpr int64_t kUsualAnswer = 64;
  const int64_t max_tokens = wanted == 0 ? kUsualAnswer : wanted;
  if (context == 0) return max_tokens;
  check(
      longest + 2 <= context,
      "a prompt has {} tokens, but the context of the model is {}: there is no room for an answer",
      longest, context);
  return std::min(max_tokens, context - longest - 1);
}

}  // namespace heed
