// A database that answers queries: 64 at once over a million keys of width 64, values of width 8.
//
//   exact-64x1000000    keys without any order, all of them read in one pass: keys and values have
//                       to come from memory once
//   certain-64x1000000  keys in 1000 clusters; cells are left out as long as the certified error of
//                       the answer is at most 1 % of the range of the values. Alternates with the
//                       exact answer on the same keys
#include <array>
#include <vector>

#include "bench/ceilings.h"
#include "bench/random_data.h"
#include "bench/suite.h"
#include "heed/database/database.h"

namespace heed::bench {
namespace {

constexpr int64_t kQueries = 64, kKeyWidth = 64, kValueWidth = 8, kClusters = 1000;

// Points near centers that lie far apart, one center after the other.
Tensor clustered(int64_t count, const Tensor& centers, uint64_t seed) {
  constexpr float kSpread = 0.02f;
  Tensor points = random_data({count, kKeyWidth}, seed);
  for (int64_t i = 0; i < count; ++i) {
    const float* center = centers.data<float>() + i % centers.dim(0) * kKeyWidth;
    float* point = points.data<float>() + i * kKeyWidth;
    for (int64_t c = 0; c < kKeyWidth; ++c) point[c] = center[c] + kSpread * point[c];
  }
  return points;
}

int64_t keys_of(const Effort& effort) { return effort.small_products ? 10'000 : 1'000'000; }

Row run_exact(const Effort& effort) {
  const int64_t keys = keys_of(effort);
  const Database database(random_data({keys, kKeyWidth}, 1), random_data({keys, kValueWidth}, 2));
  const Tensor q = random_data({kQueries, kKeyWidth}, 3);
  const BesideReading measured =
      measure_beside_reading({timed({.work = [&] { database.query(q); }})}, effort);
  return {.timing = measured.times[0],
          .bytes = static_cast<double>(keys * (kKeyWidth + kValueWidth) * 4),
          .pairs = static_cast<double>(kQueries * keys),
          .read_gbs = measured.read_gbs};
}

Row run_certain(const Effort& effort) {
  const int64_t keys = keys_of(effort);
  const int64_t clusters = effort.small_products ? 20 : kClusters;
  const Tensor centers = random_data({clusters, kKeyWidth}, 1);
  const Database database(clustered(keys, centers, 2), random_data({keys, kValueWidth}, 3), {},
                          {.cells = clusters});
  const Tensor q = clustered(kQueries, centers, 4);
  const DatabaseQuery exact{.score = Gaussian{Tensor::full({1}, 0.25f)}};
  DatabaseQuery certain = exact;
  certain.max_error = 0.01 * database.value_range();
  const std::vector<Timing> times =
      measure_alternating(std::array{Task{.work = [&] { database.query(q, certain); }},
                                     Task{.work = [&] { database.query(q, exact); }}},
                          effort.timing);
  return {.timing = times[0],
          .pairs = static_cast<double>(database.query(q, certain).keys_read),
          .exact = times[1]};
}

}  // namespace

Suite database_suite() {
  return {{"exact-64x1000000", run_exact}, {"certain-64x1000000", run_certain}};
}

}  // namespace heed::bench
