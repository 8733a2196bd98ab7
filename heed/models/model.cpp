#include "heed/models/model.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "heed/ops/linear_cross_entropy.h"

namespace heed {
namespace {

// The loss of int8 models, by rows of the output layer that are in memory together.
Variable quantized_loss(const OutputLayer& layer, const Tensor& x, const Tensor& labels,
                        const LossOptions& options) {
  constexpr int64_t kRows = 384;
  const Tensor ids = labels.to(DType::i64);
  const int64_t* id = ids.data<int64_t>();
  const int64_t label_count = options.label_count > 0
                                  ? options.label_count
                                  : ids.size() - std::count(id, id + ids.size(), int64_t{-1});
  if (label_count == 0) return Tensor::zeros({1});
  double loss = 0;
  for (int64_t begin = 0; begin < x.dim(0); begin += kRows) {
    const int64_t end = std::min(x.dim(0), begin + kRows);
    loss += cross_entropy(layer(x.slice(0, begin, end)), ids.slice(0, begin, end),
                          {.label_smoothing = options.label_smoothing, .token_count = label_count})
                .value()
                .item();
  }
  return Tensor::full({1}, loss);
}

}  // namespace

Variable OutputLayer::operator()(const Variable& x) const {
  if (quantized.defined()) return quantized_affine(x, quantized, bias);
  return affine(x, weight, bias, {.weight_layout = layout});
}

int64_t OutputLayer::size() const {
  if (quantized.defined()) return quantized.out;
  return weight.value().dim(layout == WeightLayout::in_out ? 1 : 0);
}

Variable Model::logits(const Batch& batch, const Pass& pass) const {
  return output()(features(batch, pass));
}

Variable Model::loss(const Batch& batch, const LossOptions& options, const Pass& pass) const {
  const OutputLayer layer = output();
  const Variable x = features(batch, pass);
  if (layer.quantized.defined()) return quantized_loss(layer, x, batch.labels, options);
  return linear_cross_entropy(
      x, layer.weight, layer.bias, batch.labels,
      {.loss = {.label_smoothing = options.label_smoothing, .token_count = options.label_count},
       .weight_layout = layer.layout});
}

std::string first_unknown_name(const Model& model, std::span<const std::string> names) {
  std::set<std::string_view> places;
  for (const NamedParameter& one : model.parameters().list()) places.insert(one.name);
  const auto found = std::find_if(names.begin(), names.end(),
                                  [&](const std::string& name) { return !places.contains(name); });
  return found == names.end() ? "" : *found;
}

}  // namespace heed
