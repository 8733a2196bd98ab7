#include "heed/textbook/self_share.h"

#include "heed/base/fail.h"
#include "heed/textbook/experiment_internal.h"

namespace heed {

SelfShare self_share(const Tensor& embeddings) {
  check(embeddings.defined() && embeddings.rank() == 2 && embeddings.dim(0) > 0,
        "self share: x must be [n, d] with at least one row, got {}", embeddings);
  const Tensor x = embeddings.to(DType::f64).contiguous();
  const int64_t n = x.dim(0);
  const Pooled all = pool(x, x, x, {.score = Dot{}});
  const Pooled others = pool(x, x, x, {.score = Dot{}, .mask = Mask::exclude_self()});
  SelfShare result{all.weights, others.weights, all.output, others.output};
  const std::vector<double> weights = numbers_of(all.weights);
  for (int64_t i = 0; i < n; ++i) {
    result.share += weights[i * n + i] / static_cast<double>(n);
  }
  result.dot_products = n * n;
  return result;
}

}  // namespace heed
