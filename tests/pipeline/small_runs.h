// Folders of runs with random weights, one for each task: enough to be loaded and used.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "heed/base/error.h"
#include "heed/models/model_config.h"
#include "heed/run/run_folder.h"
#include "heed/run/task_names.h"
#include "heed/text/train_tokenizer.h"

namespace heed {

// The task, kind of model, .. of this name; an Error if there is none.
template <typename E>
E named(std::string_view name) {
  E value{};
  if (!read_name(name, value)) throw Error("there is no " + std::string(name));
  return value;
}

struct SmallRun {
  Task task = Task::lm;
  ModelKind model = ModelKind::transformer;
  TokenizerKind tokenizer = TokenizerKind::bpe;
  PositionKind positions = PositionKind::sinusoidal;
  Pooling pool = Pooling::mean;
  std::vector<std::string> labels = {};
  uint64_t seed = 3;
};

// "translate-prefix"
inline std::string name_of(const SmallRun& small) {
  return std::string(name_of(small.task)) + "-" + std::string(name_of(small.model));
}

inline constexpr std::string_view kSmallText =
    "the small red car drives through the old town. a blue house, and a green tree! Anna sees "
    "Berlin; Paul lives in Paris. once upon a time there was a little girl who loved the sea.";

inline constexpr int64_t kSmallContext = 40;

inline ModelConfig small_config(const SmallRun& small, int64_t vocabulary) {
  if (is_recurrent(small.model)) {
    const bool attends = small.model == ModelKind::rnn_attention;
    return RnnConfig{.source_vocabulary = vocabulary,
                     .target_vocabulary = vocabulary,
                     .attention = attends ? RnnAttention::additive : RnnAttention::none,
                     .embedding = 8,
                     .width = 16};
  }
  const bool is_pair = is_pair_task(small.task);
  TransformerConfig config{.vocabulary = vocabulary,
                           .classes = static_cast<int64_t>(small.labels.size()),
                           .width = 16,
                           .hidden = 24,
                           .heads = 2,
                           .context = kSmallContext,
                           .positions = small.positions};
  if (small.pool != Pooling::mean) {
    config.pool = small.pool == Pooling::cls ? Pool::first : Pool::last;
  }
  if (small.task == Task::classify || small.task == Task::tag) {
    config.kind = TransformerKind::encoder;
    config.head = small.task == Task::tag ? HeadKind::token_classes : HeadKind::sentence_classes;
  } else if (is_pair && small.model == ModelKind::transformer) {
    config.kind = TransformerKind::encoder_decoder;
  } else if (small.model == ModelKind::prefix) {
    config.kind = TransformerKind::prefix;
  }
  if (config.has_encoder()) config.encoder_layers = 2;
  if (config.has_decoder()) config.decoder_layers = 2;
  return config;
}

// Writes the run into the folder and returns its path.
inline std::string write_small_run(const std::string& folder, const SmallRun& small) {
  std::filesystem::create_directories(folder);
  const auto tokenizer =
      train_tokenizer(std::span(&kSmallText, 1), {.kind = small.tokenizer, .vocab_size = 300});
  RunConfig config{.model = small_config(small, tokenizer->size()), .labels = small.labels};
  config.settings.task = small.task;
  config.settings.model = small.model;
  config.settings.pool = small.pool;
  config.settings.max_length = kSmallContext / 2 - 2;
  write_run_config(folder, config);
  tokenizer->save(folder);
  const auto model = make_model(config.model, {.seed = small.seed});
  std::vector<NamedTensor> weights;
  for (const NamedParameter& parameter : model->parameters().list()) {
    weights.push_back({parameter.name, parameter.variable.value()});
  }
  export_model(folder, weights, 1);
  return folder;
}

}  // namespace heed
