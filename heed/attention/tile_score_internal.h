// A score, evaluated a tile at a time: up to 64 queries against one block of 128 keys.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "heed/attention/score.h"
#include "heed/base/divide_up.h"

namespace heed::engine {

// Keys come in blocks at absolute positions: block j holds positions 128 j .. 128 j + 127.
inline constexpr int64_t kBlock = 128;

// Loops over a tile take this many columns at a time, a multiple of every vector length.
inline constexpr int64_t kStep = 16;

// The columns that such loops read.
inline int64_t padded_columns(int64_t columns) { return round_up(columns, kStep); }

template <typename T>
struct ScoreTile {
  int64_t rows, columns, width;  // queries, keys (of the block, from its start), D
  const T* queries;              // [rows, D], already times query_scale()
  const T* keys;                 // [D, key_stride]
  const T* key_rows = nullptr;   // [columns, D] times query_scale(); in backward only
  int64_t key_stride = kBlock;   // at least `columns` rounded up to kStep
  bool finite = true;            // no infinity or NaN among queries and keys
  const T* ahead = nullptr;      // what is read after the keys, and may be asked for meanwhile
  int64_t ahead_size = 0;
};

// Where score gradients are added.
template <typename T>
struct ScoreGradients {
  T* queries;  // [rows, D], rows query_stride apart
  int64_t query_stride;
  T* keys;        // [D, key_stride of the tile]
  T* parameters;  // [parameter_count()], the task's own
};

template <typename T>
class TileScore {
 public:
  virtual ~TileScore() = default;

  // s [rows, kBlock] = the scores; only the first `columns` of each row are written.
  virtual void forward(const ScoreTile<T>& tile, T* s) const = 0;

  // Adds the gradients that follow from ds [rows, kBlock]. A ds of exactly 0 contributes nothing,
  // whatever stands in its query or key.
  virtual void backward(const ScoreTile<T>& tile, const T* ds,
                        const ScoreGradients<T>& gradients) const = 0;

  // The gradient of the queries alone, [rows, D], rows `stride` apart.
  virtual void backward_queries(const ScoreTile<T>& tile, const T* ds, T* queries,
                                int64_t stride) const {
    std::vector<T> rest(static_cast<size_t>(tile.width * tile.key_stride + parameter_count()));
    backward(tile, ds,
             {.queries = queries,
              .query_stride = stride,
              .keys = rest.data(),
              .parameters = rest.data() + tile.width * tile.key_stride});
  }

  virtual T query_scale() const { return 1; }
  virtual int64_t parameter_count() const { return 0; }
};

// a = scale q.k
template <typename T>
std::unique_ptr<TileScore<T>> make_dot_score(T scale);

// What becomes of the distance u = |(q - k) / width|.
enum class DistanceKernel : uint8_t { gaussian, boxcar, triangular, epanechnikov };

// widths [D]; parameters: one gradient per width.
template <typename T>
std::unique_ptr<TileScore<T>> make_distance_score(DistanceKernel kernel, std::vector<T> widths);

// a = sum_h w_h tanh(q_h + k_h); parameters: dw.
template <typename T>
std::unique_ptr<TileScore<T>> make_additive_score(std::vector<T> w);

// a = 1
template <typename T>
std::unique_ptr<TileScore<T>> make_constant_score();

template <typename T>
std::unique_ptr<TileScore<T>> make_custom_score(CustomScore custom);

}  // namespace heed::engine
