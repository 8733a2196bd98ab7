// A text as a model of any task reads it, with the ids behind the tokens.
#pragma once

#include <string>
#include <vector>

#include "heed/models/batch.h"
#include "heed/pipeline/pipeline.h"

namespace heed::server {

struct ReadInput {
  Batch batch;                                    // one sequence
  std::vector<int32_t> source = {}, target = {};  // what encoder and decoder read; empty: none
  // What stands for the rows of the decoder: of an encoder-decoder the tokens that are written
  // there, else those that are read.
  std::vector<int32_t> target_shown = {};
  std::string generated = {};  // the answer of a model that writes one for a text
};

// `target` is the answer; if it is empty, the model writes it (heed/run/task_input.h).
ReadInput read_input(const Pipeline& pipeline, const std::string& text, const std::string& target);

}  // namespace heed::server
