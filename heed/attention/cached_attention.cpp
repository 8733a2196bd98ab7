#include "heed/attention/cached_attention.h"

#include <utility>

#include "heed/attention/cached_problem_internal.h"
#include "heed/attention/forward_pass_internal.h"
#include "heed/attention/head_weights_internal.h"
#include "heed/attention/prepare_problem_internal.h"
#include "heed/base/fail.h"
#include "heed/ops/reshape.h"

namespace heed {
namespace {

template <typename T>
AttentionResult attend_cached(const engine::CoreInputs& inputs, const KeyValueCache& cache,
                              const Rows& query_rows, std::span<const int64_t> slots,
                              const AttentionOptions& options) {
  const auto cached = engine::prepare_cached<T>(inputs, cache, query_rows, slots, options);
  return engine::forward_pass(cached.prepared->problem, cached.blocks);
}

// The queries of a call and where their keys are.
struct Cached {
  const Tensor& q;
  const KeyValueCache& cache;
  const Rows& query_rows;
  std::span<const int64_t> slots;
};

template <typename T>
Tensor cached_weights(const Cached& in, const AttentionOptions& options,
                      const WeightSelection& selection, const RowStatistics* given) {
  const NoGrad no_grad;
  auto cached =
      engine::prepare_cached<T>(engine::lower_queries(in.q, in.cache.shape().key_width, options),
                                in.cache, in.query_rows, in.slots, options);
  cached.prepared->problem.value_width = 0;
  const WeightSelection part =
      engine::checked(selection, in.query_rows, cached.prepared->problem.heads);
  return engine::HeadWeights<T>(std::move(cached.prepared), std::move(cached.blocks), part, given)
      .all();
}

Tensor cached_weights_of_type(const Cached& in, const AttentionOptions& options,
                              const WeightSelection& selection, const RowStatistics* given) {
  return in.q.dtype() == DType::f64 ? cached_weights<double>(in, options, selection, given)
                                    : cached_weights<float>(in, options, selection, given);
}

}  // namespace

AttentionResult attention_with_statistics(const Variable& q, const KeyValueCache& cache,
                                          const Rows& query_rows, std::span<const int64_t> slots,
                                          const AttentionOptions& options) {
  const engine::CoreInputs inputs = engine::lower_queries(q, cache.shape().key_width, options);
  check(
      !will_record({&inputs.q, &inputs.bias, &inputs.parameter}),
      "attention: q, the bias or a parameter wants a gradient, which cached keys cannot give; use "
      "NoGrad, or attention() without a cache");
  AttentionResult result = inputs.q.value().dtype() == DType::f64
                               ? attend_cached<double>(inputs, cache, query_rows, slots, options)
                               : attend_cached<float>(inputs, cache, query_rows, slots, options);
  if (q.value().rank() == 2) result.output = join_heads(result.output);
  return result;
}

Tensor attention(const Variable& q, const KeyValueCache& cache, const Rows& query_rows,
                 std::span<const int64_t> slots, const AttentionOptions& options) {
  return attention_with_statistics(q, cache, query_rows, slots, options).output;
}

Tensor attention_weights(const Tensor& q, const KeyValueCache& cache, const Rows& query_rows,
                         std::span<const int64_t> slots, const AttentionOptions& options,
                         const WeightSelection& selection) {
  return cached_weights_of_type({q, cache, query_rows, slots}, options, selection, nullptr);
}

Tensor attention_weights(const Tensor& q, const KeyValueCache& cache, const Rows& query_rows,
                         std::span<const int64_t> slots, const AttentionOptions& options,
                         const WeightSelection& selection, const RowStatistics& statistics) {
  return cached_weights_of_type({q, cache, query_rows, slots}, options, selection, &statistics);
}

}  // namespace heed
