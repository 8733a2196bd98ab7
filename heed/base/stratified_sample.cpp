#include "heed/base/stratified_sample.h"

#include "heed/base/random.h"

namespace heed {

std::vector<int64_t> stratified_sample(int64_t n, int64_t count, uint64_t seed, uint64_t site) {
  const RandomKey draw = random_key({.seed = seed, .site = site});
  std::vector<int64_t> result;
  result.reserve(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i) {
    const int64_t begin = i * n / count;
    const int64_t end = (i + 1) * n / count;
    result.push_back(begin + random_bits(draw, static_cast<uint32_t>(i)) % (end - begin));
  }
  return result;
}

}  // namespace heed
