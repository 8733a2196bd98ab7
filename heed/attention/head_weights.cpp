#include <utility>

#include "heed/attention/engine_internal.h"
#include "heed/attention/head_weights_internal.h"
#include "heed/base/fail.h"

namespace heed::engine {
namespace {

// Of the selected rows only: a question about few rows costs few rows.
template <typename T>
RowStatistics statistics_of(const Problem<T>& whole, const BlockTable<T>& blocks,
                            const WeightSelection& selection) {
  RowStatistics statistics;
  const int64_t total = whole.query_rows.total();
  statistics.max = Tensor::empty({total, whole.heads}, dtype_of<T>());
  statistics.sum = Tensor::empty({total, whole.heads}, dtype_of<T>());
  ForwardResult<T> result;
  result.max = statistics.max.template data<T>();
  result.sum = statistics.sum.template data<T>();
  if (whole.normalizer == Normalizer::one_hot) {
    statistics.index = Tensor::empty({total, whole.heads}, DType::i64);
    result.index = statistics.index.template data<int64_t>();
  }
  attention_forward_rows(
      whole, blocks, {{selection.sequence, selection.head, selection.first_row, selection.rows}},
      result);
  return statistics;
}

template <typename T>
RowStatistics checked_statistics(const RowStatistics& given, const Problem<T>& p) {
  const Shape expected{p.query_rows.total(), p.heads};
  for (const Tensor& x : {given.max, given.sum}) {
    check(x.defined() && x.shape() == expected && x.dtype() == dtype_of<T>(),
          "attention weights: the statistics are {}, expected {} {}", x, name(dtype_of<T>()),
          expected);
  }
  RowStatistics result{given.max.contiguous(), given.sum.contiguous(), {}};
  if (p.normalizer != Normalizer::one_hot) return result;
  const Tensor& index = given.index;
  check(index.defined() && index.shape() == expected && index.dtype() == DType::i64,
        "attention weights: one_hot needs the index among the statistics, int64 {}, got {}",
        expected, index);
  return {result.max, result.sum, index.contiguous()};
}

}  // namespace

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

template <typename T>
HeadWeights<T>::HeadWeights(std::unique_ptr<Prepared<T>> prepared, BlockTable<T> blocks,
                            const WeightSelection& part, const RowStatistics* given)
    : prepared_(std::move(prepared)), blocks_(std::move(blocks)), part_(part) {
  statistics_ = given != nullptr ? checked_statistics(*given, problem())
                                 : statistics_of(problem(), blocks_, part_);
}

template <typename T>
void HeadWeights<T>::write(int64_t first, int64_t count, T* to) const {
  attention_weights<T>(
      problem(), blocks_,
      {.sequence = part_.sequence,
       .head = part_.head,
       .first = part_.first_row + first,
       .rows = count,
       .max = statistics_.max.template data<T>(),
       .sum = statistics_.sum.template data<T>(),
       .index = statistics_.index.defined() ? statistics_.index.template data<int64_t>() : nullptr,
       .weights = to});
}

template <typename T>
Tensor HeadWeights<T>::all() const {
  Tensor result = Tensor::empty({rows(), keys()}, dtype_of<T>());
  write(0, rows(), result.template data<T>());
  return result;
}

template class HeadWeights<float>;
template class HeadWeights<double>;

}  // namespace heed::engine
