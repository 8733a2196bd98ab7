#include "heed/textbook/masked_softmax.h"

#include <vector>

#include "heed/base/fail.h"
#include "heed/ops/softmax.h"
#include "heed/textbook/experiment_internal.h"

namespace heed {
namespace {

void require_lengths(const Tensor& scores, std::span<const int64_t> lengths) {
  check(scores.defined() && scores.rank() == 2, "masked softmax: scores must be [n, m], got {}",
        scores);
  check(static_cast<int64_t>(lengths.size()) == scores.dim(0),
        "masked softmax: {} lengths for {} rows; one each is needed", lengths.size(),
        scores.dim(0));
  for (const int64_t length : lengths) {
    check(length >= 0 && length <= scores.dim(1),
          "masked softmax: length {} of rows with {} columns; 0 to {} is possible", length,
          scores.dim(1), scores.dim(1));
  }
}

}  // namespace

// Key j is the unit vector e_j and the query the row of scores, so that q . k_j = s_j.
Tensor masked_softmax(const Tensor& scores, std::span<const int64_t> lengths) {
  require_lengths(scores, lengths);
  const int64_t n = scores.dim(0);
  const int64_t m = scores.dim(1);
  Tensor unit = Tensor::zeros({m, m}, DType::f64);
  for (int64_t j = 0; j < m; ++j) unit.data<double>()[j * m + j] = 1;
  const Tensor per_query =
      Tensor::from(std::vector<int64_t>(lengths.begin(), lengths.end()), {n});  // [N]
  // Masked scores may be anything, infinite too; they must not enter the dot products of others.
  Tensor q = scores.to(DType::f64).clone();
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = lengths[i]; j < m; ++j) q.data<double>()[i * m + j] = 0;
  }
  return attention_weights(q, unit, Rows::single(n), Rows::single(m),
                           {.score = Dot{}, .mask = Mask::key_lengths_per_query(per_query)});
}

Tensor softmax_masked_by_constant(const Tensor& scores, std::span<const int64_t> lengths,
                                  double constant) {
  require_lengths(scores, lengths);
  const int64_t m = scores.dim(1);
  Tensor masked = scores.to(DType::f64).clone();
  for (int64_t i = 0; i < scores.dim(0); ++i) {
    for (int64_t j = lengths[i]; j < m; ++j) {
      masked.data<double>()[i * m + j] = constant;
    }
  }
  return softmax(masked).value();
}

}  // namespace heed
