// All that a run needs, before its first step.
#pragma once

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
};

}  // namespace heed
