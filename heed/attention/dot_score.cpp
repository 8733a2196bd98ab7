// a(q, k) = scale q.k          da/dq = scale k          da/dk = scale q
//
// The scale is already in the queries and, for da/dq, in the rows of keys.

#include "heed/attention/tile_products_internal.h"
#include "heed/attention/tile_score_internal.h"
#include "heed/kernels/tile_gemm.h"

namespace heed::engine {
namespace {

template <typename T>
class DotScore final : public TileScore<T> {
 public:
  explicit DotScore(T scale) : scale_(scale) {}

  void forward(const ScoreTile<T>& tile, T* s) const override {
    kernels::tile_gemm<T>({.rows = tile.rows,
                           .columns = tile.columns,
                           .depth = tile.width,
                           .a = {tile.queries, tile.width},
                           .b = tile.keys,
                           .b_stride = tile.key_stride,
                           .c = s,
                           .c_stride = kBlock,
                           .ahead = tile.ahead,
                           .ahead_size = tile.ahead_size});
  }

  void backward(const ScoreTile<T>& tile, const T* ds,
                const ScoreGradients<T>& gradients) const override {
    kernels::tile_gemm<T>({.rows = tile.rows,
                           .columns = tile.width,
                           .depth = tile.columns,
                           .a = {ds, kBlock},
                           .b = tile.key_rows,
                           .b_stride = tile.width,
                           .c = gradients.queries,
                           .c_stride = gradients.query_stride,
                           .accumulate = true,
                           .skip_zeros = !tile.finite});
    add_transposed_product(tile.queries, tile.rows, tile.width, ds, tile.columns, tile.finite,
                           gradients.keys, tile.key_stride);
  }

  T query_scale() const override { return scale_; }

 private:
  T scale_;
};

// a(q, k) = 1
template <typename T>
class ConstantScore final : public TileScore<T> {
 public:
  void forward(const ScoreTile<T>& tile, T* s) const override {
    for (int64_t i = 0; i < tile.rows; ++i) {
      for (int64_t j = 0; j < tile.columns; ++j) s[i * kBlock + j] = 1;
    }
  }
  void backward(const ScoreTile<T>&, const T*, const ScoreGradients<T>&) const override {}
};

}  // namespace

template <typename T>
std::unique_ptr<TileScore<T>> make_dot_score(T scale) {
  return std::make_unique<DotScore<T>>(scale);
}

template <typename T>
std::unique_ptr<TileScore<T>> make_constant_score() {
  return std::make_unique<ConstantScore<T>>();
}

template std::unique_ptr<TileScore<float>> make_dot_score(float);
template std::unique_ptr<TileScore<double>> make_dot_score(double);
template std::unique_ptr<TileScore<float>> make_constant_score();
template std::unique_ptr<TileScore<double>> make_constant_score();

}  // namespace heed::engine
