#include "heed/models/rnn_config.h"

#include "heed/models/config_size_internal.h"

namespace heed {

void validate(const RnnConfig& c) {
  check_size("source vocabulary", c.source_vocabulary, c.source_width > 0 ? 0 : 1);
  check_size("target vocabulary", c.target_vocabulary, 1);
  check_size("source width", c.source_width, 0);
  check_size("embedding width", c.embedding, 1);
  check_size("width", c.width, 1);
  check_size("encoder width", c.encoder_width, 0);
  check_size("encoder layers", c.encoder_layers, 1);
  check_size("decoder layers", c.decoder_layers, 1);
  check_probability("dropout", c.dropout);
  const bool dot = c.attention == RnnAttention::dot;
  check(!dot || c.encoder_width != 0 || c.width % 2 == 0,
        "rnn: with the score dot, both directions of the encoder share the width, which must be "
        "even; got {}",
        c.width);
  check(
      !dot || c.encoder_width == 0 || 2 * c.encoder_width == c.width,
      "rnn: the score dot needs encoder states as wide as the decoder's, 2 x {} is not {}; use the "
      "score general",
      c.encoder_width, c.width);
  check(!c.shared_embedding || (c.source_width == 0 && c.source_vocabulary == c.target_vocabulary),
        "rnn: a shared embedding needs one vocabulary; source {}, target {}", c.source_vocabulary,
        c.target_vocabulary);
}

}  // namespace heed
