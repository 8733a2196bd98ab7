#include "heed/nn/feed_forward.h"

#include "heed/ops/activations.h"
#include "heed/ops/multiply.h"
#include "heed/ops/split.h"

namespace heed {
namespace {

Activation activation_of(FeedForwardKind kind) {
  switch (kind) {
    case FeedForwardKind::relu: return Activation::relu;
    case FeedForwardKind::gelu: return Activation::gelu_tanh;
    case FeedForwardKind::gelu_exact: return Activation::gelu_exact;
    case FeedForwardKind::silu_gated: return Activation::none;
  }
  return Activation::none;
}

}  // namespace

FeedForward::FeedForward(const ParameterScope& scope, int64_t width, int64_t hidden,
                         const FeedForwardOptions& options)
    : hidden_(hidden), gated_(options.kind == FeedForwardKind::silu_gated) {
  inner = Linear(scope.in("inner"), width, gated_ ? 2 * hidden : hidden,
                 {.bias = options.bias,
                  .activation = activation_of(options.kind),
                  .initializer = Initializer::glorot(width, hidden)});
  outer = Linear(scope.in("outer"), hidden, width, {.bias = options.bias});
}

Variable FeedForward::operator()(const Variable& x) const {
  const Variable h = inner(x);
  if (!gated_) return outer(h);
  const std::vector<Variable> parts = split(h, {hidden_, hidden_});
  return outer(multiply(silu(parts[0]), parts[1]));
}

}  // namespace heed
