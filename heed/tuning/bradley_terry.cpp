#include "heed/tuning/bradley_terry.h"

#include "heed/tuning/small_loss_internal.h"

namespace heed {

Variable bradley_terry(const Variable& scores, std::span<const PreferredPair> pairs,
                       int64_t count) {
  const std::vector<double> s = numbers_of(scores, "bradley_terry: scores");
  const auto size = static_cast<int64_t>(s.size());
  const double n = divisor(count, pairs.size());
  double loss = 0;
  std::vector<double> ds(s.size());
  for (const PreferredPair& pair : pairs) {
    check(pair.better >= 0 && pair.better < size && pair.worse >= 0 && pair.worse < size &&
              pair.better != pair.worse,
          "bradley_terry: a pair of {} and {}, but there are {} scores", pair.better, pair.worse,
          size);
    const auto better = static_cast<size_t>(pair.better), worse = static_cast<size_t>(pair.worse);
    const double behind = s[worse] - s[better];
    // - log sigmoid(-x) = log(1 + exp(x)), whose derivative is sigmoid(x)
    loss += softplus(behind) / n;
    ds[better] -= logistic(behind) / n;
    ds[worse] += logistic(behind) / n;
  }
  return record_loss(loss, scores, std::move(ds));
}

}  // namespace heed
