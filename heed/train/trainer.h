// The training loop: batches in, better parameters out, one step after the other.
//
//   Trainer trainer(model, corpus, options);
//   while (!trainer.finished()) trainer.step();
//
// A step:
//   1. take the next `accumulate` batches of the epoch, and deal their items to the shards
//   2. loss of each shard = sum over its labels / labels of the whole step; backward
//   3. add the gradients: batches in order, shards in a fixed tree; clip by the global norm
//   4. one pass of the optimizer at the scheduled rate; then the running average of the weights
//
// The parameters after step s are a function of (model, corpus, options): not of the threads, and
// not of where the run was interrupted, saved and resumed.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "heed/autograd/gradient_sum.h"
#include "heed/base/error.h"
#include "heed/base/export.h"
#include "heed/models/model.h"
#include "heed/optim/adamw.h"
#include "heed/optim/optimizer.h"
#include "heed/optim/schedule.h"
#include "heed/optim/weight_average.h"
#include "heed/tensor/named_tensor.h"
#include "heed/train/corpus.h"
#include "heed/train/objective.h"
#include "heed/train/run_events.h"

namespace heed {

// Nats per label. A model that knows nothing has the logarithm of its vocabulary, about 10; from
// here on a loss will not come down again.
inline constexpr double kExploded = 1e4;

struct TrainerOptions {
  int64_t steps = 0;   // 0: as many as `epochs` give
  int64_t epochs = 0;  // passes over the corpus
  BatchOptions batch = {};
  int64_t accumulate = 1;  // batches per step
  int64_t shards = 1;      // parts of a step whose gradients are added in a tree
  OptimizerKind optimizer = OptimizerKind::adamw;
  AdamWOptions adamw = {};
  double momentum = 0.9;  // of sgd
  Schedule schedule = {};
  double clip = 1;  // largest norm of the gradient; 0: not clipped
  double label_smoothing = 0;
  double average = 0;  // decay of the running average of the weights; 0: none
  uint64_t seed = 0;   // of batches and dropout
};

// Where a trainer stands between two steps.
struct TrainerPosition {
  int64_t step = 0;
  int64_t epoch = 0;
  int64_t batch = 0;  // of the epoch
};

class HEED_API Trainer {
 public:
  // Without an objective, the cross entropy of the labels is made small. All must outlive it.
  Trainer(const Model& model, const Corpus& corpus, const TrainerOptions& options,
          Objective* objective = nullptr);
  ~Trainer();

  bool finished() const { return position_.step >= total_steps_; }
  int64_t total_steps() const { return total_steps_; }
  const TrainerPosition& position() const { return position_; }
  int64_t batches_per_epoch() const { return static_cast<int64_t>(plan_.size()); }

  // Raises an Error, and leaves the parameters as they were, if the loss or the gradient is not a
  // finite number, or the loss has exploded. Where neither is so, the weights that the step began
  // with are good: `found_good` is called before they change, with the state and position of then.
  StepReport step(const std::function<void()>& found_good = {});
  // Whether state() means the same all through a step: an objective changes its own in it.
  bool keeps_state_in_step() const { return objective_ == nullptr || objective_->state().empty(); }

  // The running average of the weights takes the place of the weights, and back.
  bool has_average() const { return average_ != nullptr; }
  void swap_average();

  // Weights, optimizer and average, by name; handles on the living numbers.
  std::vector<NamedTensor> state() const;
  void load_state(const std::vector<NamedTensor>& state, const TrainerPosition& position);

 private:
  std::vector<int64_t> next_items();
  void load_plan(int64_t epoch);

  const Model& model_;
  const Corpus& corpus_;
  TrainerOptions options_;
  Objective* objective_;
  std::vector<Variable> parameters_;
  std::unique_ptr<Optimizer> optimizer_;
  std::unique_ptr<WeightAverage> average_;
  BatchPlan plan_;
  int64_t plan_epoch_ = -1;
  TrainerPosition position_;
  int64_t total_steps_ = 0;
};

}  // namespace heed
