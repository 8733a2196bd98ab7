// The fields of a configuration, each with its name in config.json.
#pragma once

#include <type_traits>

#include "heed/models/config_names.h"
#include "heed/models/rnn_config.h"
#include "heed/models/transformer_config.h"

namespace heed {

// What a model is called in config.json.
constexpr const char* type_name(const TransformerConfig&) { return "transformer"; }
constexpr const char* type_name(const RnnConfig&) { return "rnn"; }

// Calls f(name, field) for each field, in the order of config.json.
template <typename Config, typename F>
requires std::is_same_v<std::remove_const_t<Config>, TransformerConfig>
void for_each_field(Config& c, const F& f) {
  f("kind", c.kind);
  f("head", c.head);
  f("pool", c.pool);
  f("vocabulary", c.vocabulary);
  f("classes", c.classes);
  f("source_width", c.source_width);
  f("encoder_layers", c.encoder_layers);
  f("decoder_layers", c.decoder_layers);
  f("width", c.width);
  f("hidden", c.hidden);
  f("heads", c.heads);
  f("kv_heads", c.kv_heads);
  f("key_width", c.key_width);
  f("value_width", c.value_width);
  f("context", c.context);
  f("window", c.window);
  f("positions", c.positions);
  f("position_mode", c.position_mode);
  f("position_width", c.position_width);
  f("rotary_pairs", c.rotary_pairs);
  f("rotary_base", c.rotary_base);
  f("score", c.score);
  f("norm", c.norm);
  f("norm_place", c.norm_place);
  f("norm_epsilon", c.norm_epsilon);
  f("embedding_norm", c.embedding_norm);
  f("feed_forward", c.feed_forward);
  f("bias", c.bias);
  f("tied", c.tied);
  f("scaled_embedding", c.scaled_embedding);
  f("pooler", c.pooler);
  f("dropout", c.dropout);
  f("attention_dropout", c.attention_dropout);
}

template <typename Config, typename F>
requires std::is_same_v<std::remove_const_t<Config>, RnnConfig>
void for_each_field(Config& c, const F& f) {
  f("source_vocabulary", c.source_vocabulary);
  f("target_vocabulary", c.target_vocabulary);
  f("source_width", c.source_width);
  f("cell", c.cell);
  f("attention", c.attention);
  f("embedding", c.embedding);
  f("width", c.width);
  f("encoder_width", c.encoder_width);
  f("encoder_layers", c.encoder_layers);
  f("decoder_layers", c.decoder_layers);
  f("dropout", c.dropout);
  f("shared_embedding", c.shared_embedding);
  f("tied_output", c.tied_output);
}

}  // namespace heed
