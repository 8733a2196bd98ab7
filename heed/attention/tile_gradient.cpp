#include <algorithm>
#include <cmath>
#include <limits>

#include "heed/attention/tile_gradient_internal.h"
#include "heed/kernels/tile_gemm.h"

namespace heed::engine {

template <typename T>
void BackwardBlock<T>::load(const Problem<T>& p, int64_t sequence, int64_t kv_head, int64_t block) {
  index = block;
  const int64_t count = keys_of_block(p.key_rows.length(sequence), block);
  stride = padded_columns(count);
  key_rows = keys + stride * p.width;
  values = key_rows + stride * p.width;
  const int64_t row = p.key_rows.begin(sequence) + block * kBlock;
  const T* k = p.k.at(row, kv_head);
  pack_transposed(k, p.k.row_stride, count, p.width, keys, stride);
  finite_keys =
      pack_rows(k, p.k.row_stride, count, p.width, p.score->query_scale(), stride, key_rows);
  pack_transposed(p.v.at(row, kv_head), p.v.row_stride, count, p.value_width, values, stride);
}

template <typename T>
TileGradient<T>::TileGradient(const Problem<T>& p)
    : p_(p),
      memory_(Tensor::empty({kTileRows * (p.width + p.value_width + 5 * kBlock)}, dtype_of<T>())) {
  T* memory = memory_.data<T>();
  const auto take = [&](int64_t width) {
    T* part = memory;
    memory += kTileRows * width;
    return part;
  };
  weights_ = take(kBlock);
  ds_ = take(kBlock);
  masked_ = take(kBlock);
  raw_ = take(kBlock);
  undropped_ = take(kBlock);
  queries_ = take(p.width);
  dy_ = take(p.value_width);
}

template <typename T>
void TileGradient<T>::compute(const QueryTile<T>& tile, int64_t head, const BackwardBlock<T>& block,
                              const BackwardTask<T>& task, const T* delta) {
  const int64_t rows = tile.rows();
  columns_ = tile.columns(block.index);
  const int64_t padded = padded_columns(columns_);
  const int64_t row = tile.first_row();
  finite_queries_ = pack_rows(p_.q.at(row, head), p_.q.row_stride, rows, p_.width,
                              p_.score->query_scale(), rows, queries_);
  finite_dy_ =
      pack_rows(task.dy.at(row, head), task.dy.row_stride, rows, p_.value_width, T{1}, rows, dy_);
  const bool capped = p_.softcap > 0 || p_.exponential;
  tile.scores({.rows = rows,
               .columns = columns_,
               .width = p_.width,
               .queries = queries_,
               .keys = block.keys,
               .key_stride = block.stride},
              block.index, weights_, capped ? raw_ : nullptr);

  T max[kTileRows], inverse[kTileRows], shift[kTileRows];
  int64_t index[kTileRows];
  for (int64_t i = 0; i < rows; ++i) {
    const int64_t at = (row + i) * p_.heads + head;
    max[i] = task.max[at];
    inverse[i] = inverse_sum(p_.normalizer, task.sum[at]);
    shift[i] = delta[at];
    index[i] = task.index != nullptr ? task.index[at] : -1;
  }
  const bool plain = p_.normalizer == Normalizer::sum || p_.normalizer == Normalizer::none;
  if (plain) std::copy_n(weights_, rows * kBlock, masked_);
  weights_from_scores(p_.normalizer, rows, padded, max, inverse, index, block.index * kBlock,
                      weights_);
  if (p_.normalizer == Normalizer::one_hot) {
    std::fill_n(ds_, rows * kBlock, T{0});
    return;
  }

  kernels::tile_gemm<T>({.rows = rows,
                         .columns = columns_,
                         .depth = p_.value_width,
                         .a = {dy_, p_.value_width},
                         .b = block.values,
                         .b_stride = block.stride,
                         .c = ds_,
                         .c_stride = kBlock});
  const T* w = weights_;
  if (p_.dropout.probability > 0) {
    std::copy_n(weights_, rows * kBlock, undropped_);
    w = undropped_;
    tile.drop_weights(block.index, padded, weights_);
    tile.drop_weights(block.index, padded, ds_);
  }
  if (plain) {
    plain_backward(rows, inverse, shift);
  } else {
    softmax_backward(rows, padded, w, shift, ds_);
  }
}

template <typename T>
void TileGradient<T>::plain_backward(int64_t rows, const T* inverse, const T* delta) {
  const int64_t padded = padded_columns(columns_);
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < padded; ++j) {
      const int64_t at = i * kBlock + j;
      const bool masked = masked_[at] == -std::numeric_limits<T>::infinity() || inverse[i] == 0;
      ds_[at] = masked ? T{0} : (ds_[at] - delta[i]) * inverse[i];
    }
  }
}

template <typename T>
void TileGradient<T>::through_cap(int64_t rows) {
  if (p_.softcap == 0 && !p_.exponential) return;
  const int64_t padded = padded_columns(columns_);
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < padded; ++j) {
      const int64_t at = i * kBlock + j;
      if (ds_[at] == 0) continue;
      if (p_.exponential) ds_[at] *= std::exp(raw_[at]);
      if (p_.softcap > 0) {
        const T t = raw_[at] / p_.softcap;
        ds_[at] *= 1 - t * t;
      }
    }
  }
}

template struct BackwardBlock<float>;
template struct BackwardBlock<double>;
template class TileGradient<float>;
template class TileGradient<double>;

}  // namespace heed::engine
