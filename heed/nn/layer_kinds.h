// What the layers of a transformer may be.
#pragma once

#include <cstdint>

namespace heed {

enum class PositionKind : uint8_t { none, sinusoidal, learned, hybrid, rotary };
enum class PositionMode : uint8_t { add, append };
enum class ScoreKind : uint8_t { scaled_dot, dot, additive, bilinear };
enum class NormPlace : uint8_t { pre, post };
enum class NormKind : uint8_t { layer, rms };
enum class FeedForwardKind : uint8_t { relu, gelu, gelu_exact, silu_gated };

}  // namespace heed
