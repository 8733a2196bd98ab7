#include "heed/attention/weights.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "heed/attention/engine_internal.h"
#include "heed/attention/prepare_internal.h"
#include "heed/base/fail_internal.h"

namespace heed {
namespace {

WeightSelection checked(WeightSelection selection, const Rows& query_rows, int64_t heads) {
  check(selection.sequence >= 0 && selection.sequence < query_rows.count(),
        "attention weights: sequence {} of {}", selection.sequence, query_rows.count());
  check(selection.head >= 0 && selection.head < heads, "attention weights: head {} of {}",
        selection.head, heads);
  const int64_t length = query_rows.length(selection.sequence);
  if (selection.rows < 0) selection.rows = length - selection.first_row;
  check(selection.first_row >= 0 && selection.rows >= 0 &&
            selection.rows <= length - selection.first_row,
        "attention weights: {} rows from row {} of a sequence of {}", selection.rows,
        selection.first_row, length);
  return selection;
}

// Of the selected rows only: a question about few rows costs few rows.
template <typename T>
RowStatistics statistics_of(const engine::Problem<T>& whole, const engine::BlockTable<T>& blocks,
                            const WeightSelection& selection) {
  RowStatistics statistics;
  const int64_t total = whole.query_rows.total();
  statistics.max = Tensor::empty({total, whole.heads}, dtype_of<T>());
  statistics.sum = Tensor::empty({total, whole.heads}, dtype_of<T>());
  engine::ForwardResult<T> result;
  result.max = statistics.max.template data<T>();
  result.sum = statistics.sum.template data<T>();
  if (whole.normalizer == Normalizer::one_hot) {
    statistics.index = Tensor::empty({total, whole.heads}, DType::i64);
    result.index = statistics.index.template data<int64_t>();
  }
  engine::attention_forward_rows(
      whole, blocks, {selection.sequence, selection.head, selection.first_row, selection.rows},
      result);
  return statistics;
}

template <typename T>
RowStatistics checked_statistics(const RowStatistics& given, const engine::Problem<T>& p) {
  const Shape expected{p.query_rows.total(), p.heads};
  for (const Tensor& x : {given.max, given.sum}) {
    check(x.defined() && x.shape() == expected && x.dtype() == dtype_of<T>(),
          "attention weights: the statistics are {}, expected {} {}", x.text(), name(dtype_of<T>()),
          expected.text());
  }
  const RowStatistics result{given.max.contiguous(), given.sum.contiguous(), {}};
  if (p.normalizer != Normalizer::one_hot) return result;
  const Tensor& index = given.index;
  check(index.defined() && index.shape() == expected && index.dtype() == DType::i64,
        "attention weights: one_hot needs the index among the statistics, int64 {}, got {}",
        expected.text(), index.text());
  return {result.max, result.sum, index.contiguous()};
}

template <typename T>
Tensor weights(const Tensor& q, const Tensor& k, const Rows& query_rows, const Rows& key_rows,
               const AttentionOptions& options, const WeightSelection& selection,
               const RowStatistics* given) {
  const NoGrad no_grad;
  const engine::CoreInputs inputs = engine::lower(q, k, {}, options);
  const auto prepared = engine::prepare<T>(inputs, query_rows, key_rows, options);
  const engine::Problem<T>& p = prepared->problem;
  const WeightSelection part = checked(selection, query_rows, p.heads);
  const auto blocks = engine::BlockTable<T>::pack_one(p, part.sequence, part.head / p.group());
  RowStatistics statistics;
  if (given != nullptr) {
    statistics = checked_statistics(*given, p);
  } else {
    statistics = statistics_of(p, blocks, part);
  }
  const int64_t keys = key_rows.length(part.sequence);
  Tensor result = Tensor::empty({part.rows, keys}, dtype_of<T>());
  engine::attention_weights<T>(
      p, blocks,
      {.sequence = part.sequence,
       .head = part.head,
       .first = part.first_row,
       .rows = part.rows,
       .max = static_cast<const Tensor&>(statistics.max).data<T>(),
       .sum = static_cast<const Tensor&>(statistics.sum).data<T>(),
       .index = statistics.index.defined()
                    ? static_cast<const Tensor&>(statistics.index).data<int64_t>()
                    : nullptr,
       .weights = result.data<T>()});
  return result;
}

Tensor weights_of_type(const Tensor& q, const Tensor& k, const Rows& query_rows,
                       const Rows& key_rows, const AttentionOptions& options,
                       const WeightSelection& selection, const RowStatistics* given) {
  return q.dtype() == DType::f64
             ? weights<double>(q, k, query_rows, key_rows, options, selection, given)
             : weights<float>(q, k, query_rows, key_rows, options, selection, given);
}

template <typename T>
TopWeights top_of(const Tensor& all, int64_t top) {
  const int64_t rows = all.dim(0);
  const int64_t keys = all.dim(1);
  TopWeights result{Tensor::zeros({rows, top}, all.dtype()),
                    Tensor::full({rows, top}, -1, DType::i64)};
  std::vector<int64_t> order;
  for (int64_t i = 0; i < rows; ++i) {
    const T* w = all.data<T>() + i * keys;
    order.clear();
    for (int64_t j = 0; j < keys; ++j) {
      if (w[j] != 0) order.push_back(j);
    }
    const int64_t count = std::min(top, static_cast<int64_t>(order.size()));
    // NaN first: it must not go unseen, and the order must be one.
    std::partial_sort(order.begin(), order.begin() + count, order.end(), [&](int64_t a, int64_t b) {
      if (std::isnan(w[a]) || std::isnan(w[b])) {
        return std::isnan(w[a]) && (!std::isnan(w[b]) || a < b);
      }
      return w[a] != w[b] ? w[a] > w[b] : a < b;
    });
    for (int64_t j = 0; j < count; ++j) {
      const int64_t key = order[static_cast<size_t>(j)];
      result.weights.data<T>()[i * top + j] = w[key];
      result.keys.data<int64_t>()[i * top + j] = key;
    }
  }
  return result;
}

}  // namespace

Tensor attention_weights(const Tensor& q, const Tensor& k, const Rows& query_rows,
                         const Rows& key_rows, const AttentionOptions& options,
                         const WeightSelection& selection) {
  return weights_of_type(q, k, query_rows, key_rows, options, selection, nullptr);
}

Tensor attention_weights(const Tensor& q, const Tensor& k, const Rows& query_rows,
                         const Rows& key_rows, const AttentionOptions& options,
                         const WeightSelection& selection, const RowStatistics& statistics) {
  return weights_of_type(q, k, query_rows, key_rows, options, selection, &statistics);
}

TopWeights top_attention_weights(const Tensor& q, const Tensor& k, const Rows& query_rows,
                                 const Rows& key_rows, int64_t top, const AttentionOptions& options,
                                 const WeightSelection& selection) {
  check(top >= 1, "attention weights: top must be at least 1, got {}", top);
  WeightSelection part = selection;
  const int64_t heads = q.rank() == 3 ? q.dim(1) : 1;
  part = checked(part, query_rows, heads);
  const Tensor all = attention_weights(q, k, query_rows, key_rows, options, part);
  return q.dtype() == DType::f64 ? top_of<double>(all, top) : top_of<float>(all, top);
}

}  // namespace heed
