#include "heed/nn/linear.h"

#include "heed/ops/add.h"
#include "heed/ops/matmul.h"

namespace heed {

Linear::Linear(const ParameterScope& scope, int64_t in, int64_t out, const LinearOptions& options)
    : activation_(options.activation) {
  const bool given = options.initializer.scale != 0;
  const Weight created =
      scope.create_weight("weight", {in, out}, WeightLayout::in_out,
                          given ? options.initializer : Initializer::glorot(in, out));
  weight = created.real;
  down = created.down;
  up = created.up;
  quantized = created.int8;
  if (options.bias) bias = scope.create("bias", {out}, Initializer::constant(0));
}

Variable Linear::effective_weight() const {
  return down.value().defined() ? add(weight, matmul(down, up)) : weight;
}

Variable Linear::operator()(const Variable& x) const {
  if (quantized.defined()) return quantized_affine(x, quantized, bias, activation_);
  return affine(x, effective_weight(), bias, {.activation = activation_});
}

}  // namespace heed
