#include "bench/model_work.h"

#include <algorithm>

#include "heed/models/transformer.h"

namespace heed::bench {
namespace {

void add_weight(WeightCount& count, const Tensor& weight) {
  const auto size = static_cast<double>(weight.size());
  count.bytes += size * static_cast<double>(byte_size(weight.dtype()));
  // Matrices, or the blocks of an int8 matrix.
  if (weight.rank() == 2 || weight.rank() == 4) count.factors += size;
}

bool is_of_source(const std::string& name) {
  return name.starts_with("encoder.") || name.find(".keys_values.") != std::string::npos ||
         name.find(".w_k") != std::string::npos;
}

}  // namespace

ModelWork::ModelWork(const Model& model) {
  for (const NamedParameter& parameter : model.parameters().list()) {
    // Of a table only a row per token is read.
    if (parameter.name.find(".table") != std::string::npos || parameter.name.starts_with("output."))
      continue;
    add_weight(is_of_source(parameter.name) ? source : target, parameter.variable.value());
  }
  const OutputLayer layer = model.output();
  if (layer.quantized.defined()) {
    add_weight(output, layer.quantized.blocks);
    add_weight(output, layer.quantized.scale);
  } else {
    add_weight(output, layer.weight.value());
  }
  if (layer.bias.value().defined()) add_weight(output, layer.bias.value());

  const auto* transformer = dynamic_cast<const Transformer*>(&model);
  if (transformer == nullptr) return;
  const TransformerConfig& config = transformer->config();
  const int64_t keys = config.key_width > 0 ? config.key_width : config.width / config.heads;
  const int64_t values = config.value_width > 0 ? config.value_width : keys;
  const int64_t kv_heads = config.kv_heads > 0 ? config.kv_heads : config.heads;
  const auto layers = static_cast<double>(config.decoder_layers);
  cache_bytes = 4 * layers * static_cast<double>(kv_heads * (keys + values));
  cache_flops = 2 * layers * static_cast<double>(config.heads * (keys + values));
  source_flops = 2 * static_cast<double>(config.encoder_layers * config.heads * (keys + values));
}

bool has_encoder(const Model& model) {
  const auto& list = model.parameters().list();
  return std::any_of(list.begin(), list.end(), [](const NamedParameter& parameter) {
    return parameter.name.starts_with("encoder.");
  });
}

int64_t vocabulary_of(const Model& model) { return model.output().size(); }

}  // namespace heed::bench
