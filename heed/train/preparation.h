// How each task reads its data.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "heed/run/special_tokens.h"
#include "heed/train/choose_settings.h"
#include "heed/train/prepared_run.h"

namespace heed {

// What a preparation starts from.
struct Preparation {
  TrainSettings settings;
  std::string folder;                                    // for large temporary files
  std::shared_ptr<const Tokenizer> tokenizer = nullptr;  // of a saved run, or null
  std::vector<std::string> labels = {};                  // likewise
  std::string begin = {}, end = {};                      // likewise: the tokens around a text

  // Needs the tokenizer.
  SpecialTokens special_tokens() const {
    RunConfig config;
    config.settings = settings;
    config.begin = begin;
    config.end = end;
    return special_tokens_of(config, *tokenizer);
  }
};

// Gives what was left open a value, and keeps how, for other numbers of steps.
void complete_settings(TrainSettings& settings, const DataFacts& facts, PreparedRun& run);

void prepare_stream(Preparation& preparation, PreparedRun& run);
void prepare_pairs(Preparation& preparation, PreparedRun& run);
void prepare_sentences(Preparation& preparation, PreparedRun& run);
void prepare_tags(Preparation& preparation, PreparedRun& run);
void prepare_vectors(Preparation& preparation, PreparedRun& run);  // any of these with rows

// How many sequences are held out of `count`, and which.
class HeldOut {
 public:
  HeldOut(int64_t count, const TrainSettings& settings);
  bool contains(int64_t index);  // indices must be asked for in rising order

 private:
  std::vector<int64_t> items_;
  size_t next_ = 0;
};

// settings.valid alone, with the tokenizer and the labels of a model.
std::unique_ptr<TaskData> evaluation_stream(const Preparation& preparation,
                                            std::vector<std::string>& notes);
std::unique_ptr<TaskData> evaluation_pairs(const Preparation& preparation,
                                           std::vector<std::string>& notes);
std::unique_ptr<TaskData> evaluation_sentences(const Preparation& preparation,
                                               std::vector<std::string>& notes);
std::unique_ptr<TaskData> evaluation_tags(const Preparation& preparation,
                                          std::vector<std::string>& notes);
// The rows must have the width that the model reads.
std::unique_ptr<TaskData> evaluation_vectors(const Preparation& preparation, int64_t width,
                                             std::vector<std::string>& notes);

}  // namespace heed
