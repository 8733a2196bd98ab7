// A policy, its starting model and a reward model over ten tokens, and prompts to answer.
#pragma once

#include <memory>
#include <vector>

#include "heed/models/transformer.h"
#include "heed/train/trainer.h"
#include "heed/tuning/policy_gradient.h"

namespace heed {

constexpr int32_t kEnd = 9;

inline TransformerConfig small_decoder() {
  TransformerConfig config;
  config.kind = TransformerKind::decoder;
  config.vocabulary = 10;
  config.decoder_layers = 1;
  config.width = 16;
  config.hidden = 24;
  config.heads = 2;
  config.context = 24;
  config.positions = PositionKind::rotary;
  return config;
}

inline std::shared_ptr<Transformer> small_policy(uint64_t seed = 3) {
  return std::make_shared<Transformer>(small_decoder(), ParameterSource{.seed = seed});
}

inline std::shared_ptr<Transformer> small_reward() {
  TransformerConfig config = small_decoder();
  config.head = HeadKind::sentence_classes;
  config.pool = Pool::last;
  config.classes = 1;
  return std::make_shared<Transformer>(config, ParameterSource{.seed = 8});
}

inline std::vector<ChatPrompt> small_prompts(int32_t count = 6) {
  std::vector<ChatPrompt> prompts;
  for (int32_t i = 0; i < count; ++i) prompts.push_back({{1, i % 7, 2}, "?"});
  return prompts;
}

inline TrainerOptions small_steps(int64_t steps, int64_t shards = 1) {
  TrainerOptions options;
  options.steps = steps;
  options.shards = shards;
  options.batch = {.sequences = 3, .seed = 1};
  options.schedule = {.kind = ScheduleKind::constant, .peak = 0.02};
  return options;
}

// One after the other, all numbers of a model.
inline std::vector<float> numbers_in(const Model& model) {
  std::vector<float> all;
  for (const NamedParameter& parameter : model.parameters().list()) {
    const Tensor value = parameter.variable.value().contiguous();
    all.insert(all.end(), value.data<float>(), value.data<float>() + value.size());
  }
  return all;
}

}  // namespace heed
