// The names of what configurations choose from, in config.json and on the command line.
#pragma once

#include <span>
#include <string_view>

#include "heed/base/named_enum.h"
#include "heed/models/rnn_config.h"
#include "heed/models/transformer_config.h"

namespace heed {

inline std::span<const std::string_view> names_of(TransformerKind) {
  static constexpr std::string_view names[] = {"encoder", "decoder", "encoder-decoder", "prefix"};
  return names;
}
inline std::span<const std::string_view> names_of(HeadKind) {
  static constexpr std::string_view names[] = {"next-token", "token-classes", "sentence-classes",
                                               "states"};
  return names;
}
inline std::span<const std::string_view> names_of(Pool) {
  static constexpr std::string_view names[] = {"mean", "first", "last"};
  return names;
}
inline std::span<const std::string_view> names_of(PositionKind) {
  static constexpr std::string_view names[] = {"none", "sinusoidal", "learned", "hybrid", "rotary"};
  return names;
}
inline std::span<const std::string_view> names_of(PositionMode) {
  static constexpr std::string_view names[] = {"add", "append"};
  return names;
}
inline std::span<const std::string_view> names_of(RotaryPairs) {
  static constexpr std::string_view names[] = {"adjacent", "halves"};
  return names;
}
inline std::span<const std::string_view> names_of(ScoreKind) {
  static constexpr std::string_view names[] = {"scaled-dot", "dot", "additive", "bilinear"};
  return names;
}
inline std::span<const std::string_view> names_of(NormKind) {
  static constexpr std::string_view names[] = {"layer", "rms"};
  return names;
}
inline std::span<const std::string_view> names_of(NormPlace) {
  static constexpr std::string_view names[] = {"pre", "post"};
  return names;
}
inline std::span<const std::string_view> names_of(FeedForwardKind) {
  static constexpr std::string_view names[] = {"relu", "gelu", "gelu-exact", "silu-gated"};
  return names;
}

inline std::span<const std::string_view> names_of(CellKind) {
  static constexpr std::string_view names[] = {"gru", "lstm"};
  return names;
}
inline std::span<const std::string_view> names_of(RnnAttention) {
  static constexpr std::string_view names[] = {"none", "additive", "dot", "general"};
  return names;
}

}  // namespace heed
