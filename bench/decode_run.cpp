#include "bench/decode_run.h"

#include "bench/random_data.h"
#include "heed/attention/cached_attention.h"

namespace heed::bench {

DecodeRun::DecodeRun(const AttentionShape& shape)
    : shape_(shape),
      rows_(Rows::from_lengths(std::vector<int64_t>(static_cast<size_t>(shape.B), 1))),
      q_(random_data({shape.B, shape.H, shape.D}, 1)),
      k_(random_data({shape.B, shape.H, shape.D}, 2)),
      v_(random_data({shape.B, shape.H, shape.D}, 3)),
      cache_({.kv_heads = shape.H, .key_width = shape.D, .value_width = shape.D}) {
  const int64_t before = shape.S - 1;
  const Tensor keys = random_data({before, shape.H, shape.D}, 4);
  const Tensor values = random_data({before, shape.H, shape.D}, 5);
  for (int64_t b = 0; b < shape.B; ++b) {
    slots_.push_back(cache_.add_sequence());
    cache_.append(keys, values, Rows::single(before), {&slots_.back(), 1});
  }
}

void DecodeRun::rewind() {
  for (const int64_t slot : slots_) {
    if (cache_.length(slot) == shape_.S) cache_.truncate(slot, shape_.S - 1);
  }
}

void DecodeRun::forward() {
  cache_.append(k_, v_, rows_, slots_);
  attention(q_, cache_, rows_, slots_, {.mask = Mask::causal()});
}

}  // namespace heed::bench
