// What all optimizers share: parameters with names, one step after the other, a state to save.
//
//   AdamW optimizer({{"output.weight", weight}, {"output.bias", bias}}, {.weight_decay = 0.1});
//   optimizer.step(sum.tensors(), {.rate = learning_rate(schedule, optimizer.steps())});
//
// A step writes into the memory of the parameters, which the model's variables share; no pass of
// the model may run meanwhile. Results are the same bits for any number of threads.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "heed/autograd/variable.h"
#include "heed/base/export.h"
#include "heed/tensor/named_tensor.h"

namespace heed {

enum class OptimizerKind : uint8_t { adamw, sgd };

struct OptimizedParameter {
  std::string name;             // names its tensors in the state
  Variable variable;            // contiguous, float32 or float64
  std::optional<bool> decay{};  // whether weight decay applies; by default to matrices only, which
                                // are all parameters with two axes or more
};

struct StepOptions {
  double rate;                // the learning rate of this step
  double gradient_scale = 1;  // multiplies the gradients: clipping, or 1 / number of tokens
};

class HEED_API Optimizer {
 public:
  virtual ~Optimizer() = default;
  Optimizer(const Optimizer&) = delete;
  Optimizer& operator=(const Optimizer&) = delete;

  // gradients[i] is that of parameter i and has its shape.
  void step(std::span<const Tensor> gradients, const StepOptions& options);

  int64_t steps() const { return steps_; }  // made so far, also before a load_state()
  const std::vector<OptimizedParameter>& parameters() const { return parameters_; }

  // "steps" (int64 [1]) and, for each of the optimizer's moments, "MOMENT.PARAMETER" like the
  // parameter. These are handles on the living numbers, which the next step changes.
  std::vector<NamedTensor> state() const;

  // Copies a state that state() gave; order does not matter. Wants exactly the same names, shapes
  // and types, and checks them all before it changes anything.
  void load_state(std::span<const NamedTensor> saved);

 protected:
  explicit Optimizer(std::vector<OptimizedParameter> parameters);

  std::vector<Tensor>& add_moment(const std::string& name);  // zeros; the reference stays valid
  static bool decays(const OptimizedParameter& parameter);

 private:
  // steps() counts this step already.
  virtual void update(std::span<const Tensor> gradients, const StepOptions& options) = 0;

  struct Moment {
    std::string name;
    std::vector<Tensor> tensors;  // one per parameter
  };

  std::vector<OptimizedParameter> parameters_;
  std::vector<std::unique_ptr<Moment>> moments_;
  int64_t steps_ = 0;
};

}  // namespace heed
