#include "heed/data/hold_out.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "heed/base/draw.h"
#include "heed/base/fail.h"

namespace heed {
namespace {

constexpr uint64_t kHoldOutSite = 0x686f6c64;  // "hold"

}  // namespace

Split hold_out(int64_t count, const HoldOutOptions& options) {
  check(count >= 2,
        "hold_out: a part can be held out of two items or more, there {} {}; give more data, or "
        "validation data of its own",
        count == 1 ? "is" : "are", count);
  check(options.fraction > 0 && options.fraction < 1,
        "hold_out: the fraction must be between 0 and 1, got {}", options.fraction);
  check(options.max_count >= 1, "hold_out: at least 1 item is held out, got max_count = {}",
        options.max_count);

  const auto wanted =
      static_cast<int64_t>(std::lround(options.fraction * static_cast<double>(count)));
  const int64_t held = std::clamp<int64_t>(wanted, 1, std::min(options.max_count, count - 1));

  // The items with the smallest hashes.
  std::vector<std::pair<uint64_t, int64_t>> hashes;
  hashes.reserve(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i) {
    hashes.emplace_back(hash_numbers({options.seed, static_cast<uint64_t>(i), kHoldOutSite}), i);
  }
  std::nth_element(hashes.begin(), hashes.begin() + held, hashes.end());
  const auto limit = hashes[held];

  Split split;
  split.train.reserve(static_cast<size_t>(count - held));
  for (int64_t i = 0; i < count; ++i) {
    const std::pair own{hash_numbers({options.seed, static_cast<uint64_t>(i), kHoldOutSite}), i};
    (own < limit ? split.held_out : split.train).push_back(i);
  }
  return split;
}

}  // namespace heed
