#include "apps/server/layer_json.h"

namespace heed::server {

std::string keys_of(const std::string& layer) {
  return layer.ends_with("cross") || layer.starts_with("encoder") ? "source" : "target";
}

Json layer_json(const std::string& name, int64_t heads) {
  const bool is_encoder = name.starts_with("encoder");
  const char* kind = name.ends_with("cross") ? "cross" : is_encoder ? "self" : "causal";
  return {{"name", name},
          {"heads", heads},
          {"kind", kind},
          {"queries", is_encoder ? "source" : "target"},
          {"keys", keys_of(name)}};
}

Json layers_json(const ModelConfig& config) {
  Json layers = Json::array();
  const auto* transformer = std::get_if<TransformerConfig>(&config);
  if (transformer == nullptr) {
    if (std::get<RnnConfig>(config).attention != RnnAttention::none) {
      layers.push_back(layer_json("decoder.cross", 1));
    }
    return layers;
  }
  for (int64_t i = 0; i < transformer->encoder_layers; ++i) {
    layers.push_back(layer_json("encoder." + std::to_string(i) + ".attention", transformer->heads));
  }
  for (int64_t i = 0; i < transformer->decoder_layers; ++i) {
    const std::string block = "decoder." + std::to_string(i);
    layers.push_back(layer_json(block + ".attention", transformer->heads));
    if (transformer->has_encoder())
      layers.push_back(layer_json(block + ".cross", transformer->heads));
  }
  return layers;
}

}  // namespace heed::server
