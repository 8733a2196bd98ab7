// What the engine computes, with every option resolved to pointers, strides and numbers.
//
// The public functions check shapes and lower the textbook's scores to this form: a bilinear score
// is a dot product with q M, an additive one takes W_q q and W_k k ready-made.
#pragma once

#include <cstdint>
#include <vector>

#include "heed/attention/mask.h"
#include "heed/attention/score.h"
#include "heed/attention/tile_score_internal.h"
#include "heed/tensor/rows.h"

namespace heed::engine {

inline constexpr int64_t kTileRows = 64;  // queries of a tile

// [N, H, D], the last axis contiguous.
template <typename T>
struct HeadView {
  T* data = nullptr;
  int64_t row_stride = 0;
  int64_t head_stride = 0;

  T* at(int64_t row, int64_t head) const { return data + row * row_stride + head * head_stride; }
};

// A dense table spread over [B, H, T, S]: a repeated axis has stride 0.
template <typename T>
struct Table {
  T* data = nullptr;
  int64_t strides[4] = {0, 0, 0, 0};

  bool defined() const { return data != nullptr; }
  T* row(int64_t b, int64_t h, int64_t t) const {
    return data + b * strides[0] + h * strides[1] + t * strides[2];
  }
  int64_t step() const { return strides[3]; }
};

struct DropoutPlan {
  double probability = 0;
  uint64_t seed = 0, step = 0, site = 0;
};

template <typename T>
struct Problem {
  HeadView<const T> q, k, v;
  int64_t heads = 0, kv_heads = 0;
  int64_t width = 0;        // D, of q and k
  int64_t value_width = 0;  // Dv
  Rows query_rows, key_rows;

  const TileScore<T>* score = nullptr;
  Normalizer normalizer = Normalizer::softmax;
  bool exponential = false;  // the weights under sum and none are exp(score)
  bool allow_negative = false;
  T softcap = 0;
  std::vector<T> slopes;  // [H], may be empty
  Table<const T> bias;

  bool is_causal = false, excludes_self = false;
  int64_t left = Mask::kUnlimited, right = Mask::kUnlimited;
  std::vector<int64_t> offsets;     // [B]
  std::vector<int64_t> key_limits;  // [B] or [N]; may be empty
  bool limits_per_query = false;
  Table<const uint8_t> allowed;

  DropoutPlan dropout;

  int64_t group() const { return heads / kv_heads; }  // query heads per key/value head
};

}  // namespace heed::engine
