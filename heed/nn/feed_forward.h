// The position-wise feed-forward network of a block: one hidden layer.
//
//   plain   y = f(x W_1 + b_1) W_2 + b_2
//   gated   y = (silu(x W_g) * (x W_1)) W_2        (Shazeer 2020)
#pragma once

#include "heed/base/export.h"
#include "heed/nn/layer_kinds.h"
#include "heed/nn/linear.h"

namespace heed {

struct FeedForwardOptions {
  FeedForwardKind kind = FeedForwardKind::relu;
  bool bias = true;
};

class HEED_API FeedForward {
 public:
  FeedForward() = default;
  FeedForward(const ParameterScope& scope, int64_t width, int64_t hidden,
              const FeedForwardOptions& options = {});

  Variable operator()(const Variable& x) const;  // [N, C] -> [N, C]

  Linear inner;  // [C, F]; gated: [C, 2 F], the gate first
  Linear outer;  // [F, C]

 private:
  int64_t hidden_ = 0;
  bool gated_ = false;
};

}  // namespace heed
