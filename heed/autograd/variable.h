// Reverse-mode differentiation.
//
// A Variable is a tensor together with how it was computed. Operations on parameters record a node
// each; backward(loss) walks the nodes from the newest to the oldest and returns the gradients.
// Nothing is written into parameters, so one model may be used by many threads at once.
//
//   Variable w = Variable::parameter(Tensor::zeros({4, 3}));
//   Variable loss = mean(matmul(x, w));
//   Gradients gradients = backward(loss);
//   Tensor dw = gradients.of(w);
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <unordered_map>
#include <vector>

#include "heed/base/export.h"
#include "heed/tensor/tensor.h"

namespace heed {

// Given the gradient of the output, returns one gradient per input, in order. An undefined tensor
// stands for zero; it is what a backward should return for an input that needs no gradient.
using BackwardFunction = std::function<std::vector<Tensor>(const Tensor& dy)>;

struct Node;
class Gradients;

class HEED_API Variable {
 public:
  Variable() = default;
  Variable(Tensor value) : value_(std::move(value)) {}  // NOLINT: a constant
  static Variable parameter(Tensor value);              // a leaf whose gradient is wanted

  const Tensor& value() const { return value_; }
  operator const Tensor&() const { return value_; }  // NOLINT
  const Shape& shape() const { return value_.shape(); }
  bool requires_gradient() const { return node_ != nullptr; }

 private:
  friend Variable record(Tensor, const std::vector<Variable>&, BackwardFunction);
  friend class Gradients;
  friend Gradients backward(const Variable&);

  Tensor value_;
  std::shared_ptr<Node> node_;
};

// The result of an operation. Unless recording is off or no input needs a gradient, `function` (and
// what it holds) is kept until backward has used it.
HEED_API Variable record(Tensor value, const std::vector<Variable>& inputs,
                         BackwardFunction function);

// True if an operation on these inputs would be recorded: worth saving intermediates for.
HEED_API bool will_record(std::initializer_list<const Variable*> inputs);

class HEED_API Gradients {
 public:
  // The gradient of a parameter; zeros if the loss does not depend on it. It shares memory with no
  // other tensor but the handles that later calls for the same parameter return.
  Tensor of(const Variable& parameter) const;
  bool reached(const Variable& parameter) const;

 private:
  friend Gradients backward(const Variable&);
  std::unordered_map<const Node*, Tensor> by_node_;
  std::vector<std::shared_ptr<Node>> leaves_;  // keeps the keys alive
};

// Gradients of a loss with one element. Frees what the recorded operations hold as it goes, so a
// second call on the same loss is an error.
HEED_API Gradients backward(const Variable& loss);

// Turns recording off on this thread for a scope.
class HEED_API NoGrad {
 public:
  NoGrad();
  ~NoGrad();
  NoGrad(const NoGrad&) = delete;
  NoGrad& operator=(const NoGrad&) = delete;
};

}  // namespace heed
