// The backward pass of one tile: weights w and the gradient ds of the scores.
//
//   dw_ij = dy_i . v_j                       with dropout: times its mask and scale
//   softmax   ds_ij = w_ij (dw_ij - delta_i)             delta_i = dy_i . y_i = sum_j w_ij dw_ij
//   sum       ds_ij = (dw_ij - delta_i) / sum_i
//   none      ds_ij = dw_ij
//   one_hot   ds_ij = 0
#pragma once

#include <algorithm>

#include "heed/attention/engine_internal.h"
#include "heed/attention/query_tile_internal.h"

namespace heed::engine {

// A block of keys as backward reads it.
template <typename T>
struct BackwardBlock {
  int64_t index = 0;
  int64_t stride = kBlock;  // the keys of the block, rounded up to kStep
  T* keys = nullptr;        // [D, stride]
  T* key_rows = nullptr;    // [stride, D] times the score's scale
  T* values = nullptr;      // [Dv, stride]
  bool finite_keys = true;

  // Memory for `elements` of T, kept by the caller, holds blocks of up to `keys` keys.
  static int64_t elements(const Problem<T>& problem, int64_t keys = kBlock) {
    return padded_columns(std::min(keys, kBlock)) * (2 * problem.width + problem.value_width);
  }
  explicit BackwardBlock(T* memory) : keys(memory) {}
  void load(const Problem<T>& problem, int64_t sequence, int64_t kv_head, int64_t block);
};

template <typename T>
class TileGradient {
 public:
  explicit TileGradient(const Problem<T>& problem);

  // Computes w and ds of `tile` (one head) against `block`. delta [N, H] as above.
  void compute(const QueryTile<T>& tile, int64_t head, const BackwardBlock<T>& block,
               const BackwardTask<T>& task, const T* delta);

  int64_t columns() const { return columns_; }
  const T* queries() const { return queries_; }  // [rows, D], scaled
  const T* dy() const { return dy_; }            // [rows, Dv]
  const T* weights() const { return weights_; }  // [rows, kBlock], after dropout
  T* score_gradient() { return ds_; }            // [rows, kBlock], of scores with bias
  bool finite_queries() const { return finite_queries_; }
  bool finite_dy() const { return finite_dy_; }

  // From the gradient of the scores with bias to that of the score function: through exp and
  // soft-cap, in place.
  void through_cap(int64_t rows);

 private:
  void plain_backward(int64_t rows, const T* inverse, const T* delta);

  const Problem<T>& p_;
  Tensor memory_;
  T *queries_, *dy_, *weights_, *ds_, *masked_, *raw_, *undropped_;
  int64_t columns_ = 0;
  bool finite_queries_ = true, finite_dy_ = true;
};

}  // namespace heed::engine
