// How a model answers: what the reward model says, how far it has moved from the model that it
// began as, how long its answers are, and, where the truth is known, how good they are.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "heed/base/export.h"
#include "heed/train/evaluation.h"
#include "heed/tuning/generated_answers.h"
#include "heed/tuning/judge.h"

namespace heed {

struct AnswerReport {
  double reward = 0;   // mean over the answers; 0 without a reward model
  double kl = 0;       // nats per answer: mean of sum_t (log p_t - log q_t)
  double entropy = 0;  // nats per token: mean of - log p_t
  double length = 0;   // tokens per answer, its end included
  double ended = 0;    // share of answers that came to an end
  double truth = 0;    // mean of what the judge says; 0 without
  std::vector<std::string> samples = {};
};

struct AnswerMeter {
  std::vector<ChatPrompt> prompts;
  std::shared_ptr<const Tokenizer> tokenizer;
  std::shared_ptr<const Model> reference;  // q; or null: no KL
  std::shared_ptr<const Model> reward;     // or null
  Judge judge;                             // or empty
  int64_t max_tokens = 64;
  int32_t end = -1;
  double beta = 0;
  double max_kl = 0, max_length = 0;  // beyond which a model has run away; 0: any
};

// The mean length beyond which answers have run away: `growth` times the length at the start, and
// 4 tokens more at least; below `max_tokens`, where answers are cut off and cannot grow further:
// no more than 9/10 of the way from the length at the start to it.
HEED_API double longest_allowed(double start, double growth, int64_t max_tokens);

// One answer to each prompt, the same draws at every call.
HEED_API AnswerReport measure_answers(const AnswerMeter& meter, const Model& model,
                                      int64_t samples);

// Adds the numbers to an evaluation, and why to stop if there is a reason: objective (reward less
// beta KL), reward, kl, entropy, length, ended, true.
HEED_API void add_answers(const AnswerMeter& meter, const AnswerReport& report,
                          Evaluation& evaluation);

}  // namespace heed
