#include "heed/models/transformer_config.h"

#include <algorithm>

#include "heed/models/config_size_internal.h"

namespace heed {
int64_t appended_width(const TransformerConfig& config) {
  const bool appends = config.position_mode == PositionMode::append &&
                       config.positions != PositionKind::none &&
                       config.positions != PositionKind::rotary;
  if (!appends) return 0;
  return config.position_width > 0 ? config.position_width : std::max<int64_t>(config.width / 4, 1);
}

void validate(const TransformerConfig& config) {
  const bool reads_ids = config.has_decoder() || config.source_width == 0;
  check_size("vocabulary", config.vocabulary, reads_ids ? 1 : 0);
  const bool has_classes =
      config.head == HeadKind::token_classes || config.head == HeadKind::sentence_classes;
  check_size("classes", config.classes, has_classes ? 1 : 0);
  check_size("source width", config.source_width, 0);
  check_size("encoder layers", config.encoder_layers, config.has_encoder() ? 1 : 0);
  check_size("decoder layers", config.decoder_layers, config.has_decoder() ? 1 : 0);
  check_size("width", config.width, 1);
  check_size("hidden width", config.hidden, 1);
  check_size("heads", config.heads, 1);
  check_size("key-value heads", config.kv_heads, 0);
  check_size("key width", config.key_width, 0);
  check_size("value width", config.value_width, 0);
  check_size("context", config.context, 1);
  check_size("window", config.window, 0);
  check_size("position width", config.position_width, 0);
  check_probability("dropout", config.dropout);
  check_probability("attention dropout", config.attention_dropout);
  const bool is_scorer = config.kind == TransformerKind::decoder &&
                         config.head == HeadKind::sentence_classes && config.pool == Pool::last;
  check((config.head == HeadKind::next_token) == config.has_decoder() || is_scorer,
        "model: an encoder answers with classes or states, a decoder with the next token, or with "
        "classes of its last row");
  check(!config.pooler || config.head == HeadKind::sentence_classes,
        "model: a pooler is for classes of sentences");
  check(config.source_width == 0 || config.has_encoder(),
        "model: rows of floats need an encoder to read them");
  const int64_t kv_heads = config.kv_heads > 0 ? config.kv_heads : config.heads;
  check(config.heads % kv_heads == 0,
        "model: {} heads cannot share {} heads of keys and values; take a divisor", config.heads,
        kv_heads);
  check(config.key_width > 0 || config.width % config.heads == 0,
        "model: a width of {} cannot be split into {} heads; choose a multiple", config.width,
        config.heads);
  const int64_t head_width = config.key_width > 0 ? config.key_width : config.width / config.heads;
  check(config.positions != PositionKind::rotary || head_width % 2 == 0,
        "model: rotary positions turn pairs of numbers, but a head is {} wide", head_width);
  const int64_t appended = appended_width(config);
  check(appended >= 0 && appended < config.width,
        "model: appended positions of width {} leave nothing of a width of {}", appended,
        config.width);
}

}  // namespace heed
