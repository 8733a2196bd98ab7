#include "bench/random_data.h"

#include <algorithm>

#include "heed/base/parallel.h"
#include "heed/base/random.h"

namespace heed::bench {

Tensor random_data(const Shape& shape, uint64_t seed) {
  constexpr int64_t kPiece = 1 << 16;
  Tensor result = Tensor::empty(shape);
  float* out = result.data<float>();
  const int64_t size = result.size();
  const int64_t pieces = (size + kPiece - 1) / kPiece;
  parallel_for(pieces, static_cast<double>(size), [&](int64_t piece) {
    const RandomKey key = random_key({.seed = seed, .position = static_cast<uint64_t>(piece)});
    const int64_t begin = piece * kPiece;
    const int64_t count = std::min(kPiece, size - begin);
    for (int64_t i = 0; i < count; ++i) {
      out[begin + i] = 2 * random_uniform(key, static_cast<uint32_t>(i)) - 1;
    }
  });
  return result;
}

Tensor random_ids(int64_t count, int64_t limit, uint64_t seed) {
  Tensor result = Tensor::empty({count}, DType::i64);
  auto* out = result.data<int64_t>();
  for (int64_t i = 0; i < count; ++i) {
    const RandomKey key = random_key({.seed = seed, .position = static_cast<uint64_t>(i)});
    out[i] = static_cast<int64_t>(random_bits(key, 0)) % limit;
  }
  return result;
}

}  // namespace heed::bench
