// Learning from a reward: a policy answers prompts, a reward model scores the answers, and what
// scored above the others to the same prompt becomes likelier.
//
//   R_i    = reward(x, y_i) - beta sum_t (log p_t - log q_t)          q: the starting model
//   A_i    = R_i - mean of the other R_j of the same prompt           (reinforce.h)
//   loss   = - mean_i sum_t A_i log p_t        reinforce
//            the clipped form, ppo_clip.h      ppo, several passes over the same answers
//
// What is drawn is a function of (seed, step, prompt): a resumed run draws the same answers.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "heed/base/export.h"
#include "heed/train/item_corpus.h"
#include "heed/train/task_data.h"
#include "heed/tuning/answer_report.h"
#include "heed/tuning/generated_answers.h"

namespace heed {

// Prompts as items. Each batch is given `passes` times in a row.
class HEED_API PromptCorpus final : public ItemCorpus {
 public:
  PromptCorpus(std::vector<ChatPrompt> prompts, int64_t passes);

  BatchPlan plan(const BatchOptions& options, uint64_t epoch) const override;
  uint64_t fingerprint() const override;
  const ChatPrompt& prompt(int64_t item) const { return prompts_[item]; }
  int64_t passes() const { return passes_; }

 private:
  Batch make_batch(std::span<const int64_t> items) const override;

  std::vector<ChatPrompt> prompts_;
  int64_t passes_;
};

struct PolicyGradientOptions {
  bool clipped = false;  // ppo
  double range = 0.2;    // of the clip
  double beta = 0.1;
  int64_t samples = 4;  // answers for each prompt, 2 or more
  int64_t max_tokens = 64;
  int32_t end = -1;
  uint64_t seed = 0;
};

class HEED_API PolicyGradient final : public Objective {
 public:
  PolicyGradient(const Model& policy, const PromptCorpus& prompts,
                 std::shared_ptr<const Model> reference, std::shared_ptr<const Model> reward,
                 const PolicyGradientOptions& options);

  Variable loss(const Batch& batch, const LossOptions& options, const Pass& pass) override;
  // Of the answers of the step: reward, kl, entropy, length; ppo: the share of clipped tokens.
  std::vector<EvaluationScore> report() override;

  // The answers of a round that is not over.
  std::vector<NamedTensor> state() const override;
  void load_state(const std::vector<NamedTensor>& state) override;

 private:
  // An answer with what is known of it.
  struct Rollout {
    GeneratedAnswer answer;
    double reward = 0;
    std::vector<double> reference, old;  // log-probabilities; `old` is empty before the first pass
  };
  struct Totals {
    double reward = 0, kl = 0, surprise = 0, tokens = 0, clipped = 0, answers = 0;
  };

  void generate(std::span<const int64_t> items, uint64_t step);

  const Model& policy_;
  const PromptCorpus& prompts_;
  std::shared_ptr<const Model> reference_, reward_;
  PolicyGradientOptions options_;
  std::map<int64_t, std::vector<Rollout>> round_;  // by prompt
  uint64_t next_step_ = 0;
  Totals totals_;
};

// reinforce and ppo as a task. Scores: those of answer_report.h.
class HEED_API PromptData final : public TaskData {
 public:
  PromptData(PromptCorpus corpus, AnswerMeter meter, PolicyGradientOptions options)
      : corpus_(std::move(corpus)), meter_(std::move(meter)), options_(options) {}

  const Corpus& corpus() const override { return corpus_; }
  Evaluation evaluate(const Model& model, const EvaluateOptions& options) const override;
  std::unique_ptr<Objective> objective(const Model& model) const override;
  std::vector<std::string> metrics() const override { return {"objective", "reward", "true"}; }

 private:
  PromptCorpus corpus_;
  AnswerMeter meter_;
  PolicyGradientOptions options_;
};

}  // namespace heed
