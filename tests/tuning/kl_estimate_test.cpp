#include "heed/tuning/kl_estimate.h"

#include <gtest/gtest.h>

#include <cmath>

#include "heed/base/error.h"
#include "tests/ops/gradient_check.h"

namespace heed::kl_estimate_test {
namespace {

constexpr KlEstimator kAll[] = {KlEstimator::k1, KlEstimator::k2, KlEstimator::k3};

// E_p of k1 and k3 over all outcomes is the KL itself.
TEST(KlEstimate, Expectation) {
  const double p[] = {0.5, 0.3, 0.2}, q[] = {0.2, 0.2, 0.6};
  double kl = 0, k1 = 0, k3 = 0;
  for (int i = 0; i < 3; ++i) {
    kl += p[i] * std::log(p[i] / q[i]);
    k1 += p[i] * kl_estimate(std::log(p[i]), std::log(q[i]), KlEstimator::k1);
    k3 += p[i] * kl_estimate(std::log(p[i]), std::log(q[i]), KlEstimator::k3);
    EXPECT_GE(kl_estimate(std::log(p[i]), std::log(q[i]), KlEstimator::k3), 0);
  }
  EXPECT_NEAR(k1, kl, 1e-12);
  EXPECT_NEAR(k3, kl, 1e-12);
}

TEST(KlEstimate, ZeroWhereNothingMoved) {
  for (const KlEstimator kind : kAll) EXPECT_EQ(kl_estimate(-1.7, -1.7, kind), 0);
}

TEST(KlEstimate, Gradients) {
  const std::vector<double> reference = {-1, -0.2, -3, -0.7};
  for (const KlEstimator kind : kAll) {
    check_gradients([&](const Inputs& in) { return kl_estimate(in[0], reference, kind, 3); },
                    {random_tensor({4}, 1, DType::f64, -2, 0)});
  }
}

}  // namespace
}  // namespace heed::kl_estimate_test
