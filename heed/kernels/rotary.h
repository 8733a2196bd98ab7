// The rotation of one row of heads: the float32 fast path of ops/rotary.h, which has the formula.
// One thread.
#pragma once

#include <cstdint>

namespace heed::kernels {

// How the numbers of a head are paired: (0, 1), (2, 3), .. or (0, P), (1, P + 1), ..
enum class Pairs : uint8_t { adjacent, halves };

// x and y are [H, D]; the first 2 P of each head are rotated, the others copied. A pair (a, b)
// becomes (a cos - b sin, b cos + a sin), with sin multiplied by `direction`, 1 or -1.
struct RotaryRow {
  int64_t H, D, P;
  int64_t x_stride;  // between heads of x; those of y are adjacent
  Pairs pairs;
  float direction;
};

void rotary_row(const RotaryRow& row, const float* x, const float* cosine, const float* sine,
                float* y);

}  // namespace heed::kernels
