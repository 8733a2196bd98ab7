#include "heed/tuning/reinforce.h"

#include "heed/tuning/small_loss_internal.h"

namespace heed {

Variable reinforce(const Variable& log_probabilities, std::span<const double> advantages,
                   int64_t count) {
  const std::vector<double> logs = numbers_of(log_probabilities, "reinforce: log-probabilities");
  require_as_many(advantages.size(), logs.size(), "reinforce: advantages");
  const double n = divisor(count, logs.size());
  double loss = 0;
  std::vector<double> d(logs.size());
  for (size_t t = 0; t < logs.size(); ++t) {
    loss -= advantages[t] * logs[t] / n;
    d[t] = -advantages[t] / n;
  }
  return record_loss(loss, log_probabilities, std::move(d));
}

std::vector<double> leave_one_out(std::span<const double> returns, int64_t group) {
  check(group >= 2 && static_cast<int64_t>(returns.size()) % group == 0,
        "leave_one_out: {} returns cannot be groups of {}; a group has at least 2", returns.size(),
        group);
  std::vector<double> advantages;
  const auto K = static_cast<size_t>(group);
  for (size_t begin = 0; begin < returns.size(); begin += K) {
    double sum = 0;
    for (size_t i = begin; i < begin + K; ++i) sum += returns[i];
    for (size_t i = begin; i < begin + K; ++i) {
      const double others = (sum - returns[i]) / static_cast<double>(K - 1);
      advantages.push_back(returns[i] - others);
    }
  }
  return advantages;
}

}  // namespace heed
