// How the operations of attention are counted, whatever an implementation really does.
#pragma once

#include "bench/attention_run.h"

namespace heed::bench {

// Forward two products of 2 H T S D each; backward five, so 3.5 times as much in all; the causal
// mask leaves half of it. The exponentials are not counted.
inline double attention_flops(const AttentionShape& shape, bool causal, bool backward) {
  const auto pairs = static_cast<double>(shape.B * shape.H) * static_cast<double>(shape.T) *
                     static_cast<double>(shape.S);
  return 4 * pairs * static_cast<double>(shape.D) * (backward ? 3.5 : 1) * (causal ? 0.5 : 1);
}

}  // namespace heed::bench
