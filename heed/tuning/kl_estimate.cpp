#include "heed/tuning/kl_estimate.h"

#include "heed/tuning/small_loss_internal.h"

namespace heed {
namespace {

// The derivative with respect to log p.
double slope(double d, KlEstimator kind) {
  switch (kind) {
    case KlEstimator::k1: return 1;
    case KlEstimator::k2: return -d;
    case KlEstimator::k3: break;
  }
  return -std::expm1(d);
}

}  // namespace

double kl_estimate(double log_p, double log_q, KlEstimator kind) {
  const double d = log_q - log_p;
  switch (kind) {
    case KlEstimator::k1: return log_p - log_q;
    case KlEstimator::k2: return d * d / 2;
    case KlEstimator::k3: break;
  }
  return std::expm1(d) - d;
}

Variable kl_estimate(const Variable& log_p, std::span<const double> log_q, KlEstimator kind,
                     int64_t count) {
  const std::vector<double> p = numbers_of(log_p, "kl_estimate: log-probabilities");
  require_as_many(log_q.size(), p.size(), "kl_estimate: reference");
  const double n = divisor(count, p.size());
  double sum = 0;
  std::vector<double> d(p.size());
  for (size_t t = 0; t < p.size(); ++t) {
    sum += kl_estimate(p[t], log_q[t], kind) / n;
    d[t] = slope(log_q[t] - p[t], kind) / n;
  }
  return record_loss(sum, log_p, std::move(d));
}

}  // namespace heed
