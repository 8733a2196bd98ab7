// One attention layer to time: inputs, and a run forward or forward and backward.
#pragma once

#include <cstdint>

#include "heed/attention/attention.h"

namespace heed::bench {

struct AttentionShape {
  int64_t B = 1;  // sequences, all alike
  int64_t T = 1;  // queries of each
  int64_t S = 1;  // keys of each
  int64_t H = 8;
  int64_t D = 64;
};

class AttentionRun {
 public:
  explicit AttentionRun(const AttentionShape& shape, AttentionOptions options = {});

  void forward() const;  // nothing is recorded
  void forward_backward() const;

  // The most memory of the storage pool that a run has in use beyond its inputs and its outputs (y,
  // and for backward dq, dk and dv).
  int64_t extra_bytes(bool backward) const;

  int64_t input_bytes() const;  // q, k, v and dy

 private:
  // The outputs stay alive as long as this.
  struct Outputs {
    Variable y;
    Gradients gradients;
  };
  Outputs compute(bool backward) const;

  Rows query_rows_, key_rows_;
  Variable q_, k_, v_;  // [B T, H, D], [B S, H, D] twice
  Tensor dy_;           // [B T, H, D]
  AttentionOptions options_;
};

}  // namespace heed::bench
