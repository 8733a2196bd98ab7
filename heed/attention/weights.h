// Exact attention weights, recomputed by the engine's own tile kernel.
#pragma once

#include <cstdint>

#include "heed/attention/attention_options.h"
#include "heed/attention/attention_result.h"
#include "heed/base/export.h"
#include "heed/tensor/rows.h"
#include "heed/tensor/tensor.h"

namespace heed {

// [rows, S] of one sequence and head; masked keys are exactly 0. Dropout is not applied.
HEED_API Tensor attention_weights(const Tensor& q, const Tensor& k, const Rows& query_rows,
                                  const Rows& key_rows, const AttentionOptions& options = {},
                                  const WeightSelection& selection = {});

// The same from statistics that attention_with_statistics() returned: no second pass over the keys.
HEED_API Tensor attention_weights(const Tensor& q, const Tensor& k, const Rows& query_rows,
                                  const Rows& key_rows, const AttentionOptions& options,
                                  const WeightSelection& selection,
                                  const RowStatistics& statistics);

struct TopWeights {
  Tensor weights;  // [rows, top], largest first; ties: the earlier key first
  Tensor keys;     // int64 [rows, top]; -1 where fewer keys have a weight
};

HEED_API TopWeights top_attention_weights(const Tensor& q, const Tensor& k, const Rows& query_rows,
                                          const Rows& key_rows, int64_t top,
                                          const AttentionOptions& options = {},
                                          const WeightSelection& selection = {});

}  // namespace heed
