#include "bench/attention_run.h"

#include <vector>

#include "bench/loss_with_gradient.h"
#include "bench/random_data.h"
#include "heed/tensor/storage.h"

namespace heed::bench {
namespace {

Rows equal_rows(int64_t sequences, int64_t length) {
  return Rows::from_lengths(std::vector<int64_t>(static_cast<size_t>(sequences), length));
}

}  // namespace

AttentionRun::AttentionRun(const AttentionShape& shape, AttentionOptions options)
    : query_rows_(equal_rows(shape.B, shape.T)),
      key_rows_(equal_rows(shape.B, shape.S)),
      q_(Variable::parameter(random_data({shape.B * shape.T, shape.H, shape.D}, 1))),
      k_(Variable::parameter(random_data({shape.B * shape.S, shape.H, shape.D}, 2))),
      v_(Variable::parameter(random_data({shape.B * shape.S, shape.H, shape.D}, 3))),
      dy_(random_data({shape.B * shape.T, shape.H, shape.D}, 4)),
      options_(std::move(options)) {}

AttentionRun::Outputs AttentionRun::compute(bool backward) const {
  if (!backward) {
    const NoGrad no_grad;
    return {attention(q_, k_, v_, query_rows_, key_rows_, options_), {}};
  }
  const Variable y = attention(q_, k_, v_, query_rows_, key_rows_, options_);
  return {y, heed::backward(loss_with_gradient(y, dy_))};
}

void AttentionRun::forward() const { compute(false); }
void AttentionRun::forward_backward() const { compute(true); }

int64_t AttentionRun::extra_bytes(bool backward) const {
  pool_reset_peak();
  const Outputs outputs = compute(backward);
  const PoolUse use = pool_use();
  return static_cast<int64_t>(use.peak - use.used);
}

int64_t AttentionRun::input_bytes() const {
  return 4 * (q_.value().size() + k_.value().size() + v_.value().size() + dy_.size());
}

}  // namespace heed::bench
