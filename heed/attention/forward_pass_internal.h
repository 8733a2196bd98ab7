// The forward pass with memory for what it gives.
#pragma once

#include "heed/attention/attention_result.h"
#include "heed/attention/blocks_internal.h"
#include "heed/attention/problem_internal.h"

namespace heed::engine {

// The output is [N, H, Dv] and not recorded.
template <typename T>
AttentionResult forward_pass(const Problem<T>& problem, const BlockTable<T>& blocks);

}  // namespace heed::engine
