// Combinations of options such that every pair of values of two options occurs together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "heed/base/random.h"

namespace heed {

// counts[f]: how many values option f has. Greedy: of some random combinations that begin with a
// missing pair, the one with the most missing pairs is taken.
inline std::vector<std::vector<int>> covering_pairs(const std::vector<int>& counts, uint64_t seed) {
  struct Pair {
    size_t f, g;
    int x, y;
  };
  std::vector<Pair> missing;
  for (size_t f = 0; f < counts.size(); ++f) {
    for (size_t g = f + 1; g < counts.size(); ++g) {
      for (int x = 0; x < counts[f]; ++x) {
        for (int y = 0; y < counts[g]; ++y) missing.push_back({f, g, x, y});
      }
    }
  }
  uint64_t draws = 0;
  const auto draw = [&](int below) {
    const RandomKey key = random_key({.seed = seed, .position = draws++});
    return static_cast<int>(random_bits(key, 0) % static_cast<uint32_t>(below));
  };
  const auto holds = [](const Pair& p, const std::vector<int>& picks) {
    return picks[p.f] == p.x && picks[p.g] == p.y;
  };
  std::vector<std::vector<int>> result;
  while (!missing.empty()) {
    std::vector<int> best;
    size_t max = 0;
    for (int attempt = 0; attempt < 40; ++attempt) {
      std::vector<int> picks;
      for (int count : counts) picks.push_back(draw(count));
      picks[missing[0].f] = missing[0].x;
      picks[missing[0].g] = missing[0].y;
      size_t found = 0;
      for (const Pair& p : missing) found += holds(p, picks) ? 1 : 0;
      if (found > max) {
        max = found;
        best = picks;
      }
    }
    std::erase_if(missing, [&](const Pair& p) { return holds(p, best); });
    result.push_back(best);
  }
  return result;
}

}  // namespace heed
