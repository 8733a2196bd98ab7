#include "heed/tuning/tuned_evaluation.h"

#include "heed/base/fail.h"
#include "heed/tuning/answer_meter_internal.h"
#include "heed/tuning/conversations.h"
#include "heed/tuning/dialogue_corpus.h"
#include "heed/tuning/policy_gradient.h"
#include "heed/tuning/rankings.h"
#include "heed/tuning/reward_data.h"
#include "heed/tuning/tuning_internal.h"

namespace heed {
namespace {

int64_t context_of(const RunConfig& config) {
  return std::get<TransformerConfig>(config.model).context;
}

}  // namespace

std::unique_ptr<TaskData> reward_evaluation(const LoadedRun& run, const std::string& file,
                                            std::vector<std::string>& notes) {
  std::vector<RankedIds> rankings;
  const auto add = [&](const Ranking& ranking) {
    rankings.push_back(
        encode_ranking(ranking, run.config.chat, *run.tokenizer, context_of(run.config)));
  };
  note_records(for_each_ranking(file, run.config.settings.bad_records, add), notes);
  return std::make_unique<RewardData>(RankingCorpus(std::move(rankings), RankingUse::scores));
}

std::unique_ptr<TaskData> answer_evaluation(const LoadedRun& run, const std::string& file,
                                            const AnswerEvaluation& options,
                                            std::vector<std::string>& notes) {
  const TrainSettings& s = run.config.settings;
  check(s.task == Task::lm && run.config.chat.defined(),
        "this model has no chat template, so it answers nothing; heed finetune gives it one");
  const bool is_aligned = s.method != AlignMethod::none;
  const std::string& reward = options.reward.empty() ? s.reward : options.reward;
  AnswerMeter meter{
      .prompts = {},
      .tokenizer = run.tokenizer,
      .reference = is_aligned ? load_run(s.base).model : nullptr,
      .reward = reward.empty() ? nullptr : load_reward(reward, run.config.chat, *run.tokenizer),
      .judge = options.judge,
      .max_tokens = 0,
      .end = chat_end_token(run.config.chat, *run.tokenizer),
      .beta = is_aligned ? s.beta : 0};
  const auto add = [&](std::span<const ChatMessage> messages) {
    meter.prompts.push_back(encode_prompt(run.config.chat, *run.tokenizer, messages));
  };
  note_records(for_each_prompt(file, run.config.settings.bad_records, add), notes);
  const int64_t wanted = options.max_tokens > 0 ? options.max_tokens : s.answer_tokens;
  meter.max_tokens = answer_room(wanted, longest_of(meter.prompts), context_of(run.config));
  return std::make_unique<PromptData>(PromptCorpus(meter.prompts, 1), meter,
                                      PolicyGradientOptions{});
}

std::unique_ptr<TaskData> dialogue_evaluation(const LoadedRun& run, const std::string& file,
                                              std::vector<std::string>& notes) {
  const int64_t context = context_of(run.config);
  DialogueBuilder builder(run.config.chat, run.tokenizer, context, "");
  std::vector<std::vector<ChatMessage>> prompts;
  const auto add = [&](std::span<const ChatMessage> messages) {
    builder.add(messages);
    prompts.push_back(first_prompt(messages));
  };
  note_records(for_each_conversation(file, run.config.settings.bad_records, add), notes);
  note_lengths(builder, context, notes);
  check(builder.count() > 0, "{}: no conversation is left, {} tokens are too few", file, context);
  return std::make_unique<DialogueData>(builder.finish(), run.config.chat, run.tokenizer, prompts);
}

}  // namespace heed
