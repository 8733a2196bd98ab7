// A KeyValueCache as the engine reads it.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "heed/attention/attention_options.h"
#include "heed/attention/blocks_internal.h"
#include "heed/attention/key_value_cache.h"
#include "heed/attention/prepare_problem_internal.h"

namespace heed::engine {

// A problem whose keys and values are in a cache.
template <typename T>
struct CachedProblem {
  std::unique_ptr<Prepared<T>> prepared;
  BlockTable<T> blocks;
};

// `core` from lower_queries(): its k and v are undefined.
template <typename T>
CachedProblem<T> prepare_cached(const CoreInputs& core, const KeyValueCache& cache,
                                const Rows& query_rows, std::span<const int64_t> slots,
                                const AttentionOptions& options);

}  // namespace heed::engine
