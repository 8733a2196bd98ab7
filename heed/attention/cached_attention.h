// Attention on cached keys and values, for sequences that grow one token after the other; see
// key_value_cache.h.
#pragma once

#include <cstdint>
#include <span>

#include "heed/attention/attention_options.h"
#include "heed/attention/attention_result.h"
#include "heed/attention/key_value_cache.h"
#include "heed/autograd/variable.h"
#include "heed/base/export.h"
#include "heed/tensor/rows.h"
#include "heed/tensor/tensor.h"

namespace heed {

// Attention of q [N, H, D] on cached keys and values: sequence b of the queries sees slots[b],
// which may be the slot of several. Queries that see the same keys, such as the beams of a
// translation on their source, are read faster as rows of one sequence.
//
// Where the queries stand: as Mask says, if its offset or offsets are set. If not, they are the
// last rows of their slots, offset_b = length(slots[b]) - T_b: in self-attention, append() comes
// before attention(). Offsets matter to causal masks, windows, exclude_self and slopes only.
//
// Nothing is recorded; a q, bias or parameter that wants a gradient is an error outside of NoGrad.
HEED_API Tensor attention(const Variable& q, const KeyValueCache& cache, const Rows& query_rows,
                          std::span<const int64_t> slots, const AttentionOptions& options = {});

HEED_API AttentionResult attention_with_statistics(const Variable& q, const KeyValueCache& cache,
                                                   const Rows& query_rows,
                                                   std::span<const int64_t> slots,
                                                   const AttentionOptions& options = {});

// [rows, S] as in weights.h, S = length(slot); dropped positions are 0. With the statistics of
// attention_with_statistics() there is no second pass over the keys.
HEED_API Tensor attention_weights(const Tensor& q, const KeyValueCache& cache,
                                  const Rows& query_rows, std::span<const int64_t> slots,
                                  const AttentionOptions& options = {},
                                  const WeightSelection& selection = {});
HEED_API Tensor attention_weights(const Tensor& q, const KeyValueCache& cache,
                                  const Rows& query_rows, std::span<const int64_t> slots,
                                  const AttentionOptions& options, const WeightSelection& selection,
                                  const RowStatistics& statistics);

}  // namespace heed
