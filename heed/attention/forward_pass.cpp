#include "heed/attention/engine_internal.h"
#include "heed/attention/forward_pass_internal.h"
#include "heed/attention/prepare_problem_internal.h"

namespace heed::engine {

template <typename T>
AttentionResult forward_pass(const Problem<T>& p, const BlockTable<T>& blocks) {
  const int64_t rows = p.query_rows.total();
  Tensor output = Tensor::empty({rows, p.heads, p.value_width}, dtype_of<T>());
  RowStatistics statistics;
  statistics.max = Tensor::empty({rows, p.heads}, dtype_of<T>());
  statistics.sum = Tensor::empty({rows, p.heads}, dtype_of<T>());
  ForwardResult<T> result;
  if (p.normalizer == Normalizer::one_hot) {
    statistics.index = Tensor::empty({rows, p.heads}, DType::i64);
    result.index = statistics.index.template data<int64_t>();
  }
  result.output = mutable_heads_of<T>(output);
  result.max = statistics.max.template data<T>();
  result.sum = statistics.sum.template data<T>();
  attention_forward(p, blocks, result);
  return {output, statistics, result.empty_rows};
}

template AttentionResult forward_pass(const Problem<float>&, const BlockTable<float>&);
template AttentionResult forward_pass(const Problem<double>&, const BlockTable<double>&);

}  // namespace heed::engine
