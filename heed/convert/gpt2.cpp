// GPT-2 (Radford et al. 2019). Its matrices are [In, Out] already, with query, key and value side
// by side, as heed has them.

#include "heed/base/fail.h"
#include "heed/convert/decoder_names_internal.h"
#include "heed/convert/layouts_internal.h"

namespace heed {
namespace {

FeedForwardKind gpt2_feed_forward(const ForeignConfig& config) {
  const std::string name = config.text("activation_function", "gelu_new");
  if (name == "gelu_new" || name == "gelu_pytorch_tanh") return FeedForwardKind::gelu;
  if (name == "gelu") return FeedForwardKind::gelu_exact;
  if (name == "relu") return FeedForwardKind::relu;
  config.refuse("activation_function", true);
  return FeedForwardKind::gelu;
}

}  // namespace

void convert_gpt2(const ForeignConfig& config, ForeignWeights& weights, ConvertedModel& result) {
  config.refuse("scale_attn_by_inverse_layer_idx",
                config.flag("scale_attn_by_inverse_layer_idx", false));
  config.refuse("add_cross_attention", config.flag("add_cross_attention", false));
  const int64_t C = config.integer("n_embd", 768), L = config.integer("n_layer", 12);
  const int64_t V = config.integer("vocab_size", 50257), F = config.integer("n_inner", 4 * C);
  const int64_t context = config.integer("n_positions", 1024);
  const bool scaled = config.flag("scale_attn_weights", true);
  const bool tied = config.flag("tie_word_embeddings", true);
  result.config.model = TransformerConfig{.kind = TransformerKind::decoder,
                                          .vocabulary = V,
                                          .decoder_layers = L,
                                          .width = C,
                                          .hidden = F,
                                          .heads = config.integer("n_head", 12),
                                          .context = context,
                                          .positions = PositionKind::learned,
                                          .score = scaled ? ScoreKind::scaled_dot : ScoreKind::dot,
                                          .norm_epsilon = config.real("layer_norm_epsilon", 1e-5),
                                          .feed_forward = gpt2_feed_forward(config),
                                          .tied = tied,
                                          .scaled_embedding = false};

  using N = DecoderNames;
  const std::string root = weights.contains("transformer.wte.weight") ? "transformer." : "";
  const auto add = [&](const std::string& to, const std::string& from, const Shape& shape) {
    result.weights.push_back({to, weights.take(root + from, shape)});
  };
  add(N::kTable, "wte.weight", {V, C});
  add(N::kPositions, "wpe.weight", {context, C});
  for (int64_t i = 0; i < L; ++i) {
    const std::string h = "h." + std::to_string(i) + ".";
    add(N::layer(i, "attention_norm.gain"), h + "ln_1.weight", {C});
    add(N::layer(i, "attention_norm.shift"), h + "ln_1.bias", {C});
    add(N::layer(i, "attention.qkv.weight"), h + "attn.c_attn.weight", {C, 3 * C});
    add(N::layer(i, "attention.qkv.bias"), h + "attn.c_attn.bias", {3 * C});
    add(N::layer(i, "attention.output.weight"), h + "attn.c_proj.weight", {C, C});
    add(N::layer(i, "attention.output.bias"), h + "attn.c_proj.bias", {C});
    add(N::layer(i, "feed_forward_norm.gain"), h + "ln_2.weight", {C});
    add(N::layer(i, "feed_forward_norm.shift"), h + "ln_2.bias", {C});
    add(N::layer(i, "feed_forward.inner.weight"), h + "mlp.c_fc.weight", {C, F});
    add(N::layer(i, "feed_forward.inner.bias"), h + "mlp.c_fc.bias", {F});
    add(N::layer(i, "feed_forward.outer.weight"), h + "mlp.c_proj.weight", {F, C});
    add(N::layer(i, "feed_forward.outer.bias"), h + "mlp.c_proj.bias", {C});
  }
  add(N::kNormGain, "ln_f.weight", {C});
  add(N::kNormShift, "ln_f.bias", {C});
  if (!tied) {
    const Tensor output = weights.take("lm_head.weight", {V, C});
    result.weights.push_back({N::kOutput, side_by_side(std::vector{output})});
  }
}

}  // namespace heed
