// What a training step makes small, where it is not the cross entropy of the labels.
//
// A trainer with an objective is the same loop: batches, shards, clipping, optimizer, checkpoint.
#pragma once

#include <string>
#include <vector>

#include "heed/base/export.h"
#include "heed/models/model.h"
#include "heed/tensor/named_tensor.h"
#include "heed/train/evaluation.h"

namespace heed {

class HEED_API Objective {
 public:
  virtual ~Objective() = default;

  // The sum of the losses of a batch, divided by options.label_count.
  virtual Variable loss(const Batch& batch, const LossOptions& options, const Pass& pass) = 0;

  // What was met in the step that is over, by name: for the log and the progress.
  virtual std::vector<EvaluationScore> report() { return {}; }

  // What a resumed run needs beside weights and optimizer, as it is between two steps.
  virtual std::vector<NamedTensor> state() const { return {}; }
  virtual void load_state(const std::vector<NamedTensor>& /*state*/) {}
};

}  // namespace heed
