// A text as a model of any task reads it.
#pragma once

#include <string>
#include <vector>

#include "heed/base/export.h"
#include "heed/models/batch.h"
#include "heed/run/run_folder.h"

namespace heed {

struct TaskInput {
  Batch batch;  // one sequence
  // Its tokens as labels (token_label), and their ids; empty without that side. Rows of floats have
  // numbers as labels and no ids.
  std::vector<std::string> source, target;
  std::vector<int32_t> source_ids = {}, target_ids = {};
  bool is_cut = false;  // the text or the target was longer than the model reads
};

// `target` is what stands on the other side of a translation; if it is empty, the model writes it.
// Of texts that are too long for the model, their beginning.
HEED_API TaskInput task_input(const LoadedRun& run, const std::string& text,
                              const std::string& target = {});

// The same for a model that need not be in a folder yet.
struct TaskReader {
  const RunConfig& config;
  const Tokenizer& tokenizer;
  const Model& model;
  int64_t max_tokens = 0;  // tokens of each side; 0: as many as the model reads
};
HEED_API TaskInput task_input(const TaskReader& reader, const std::string& text,
                              const std::string& target);

// The first sequence of a batch, cut to `max_tokens` rows on each side. Rows of floats are named by
// their numbers. The tokenizer may be null if there are no ids.
HEED_API TaskInput task_input(const Batch& batch, const Tokenizer* tokenizer, int64_t max_tokens);

}  // namespace heed
