// Weights, recomputed from the statistics of forward by the same tile kernel.

#include <algorithm>
#include <cmath>
#include <limits>

#include "heed/attention/engine_internal.h"
#include "heed/attention/query_tile_internal.h"
#include "heed/base/divide_up.h"
#include "heed/base/parallel.h"

namespace heed::engine {

template <typename T>
T inverse_sum(Normalizer normalizer, T sum) {
  if (normalizer == Normalizer::none) return 1;
  return sum == 0 ? T{0} : 1 / sum;
}

template <typename T>
void weights_from_scores(Normalizer normalizer, int64_t rows, int64_t columns, const T* max,
                         const T* inverse_sum, const int64_t* index, int64_t first_key, T* s) {
  if (normalizer == Normalizer::softmax) {
    return softmax_weights(rows, columns, s, max, inverse_sum);
  }
  for (int64_t i = 0; i < rows; ++i, s += kBlock) {
    for (int64_t j = 0; j < columns; ++j) {
      if (s[j] == -std::numeric_limits<T>::infinity()) {
        s[j] = 0;
      } else if (normalizer != Normalizer::one_hot) {
        s[j] *= inverse_sum[i];
      } else if (!std::isnan(max[i])) {
        s[j] = index[i] == first_key + j ? T{1} : T{0};
      } else {
        s[j] = max[i];
      }
    }
  }
}

namespace {

template <typename T>
void weights_of_tile(const Problem<T>& p, const BlockTable<T>& blocks, const WeightsTask<T>& task,
                     int64_t first, int64_t rows) {
  const QueryTile<T> tile(p, task.sequence, task.head, first, rows);
  Tensor memory = Tensor::empty({rows * (kBlock + p.width)}, dtype_of<T>());
  T* s = memory.data<T>();
  T* queries = s + rows * kBlock;
  pack_rows(p.q.at(tile.first_row(), task.head), p.q.row_stride, rows, p.width,
            p.score->query_scale(), rows, queries);
  T max[kTileRows], inverse[kTileRows];
  int64_t index[kTileRows];
  for (int64_t i = 0; i < rows; ++i) {
    const int64_t at = (tile.first_row() + i) * p.heads + task.head;
    max[i] = task.max[at];
    inverse[i] = inverse_sum(p.normalizer, task.sum[at]);
    index[i] = task.index != nullptr ? task.index[at] : -1;
  }
  const int64_t keys = p.key_rows.length(task.sequence);
  T* to = task.weights + (first - task.first) * keys;
  std::fill_n(to, rows * keys, T{0});
  for (int64_t j = tile.first_block(); j < tile.end_block(); ++j) {
    if (!tile.sees(j)) continue;
    const int64_t columns = tile.columns(j);
    const KeyBlock<T>& block = blocks.block(task.sequence, task.head / p.group(), j);
    tile.scores({.rows = rows,
                 .columns = columns,
                 .width = p.width,
                 .queries = queries,
                 .keys = block.keys,
                 .key_stride = block.stride},
                j, s);
    weights_from_scores(p.normalizer, rows, padded_columns(columns), max, inverse, index,
                        j * kBlock, s);
    for (int64_t i = 0; i < rows; ++i) {
      std::copy_n(s + i * kBlock, columns, to + i * keys + j * kBlock);
    }
  }
}

}  // namespace

template <typename T>
void attention_weights(const Problem<T>& p, const BlockTable<T>& blocks,
                       const WeightsTask<T>& task) {
  const int64_t tiles = divide_up(task.rows, kTileRows);
  const double flops = static_cast<double>(task.rows) *
                       static_cast<double>(p.key_rows.length(task.sequence) * (2 * p.width + 20));
  parallel_for(tiles, flops / 50, [&](int64_t tile) {
    const int64_t first = task.first + tile * kTileRows;
    weights_of_tile(p, blocks, task, first, std::min(kTileRows, task.first + task.rows - first));
  });
}

template float inverse_sum(Normalizer, float);
template double inverse_sum(Normalizer, double);
template void weights_from_scores<float>(Normalizer, int64_t, int64_t, const float*, const float*,
                                         const int64_t*, int64_t, float*);
template void weights_from_scores<double>(Normalizer, int64_t, int64_t, const double*,
                                          const double*, const int64_t*, int64_t, double*);
template void attention_weights<float>(const Problem<float>&, const BlockTable<float>&,
                                       const WeightsTask<float>&);
template void attention_weights<double>(const Problem<double>&, const BlockTable<double>&,
                                        const WeightsTask<double>&);

}  // namespace heed::engine
