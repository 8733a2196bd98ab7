#include "heed/tuning/generated_answers.h"

#include "heed/base/random.h"
#include "heed/generate/generator.h"
#include "heed/tuning/ranking_corpus.h"
#include "heed/tuning/reward_data.h"
#include "heed/tuning/small_loss_internal.h"
#include "heed/tuning/target_log_probability.h"

namespace heed {

std::vector<GeneratedAnswer> generate_answers(const Model& model,
                                              std::span<const ChatPrompt* const> prompts,
                                              const AnswerOptions& options) {
  std::vector<GenerationRequest> requests;
  for (size_t p = 0; p < prompts.size(); ++p) {
    const uint64_t site = options.sites.empty() ? p : options.sites[p];
    for (int64_t k = 0; k < options.samples; ++k) {
      requests.push_back(
          {.prompt = prompts[p]->ids, .id = mix_bits(mix_bits(site) ^ static_cast<uint64_t>(k))});
    }
  }
  const std::vector<Generation> generated =
      Generator(model).generate(requests, {.max_tokens = options.max_tokens,
                                           .end = options.end,
                                           .sampling = {.temperature = 1, .seed = options.seed},
                                           .sequences = 256});
  std::vector<GeneratedAnswer> answers;
  for (const Generation& one : generated) {
    answers.push_back({.ids = one.ids, .ended = one.ended()});
    if (one.ended()) answers.back().ids.push_back(options.end);
  }
  return answers;
}

Batch answers_batch(std::span<const ChatPrompt* const> prompts,
                    std::span<const GeneratedAnswer> answers, int64_t samples) {
  AnswerBatch batch;
  for (size_t i = 0; i < answers.size(); ++i) {
    batch.add(prompts[i / static_cast<size_t>(samples)]->ids, answers[i].ids, i,
              RankingUse::answers);
  }
  return batch.finish(static_cast<int64_t>(answers.size()));
}

std::vector<double> score_answers(const Model& reward, std::span<const ChatPrompt* const> prompts,
                                  std::span<const GeneratedAnswer> answers, int64_t samples,
                                  int32_t end) {
  AnswerBatch batch;
  for (size_t i = 0; i < answers.size(); ++i) {
    std::vector<int32_t> ids = answers[i].ids;
    if (!answers[i].ended) ids.push_back(end);
    batch.add(prompts[i / static_cast<size_t>(samples)]->ids, ids, i, RankingUse::scores);
  }
  return reward_scores(reward, batch.finish(static_cast<int64_t>(answers.size())));
}

std::vector<double> log_probabilities(const Model& model, const Batch& batch) {
  const NoGrad no_grad;
  return numbers_of(answer_logs(model, batch, {}).tokens, "log_probabilities");
}

}  // namespace heed
