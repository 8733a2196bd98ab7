#include "heed/tuning/ppo_clip.h"

#include "heed/tuning/small_loss_internal.h"

namespace heed {
namespace {

bool is_clipped(double ratio, double advantage, double range) {
  return advantage > 0 ? ratio > 1 + range : ratio < 1 - range;
}

}  // namespace

Variable ppo_clip(const Variable& log_probabilities, std::span<const double> old,
                  std::span<const double> advantages, const PpoClipOptions& options) {
  const std::vector<double> logs = numbers_of(log_probabilities, "ppo_clip: log-probabilities");
  require_as_many(old.size(), logs.size(), "ppo_clip: old log-probabilities");
  require_as_many(advantages.size(), logs.size(), "ppo_clip: advantages");
  check(options.range >= 0, "ppo_clip: a range of {}, expected 0 or more", options.range);
  const double n = divisor(options.count, logs.size());
  double loss = 0;
  std::vector<double> d(logs.size());
  for (size_t t = 0; t < logs.size(); ++t) {
    const double ratio = std::exp(logs[t] - old[t]);
    if (is_clipped(ratio, advantages[t], options.range)) {
      const double limit = advantages[t] > 0 ? 1 + options.range : 1 - options.range;
      loss -= limit * advantages[t] / n;
    } else {
      loss -= ratio * advantages[t] / n;
      d[t] = -(ratio * advantages[t]) / n;
    }
  }
  return record_loss(loss, log_probabilities, std::move(d));
}

double clipped_share(const Tensor& log_probabilities, std::span<const double> old,
                     std::span<const double> advantages, double range) {
  const std::vector<double> logs = numbers_of(log_probabilities, "clipped_share");
  require_as_many(old.size(), logs.size(), "clipped_share: old log-probabilities");
  require_as_many(advantages.size(), logs.size(), "clipped_share: advantages");
  double clipped = 0;
  for (size_t t = 0; t < logs.size(); ++t) {
    clipped += is_clipped(std::exp(logs[t] - old[t]), advantages[t], range) ? 1 : 0;
  }
  return logs.empty() ? 0 : clipped / static_cast<double>(logs.size());
}

}  // namespace heed
