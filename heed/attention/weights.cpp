#include "heed/attention/weights.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "heed/attention/cached_problem_internal.h"
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
      whole, blocks, {{selection.sequence, selection.head, selection.first_row, selection.rows}},
      result);
  return statistics;
}

template <typename T>
RowStatistics checked_statistics(const RowStatistics& given, const engine::Problem<T>& p) {
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

// The queries and keys of a call.
struct Packed {
  const Tensor& q;
  const Tensor& k;
  const Rows& query_rows;
  const Rows& key_rows;
};
struct Cached {
  const Tensor& q;
  const KeyValueCache& cache;
  const Rows& query_rows;
  std::span<const int64_t> slots;
};

// One sequence and head, prepared once: its keys packed or in a cache, the statistics of the
// selected rows.
template <typename T>
class HeadWeights {
 public:
  HeadWeights(const Packed& in, const AttentionOptions& options, const WeightSelection& selection,
              const RowStatistics* given) {
    const NoGrad no_grad;
    prepared_ = engine::prepare<T>(engine::lower(in.q, in.k, {}, options), in.query_rows,
                                   in.key_rows, options);
    part_ = checked(selection, in.query_rows, problem().heads);
    blocks_ =
        engine::BlockTable<T>::pack_one(problem(), part_.sequence, part_.head / problem().group());
    take_statistics(given);
  }

  HeadWeights(const Cached& in, const AttentionOptions& options, const WeightSelection& selection,
              const RowStatistics* given) {
    const NoGrad no_grad;
    auto cached =
        engine::prepare_cached<T>(engine::lower_queries(in.q, in.cache.shape().key_width, options),
                                  in.cache, in.query_rows, in.slots, options);
    prepared_ = std::move(cached.prepared);
    prepared_->problem.value_width = 0;
    part_ = checked(selection, in.query_rows, problem().heads);
    blocks_ = std::move(cached.blocks);
    take_statistics(given);
  }

  int64_t rows() const { return part_.rows; }
  int64_t keys() const { return problem().key_rows.length(part_.sequence); }

  // to [count, keys] = the weights of rows [first, first + count) of the selection.
  void write(int64_t first, int64_t count, T* to) const {
    engine::attention_weights<T>(
        problem(), blocks_,
        {.sequence = part_.sequence,
         .head = part_.head,
         .first = part_.first_row + first,
         .rows = count,
         .max = statistics_.max.template data<T>(),
         .sum = statistics_.sum.template data<T>(),
         .index =
             statistics_.index.defined() ? statistics_.index.template data<int64_t>() : nullptr,
         .weights = to});
  }

 private:
  void take_statistics(const RowStatistics* given) {
    statistics_ = given != nullptr ? checked_statistics(*given, problem())
                                   : statistics_of(problem(), blocks_, part_);
  }
  const engine::Problem<T>& problem() const { return prepared_->problem; }

  std::unique_ptr<engine::Prepared<T>> prepared_;
  WeightSelection part_;
  engine::BlockTable<T> blocks_;
  RowStatistics statistics_;
};

template <typename T>
Tensor all_weights(const HeadWeights<T>& head) {
  Tensor result = Tensor::empty({head.rows(), head.keys()}, dtype_of<T>());
  head.write(0, head.rows(), result.template data<T>());
  return result;
}

template <typename Input>
Tensor weights_of_type(const Input& in, const AttentionOptions& options,
                       const WeightSelection& selection, const RowStatistics* given) {
  if (in.q.dtype() == DType::f64) {
    return all_weights(HeadWeights<double>(in, options, selection, given));
  }
  return all_weights(HeadWeights<float>(in, options, selection, given));
}

// The indices of the `top` largest weights of a row that are not 0, largest first.
template <typename T>
void order_row(const T* w, int64_t keys, int64_t top, std::vector<int64_t>& order) {
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
  order.resize(static_cast<size_t>(count));
}

// A few rows of weights at a time: never all of [rows, S].
template <typename T>
TopWeights top_of(const HeadWeights<T>& head, int64_t top) {
  TopWeights result{Tensor::zeros({head.rows(), top}, dtype_of<T>()),
                    Tensor::full({head.rows(), top}, -1, DType::i64)};
  T* values = result.weights.template data<T>();
  int64_t* indices = result.keys.template data<int64_t>();
  constexpr int64_t kRows = 256;
  Tensor some = Tensor::empty({std::min(kRows, head.rows()), head.keys()}, dtype_of<T>());
  T* w = some.template data<T>();
  std::vector<int64_t> order;
  for (int64_t first = 0; first < head.rows(); first += kRows) {
    const int64_t count = std::min(kRows, head.rows() - first);
    head.write(first, count, w);
    for (int64_t i = 0; i < count; ++i) {
      order_row(w + i * head.keys(), head.keys(), top, order);
      for (size_t j = 0; j < order.size(); ++j) {
        const int64_t to = (first + i) * top + static_cast<int64_t>(j);
        values[to] = w[i * head.keys() + order[j]];
        indices[to] = order[j];
      }
    }
  }
  return result;
}

}  // namespace

Tensor attention_weights(const Tensor& q, const Tensor& k, const Rows& query_rows,
                         const Rows& key_rows, const AttentionOptions& options,
                         const WeightSelection& selection) {
  return weights_of_type(Packed{q, k, query_rows, key_rows}, options, selection, nullptr);
}

Tensor attention_weights(const Tensor& q, const Tensor& k, const Rows& query_rows,
                         const Rows& key_rows, const AttentionOptions& options,
                         const WeightSelection& selection, const RowStatistics& statistics) {
  return weights_of_type(Packed{q, k, query_rows, key_rows}, options, selection, &statistics);
}

Tensor attention_weights(const Tensor& q, const KeyValueCache& cache, const Rows& query_rows,
                         std::span<const int64_t> slots, const AttentionOptions& options,
                         const WeightSelection& selection) {
  return weights_of_type(Cached{q, cache, query_rows, slots}, options, selection, nullptr);
}

Tensor attention_weights(const Tensor& q, const KeyValueCache& cache, const Rows& query_rows,
                         std::span<const int64_t> slots, const AttentionOptions& options,
                         const WeightSelection& selection, const RowStatistics& statistics) {
  return weights_of_type(Cached{q, cache, query_rows, slots}, options, selection, &statistics);
}

TopWeights top_attention_weights(const Tensor& q, const Tensor& k, const Rows& query_rows,
                                 const Rows& key_rows, int64_t top, const AttentionOptions& options,
                                 const WeightSelection& selection) {
  check(top >= 1, "attention weights: top must be at least 1, got {}", top);
  const Packed in{q, k, query_rows, key_rows};
  if (q.dtype() == DType::f64) {
    return top_of(HeadWeights<double>(in, options, selection, nullptr), top);
  }
  return top_of(HeadWeights<float>(in, options, selection, nullptr), top);
}

}  // namespace heed
