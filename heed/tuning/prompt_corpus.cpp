// Prompts as items, and the task of answering them well.

#include "heed/base/fail.h"
#include "heed/base/random.h"
#include "heed/tuning/policy_gradient.h"

namespace heed {

PromptCorpus::PromptCorpus(std::vector<ChatPrompt> prompts, int64_t passes)
    : prompts_(std::move(prompts)), passes_(passes) {
  check(passes >= 1, "prompts: {} passes, expected 1 or more", passes);
  for (const ChatPrompt& prompt : prompts_) {
    costs_.push_back(static_cast<int64_t>(prompt.ids.size()));
  }
}

BatchPlan PromptCorpus::plan(const BatchOptions& options, uint64_t epoch) const {
  BatchPlan result;
  for (const std::vector<int64_t>& batch : ItemCorpus::plan(options, epoch)) {
    result.insert(result.end(), static_cast<size_t>(passes_), batch);
  }
  return result;
}

uint64_t PromptCorpus::fingerprint() const {
  uint64_t h = mix_bits(prompts_.size());
  for (const ChatPrompt& prompt : prompts_) {
    h = mix_bits(h ^ prompt.ids.size());
    for (const int32_t id : prompt.ids) h = (h ^ static_cast<uint32_t>(id)) * 0x100000001b3u;
  }
  return mix_bits(h);
}

Batch PromptCorpus::make_batch(std::span<const int64_t> items) const {
  std::vector<int64_t> lengths;
  std::vector<int32_t> ids;
  for (const int64_t item : items) {
    const std::vector<int32_t>& prompt = prompts_[item].ids;
    ids.insert(ids.end(), prompt.begin(), prompt.end());
    lengths.push_back(static_cast<int64_t>(prompt.size()));
  }
  Batch batch;
  batch.target = Tensor::from(ids, {static_cast<int64_t>(ids.size())});
  batch.target_rows =
      Rows::from_lengths(lengths, std::vector<uint64_t>(items.begin(), items.end()));
  batch.label_count = static_cast<int64_t>(items.size());
  return batch;
}

Evaluation PromptData::evaluate(const Model& model, const EvaluateOptions& options) const {
  Evaluation evaluation;
  add_answers(meter_, measure_answers(meter_, model, options.samples), evaluation);
  return evaluation;
}

std::unique_ptr<Objective> PromptData::objective(const Model& model) const {
  return std::make_unique<PolicyGradient>(model, corpus_, meter_.reference, meter_.reward,
                                          options_);
}

}  // namespace heed
