// What becomes of the folder of a run.
#pragma once

namespace heed {

struct TrainOptions {
  bool resume = false;     // go on with the run in the folder; if there is none, begin it
  bool overwrite = false;  // replace a run in the folder
  // Keep what the model attends to as it learns, in probe.jsonl.
  bool traces_attention = true;
};

}  // namespace heed
