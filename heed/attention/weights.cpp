#include "heed/attention/weights.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "heed/attention/head_weights_internal.h"
#include "heed/attention/prepare_problem_internal.h"
#include "heed/autograd/variable.h"
#include "heed/base/fail.h"

namespace heed {
namespace {

using engine::HeadWeights;

// The queries and keys of a call.
struct Packed {
  const Tensor& q;
  const Tensor& k;
  const Rows& query_rows;
  const Rows& key_rows;
};

template <typename T>
HeadWeights<T> head_weights(const Packed& in, const AttentionOptions& options,
                            const WeightSelection& selection, const RowStatistics* given) {
  const NoGrad no_grad;
  auto prepared = engine::prepare<T>(engine::lower(in.q, in.k, {}, options), in.query_rows,
                                     in.key_rows, options);
  const engine::Problem<T>& p = prepared->problem;
  const WeightSelection part = engine::checked(selection, in.query_rows, p.heads);
  auto blocks = engine::BlockTable<T>::pack_one(p, part.sequence, part.head / p.group());
  return HeadWeights<T>(std::move(prepared), std::move(blocks), part, given);
}

Tensor weights_of_type(const Packed& in, const AttentionOptions& options,
                       const WeightSelection& selection, const RowStatistics* given) {
  return in.q.dtype() == DType::f64 ? head_weights<double>(in, options, selection, given).all()
                                    : head_weights<float>(in, options, selection, given).all();
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

TopWeights top_attention_weights(const Tensor& q, const Tensor& k, const Rows& query_rows,
                                 const Rows& key_rows, int64_t top, const AttentionOptions& options,
                                 const WeightSelection& selection) {
  check(top >= 1, "attention weights: top must be at least 1, got {}", top);
  const Packed in{q, k, query_rows, key_rows};
  if (q.dtype() == DType::f64) {
    return top_of(head_weights<double>(in, options, selection, nullptr), top);
  }
  return top_of(head_weights<float>(in, options, selection, nullptr), top);
}

}  // namespace heed
