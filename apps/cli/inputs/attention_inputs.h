// The arrays of `heed attention`: from the layouts of files to ragged rows and back.
#pragma once

#include <cstdint>
#include <string>

#include "heed/attention/attention.h"
#include "heed/tensor/rows.h"
#include "heed/tensor/tensor.h"

namespace heed::cli {

// What the user named, still as text.
struct ArrayArguments {
  std::string q = {};
  std::string k = {};
  std::string v = {};
  int64_t heads = 0;     // 0: one, or as the arrays say
  int64_t kv_heads = 0;  // 0: as many as heads
  std::string dtype = {};
  std::string lengths = {};
  std::string mask = {};
  std::string bias = {};
};

struct AttentionInputs {
  Tensor q;  // [N, H, D]
  Tensor k;  // [M, K, D]
  Tensor v;  // [M, K, Dv]
  Rows query_rows;
  Rows key_rows;
  int64_t queries = 0;  // T
  int64_t keys = 0;     // S
  int rank = 0;         // of the arrays: 2 [T, D], 3 [B, T, D] or 4 [B, H, T, D]

  int64_t sequences() const { return query_rows.count(); }  // B
  int64_t heads() const { return q.dim(1); }                // H
};

AttentionInputs load_inputs(const ArrayArguments& arguments);

// [N, H, Dv] in the layout that the inputs had: [T, H*Dv], [B, T, H*Dv] or [B, H, T, Dv].
Tensor to_layout(const Tensor& rows, const AttentionInputs& inputs);

// [N, H] as [B, H, T]; [T] or [H, T] for two-dimensional inputs.
Tensor statistics_to_layout(const Tensor& rows, const AttentionInputs& inputs);

// [B, H, ...] without the axes that two-dimensional inputs do not have.
Tensor drop_batch_axes(const Tensor& tensor, const AttentionInputs& inputs);

Mask load_lengths(const std::string& text, const AttentionInputs& inputs);
Tensor load_mask(const std::string& text, const AttentionInputs& inputs);  // bool
Tensor load_bias(const std::string& text, const AttentionInputs& inputs);  // type of q

}  // namespace heed::cli
