// Fine-tuning on conversations.

#include "heed/base/fail.h"
#include "heed/train/preparation.h"
#include "heed/train/text_source.h"
#include "heed/tuning/conversations.h"
#include "heed/tuning/dialogue_corpus.h"
#include "heed/tuning/tuning.h"
#include "heed/tuning/tuning_internal.h"

namespace heed {
namespace {

constexpr size_t kShown = 3;

using Conversation = std::vector<ChatMessage>;

}  // namespace

void note_lengths(const DialogueBuilder& part, int64_t context, std::vector<std::string>& notes) {
  if (part.cut() > 0) {
    notes.push_back(fmt::format("warning: {} conversations are longer than {} tokens and were cut",
                                part.cut(), context));
  }
  if (part.left_out() > 0) {
    notes.push_back(fmt::format(
        "warning: {} conversations were left out: their first answer comes after {} tokens",
        part.left_out(), context));
  }
}

Conversation first_prompt(std::span<const ChatMessage> messages) {
  Conversation prompt;
  for (const ChatMessage& message : messages) {
    prompt.push_back(message);
    if (message.role == "user") break;
  }
  return prompt;
}

PreparedRun prepare_finetune(const TrainSettings& settings, const std::string& folder,
                             const RunConfig* saved) {
  Tuning tuning = begin_tuning(settings, folder, saved);
  const ChatTemplate& form = tuning.config.chat;
  PreparedRun run{
      .config = {}, .tokenizer = tuning.tokenizer, .train = {}, .valid = {}, .notes = {}};
  DialogueBuilder train(form, tuning.tokenizer, tuning.context, folder);
  DialogueBuilder valid(form, tuning.tokenizer, tuning.context, folder);
  std::vector<Conversation> shown;
  const auto add_valid = [&](std::span<const ChatMessage> messages) {
    valid.add(messages);
    if (shown.size() < kShown) shown.push_back(first_prompt(messages));
  };
  const std::string& file = only_file("`train`", settings.train);
  if (settings.valid.empty()) {
    const RecordReport all = for_each_conversation(file, tuning.on_mistake, [](auto) {});
    HeldOut held_out(all.used, settings);
    int64_t index = 0;
    for_each_conversation(file, tuning.on_mistake, [&](std::span<const ChatMessage> messages) {
      if (held_out.contains(index++)) {
        add_valid(messages);
      } else {
        train.add(messages);
      }
    });
    note_records(all, run.notes);
    note_held_out(valid.count(), "conversation", run.notes);
  } else {
    const auto add = [&](std::span<const ChatMessage> messages) { train.add(messages); };
    note_records(for_each_conversation(file, tuning.on_mistake, add), run.notes);
    note_records(
        for_each_conversation(only_file("`valid`", settings.valid), tuning.on_mistake, add_valid),
        run.notes);
  }
  note_lengths(train, tuning.context, run.notes);
  check(train.count() > 0 && valid.count() > 0,
        "{}: no conversation is left, {} tokens are too few for their first answers", file,
        tuning.context);
  run.notes.push_back(fmt::format("{} conversations, {} tokens; chat template: {}", train.count(),
                                  train.tokens(), form.name));
  choose_tuning(tuning.settings, train.count(), {.lr = 3e-4}, run);
  tuning.config.settings = tuning.settings;
  run.config = tuning.config;
  run.train = std::make_unique<DialogueData>(train.finish(), form, tuning.tokenizer,
                                             std::vector<Conversation>());
  run.valid = std::make_unique<DialogueData>(valid.finish(), form, tuning.tokenizer, shown);
  return run;
}

}  // namespace heed
