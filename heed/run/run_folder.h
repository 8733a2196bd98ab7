// A run directory is a model: config.json, model.safetensors, the tokenizer, log.jsonl and, while
// training can go on, state.safetensors. docs/formats.md describes each.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "heed/base/export.h"
#include "heed/chat/chat_template.h"
#include "heed/models/model_config.h"
#include "heed/run/settings.h"
#include "heed/tensor/named_tensor.h"
#include "heed/text/tokenizer.h"

namespace heed {

// What config.json holds.
struct RunConfig {
  ModelConfig model;
  std::vector<std::string> labels = {};  // classes or tags, in order
  TrainSettings settings = {};           // as the run was started; settings.task is the task
  // The tokens before and after every text that a converted model reads; empty: none.
  std::string begin = {}, end = {};
  bool int8 = false;       // weights of products are int8, for inference
  ChatTemplate chat = {};  // how the model reads conversations; not defined: it was not tuned to
};

HEED_API std::string to_json(const RunConfig& config);
HEED_API void write_run_config(const std::string& folder, const RunConfig& config);
HEED_API RunConfig read_run_config(const std::string& folder);
HEED_API bool is_run_folder(const std::string& folder);  // it has a config.json

// A model with what it needs to be used.
struct LoadedRun {
  RunConfig config;
  std::shared_ptr<const Tokenizer> tokenizer;  // null if it neither reads nor writes text
  std::unique_ptr<Model> model;
  int64_t step = 0;  // of the weights
};

// The weights stay in the mapped file.
HEED_API LoadedRun load_run(const std::string& folder);

// The weights of a run as they lie in its folder, by name; undefined if there is none.
HEED_API std::function<Tensor(const std::string& name)> stored_weights(const std::string& folder);

// The same of the checkpoint in a folder, as copies; null if there is no checkpoint.
HEED_API std::function<Tensor(const std::string& name)> checkpoint_weights(
    const std::string& folder);

// Writes model.safetensors.
HEED_API void export_model(const std::string& folder, const std::vector<NamedTensor>& weights,
                           int64_t step);
HEED_API int64_t exported_step(const std::string& folder);  // -1: there is none, or a damaged one

}  // namespace heed
