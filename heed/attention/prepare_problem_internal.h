// From the public arguments to a Problem: checks every shape, lowers the textbook's scores.
#pragma once

#include <memory>

#include "heed/attention/attention_options.h"
#include "heed/attention/problem_internal.h"
#include "heed/autograd/variable.h"

namespace heed::engine {

// The differentiable inputs of the core, after lowering: a bilinear score has become a dot product
// with q M, an additive one has projected q and k.
struct CoreInputs {
  Variable q;  // [N, H, D]
  Variable k;  // [M, K, D]
  Variable v;  // [M, K, Dv]; undefined for weights
  Variable bias;
  Variable parameter;  // w_v or the widths; undefined if there is none
};

CoreInputs lower(const Variable& q, const Variable& k, const Variable& v,
                 const AttentionOptions& options);

// What the engine must know about keys and values that it does not get as tensors.
struct KeyShape {
  DType type = DType::f32;
  int64_t heads = 0;        // K
  int64_t width = 0;        // D as it is stored, after lowering
  int64_t value_width = 0;  // Dv; 0 for weights
};

// The part of lower() without keys and values: these lie ready in blocks. `key_width` is the width
// of a key before lowering.
CoreInputs lower_queries(const Variable& q, int64_t key_width, const AttentionOptions& options);

// Keeps what a Problem points to.
template <typename T>
struct Prepared {
  Problem<T> problem;
  std::unique_ptr<TileScore<T>> score;
  CoreInputs inputs;
  Tensor allowed;  // uint8
  Tensor bias;     // contiguous
};

// Raises an Error that says what does not fit.
template <typename T>
std::unique_ptr<Prepared<T>> prepare(const CoreInputs& inputs, const Rows& query_rows,
                                     const Rows& key_rows, const AttentionOptions& options);

// The same for keys and values in blocks.
template <typename T>
std::unique_ptr<Prepared<T>> prepare_queries(const CoreInputs& inputs, const KeyShape& keys,
                                             const Rows& query_rows, const Rows& key_rows,
                                             const AttentionOptions& options);

// A tensor [N, H, D] as the engine's view.
template <typename T>
HeadView<const T> heads_of(const Tensor& x) {
  return {x.data<T>(), x.stride(0), x.stride(1)};
}
template <typename T>
HeadView<T> mutable_heads_of(Tensor& x) {
  return {x.data<T>(), x.stride(0), x.stride(1)};
}

// A table [T, S], [B, T, S] or [B, H, T, S] (contiguous, an axis of 1 repeated) spread over all
// four.
template <typename T>
Table<T> spread(T* data, const Shape& shape);

// x [N, H, Dx] with every row times w, or w transposed.
Variable project(const Variable& x, const Variable& w, bool transposed);

// [N, D] -> [N, 1, D]; [N, H, D] stays.
Variable with_heads(const Variable& x, const char* name);

}  // namespace heed::engine
