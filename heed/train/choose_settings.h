// From what a person asked for and what the data is like to a complete plan: every setting that was
// left open gets a value, and the model its configuration.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "heed/base/export.h"
#include "heed/models/model_config.h"
#include "heed/run/settings.h"
#include "heed/train/trainer.h"

namespace heed {

// What the choices depend on.
struct DataFacts {
  int64_t tokens = 0;  // of the training data, sources and targets together
  int64_t items = 0;   // sequences; not of a language model
  int64_t vocabulary = 0;
  int64_t classes = 0;
  int64_t source_width = 0;  // of rows of floats
};

// The longest input, of at least `longest` tokens or rows if the context has room for them.
HEED_API void choose_lengths(TrainSettings& settings, int64_t longest);

// The tokenizer, its size and the longest input: needed before the data can be counted. A small
// text gets a small vocabulary, but all of its characters, up to 65,536 tokens, if they are the
// tokens.
HEED_API void choose_text_settings(TrainSettings& settings, int64_t bytes);

// The rest. Adds a line to `notes` for each choice worth telling.
HEED_API void choose_settings(TrainSettings& settings, const DataFacts& facts,
                              std::vector<std::string>& notes);

// The model that complete settings describe.
HEED_API ModelConfig model_config(const TrainSettings& settings, const DataFacts& facts);

// What complete settings mean for the trainer.
HEED_API TrainerOptions trainer_options(const TrainSettings& settings);

}  // namespace heed
