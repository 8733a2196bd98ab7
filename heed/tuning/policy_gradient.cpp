#include "heed/tuning/policy_gradient.h"

#include <algorithm>
#include <numeric>

#include "heed/base/fail.h"
#include "heed/base/random.h"
#include "heed/tuning/ppo_clip.h"
#include "heed/tuning/reinforce.h"
#include "heed/tuning/small_loss_internal.h"
#include "heed/tuning/target_log_probability.h"

namespace heed {

PolicyGradient::PolicyGradient(const Model& policy, const PromptCorpus& prompts,
                               std::shared_ptr<const Model> reference,
                               std::shared_ptr<const Model> reward,
                               const PolicyGradientOptions& options)
    : policy_(policy),
      prompts_(prompts),
      reference_(std::move(reference)),
      reward_(std::move(reward)),
      options_(options) {
  check(reference_ && reward_, "policy gradient: it needs a starting model and a reward model");
  check(options.samples >= 2,
        "policy gradient: {} answers for a prompt; 2 are needed, so that one can be compared",
        options.samples);
}

// Answers, rewards and the starting model's log-probabilities for prompts of a new round.
void PolicyGradient::generate(std::span<const int64_t> items, uint64_t step) {
  std::vector<const ChatPrompt*> prompts;
  std::vector<uint64_t> sites;
  for (const int64_t item : items) {
    prompts.push_back(&prompts_.prompt(item));
    sites.push_back(static_cast<uint64_t>(item));
  }
  const uint64_t seed = mix_bits(mix_bits(options_.seed) ^ step);
  const int64_t K = options_.samples;
  std::vector<GeneratedAnswer> answers = generate_answers(policy_, prompts,
                                                          {.samples = K,
                                                           .max_tokens = options_.max_tokens,
                                                           .end = options_.end,
                                                           .seed = seed,
                                                           .sites = sites});
  const std::vector<double> rewards = score_answers(*reward_, prompts, answers, K, options_.end);
  const std::vector<double> logs =
      log_probabilities(*reference_, answers_batch(prompts, answers, K));
  auto at = logs.begin();
  for (size_t i = 0; i < answers.size(); ++i) {
    const auto length = static_cast<std::ptrdiff_t>(answers[i].ids.size());
    round_[items[i / static_cast<size_t>(K)]].push_back({.answer = std::move(answers[i]),
                                                         .reward = rewards[i],
                                                         .reference = {at, at + length},
                                                         .old = {}});
    at += length;
  }
}

Variable PolicyGradient::loss(const Batch& batch, const LossOptions& options, const Pass& pass) {
  if (pass.step % static_cast<uint64_t>(prompts_.passes()) == 0 && next_step_ != pass.step + 1) {
    round_.clear();
  }
  next_step_ = pass.step + 1;
  std::vector<int64_t> items, missing;
  for (int64_t b = 0; b < batch.target_rows.count(); ++b) {
    items.push_back(static_cast<int64_t>(batch.target_rows.id(b)));
    if (!round_.contains(items.back())) missing.push_back(items.back());
  }
  if (!missing.empty()) generate(missing, pass.step);

  std::vector<const ChatPrompt*> prompts;
  std::vector<GeneratedAnswer> answers;
  std::vector<Rollout*> rollouts;
  for (const int64_t item : items) {
    prompts.push_back(&prompts_.prompt(item));
    for (Rollout& rollout : round_.at(item)) {
      answers.push_back(rollout.answer);
      rollouts.push_back(&rollout);
    }
  }
  const AnswerLogs logs =
      answer_logs(policy_, answers_batch(prompts, answers, options_.samples), pass);
  const std::vector<double> now = numbers_of(logs.tokens, "policy gradient");
  std::vector<double> returns, old;
  for (size_t i = 0; i < rollouts.size(); ++i) {
    Rollout& rollout = *rollouts[i];
    const auto begin = logs.rows.begin(static_cast<int64_t>(i));
    const auto end = logs.rows.end(static_cast<int64_t>(i));
    if (rollout.old.empty()) rollout.old.assign(now.begin() + begin, now.begin() + end);
    double moved = 0;
    for (size_t t = 0; t < rollout.old.size(); ++t) {
      const double log_p = now[static_cast<size_t>(begin) + t];
      moved += rollout.old[t] - rollout.reference[t];
      totals_.kl += log_p - rollout.reference[t];
      totals_.surprise -= log_p;
    }
    returns.push_back(rollout.reward - options_.beta * moved);
    old.insert(old.end(), rollout.old.begin(), rollout.old.end());
    totals_.reward += rollout.reward;
    totals_.tokens += static_cast<double>(rollout.old.size());
    totals_.answers += 1;
  }
  const std::vector<double> above = leave_one_out(returns, options_.samples);
  std::vector<double> advantages;
  for (size_t i = 0; i < above.size(); ++i) {
    advantages.insert(advantages.end(),
                      static_cast<size_t>(logs.rows.length(static_cast<int64_t>(i))), above[i]);
  }
  const int64_t count = options.label_count * options_.samples;
  if (!options_.clipped) return reinforce(logs.tokens, advantages, count);
  totals_.clipped +=
      clipped_share(logs.tokens, old, advantages, options_.range) * static_cast<double>(now.size());
  return ppo_clip(logs.tokens, old, advantages, {.range = options_.range, .count = count});
}

std::vector<EvaluationScore> PolicyGradient::report() {
  const Totals t = totals_;
  totals_ = {};
  const double n = std::max(t.answers, 1.0), tokens = std::max(t.tokens, 1.0);
  std::vector<EvaluationScore> numbers = {{"reward", t.reward / n},
                                          {"kl", t.kl / n},
                                          {"entropy", t.surprise / tokens},
                                          {"length", t.tokens / n}};
  if (options_.clipped) numbers.push_back({"clipped", t.clipped / tokens});
  return numbers;
}

std::vector<NamedTensor> PolicyGradient::state() const {
  if (round_.empty() || next_step_ % static_cast<uint64_t>(prompts_.passes()) == 0) return {};
  std::vector<int64_t> items, lengths;
  std::vector<int32_t> ids, ended;
  std::vector<double> rewards, reference, old;
  for (const auto& [item, rollouts] : round_) {
    items.push_back(item);
    for (const Rollout& rollout : rollouts) {
      lengths.push_back(static_cast<int64_t>(rollout.answer.ids.size()));
      ids.insert(ids.end(), rollout.answer.ids.begin(), rollout.answer.ids.end());
      ended.push_back(rollout.answer.ended ? 1 : 0);
      rewards.push_back(rollout.reward);
      reference.insert(reference.end(), rollout.reference.begin(), rollout.reference.end());
      old.insert(old.end(), rollout.old.begin(), rollout.old.end());
    }
  }
  const auto tensor = [](const auto& values) {
    return Tensor::from(values, {static_cast<int64_t>(values.size())});
  };
  return {{"items", tensor(items)}, {"lengths", tensor(lengths)}, {"ids", tensor(ids)},
          {"ended", tensor(ended)}, {"rewards", tensor(rewards)}, {"reference", tensor(reference)},
          {"old", tensor(old)}};
}

void PolicyGradient::load_state(const std::vector<NamedTensor>& state) {
  round_.clear();
  if (state.empty()) return;
  const auto find = [&](const char* name, DType type) {
    const auto found = std::find_if(state.begin(), state.end(),
                                    [&](const NamedTensor& t) { return t.name == name; });
    check(found != state.end() && found->tensor.dtype() == type && found->tensor.rank() == 1,
          "policy gradient: the saved state has no {}", name);
    return found->tensor;
  };
  const Tensor items = find("items", DType::i64), lengths = find("lengths", DType::i64),
               ids = find("ids", DType::i32), ended = find("ended", DType::i32),
               rewards = find("rewards", DType::f64), reference = find("reference", DType::f64),
               old = find("old", DType::f64);
  const int64_t count = items.size() * options_.samples;
  const int64_t* length = lengths.data<int64_t>();
  const bool fits = lengths.size() == count && ended.size() == count && rewards.size() == count &&
                    std::all_of(length, length + count, [](int64_t n) { return n > 0; }) &&
                    std::accumulate(length, length + count, int64_t{0}) == ids.size() &&
                    reference.size() == ids.size() && old.size() == ids.size();
  check(fits, "policy gradient: the saved answers do not fit together");
  int64_t at = 0;
  for (int64_t i = 0; i < count; ++i) {
    const int64_t item = items.data<int64_t>()[i / options_.samples], end = at + length[i];
    check(item >= 0 && item < prompts_.size(), "policy gradient: there is no prompt {}", item);
    const auto part = [&](const auto* data) { return std::vector(data + at, data + end); };
    round_[item].push_back(
        {.answer = {.ids = part(ids.data<int32_t>()), .ended = ended.data<int32_t>()[i] != 0},
         .reward = rewards.data<double>()[i],
         .reference = part(reference.data<double>()),
         .old = part(old.data<double>())});
    at = end;
  }
}

}  // namespace heed
