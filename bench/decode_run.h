// One attention layer of a model that generates: a cache of S keys for each of B sequences.
#pragma once

#include <cstdint>
#include <vector>

#include "bench/attention_run.h"
#include "heed/attention/key_value_cache.h"

namespace heed::bench {

class DecodeRun {
 public:
  explicit DecodeRun(const AttentionShape& shape);

  void rewind();   // to one key less than S
  void forward();  // appends key S of every sequence; its query sees all

 private:
  AttentionShape shape_;
  Rows rows_;
  Tensor q_, k_, v_;  // [B, H, D]
  KeyValueCache cache_;
  std::vector<int64_t> slots_;
};

}  // namespace heed::bench
