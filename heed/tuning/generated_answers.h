// Answers that a model generates for prompts, drawn from its own distribution, with what its judges
// say.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "heed/base/export.h"
#include "heed/chat/chat_template.h"
#include "heed/models/model.h"
#include "heed/tensor/rows.h"

namespace heed {

struct ChatPrompt {
  std::vector<int32_t> ids;
  std::string question;  // the last message, to be shown and judged
};

struct GeneratedAnswer {
  std::vector<int32_t> ids = {};  // with the end, if it was reached
  bool ended = false;
};

struct AnswerOptions {
  int64_t samples = 1;  // for each prompt
  int64_t max_tokens = 64;
  int32_t end = -1;
  uint64_t seed = 0;
  std::vector<uint64_t> sites = {};  // of each prompt: with the seed it decides what is drawn
};

// The samples of the first prompt, of the second, ..
HEED_API std::vector<GeneratedAnswer> generate_answers(const Model& model,
                                                       std::span<const ChatPrompt* const> prompts,
                                                       const AnswerOptions& options);

// The batch whose labels are the answers, `samples` after `samples` for each prompt. Sequence i has
// the id first_id + i.
HEED_API Batch answers_batch(std::span<const ChatPrompt* const> prompts,
                             std::span<const GeneratedAnswer> answers, int64_t samples);

// The score of every answer; an answer that did not end is scored as if it had.
HEED_API std::vector<double> score_answers(const Model& reward,
                                           std::span<const ChatPrompt* const> prompts,
                                           std::span<const GeneratedAnswer> answers,
                                           int64_t samples, int32_t end);

// Log-probabilities of all tokens of the answers, one after the other.
HEED_API std::vector<double> log_probabilities(const Model& model, const Batch& batch);

}  // namespace heed
