#include "heed/models/model.h"

#include "heed/ops/linear_cross_entropy.h"

namespace heed {

Variable Model::logits(const Batch& batch, const Pass& pass) const {
  const OutputLayer layer = output();
  return affine(features(batch, pass), layer.weight, layer.bias, {.weight_layout = layer.layout});
}

Variable Model::loss(const Batch& batch, const LossOptions& options, const Pass& pass) const {
  const OutputLayer layer = output();
  return linear_cross_entropy(
      features(batch, pass), layer.weight, layer.bias, batch.labels,
      {.loss = {.label_smoothing = options.label_smoothing, .token_count = options.counted},
       .weight_layout = layer.layout});
}

}  // namespace heed
