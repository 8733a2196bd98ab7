// Alignment: reinforce and ppo from a reward model, dpo from rankings.

#include <algorithm>

#include "heed/base/fail.h"
#include "heed/run/run_folder.h"
#include "heed/run/setting_names.h"
#include "heed/train/preparation.h"
#include "heed/train/text_source.h"
#include "heed/tuning/answer_meter_internal.h"
#include "heed/tuning/conversations.h"
#include "heed/tuning/dpo_data.h"
#include "heed/tuning/policy_gradient.h"
#include "heed/tuning/ranking_parts_internal.h"
#include "heed/tuning/tuning.h"

namespace heed {
namespace {

constexpr size_t kMeasured = 200;  // prompts answered at a validation
constexpr int64_t kSteps = 160;    // unless something else is asked for

ChatPrompt tuned_prompt(const Tuning& tuning, std::span<const ChatMessage> messages) {
  return encode_prompt(tuning.config.chat, *tuning.tokenizer, messages);
}

// The meter of the validation, and what the starting model gets from it.
AnswerMeter make_meter(const Tuning& tuning, const Judge& judge, std::vector<ChatPrompt> prompts,
                       std::vector<std::string>& notes) {
  const TrainSettings& s = tuning.settings;
  if (prompts.size() > kMeasured) prompts.resize(kMeasured);
  AnswerMeter meter{.prompts = std::move(prompts),
                    .tokenizer = tuning.tokenizer,
                    .reference = load_run(s.base).model,
                    .reward = s.reward.empty()
                                  ? nullptr
                                  : load_reward(s.reward, tuning.config.chat, *tuning.tokenizer),
                    .judge = judge,
                    .max_tokens = s.answer_tokens,
                    .end = chat_end_token(tuning.config.chat, *tuning.tokenizer),
                    .beta = s.beta};
  const AnswerReport start = measure_answers(meter, *meter.reference, 0);
  meter.max_kl = s.max_kl;
  meter.max_length = longest_allowed(start.length, s.max_growth, s.answer_tokens);
  std::string note = fmt::format("the starting model: {:.1f} tokens per answer, entropy {:.3f}",
                                 start.length, start.entropy);
  if (meter.reward) note += fmt::format(", reward {:.3f}", start.reward);
  if (meter.judge) note += fmt::format(", true {:.3f}", start.truth);
  notes.push_back(note);
  return meter;
}

struct PromptParts {
  std::vector<ChatPrompt> train, valid;
};

PromptParts read_prompts(const Tuning& tuning, std::vector<std::string>& notes) {
  const TrainSettings& settings = tuning.settings;
  PromptParts parts;
  const auto read = [&](const std::string& file, auto use) {
    return for_each_prompt(file, tuning.on_mistake, [&](std::span<const ChatMessage> messages) {
      use(tuned_prompt(tuning, messages));
    });
  };
  const std::string& file = only_file("`train`", settings.train);
  std::vector<ChatPrompt> all;
  note_records(read(file, [&](ChatPrompt prompt) { all.push_back(std::move(prompt)); }), notes);
  if (settings.valid.empty()) {
    HeldOut held_out(static_cast<int64_t>(all.size()), settings);
    for (size_t i = 0; i < all.size(); ++i) {
      const bool out = held_out.contains(static_cast<int64_t>(i));
      (out ? parts.valid : parts.train).push_back(std::move(all[i]));
    }
    note_held_out(static_cast<int64_t>(parts.valid.size()), "prompt", notes);
  } else {
    parts.train = std::move(all);
    const auto add = [&](ChatPrompt prompt) { parts.valid.push_back(std::move(prompt)); };
    note_records(read(only_file("`valid`", settings.valid), add), notes);
  }
  return parts;
}

void prepare_policy(Tuning& tuning, const Judge& judge, PreparedRun& run) {
  TrainSettings& s = tuning.settings;
  check(!s.reward.empty(), "`method` {} needs a reward model: `reward` DIR; heed reward makes one",
        name_of(s.method));
  PromptParts parts = read_prompts(tuning, run.notes);
  s.answer_tokens = answer_room(
      s.answer_tokens, std::max(longest_of(parts.train), longest_of(parts.valid)), tuning.context);
  if (s.passes == 0) s.passes = s.method == AlignMethod::ppo ? 4 : 1;
  check(s.passes == 1 || s.method == AlignMethod::ppo,
        "`passes` is for ppo: reinforce learns from an answer once");
  check(s.clip_range == TrainSettings{}.clip_range || s.method == AlignMethod::ppo,
        "`clip-range` is for ppo: reinforce clips nothing");
  check(s.passes == 1 || s.accumulate == 1, "`accumulate` cannot be used with several `passes`");
  choose_tuning(s, static_cast<int64_t>(parts.train.size()) * s.passes,
                {.batch = 16,
                 .steps = kSteps,
                 .lr = 1e-4,
                 .metric = "objective",
                 .schedule = ScheduleKind::constant},
                run);
  const AnswerMeter meter = make_meter(tuning, judge, std::move(parts.valid), run.notes);
  const PolicyGradientOptions options{.clipped = s.method == AlignMethod::ppo,
                                      .range = s.clip_range,
                                      .beta = s.beta,
                                      .samples = s.samples,
                                      .max_tokens = s.answer_tokens,
                                      .end = meter.end,
                                      .seed = static_cast<uint64_t>(s.seed)};
  run.train =
      std::make_unique<PromptData>(PromptCorpus(std::move(parts.train), s.passes), meter, options);
  run.valid = std::make_unique<PromptData>(PromptCorpus(meter.prompts, 1), meter, options);
}

void prepare_dpo(Tuning& tuning, const Judge& judge, PreparedRun& run) {
  TrainSettings& s = tuning.settings;
  const TrainSettings usual;
  check(s.beta > 0, "`method` dpo needs a `beta` above 0");
  check(s.passes == usual.passes && s.samples == usual.samples && s.clip_range == usual.clip_range,
        "`passes`, `samples` and `clip-range` are for methods that draw answers; dpo does not");
  RankingParts parts = read_rankings(tuning, run.notes);
  std::vector<ChatPrompt> prompts;
  for (const auto& messages : parts.prompts) {
    ChatPrompt prompt = tuned_prompt(tuning, messages);
    const auto size = static_cast<int64_t>(prompt.ids.size());
    if (tuning.context == 0 || 2 * size <= tuning.context) prompts.push_back(std::move(prompt));
  }
  s.answer_tokens = answer_room(s.answer_tokens, longest_of(prompts), tuning.context);
  choose_tuning(s, static_cast<int64_t>(parts.train.size()),
                {.batch = 16, .steps = kSteps, .lr = 5e-5, .metric = "loss"}, run);
  AnswerMeter meter = make_meter(tuning, judge, std::move(prompts), run.notes);
  run.valid = std::make_unique<DpoData>(RankingCorpus(std::move(parts.valid), RankingUse::answers),
                                        meter, s.beta);
  meter.prompts.clear();
  run.train = std::make_unique<DpoData>(RankingCorpus(std::move(parts.train), RankingUse::answers),
                                        meter, s.beta);
}

}  // namespace

PreparedRun prepare_align(const TrainSettings& settings, const std::string& folder,
                          const RunConfig* saved, const Judge& judge) {
  check(settings.judge.empty() || judge, "align: the judge \"{}\" is named, but not given",
        settings.judge);
  check(settings.method != AlignMethod::none, "`method` is required: reinforce, ppo or dpo");
  if (saved == nullptr && settings.chat_template.empty() && !settings.base.empty()) {
    check(read_run_config(settings.base).chat.defined(),
          "{} has no chat template: it was not tuned to answer; heed finetune does that "
          "with conversations",
          settings.base);
  }
  TrainSettings without_dropout = settings;
  if (without_dropout.dropout < 0) without_dropout.dropout = 0;
  Tuning tuning = begin_tuning(without_dropout, folder, saved);
  PreparedRun run{
      .config = {}, .tokenizer = tuning.tokenizer, .train = {}, .valid = {}, .notes = {}};
  if (settings.method == AlignMethod::dpo) {
    prepare_dpo(tuning, judge, run);
  } else {
    prepare_policy(tuning, judge, run);
  }
  tuning.config.settings = tuning.settings;
  run.config = tuning.config;
  return run;
}

}  // namespace heed
