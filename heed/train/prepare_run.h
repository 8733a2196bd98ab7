// From settings and files to what a run needs: tokenizer, training and validation data, the
// complete settings and the configuration of the model.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "heed/base/export.h"
#include "heed/run/run_folder.h"
#include "heed/run/settings.h"
#include "heed/text/tokenizer.h"
#include "heed/train/prepared_run.h"

namespace heed {

// `saved` is the configuration of the run in `folder` if it is to be resumed; its tokenizer is then
// taken from there. Large data is kept in temporary files in the folder.
HEED_API PreparedRun prepare_run(const TrainSettings& settings, const std::string& folder,
                                 const RunConfig* saved = nullptr);

// Data to evaluate a model on, in the form of its training data: one file, or source and target.
struct EvaluationFiles {
  std::vector<std::string> files;
  std::string vectors = {};  // rows of floats instead of the source
  // Unless as those that the run was trained on:
  std::optional<Encoding> encoding = {};
  FileFormat format = FileFormat::automatic;
};
HEED_API std::unique_ptr<TaskData> prepare_evaluation(const LoadedRun& run,
                                                      const EvaluationFiles& files,
                                                      std::vector<std::string>& notes);

}  // namespace heed
