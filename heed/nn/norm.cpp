#include "heed/nn/norm.h"

#include "heed/ops/layer_norm.h"
#include "heed/ops/rms_norm.h"

namespace heed {

Norm::Norm(const ParameterScope& scope, int64_t width, const NormOptions& options)
    : options_(options) {
  gain = scope.create("gain", {width}, Initializer::constant(1));
  if (options.kind == NormKind::layer) {
    shift = scope.create("shift", {width}, Initializer::constant(0));
  }
}

Variable Norm::operator()(const Variable& x) const {
  if (options_.kind == NormKind::rms) return rms_norm(x, gain, {.epsilon = options_.epsilon});
  return layer_norm(x, gain, shift, {.epsilon = options_.epsilon});
}

}  // namespace heed
