// Whole numbers, rounded up.
#pragma once

#include <cstdint>

namespace heed {

// How many steps of `by` cover n.
constexpr int64_t divide_up(int64_t n, int64_t by) { return (n + by - 1) / by; }

// The least multiple of `step` that is n or more.
constexpr int64_t round_up(int64_t n, int64_t step) { return divide_up(n, step) * step; }

}  // namespace heed
