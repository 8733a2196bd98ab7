// Llama (Touvron et al. 2023) and Mistral, which is Llama with a window. Rotary positions pair the
// halves of a head. Some descendants have biases in some maps: the others get zeros.

#include "heed/base/fail.h"
#include "heed/convert/decoder_names_internal.h"
#include "heed/convert/layouts_internal.h"

namespace heed {
namespace {

// Newer files have all that concerns rotary positions in "rope_parameters"; older ones have the
// base by itself, and "rope_scaling" for what is not the default.
double rotary_base(const ForeignConfig& config) {
  config.refuse("partial_rotary_factor", config.real("partial_rotary_factor", 1) != 1);
  double base = config.real("rope_theta", 10000);
  for (const char* name : {"rope_scaling", "rope_parameters"}) {
    if (!config.has(name)) continue;
    const ForeignConfig rope = config.object(name);
    const std::string if_absent = rope.has("rope_theta") ? "default" : "";
    const std::string type = rope.text("rope_type", rope.text("type", if_absent));
    config.refuse(name, type != "default");
    rope.refuse("partial_rotary_factor", rope.real("partial_rotary_factor", 1) != 1);
    base = rope.real("rope_theta", base);
  }
  return base;
}

}  // namespace

void convert_llama(const ForeignConfig& config, ForeignWeights& weights, ConvertedModel& result) {
  config.refuse("hidden_act", config.text("hidden_act", "silu") != "silu");
  config.refuse("pretraining_tp", config.integer("pretraining_tp", 1) != 1);
  const int64_t C = config.integer("hidden_size"), L = config.integer("num_hidden_layers");
  const int64_t V = config.integer("vocab_size"), F = config.integer("intermediate_size");
  const int64_t H = config.integer("num_attention_heads");
  const int64_t K = config.integer("num_key_value_heads", H);
  check(C % H == 0 || config.has("head_dim"), "{}: {} heads do not fit the width {}", config.path(),
        H, C);
  const int64_t D = config.integer("head_dim", C / H);
  const bool bias = config.flag("attention_bias", false) || config.flag("mlp_bias", false);
  const bool tied = config.flag("tie_word_embeddings", false);
  result.config.model =
      TransformerConfig{.kind = TransformerKind::decoder,
                        .vocabulary = V,
                        .decoder_layers = L,
                        .width = C,
                        .hidden = F,
                        .heads = H,
                        .kv_heads = K,
                        .key_width = D,
                        .context = config.integer("max_position_embeddings", 2048),
                        .window = config.integer("sliding_window", 0),
                        .positions = PositionKind::rotary,
                        .rotary_pairs = RotaryPairs::halves,
                        .rotary_base = rotary_base(config),
                        .norm = NormKind::rms,
                        .norm_epsilon = config.real("rms_norm_eps", 1e-6),
                        .feed_forward = FeedForwardKind::silu_gated,
                        .bias = bias,
                        .tied = tied,
                        .scaled_embedding = false};

  using N = DecoderNames;
  const auto add = [&](const std::string& to, Tensor tensor) {
    result.weights.push_back({to, std::move(tensor)});
  };
  add(N::kTable, weights.take("model.embed_tokens.weight", {V, C}));
  for (int64_t i = 0; i < L; ++i) {
    const std::string h = "model.layers." + std::to_string(i) + ".";
    // Some maps of one input, as one: the outputs side by side.
    struct Map {
      const char* name;
      int64_t out;
    };
    const auto add_maps = [&](const char* to, std::initializer_list<Map> maps, int64_t in) {
      std::vector<Tensor> matrices, vectors;
      for (const Map& map : maps) {
        matrices.push_back(weights.take(h + map.name + ".weight", {map.out, in}));
        if (bias) vectors.push_back(weights.take_or_zeros(h + map.name + ".bias", {map.out}));
      }
      add(N::layer(i, to) + ".weight", side_by_side(matrices));
      if (bias) add(N::layer(i, to) + ".bias", end_to_end(vectors));
    };
    add(N::layer(i, "attention_norm.gain"), weights.take(h + "input_layernorm.weight", {C}));
    add_maps(
        "attention.qkv",
        {{"self_attn.q_proj", H * D}, {"self_attn.k_proj", K * D}, {"self_attn.v_proj", K * D}}, C);
    add_maps("attention.output", {{"self_attn.o_proj", C}}, H * D);
    add(N::layer(i, "feed_forward_norm.gain"),
        weights.take(h + "post_attention_layernorm.weight", {C}));
    add_maps("feed_forward.inner", {{"mlp.gate_proj", F}, {"mlp.up_proj", F}}, C);
    add_maps("feed_forward.outer", {{"mlp.down_proj", C}}, F);
  }
  add(N::kNormGain, weights.take("model.norm.weight", {C}));
  if (!tied) add(N::kOutput, side_by_side(std::vector{weights.take("lm_head.weight", {V, C})}));
}

}  // namespace heed
