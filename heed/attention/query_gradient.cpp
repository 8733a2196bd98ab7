#include "heed/attention/query_gradient_internal.h"

#include <algorithm>

#include "heed/base/parallel.h"

namespace heed::engine {

template <typename T>
QueryGradient<T>::QueryGradient(const Problem<T>& problem, const BackwardTask<T>& task)
    : p_(problem),
      task_(task),
      delta_(Tensor::zeros({problem.query_rows.total(), problem.heads}, dtype_of<T>())) {
  struct Place {
    int64_t sequence, head, index;
  };
  std::vector<Place> places;
  for (int64_t b = 0; b < p_.key_rows.count(); ++b) {
    first_.push_back(static_cast<int64_t>(places.size()));
    for (int64_t head = 0; head < p_.kv_heads; ++head) {
      for (int64_t j = 0; j < block_count(p_.key_rows.length(b)); ++j)
        places.push_back({b, head, j});
    }
  }
  const auto count = static_cast<int64_t>(places.size());
  const int64_t size = BackwardBlock<T>::elements(p_, p_.key_rows.max_length());
  memory_ = Tensor::empty({count, size}, dtype_of<T>());
  T* memory = memory_.data<T>();
  for (int64_t i = 0; i < count; ++i) blocks_.emplace_back(memory + i * size);
  parallel_for(count, static_cast<double>(count * size), [&](int64_t i) {
    const Place& at = places[i];
    blocks_[i].load(p_, at.sequence, at.head, at.index);
  });
  gradients_.reserve(static_cast<size_t>(threads()));
  for (int i = 0; i < threads(); ++i) gradients_.emplace_back(p_);
}

template <typename T>
void QueryGradient<T>::run(const std::vector<RowRange>& ranges) {
  double pairs = 0;
  for (const RowRange& range : ranges) {
    pairs +=
        static_cast<double>(range.rows) * static_cast<double>(p_.key_rows.length(range.sequence));
  }
  constexpr double kNanoseconds = 0.1;  // per pair and column of a key or value
  parallel_for(static_cast<int64_t>(ranges.size()),
               kNanoseconds * pairs * static_cast<double>(2 * p_.width + p_.value_width),
               [&](int64_t i) { run_range(ranges[i], gradients_[thread_index()]); });
}

template <typename T>
void QueryGradient<T>::run_range(const RowRange& range, TileGradient<T>& gradient) {
  const int64_t begin = p_.query_rows.begin(range.sequence);
  const int64_t block_total = block_count(p_.key_rows.length(range.sequence));
  const int64_t first_block = first_[range.sequence] + range.head / p_.group() * block_total;
  T* delta = delta_.data<T>();
  for (int64_t first = range.first; first < range.first + range.rows; first += kTileRows) {
    const int64_t rows = std::min(kTileRows, range.first + range.rows - first);
    if (p_.normalizer == Normalizer::softmax || p_.normalizer == Normalizer::sum) {
      for (int64_t row = begin + first; row < begin + first + rows; ++row) {
        delta[row * p_.heads + range.head] =
            dot(task_.dy.at(row, range.head), task_.y.at(row, range.head), p_.value_width);
      }
    }
    const QueryTile<T> tile(p_, range.sequence, range.head, first, rows);
    for (int64_t j = 0; j < block_total; ++j) {
      if (!tile.sees(j)) continue;
      const BackwardBlock<T>& block = blocks_[first_block + j];
      gradient.compute(tile, range.head, block, task_, delta);
      gradient.through_cap(rows);
      p_.score->backward_queries({.rows = rows,
                                  .columns = gradient.columns(),
                                  .width = p_.width,
                                  .queries = gradient.queries(),
                                  .keys = block.keys,
                                  .key_rows = block.key_rows,
                                  .key_stride = block.stride,
                                  .finite = gradient.finite_queries() && block.finite_keys},
                                 gradient.score_gradient(), task_.dq.at(begin + first, range.head),
                                 task_.dq.row_stride);
    }
  }
}

template class QueryGradient<float>;
template class QueryGradient<double>;

}  // namespace heed::engine
