#include "heed/autograd/variable.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <utility>

#include "heed/base/fail.h"
#include "heed/kernels/accumulate.h"

namespace heed {

struct Node {
  uint64_t id;  // in order of creation: an operation is newer than its inputs
  Shape shape;
  DType type;
  std::vector<std::shared_ptr<Node>> inputs;  // null: a constant
  BackwardFunction backward;                  // empty: a parameter
  bool used = false;                          // backward has passed here

  // Chains may be a hundred thousand nodes long, so they are taken apart without recursion.
  ~Node() {
    std::vector<std::shared_ptr<Node>> waiting = std::move(inputs);
    while (!waiting.empty()) {
      std::shared_ptr<Node> node = std::move(waiting.back());
      waiting.pop_back();
      if (node.use_count() == 1) {
        std::move(node->inputs.begin(), node->inputs.end(), std::back_inserter(waiting));
        node->inputs.clear();
      }
    }
  }
};

namespace {

std::atomic<uint64_t> next_id{0};
thread_local int no_grad_depth = 0;

std::shared_ptr<Node> make_node(const Tensor& value, std::vector<std::shared_ptr<Node>> inputs,
                                BackwardFunction function) {
  return std::make_shared<Node>(Node{next_id.fetch_add(1, std::memory_order_relaxed), value.shape(),
                                     value.dtype(), std::move(inputs), std::move(function)});
}

// A gradient on its way: the sum of what has arrived so far.
struct Pending {
  std::shared_ptr<Node> node;
  Tensor sum;
  bool owned = false;  // nobody else holds `sum`: it may be added to in place

  void add(const Tensor& gradient) {
    check(gradient.shape() == node->shape && gradient.dtype() == node->type,
          "backward: a gradient is {}, its value is {} {}", gradient, name(node->type),
          node->shape);
    if (!sum.defined()) {
      sum = gradient;
      return;
    }
    if (!owned) sum = sum.clone();
    owned = true;
    kernels::accumulate(sum, gradient);
  }
};

}  // namespace

Variable Variable::parameter(Tensor value) {
  check(value.defined() && is_real(value.dtype()), "parameter: expected float32 or float64, got {}",
        value);
  Variable result(std::move(value));
  result.node_ = make_node(result.value_, {}, {});
  return result;
}

bool will_record(std::initializer_list<const Variable*> inputs) {
  return no_grad_depth == 0 && std::any_of(inputs.begin(), inputs.end(), [](const Variable* input) {
           return input->requires_gradient();
         });
}

Variable record(Tensor value, const std::vector<Variable>& inputs, BackwardFunction function) {
  Variable result(std::move(value));
  if (no_grad_depth > 0) return result;
  std::vector<std::shared_ptr<Node>> nodes;
  bool wanted = false;
  for (const Variable& input : inputs) {
    wanted = wanted || input.node_ != nullptr;
    nodes.push_back(input.node_);
  }
  if (wanted) result.node_ = make_node(result.value_, std::move(nodes), std::move(function));
  return result;
}

Gradients backward(const Variable& loss) {
  check(loss.value().size() == 1, "backward: the loss must have one element, got {}", loss.value());
  check(loss.requires_gradient(), "backward: the loss does not depend on any parameter");
  Gradients result;
  std::map<uint64_t, Pending, std::greater<>> pending;  // newest first
  pending[loss.node_->id] = {loss.node_, Tensor::full(loss.shape(), 1, loss.value().dtype()), true};
  while (!pending.empty()) {
    Pending current = std::move(pending.begin()->second);
    pending.erase(pending.begin());
    Node& node = *current.node;
    if (node.inputs.empty() && !node.used) {  // a parameter
      // A backward may hand out the same memory twice, or memory that others keep. The caller gets
      // gradients that may be written to.
      const bool alone = current.sum.owns_storage() && current.sum.is_contiguous();
      result.by_node_[&node] = alone ? current.sum : current.sum.clone();
      result.leaves_.push_back(current.node);
      continue;
    }
    check(!node.used, "backward: this loss was already differentiated; compute it again");
    node.used = true;
    const BackwardFunction function = std::exchange(node.backward, nullptr);
    const auto inputs = std::exchange(node.inputs, {});
    const std::vector<Tensor> gradients = function(current.sum);
    check(gradients.size() == inputs.size(), "backward: {} inputs but {} gradients", inputs.size(),
          gradients.size());
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (inputs[i] == nullptr || !gradients[i].defined()) continue;
      Pending& slot = pending[inputs[i]->id];
      slot.node = inputs[i];
      slot.add(gradients[i]);
    }
  }
  return result;
}

Tensor Gradients::of(const Variable& parameter) const {
  check(parameter.requires_gradient(), "gradients: the variable is not a parameter");
  const auto found = by_node_.find(parameter.node_.get());
  if (found != by_node_.end()) return found->second;
  return Tensor::zeros(parameter.shape(), parameter.value().dtype());
}

bool Gradients::reached(const Variable& parameter) const {
  return by_node_.contains(parameter.node_.get());
}

NoGrad::NoGrad() { ++no_grad_depth; }
NoGrad::~NoGrad() { --no_grad_depth; }

}  // namespace heed
