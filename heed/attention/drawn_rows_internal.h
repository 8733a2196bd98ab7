// Rows drawn by chance, spread over all of them.
#pragma once

#include <cstdint>
#include <vector>

namespace heed {

struct DrawSite {
  uint64_t seed, site;
};

// One of each of `count` pieces of 0 .. n - 1, by chance, ascending; count <= n. (Numbers at equal
// distances would miss whole groups where the order of the rows repeats itself.)
std::vector<int64_t> drawn_from_pieces(int64_t n, int64_t count, const DrawSite& at);

}  // namespace heed
