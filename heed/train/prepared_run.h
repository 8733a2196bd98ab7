// All that a run needs, before its first step.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "heed/run/run_folder.h"
#include "heed/text/tokenizer.h"
#include "heed/train/task_data.h"

namespace heed {

struct PreparedRun {
  RunConfig config;                            // complete
  std::shared_ptr<const Tokenizer> tokenizer;  // null if no text is read
  std::unique_ptr<TaskData> train, valid;
  std::vector<std::string> notes;  // what was chosen and what was met, to be told
  // The complete settings of a run of so many steps on this data; empty: that is not known.
  std::function<TrainSettings(int64_t steps)> with_steps = {};
};

}  // namespace heed
