// probe.jsonl: the attention of one example, looked at again and again while a model learns.
//
//   AttentionTrace trace(config, tokenizer, corpus);
//   if (trace.has_attention(model)) log.write(trace.line(model, step));
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "heed/base/export.h"
#include "heed/models/model.h"
#include "heed/run/run_folder.h"
#include "heed/run/task_input.h"
#include "heed/text/tokenizer.h"
#include "heed/train/corpus.h"

namespace heed {

class HEED_API AttentionTrace {
 public:
  // The example is settings.probe of the configuration: a text, or a source and a target; of a
  // source alone, the model writes the target each time. If there is none, it is an example of the
  // corpus. Of long examples, their beginning.
  AttentionTrace(const RunConfig& config, std::shared_ptr<const Tokenizer> tokenizer,
                 const Corpus& corpus);

  bool has_attention(const Model& model) const;

  // A JSON object on one line: the mean over the heads of the layer that is looked at if none is
  // named (alignment.h). The weights are written so that they read back as the same floats.
  std::string line(const Model& model, int64_t step) const;

 private:
  TaskInput input(const Model& model) const;

  RunConfig config_;
  std::shared_ptr<const Tokenizer> tokenizer_;
  std::optional<TaskInput> example_;  // of the corpus
};

}  // namespace heed
