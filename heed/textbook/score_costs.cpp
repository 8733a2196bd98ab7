#include "heed/textbook/score_costs.h"

#include <algorithm>

#include "heed/base/fail.h"

namespace heed {

ScoreCosts score_costs(const ScoreSizes& sizes) {
  const auto [queries, keys, query_width, key_width, hidden] = sizes;
  for (const int64_t size : {queries, keys, query_width, key_width, hidden}) {
    check(size > 0 && size <= 100000, "score costs: sizes are from 1 to 100000, got {}", size);
  }
  const int64_t pairs = queries * keys;
  return {.scaled_dot = {pairs * key_width, 0},
          .additive = {hidden * (queries * query_width + keys * key_width) + pairs * hidden,
                       pairs * hidden},
          .pairwise_mlp = {pairs * hidden * (query_width + key_width) + pairs * hidden,
                           pairs * hidden}};
}

}  // namespace heed
