// Random rows, spread over all of them.
#pragma once

#include <cstdint>
#include <vector>

namespace heed {

// One index of each of `count` parts of 0 .. n - 1, drawn at random, ascending; count <= n.
// (Numbers at equal distances would miss groups where the order of the rows repeats itself.)
std::vector<int64_t> stratified_sample(int64_t n, int64_t count, uint64_t seed, uint64_t site);

}  // namespace heed
