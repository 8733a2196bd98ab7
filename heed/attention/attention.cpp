#include "heed/attention/attention.h"

#include <cmath>
#include <utility>

#include "heed/attention/cached_problem_internal.h"
#include "heed/attention/engine_internal.h"
#include "heed/attention/prepare_internal.h"
#include "heed/base/fail_internal.h"
#include "heed/ops/reshape.h"

namespace heed {
namespace {

using engine::CoreInputs;

struct ForwardPass {
  Tensor output;  // [N, H, Dv]
  RowStatistics statistics;
  int64_t empty_rows = 0;
};

template <typename T>
ForwardPass run_forward(const engine::Problem<T>& p, const engine::BlockTable<T>& blocks) {
  const int64_t rows = p.query_rows.total();
  ForwardPass pass;
  pass.output = Tensor::empty({rows, p.heads, p.value_width}, dtype_of<T>());
  pass.statistics.max = Tensor::empty({rows, p.heads}, dtype_of<T>());
  pass.statistics.sum = Tensor::empty({rows, p.heads}, dtype_of<T>());
  engine::ForwardResult<T> result;
  if (p.normalizer == Normalizer::one_hot) {
    pass.statistics.index = Tensor::empty({rows, p.heads}, DType::i64);
    result.index = pass.statistics.index.template data<int64_t>();
  }
  result.output = engine::mutable_heads_of<T>(pass.output);
  result.max = pass.statistics.max.template data<T>();
  result.sum = pass.statistics.sum.template data<T>();
  engine::attention_forward(p, blocks, result);
  pass.empty_rows = result.empty_rows;
  return pass;
}

// Gradients in the order q, k, v, bias, parameter.
template <typename T>
std::vector<Tensor> run_backward(const engine::Prepared<T>& prepared, const Tensor& output,
                                 const RowStatistics& statistics, const Tensor& dy) {
  const engine::Problem<T>& p = prepared.problem;
  const CoreInputs& in = prepared.inputs;
  const Tensor dense_dy = dy.contiguous();
  Tensor dq, dk, dv, dbias, parameters, dparameter;
  engine::BackwardTask<T> task{
      .dy = engine::heads_of<T>(dense_dy),
      .y = engine::heads_of<T>(output),
      .max = static_cast<const Tensor&>(statistics.max).data<T>(),
      .sum = static_cast<const Tensor&>(statistics.sum).data<T>(),
      .index = statistics.index.defined() ? statistics.index.data<int64_t>() : nullptr,
      .dq = {},
      .dk = {},
      .dv = {}};
  if (in.q.requires_gradient() || in.k.requires_gradient() || in.parameter.requires_gradient()) {
    dq = Tensor::empty(in.q.shape(), dtype_of<T>());
    dk = Tensor::empty(in.k.shape(), dtype_of<T>());
    task.dq = engine::mutable_heads_of<T>(dq);
    task.dk = engine::mutable_heads_of<T>(dk);
  }
  if (in.v.requires_gradient()) {
    dv = Tensor::empty(in.v.shape(), dtype_of<T>());
    task.dv = engine::mutable_heads_of<T>(dv);
  }
  if (in.bias.requires_gradient()) {
    dbias = Tensor::zeros(in.bias.shape(), dtype_of<T>());
    task.dbias = engine::spread(dbias.data<T>(), dbias.shape());
  }
  if (in.parameter.requires_gradient()) {
    parameters = Tensor::zeros({p.score->parameter_count()}, dtype_of<T>());
    task.parameters = parameters.data<T>();
  }
  engine::attention_backward(p, task);
  if (parameters.defined()) {
    const bool shared = in.parameter.value().size() != parameters.size();  // one width for all
    if (shared) {
      T sum = 0;
      for (int64_t i = 0; i < parameters.size(); ++i) sum += task.parameters[i];
      dparameter = Tensor::full(in.parameter.shape(), sum, dtype_of<T>());
    } else {
      dparameter = parameters.reshape(in.parameter.shape());
    }
  }
  return {dq, dk, dv, dbias, dparameter};
}

template <typename T>
AttentionResult attend(const CoreInputs& inputs, const Rows& query_rows, const Rows& key_rows,
                       const AttentionOptions& options) {
  std::shared_ptr<engine::Prepared<T>> prepared =
      engine::prepare<T>(inputs, query_rows, key_rows, options);
  const engine::Problem<T>& p = prepared->problem;
  const ForwardPass pass = run_forward(p, engine::BlockTable<T>::pack(p));
  AttentionResult result;
  result.statistics = pass.statistics;
  result.empty_rows = pass.empty_rows;
  result.output =
      record(pass.output, {inputs.q, inputs.k, inputs.v, inputs.bias, inputs.parameter},
             [prepared, output = pass.output, statistics = pass.statistics](const Tensor& dy) {
               return run_backward(*prepared, output, statistics, dy);
             });
  return result;
}

template <typename T>
AttentionResult attend_cached(const CoreInputs& inputs, const KeyValueCache& cache,
                              const Rows& query_rows, std::span<const int64_t> slots,
                              const AttentionOptions& options) {
  const auto cached = engine::prepare_cached<T>(inputs, cache, query_rows, slots, options);
  const ForwardPass pass = run_forward(cached.prepared->problem, cached.blocks);
  return {pass.output, pass.statistics, pass.empty_rows};
}

}  // namespace

Tensor RowStatistics::log_sum_exp() const {
  const Tensor m = max.to(DType::f64).contiguous();
  const Tensor l = sum.to(DType::f64).contiguous();
  Tensor result = Tensor::empty(m.shape(), DType::f64);
  double* out = result.data<double>();
  for (int64_t i = 0; i < m.size(); ++i)
    out[i] = m.data<double>()[i] + std::log(l.data<double>()[i]);
  return result.to(max.dtype());
}

AttentionResult attention_with_statistics(const Variable& q, const Variable& k, const Variable& v,
                                          const Rows& query_rows, const Rows& key_rows,
                                          const AttentionOptions& options) {
  check(v.value().defined(), "attention: v is undefined");
  const CoreInputs inputs = engine::lower(q, k, v, options);
  AttentionResult result = inputs.q.value().dtype() == DType::f64
                               ? attend<double>(inputs, query_rows, key_rows, options)
                               : attend<float>(inputs, query_rows, key_rows, options);
  if (q.value().rank() == 2) result.output = join_heads(result.output);
  return result;
}

Variable attention(const Variable& q, const Variable& k, const Variable& v, const Rows& query_rows,
                   const Rows& key_rows, const AttentionOptions& options) {
  return attention_with_statistics(q, k, v, query_rows, key_rows, options).output;
}

AttentionResult attention_with_statistics(const Variable& q, const KeyValueCache& cache,
                                          const Rows& query_rows, std::span<const int64_t> slots,
                                          const AttentionOptions& options) {
  const CoreInputs inputs = engine::lower_queries(q, cache.shape().key_width, options);
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

}  // namespace heed
