#include "heed/models/transformer_config.h"

#include "heed/base/fail_internal.h"

namespace heed {
namespace {

// Far above any model that fits in memory; keeps products of sizes from overflowing.
constexpr int64_t kLargest = int64_t{1} << 24;

void check_size(const char* name, int64_t value, int64_t least) {
  check(value >= least && value <= kLargest, "model: {} is {}, expected {} to {}", name, value,
        least, kLargest);
}

void check_probability(const char* name, double value) {
  check(value >= 0 && value < 1, "model: {} is {}, expected at least 0 and below 1", name, value);
}

}  // namespace

void validate(const TransformerConfig& config) {
  const bool reads_ids = config.has_decoder() || config.source_width == 0;
  check_size("vocabulary", config.vocabulary, reads_ids ? 1 : 0);
  check_size("classes", config.classes, config.head == HeadKind::next_token ? 0 : 1);
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
  check((config.head == HeadKind::next_token) == config.has_decoder(),
        "model: an encoder answers with classes, a decoder with the next token");
  check(config.source_width == 0 || config.has_encoder(),
        "model: rows of floats need an encoder to read them");
  const int64_t head_width = config.key_width > 0 ? config.key_width : config.width / config.heads;
  check(config.positions != PositionKind::rotary || head_width % 2 == 0,
        "model: rotary positions turn pairs of numbers, but a head is {} wide", head_width);
}

}  // namespace heed
