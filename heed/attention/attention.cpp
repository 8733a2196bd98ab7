#include "heed/attention/attention.h"

#include <memory>
#include <vector>

#include "heed/attention/engine_internal.h"
#include "heed/attention/forward_pass_internal.h"
#include "heed/attention/prepare_problem_internal.h"
#include "heed/base/fail.h"
#include "heed/ops/reshape.h"

namespace heed {
namespace {

using engine::CoreInputs;

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
  AttentionResult result = engine::forward_pass(p, engine::BlockTable<T>::pack(p));
  const Tensor y = result.output.value();
  result.output = record(y, {inputs.q, inputs.k, inputs.v, inputs.bias, inputs.parameter},
                         [prepared, y, statistics = result.statistics](const Tensor& dy) {
                           return run_backward(*prepared, y, statistics, dy);
                         });
  return result;
}

}  // namespace

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

}  // namespace heed
