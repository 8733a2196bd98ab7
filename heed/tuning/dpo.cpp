#include "heed/tuning/dpo.h"

#include "heed/ops/add.h"
#include "heed/ops/scale.h"
#include "heed/tuning/plackett_luce.h"
#include "heed/tuning/small_loss_internal.h"

namespace heed {

Variable dpo(const Variable& log_probabilities, std::span<const double> reference,
             std::span<const int64_t> sizes, const DpoOptions& options) {
  const Tensor& logs = log_probabilities;
  require_as_many(reference.size(), static_cast<size_t>(logs.size()), "dpo: reference");
  check(options.beta > 0, "dpo: beta is {}, expected more than 0", options.beta);
  std::vector<double> negative(reference.begin(), reference.end());
  for (double& q : negative) q = -q;
  const Variable above = add(log_probabilities, tensor_of(negative, logs.dtype()));
  return plackett_luce(scale(above, options.beta), sizes, options.count);
}

}  // namespace heed
