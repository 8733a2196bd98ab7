// A text as a model of any task reads it.
#pragma once

#include <string>
#include <vector>

#include "heed/base/export.h"
#include "heed/models/batch.h"
#include "heed/train/run_folder.h"

namespace heed {

struct TaskInput {
  Batch batch;                              // one sequence
  std::vector<std::string> source, target;  // its tokens, as text to show; empty without that side
};

// `target` is what stands on the other side of a translation; if it is empty, the model writes it.
// Of texts that are too long for the model, their begin.
HEED_API TaskInput task_input(const LoadedRun& run, const std::string& text,
                              const std::string& target = {});

}  // namespace heed
