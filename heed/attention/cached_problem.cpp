// From a cache to what the engine computes: the mask's offsets, and the table of blocks.

#include <algorithm>

#include "heed/attention/cache_state_internal.h"
#include "heed/attention/cached_problem_internal.h"
#include "heed/base/fail.h"

namespace heed::engine {
namespace {

// An additive score finds W_k k in the cache, every other one k.
void require_score(const CacheState& cache, const Score& score) {
  const auto* additive = std::get_if<Additive>(&score);
  const bool projected = cache.w_k.defined();
  check((additive != nullptr) == projected, "attention: the score is {}additive, the cache's is {}",
        additive != nullptr ? "" : "not ", projected ? "" : "not");
  if (!projected) return;
  const auto address = [](const Tensor& x) {
    return x.dtype() == DType::f64 ? static_cast<const void*>(x.data<double>())
                                   : static_cast<const void*>(x.data<float>());
  };
  const Tensor& w_k = additive->w_k.value();
  check(w_k.dtype() == cache.w_k.dtype() && w_k.shape() == cache.w_k.shape() &&
            address(w_k) == address(cache.w_k),
        "attention: w_k is not the one that the cache was made with");
}

// Where the queries of each sequence begin.
std::vector<int64_t> offsets_of(const Mask& mask, const Rows& query_rows, const Rows& key_rows) {
  if (!mask.offsets.empty()) return mask.offsets;
  std::vector<int64_t> offsets;
  for (int64_t b = 0; b < query_rows.count(); ++b) {
    const int64_t last = key_rows.length(b) - query_rows.length(b);
    check(mask.offset != 0 || !mask.is_causal || last >= 0,
          "attention: sequence {} has {} queries but {} cached keys; append theirs first, or set "
          "the mask's offsets",
          b, query_rows.length(b), key_rows.length(b));
    offsets.push_back(mask.offset != 0 ? mask.offset : last);
  }
  return offsets;
}

// The window must have passed the blocks that were dropped.
void require_kept(const Mask& mask, int64_t first_query, int64_t slot, int64_t first_kept) {
  const int64_t first_seen =
      mask.left == Mask::kUnlimited ? 0 : std::max<int64_t>(0, first_query - mask.left);
  check(first_seen >= first_kept,
        "attention: the query at position {} of slot {} may see keys from {} on, but those before "
        "{} were dropped",
        first_query, slot, first_seen, first_kept);
}

template <typename T>
std::vector<KeyBlock<T>> blocks_of(const CacheState& cache, const CachedSequence& sequence) {
  std::vector<KeyBlock<T>> blocks;
  const auto count = static_cast<int64_t>(sequence.blocks.size());
  blocks.reserve(static_cast<size_t>(count * cache.shape.kv_heads));
  for (int64_t head = 0; head < cache.shape.kv_heads; ++head) {
    for (int64_t j = 0; j < count; ++j) {
      if (j < sequence.dropped) {
        blocks.emplace_back();
        continue;
      }
      const auto at = static_cast<size_t>(sequence.blocks[j]);
      const CacheBlock& block = cache.blocks[at];
      const T* keys = block.memory.data<T>() + head * cache.head_size();
      blocks.push_back({keys, keys + cache.width * kBlock, block.finite_values[head] != 0});
    }
  }
  return blocks;
}

}  // namespace

template <typename T>
CachedProblem<T> prepare_cached(const CoreInputs& core, const KeyValueCache& cache,
                                const Rows& query_rows, std::span<const int64_t> slots,
                                const AttentionOptions& options) {
  const CacheState& state = cache.state();
  require_score(state, options.score);
  check(static_cast<int64_t>(slots.size()) == query_rows.count(),
        "attention: {} sequences of queries but {} slots", query_rows.count(), slots.size());
  std::vector<int64_t> lengths;
  for (const int64_t slot : slots) lengths.push_back(state.at(slot, "attention").length);
  const Rows key_rows = Rows::from_lengths(lengths);

  AttentionOptions with_offsets = options;
  with_offsets.mask.offsets = offsets_of(options.mask, query_rows, key_rows);
  const KeyShape keys{state.shape.type, state.shape.kv_heads, state.width, state.shape.value_width};
  CachedProblem<T> result;
  result.prepared = prepare_queries<T>(core, keys, query_rows, key_rows, with_offsets);
  for (int64_t b = 0; b < query_rows.count(); ++b) {
    const auto at = static_cast<size_t>(b);
    const CachedSequence& sequence = state.at(slots[at], "attention");
    if (query_rows.length(b) > 0) {
      require_kept(options.mask, with_offsets.mask.offsets[at], slots[at],
                   sequence.dropped * kBlock);
    }
    result.blocks.add_sequence(blocks_of<T>(state, sequence), state.shape.kv_heads);
  }
  return result;
}

template CachedProblem<float> prepare_cached(const CoreInputs&, const KeyValueCache&, const Rows&,
                                             std::span<const int64_t>, const AttentionOptions&);
template CachedProblem<double> prepare_cached(const CoreInputs&, const KeyValueCache&, const Rows&,
                                              std::span<const int64_t>, const AttentionOptions&);

}  // namespace heed::engine
