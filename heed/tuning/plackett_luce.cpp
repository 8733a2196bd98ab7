#include "heed/tuning/plackett_luce.h"

#include <algorithm>
#include <numeric>

#include "heed/tuning/small_loss_internal.h"

namespace heed {

Variable plackett_luce(const Variable& scores, std::span<const int64_t> sizes, int64_t count) {
  const std::vector<double> s = numbers_of(scores, "plackett_luce: scores");
  require_as_many(s.size(), static_cast<size_t>(std::accumulate(sizes.begin(), sizes.end(), 0LL)),
                  "plackett_luce: scores");
  const double n = divisor(count, sizes.size());
  double loss = 0;
  std::vector<double> ds(s.size());
  size_t begin = 0;
  for (const int64_t size : sizes) {
    check(size >= 2, "plackett_luce: a ranking needs at least 2 answers, got {}", size);
    const size_t end = begin + static_cast<size_t>(size);
    for (size_t k = begin; k + 1 < end; ++k) {
      const double m = *std::max_element(s.begin() + static_cast<std::ptrdiff_t>(k),
                                         s.begin() + static_cast<std::ptrdiff_t>(end));
      double sum = 0;
      for (size_t j = k; j < end; ++j) sum += std::exp(s[j] - m);
      loss += (m + std::log(sum) - s[k]) / n;
      ds[k] -= 1 / n;
      for (size_t j = k; j < end; ++j) ds[j] += std::exp(s[j] - m) / sum / n;
    }
    begin = end;
  }
  return record_loss(loss, scores, std::move(ds));
}

}  // namespace heed
