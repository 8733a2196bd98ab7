// The names of a decoder's parameters in heed: "decoder.3.attention.qkv.weight".
#pragma once

#include <string>

namespace heed {

struct DecoderNames {
  static std::string layer(int64_t index, const char* part) {
    return "decoder." + std::to_string(index) + "." + part;
  }
  static constexpr char kTable[] = "tokens.table";
  static constexpr char kPositions[] = "decoder.positions.table";
  static constexpr char kNormGain[] = "decoder.norm.gain";
  static constexpr char kNormShift[] = "decoder.norm.shift";
  static constexpr char kOutput[] = "output.weight";
};

}  // namespace heed
