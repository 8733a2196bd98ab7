#include "heed/nn/linear.h"

namespace heed {

Linear::Linear(const ParameterScope& scope, int64_t in, int64_t out, const LinearOptions& options)
    : activation_(options.activation) {
  const bool given = options.initializer.scale != 0;
  weight =
      scope.create("weight", {in, out}, given ? options.initializer : Initializer::glorot(in, out));
  if (options.bias) bias = scope.create("bias", {out}, Initializer::constant(0));
}

Variable Linear::operator()(const Variable& x) const {
  return affine(x, weight, bias, {.activation = activation_});
}

}  // namespace heed
